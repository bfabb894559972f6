//! Doors that are locked, on real ports.
//!
//! | file | what |
//! |---|---|
//! | `credentials.rs` | passwords and tokens on connections and between nodes |

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/running.rs"]
mod running;

mod credentials;
