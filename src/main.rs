//! The command: reads the settings, starts a node, and leaves when told to.
//!
//! Exit codes: 0 after a stop, 2 for settings that cannot be used and a port that cannot be opened, 70
//! when an actor died that the node cannot live without.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::rc::Rc;

use clap::{Parser, Subcommand, ValueEnum};
use heureka::clock::Clock;
use heureka::config::{Config, Mode, Sources, keys};
use heureka::files;
use heureka::http::Identity;
use heureka::node::{self, Ended, Node, Placement};
use heureka::peers::{self, Me};
use heureka::registry::current_work;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// A Eureka service registry.
///
/// Every setting may be given as --some.key=value or in the environment as SOME_KEY, in Spring's names.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Port to listen on; short for --server.port [default: 8761]
    #[arg(long, global = true)]
    port: Option<String>,
    /// How log lines look; RUST_LOG sets how many there are
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    log: LogFormat,
}

#[derive(Subcommand)]
enum Command {
    /// Run a registry (the default)
    Serve,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

fn main() -> ExitCode {
    let (properties, rest) = split_properties(std::env::args());
    let arguments = Arguments::parse_from(rest);
    let Command::Serve = arguments.command.unwrap_or(Command::Serve);
    start_log(arguments.log);

    let port = arguments.port.map(|port| (keys::PORT.to_string(), port));
    let sources = Sources::new(environment(), properties.into_iter().chain(port));
    for name in sources.unknown() {
        tracing::warn!("--{name:?} is no setting of this version; it has no effect");
    }
    match Config::read(&sources) {
        Ok(mut config) => {
            fit_connections(&mut config);
            actix::System::new().block_on(serve(config))
        }
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("heureka: {mistake}");
            }
            ExitCode::from(2)
        }
    }
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

/// Sets `--some.key=value` apart from what the command itself understands.
fn split_properties(
    arguments: impl Iterator<Item = String>,
) -> (Vec<(String, String)>, Vec<String>) {
    let (mut properties, mut rest) = (Vec::new(), Vec::new());
    for argument in arguments {
        let property = argument
            .strip_prefix("--")
            .map(|text| match text.split_once('=') {
                Some((name, value)) => (name.to_string(), value.to_string()),
                None => (text.to_string(), String::new()),
            });
        match property {
            Some((name, value)) if name.contains('.') => properties.push((name, value)),
            _ => rest.push(argument),
        }
    }
    (properties, rest)
}

/// The environment, as far as it is text.
fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::INFO.into())
        .from_env_lossy()
        // What actix-server says at start and stop, this node says itself.
        .add_directive("actix_server=warn".parse().unwrap_or_default());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(std::io::stdout().is_terminal());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let work = current_work().unwrap_or_else(|| "nothing".to_string());
        tracing::error!(%panic, registry_was_at = %work, "a part of the node failed");
    }));
}

async fn serve(config: Config) -> ExitCode {
    let clock = Clock::system();
    let address = SocketAddr::new(config.http.address, config.http.port);
    let opened = node::listen(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            eprintln!(
                "heureka: cannot listen on {address}: {error}; choose another port with --port"
            );
            return ExitCode::from(2);
        }
    };
    // Before anybody is told that it listens: from then on it leaves in good order.
    let signals = StopSignals::catch();
    let identity = node::identity(&config, address.port(), &clock);
    introduce(&config, address, &identity);
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let network = Rc::new(node::network(&config.peers, &identity));
    let node = Node::assemble(config, clock, identity, Placement::OwnThreads, network);
    match node.run(listener, signals.wait()).await {
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

/// The first lines of the log: where, how, and what to open next.
fn introduce(config: &Config, address: SocketAddr, identity: &Identity) {
    tracing::info!(
        "heureka {} listening on http://{address}",
        env!("CARGO_PKG_VERSION")
    );
    let (mode, peers) = (mode_line(config.mode), peers_line(config, identity));
    tracing::info!("{mode}; {peers}; open to everyone who reaches it");
    let base = format!(
        "http://localhost:{}{}",
        address.port(),
        config.http.context_path
    );
    let page = match config.page.enabled {
        true => format!("open {base}{}/ for the page; ", config.page.path),
        false => String::new(),
    };
    tracing::info!("{page}clients use {base}/eureka/");
}

fn mode_line(mode: Mode) -> &'static str {
    match mode {
        Mode::Modern => "modern mode: reads show every acknowledged write, leases end on time",
        Mode::Classic => "classic mode: the Java server's cache, lease and eviction times",
    }
}

/// Who the other nodes are, as far as that is known without asking anybody.
fn peers_line(config: &Config, identity: &Identity) -> String {
    let Identity {
        host_name,
        ip_addr,
        port,
        ..
    } = identity;
    let me = Me::new(config, host_name, ip_addr, *port);
    let listed = peers::listed(&config.peers, &me).into_iter();
    let mut peers: Vec<_> = listed.map(|url| url.to_string()).collect();
    let names = config.peers.dns_hosts.iter();
    peers.extend(names.map(|url| format!("all addresses of {url}")));
    if let Some(lists) = &config.peers.dns_lists {
        peers.push(format!("what DNS lists under {}", lists.domain));
    }
    match peers.is_empty() {
        true => "one node".to_string(),
        false => format!("peers: {}", peers.join(", ")),
    }
}

/// SIGTERM and Ctrl-C, caught from the moment this is made.
struct StopSignals(Option<(Signal, Signal)>);

impl StopSignals {
    fn catch() -> Self {
        let term = signal(SignalKind::terminate());
        let interrupt = signal(SignalKind::interrupt());
        let both = term.and_then(|term| Ok((term, interrupt?)));
        if let Err(error) = &both {
            tracing::error!(%error, "signals cannot be caught here; the node can only be killed");
        }
        Self(both.ok())
    }

    /// Waits for one of them.
    async fn wait(self) {
        let Some((mut term, mut interrupt)) = self.0 else {
            return std::future::pending().await;
        };
        let name = tokio::select! {
            _ = term.recv() => "SIGTERM",
            _ = interrupt.recv() => "Ctrl-C",
        };
        tracing::info!("{name}: finishing open requests");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_from_the_command_s_own_arguments() {
        let given = [
            "heureka",
            "serve",
            "--port",
            "1",
            "--server.port=2",
            "--eureka.x",
            "--log=json",
        ];
        let (properties, rest) = split_properties(given.map(String::from).into_iter());
        let pairs = [("server.port", "2"), ("eureka.x", "")];
        assert_eq!(
            properties,
            pairs.map(|(k, v)| (k.to_string(), v.to_string()))
        );
        assert_eq!(rest, ["heureka", "serve", "--port", "1", "--log=json"]);
    }
}
