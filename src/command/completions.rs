//! `heureka completions bash|zsh|fish`: a script that completes subcommands and arguments in a shell.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

/// What `heureka completions` may be told.
#[derive(Args)]
pub(super) struct CompletionsArguments {
    /// For which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script for the command line that `A` understands.
pub(super) fn run<A: CommandFactory>(arguments: &CompletionsArguments) -> ExitCode {
    // In memory first: a pipe that is closed early is no reason to panic.
    let mut script = Vec::new();
    generate(arguments.shell, &mut A::command(), "heureka", &mut script);
    match io::stdout().write_all(&script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
