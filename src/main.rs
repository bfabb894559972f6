//! The command: hands over to the subcommand that was asked for.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::run(std::env::args())
}
