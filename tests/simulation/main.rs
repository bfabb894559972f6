//! Fleets of clients and whole nodes in virtual time: hours pass in milliseconds.
//!
//! Beat phases are random and every case runs with many seeds; a failure names its seed.
//!
//! | file | stands for |
//! |---|---|
//! | `fleet.rs` | clients that beat, fall silent, come back |
//! | `protection.rs` | self-preservation by silence, as design §2 describes it |
//! | `classic.rs` | the reference's numbers, server.md scenarios 29–36 |
//! | `explorer.rs` | clusters and their clients at random, with an oracle |
//! | `scripts.rs` | clusters, as the scripts in `tests/scenarios` tell it; `script.rs` knows their words |

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/cluster.rs"]
mod cluster;
#[path = "../support/scene.rs"]
mod scene;
#[path = "../support/mod.rs"]
mod support;

mod classic;
mod explorer;
mod fleet;
mod protection;
mod script;
mod scripts;
