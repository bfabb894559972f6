//! Settings that change while a node runs: on SIGHUP, and when a file has changed.
//!
//! Files are read again every few seconds, which notices new ones too and needs nothing of the file system. A file
//! that cannot be used changes nothing and is said once. What was changed and needs a restart is named.

use std::convert::Infallible;
use std::time::Duration;

use heureka::config::{Config, Disk, Given, Report, Sources};
use heureka::node::Node;
use tokio::signal::unix::{SignalKind, signal};

use super::log::Levels;

/// Pause between two looks at the files.
const PAUSE: Duration = Duration::from_secs(2);

/// What a node runs with at present.
pub(super) struct Reload {
    pub(super) given: Given,
    pub(super) sources: Sources,
    pub(super) report: Report,
    pub(super) levels: Levels,
}

impl Reload {
    /// Follows the files for ever.
    pub(super) async fn follow(mut self, node: &Node) -> Infallible {
        let mut hangup = signal(SignalKind::hangup()).ok();
        loop {
            let asked = async {
                match &mut hangup {
                    Some(hangup) => hangup.recv().await,
                    None => std::future::pending().await,
                }
            };
            let asked = tokio::select! {
                _ = asked => true,
                () = tokio::time::sleep(PAUSE) => false,
            };
            let given = self.given.clone();
            let read = move || Sources::gather(&given, &Disk::default());
            let Ok(sources) = tokio::task::spawn_blocking(read).await else {
                continue;
            };
            if asked || !sources.is_same(&self.sources) {
                self.take(sources, asked, node);
            }
        }
    }

    /// Takes what can be taken.
    fn take(&mut self, sources: Sources, asked: bool, node: &Node) {
        let (config, report) = match Config::explain(&sources) {
            Ok(read) => read,
            Err(mistakes) => {
                for mistake in mistakes {
                    tracing::error!("settings stay as they are: {mistake}");
                }
                self.sources = sources;
                return;
            }
        };
        let is_new = |warning: &&String| !self.report.warnings.contains(warning);
        for warning in report.warnings.iter().filter(is_new) {
            tracing::warn!("{warning}");
        }
        let changed = report.changed(&self.report);
        let (live, fixed): (Vec<_>, Vec<_>) = changed.into_iter().partition(|s| s.live);
        let names = |settings: &[&heureka::config::Setting]| {
            let names: Vec<_> = settings.iter().map(|s| s.key.as_str()).collect();
            names.join(", ")
        };
        if !live.is_empty() {
            tracing::info!("settings changed: {}", names(&live));
            node.apply(&config);
            node.http.live.follow(&report);
            self.levels.set(&config.log);
        }
        if !fixed.is_empty() {
            tracing::warn!(
                "these settings change with a restart only: {}",
                names(&fixed)
            );
        }
        if asked && live.is_empty() && fixed.is_empty() {
            tracing::info!("settings read again: nothing has changed");
        }
        self.sources = sources;
        self.report = report;
    }
}
