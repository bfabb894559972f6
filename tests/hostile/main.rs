//! What nobody sends in good faith: the node stays as it was, and says so.
//!
//! | file | what comes |
//! |---|---|
//! | `connections.rs` | connections that send nothing, too little, too slowly, or read nothing; too many of them |

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/process.rs"]
mod process;
#[path = "../support/running.rs"]
mod running;
#[path = "../support/mod.rs"]
mod support;

mod connections;
