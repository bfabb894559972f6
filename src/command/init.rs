//! `heureka init`: writes a short `application.yml` with comments, for those who begin.
//!
//! Exit codes: 0 when it is written, 2 when there is a file of that name already or it cannot be written.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::print::print;

const TEXT: &str = include_str!("init.yml");

/// Where it is written.
#[derive(Args)]
pub(super) struct InitArguments {
    /// The file
    #[arg(default_value = "application.yml")]
    file: PathBuf,
}

/// Writes it.
pub(super) fn run(arguments: &InitArguments) -> ExitCode {
    let file = &arguments.file;
    let written = File::create_new(file).and_then(|mut open| open.write_all(TEXT.as_bytes()));
    match written {
        Ok(()) => {
            let file = file.display();
            print(format_args!("{file} is written; start with: heureka\n"));
            ExitCode::SUCCESS
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            eprintln!(
                "heureka: {} is there already and stays as it is",
                file.display()
            );
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("heureka: {} cannot be written: {error}", file.display());
            ExitCode::from(2)
        }
    }
}
