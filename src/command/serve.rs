//! `heureka serve`: starts a node, and leaves when told to.
//!
//! Exit codes: 0 after a stop, 2 for a port that cannot be opened, 70 when an actor died that the node cannot
//! live without.

use std::process::ExitCode;
use std::rc::Rc;

use heureka::clock::Clock;
use heureka::config::Config;
use heureka::files;
use heureka::http::Ports;
use heureka::node::{self, Ended, Node, Placement};

use super::introduce::{introduce, tell_settings};
use super::reload::Reload;
use super::stop::StopSignals;

/// Runs a node with these settings until it is told to stop.
pub(super) fn run(mut config: Config, reload: Reload) -> ExitCode {
    fit_connections(&mut config);
    actix::System::new().block_on(serve(config, reload))
}

/// Raises the limit of open files, and bounds connections by it unless a setting does.
fn fit_connections(config: &mut Config) {
    let Some(files) = files::raise_limit() else {
        return;
    };
    let most = *config
        .limits
        .connections
        .get_or_insert(files::connections_of(files));
    if files < files::ENOUGH {
        let enough = files::ENOUGH;
        config.warnings.push(format!(
            "only {files} files may be open here, each connection is one; {enough} are enough for a \
             large fleet (ulimit -Hn). At most {most} connections are let in"
        ));
    }
}

async fn serve(config: Config, reload: Reload) -> ExitCode {
    let clock = Clock::system();
    let (ports, address) = match Ports::open(&config) {
        Ok(opened) => opened,
        Err(error) => {
            eprintln!("heureka: {error}");
            return ExitCode::from(2);
        }
    };
    // Before anybody is told that it listens: from then on it leaves in good order.
    let signals = StopSignals::catch();
    let identity = node::identity(&config, address.port(), &clock);
    introduce(&config, &ports, address, &identity);
    tell_settings(&reload.report);
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let network = Rc::new(node::network(&config, &identity));
    let node = Node::assemble(config, clock, identity, Placement::OwnThreads, network);
    node.http.live.explain(reload.report.clone());
    let ended = tokio::select! {
        ended = node.run(ports, signals.wait()) => ended,
        never = reload.follow(&node) => match never {},
    };
    match ended {
        Ok(Ended::Stopped) => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Ok(Ended::Lost(part)) => {
            tracing::error!("the {part} is gone; the node ends so that it can be started anew");
            ExitCode::from(70)
        }
        Err(error) => {
            eprintln!("heureka: cannot serve on {address}: {error}");
            ExitCode::from(2)
        }
    }
}
