//! The command line: subcommands, their arguments, and settings among them.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heureka::config::{Config, Sources, keys};

use super::health::HealthArguments;
use super::log::LogFormat;
use super::{health, log, serve};

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
    /// Ask a running registry whether it serves lists; for containers. Exit code 0: it does, 1: it does not
    Health(HealthArguments),
}

/// Carries out what the command line says.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> ExitCode {
    let (properties, rest) = split_properties(arguments);
    let arguments = Arguments::parse_from(rest);
    let command = arguments.command.unwrap_or(Command::Serve);
    if matches!(command, Command::Serve) {
        log::start(arguments.log);
    }

    let port = arguments.port.map(|port| (keys::PORT.to_string(), port));
    let sources = Sources::new(environment(), properties.into_iter().chain(port));
    for name in sources.unknown() {
        tracing::warn!("--{name:?} is no setting of this version; it has no effect");
    }
    let config = match Config::read(&sources) {
        Ok(config) => config,
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("heureka: {mistake}");
            }
            return ExitCode::from(2);
        }
    };
    match command {
        Command::Serve => serve::run(config),
        Command::Health(arguments) => health::run(&config, arguments),
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
