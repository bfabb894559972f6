//! What commands print.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stdout};
use std::process::exit;

/// Prints it on standard output. Where nobody reads any more (`| head`) there is nothing to say, and nothing is wrong.
pub(super) fn print(text: impl Display) {
    let mut out = stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("heureka: nothing can be printed: {error}");
            exit(1);
        }
        _ => {}
    }
}
