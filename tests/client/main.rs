//! The client library, group by group of what it must do (client.md §21), in virtual time on servers in memory.
//!
//! | file | stands for |
//! |---|---|
//! | `world.rs` | servers that die, hang and disagree as a test says |
//! | `waiting.rs` | waiting where time is real |
//! | `registering.rs` | groups 1–3: registration, heartbeats, 404, changes |
//! | `losing.rs` | groups 6 and 10: lost servers, and how clients spread |
//! | `leaving.rs` | group 9: shutdown |
//! | `finding.rs` | groups 4, 5 and 7: lists, deltas, doubt, age, the copy on disk |
//! | `locating.rs` | group 8: zones and names |
//! | `choosing.rs` | which instance gets a request |
//! | `adapters.rs` | reqwest and tower, with their features |
//! | `figures.rs` | metrics, with their feature |
//! | `secure.rs` | group 12: TLS |
//! | `ours.rs` | with a node of this crate |
//! | `stock.rs` | group 13: with a stock Java server, where there is one |
//! | `odd_servers.rs` | over real sockets: redirects, credentials, servers that answer nonsense (parts of 1 and 12) |

#![cfg(feature = "client")]
#![allow(clippy::unwrap_used)]

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod adapters;
mod choosing;
#[cfg(feature = "metrics")]
mod figures;
mod finding;
mod leaving;
mod locating;
mod losing;
mod odd_servers;
#[cfg(feature = "server")]
mod ours;
mod registering;
#[cfg(feature = "server")]
#[path = "../support/running.rs"]
mod running;
mod secure;
mod stock;
mod waiting;
mod world;
