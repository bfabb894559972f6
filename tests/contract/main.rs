//! The wire, as clients see it: status codes, headers and bodies.
//!
//! | file | stands for |
//! |---|---|
//! | `wire.rs` | the rows of wire.md §13, by number |

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod wire;
