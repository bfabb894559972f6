//! The command line: subcommands, their arguments, and settings among them.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heureka::config::{Config, Disk, Given, Sources, keys};
use heureka::node;

use super::bench::{self, BenchArguments};
use super::check_config::CheckArguments;
use super::completions::CompletionsArguments;
use super::health::HealthArguments;
use super::init::InitArguments;
use super::log::LogFormat;
use super::operate::{EventsArguments, InstancesArguments, ListArguments, OverrideArguments};
use super::reload::Reload;
use super::{check_config, completions, health, init, log, operate, serve};

/// A Eureka service registry.
///
/// Settings are read from application.yml, .yaml and .properties here and in config/, with profiles as in Spring.
/// Each may be given as --some.key=value or -Dsome.key=value too, or in the environment as SOME_KEY.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Port to listen on; short for --server.port [default: 8761]
    #[arg(long, global = true)]
    port: Option<String>,
    /// File or folder of settings, in place of the usual ones; short for --spring.config.location
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<String>,
    /// How log lines look; RUST_LOG or logging.level.* set how many there are [default: text]
    #[arg(long, global = true, value_enum)]
    log: Option<LogFormat>,
}

#[derive(Subcommand)]
enum Command {
    /// Run a registry (the default)
    Serve,
    /// Show the settings that are in force, where each came from, and what might be better. Exit code 2: a node would
    /// not start with them
    CheckConfig(CheckArguments),
    /// Write a short application.yml with comments
    Init(InitArguments),
    /// Ask a running registry whether it serves lists; for containers. Exit code 0: it does, 1: it does not
    Health(HealthArguments),
    /// List the applications that a running node holds
    Apps(ListArguments),
    /// List the instances of an application, with their statuses and why
    Instances(InstancesArguments),
    /// List what happened to instances of late, newest first
    Events(EventsArguments),
    /// List the other nodes, and how things stand with them
    Peers(ListArguments),
    /// Override the status of an instance, or take that back
    Override(OverrideArguments),
    /// Print a script that completes this command line in a shell
    Completions(CompletionsArguments),
    /// Be a fleet of clients for a registry, and say how it answered. Exit code 1 where an answer was wrong
    Bench(BenchArguments),
}

/// Carries out what the command line says.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> ExitCode {
    let (mut given, rest) = split_properties(arguments);
    let arguments = Arguments::parse_from(rest);
    let command = arguments.command.unwrap_or(Command::Serve);
    match &command {
        Command::Init(arguments) => return init::run(arguments),
        Command::Completions(arguments) => return completions::run::<Arguments>(arguments),
        _ => {}
    }
    let port = arguments.port.map(|port| (keys::PORT.to_string(), port));
    let place = arguments
        .config
        .map(|place| (keys::CONFIG_LOCATION.to_string(), place));
    given.arguments.extend(port.into_iter().chain(place));
    let sources = Sources::gather(&given, &Disk::default());
    let (config, report) = match Config::explain(&sources) {
        Ok(read) => read,
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("heureka: {mistake}");
            }
            return ExitCode::from(2);
        }
    };
    match command {
        Command::Serve => {
            let levels = log::start(arguments.log, &config.log);
            let reload = Reload {
                given,
                sources,
                report,
                levels,
            };
            serve::run(config, reload)
        }
        Command::CheckConfig(arguments) => check_config::run(&report, &arguments),
        other => beside(other, &config),
    }
}

/// Carries out what has to do with a running node.
fn beside(command: Command, config: &Config) -> ExitCode {
    match command {
        Command::Health(arguments) => health::run(config, arguments),
        Command::Apps(arguments) => operate::apps(config, &arguments),
        Command::Instances(arguments) => operate::instances(config, &arguments),
        Command::Events(arguments) => operate::events(config, &arguments),
        Command::Peers(arguments) => operate::peers(config, &arguments),
        Command::Override(arguments) => operate::override_status(config, &arguments),
        Command::Bench(arguments) => bench::run(arguments),
        // Carried out before.
        Command::Serve | Command::CheckConfig(_) | Command::Init(_) | Command::Completions(_) => {
            ExitCode::SUCCESS
        }
    }
}

/// Sets `--some.key=value` and `-Dsome.key=value` apart from what the command itself understands.
fn split_properties(arguments: impl Iterator<Item = String>) -> (Given, Vec<String>) {
    let mut given = Given {
        environment: environment().collect(),
        facts: node::facts(),
        ..Given::default()
    };
    let mut rest = Vec::new();
    for argument in arguments {
        let (place, text) = match (argument.strip_prefix("--"), argument.strip_prefix("-D")) {
            (Some(text), _) => (&mut given.arguments, text),
            (None, Some(text)) => (&mut given.system, text),
            (None, None) => {
                rest.push(argument);
                continue;
            }
        };
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        match name.contains('.') {
            true => place.push((name.to_string(), value.to_string())),
            false => rest.push(argument),
        }
    }
    (given, rest)
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
            "-Deureka.y=z",
            "--config=a.yml",
            "--log=json",
        ];
        let (got, rest) = split_properties(given.map(String::from).into_iter());
        let pairs = |pairs: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
            pairs.iter().map(owned).collect::<Vec<_>>()
        };
        assert_eq!(
            got.arguments,
            pairs(&[("server.port", "2"), ("eureka.x", "")])
        );
        assert_eq!(got.system, pairs(&[("eureka.y", "z")]));
        let wanted = [
            "heureka",
            "serve",
            "--port",
            "1",
            "--config=a.yml",
            "--log=json",
        ];
        assert_eq!(rest, wanted);
    }
}
