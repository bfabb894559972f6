//! How log lines look, and how a failing part shows up among them.

use std::io::IsTerminal;

use clap::ValueEnum;
use heureka::config::LogConfig;
use heureka::registry::current_work;
use tracing_subscriber::EnvFilter;

/// `--log`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    Text,
    Json,
}

/// How much is logged, as it may be set again.
pub(super) struct Levels(Box<dyn Fn(EnvFilter)>);

impl Levels {
    /// From here on as much as these settings say.
    pub(super) fn set(&self, config: &LogConfig) {
        (self.0)(filter(config));
    }
}

/// `RUST_LOG`, or the settings without it.
fn filter(config: &LogConfig) -> EnvFilter {
    let levels = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(levels) if !levels.is_empty() => levels,
        _ => config.levels.join(","),
    };
    EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::INFO.into())
        .parse_lossy(levels)
        // What actix-server says at start and stop, this node says itself.
        .add_directive("actix_server=warn".parse().unwrap_or_default())
}

/// Lines go to standard output from here on.
pub(super) fn start(format: Option<LogFormat>, config: &LogConfig) -> Levels {
    let format = format.unwrap_or(match config.json {
        true => LogFormat::Json,
        false => LogFormat::Text,
    });
    let log = tracing_subscriber::fmt()
        .with_target(false)
        .with_ansi(std::io::stdout().is_terminal());
    let levels: Box<dyn Fn(EnvFilter)> = match format {
        LogFormat::Text => {
            let log = log.with_env_filter(filter(config)).with_filter_reloading();
            let handle = log.reload_handle();
            log.init();
            Box::new(move |filter| drop(handle.reload(filter)))
        }
        LogFormat::Json => {
            let log = log.json().flatten_event(true);
            let log = log.with_env_filter(filter(config)).with_filter_reloading();
            let handle = log.reload_handle();
            log.init();
            Box::new(move |filter| drop(handle.reload(filter)))
        }
    };
    std::panic::set_hook(Box::new(|panic| {
        let work = current_work().unwrap_or_else(|| "nothing".to_string());
        tracing::error!(%panic, registry_was_at = %work, "a part of the node failed");
    }));
    Levels(levels)
}
