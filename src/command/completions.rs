//! `heureka completions bash|zsh|fish`: a script that completes subcommands and arguments in a shell.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::print::print;

/// What `heureka completions` may be told.
#[derive(Args)]
pub(super) struct CompletionsArguments {
    /// For which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script for the command line that `A` understands.
pub(super) fn run<A: CommandFactory>(arguments: &CompletionsArguments) -> ExitCode {
    // In memory first: what is written to must not fail.
    let mut script = Vec::new();
    generate(arguments.shell, &mut A::command(), "heureka", &mut script);
    print(String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
