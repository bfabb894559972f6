//! Settings as people have them: real files, and the real binary where only that can show it.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/process.rs"]
mod process;
#[path = "../support/running.rs"]
mod running;

mod commands;
mod live;
mod operating;
mod setups;
mod vectors;
mod world;
