//! heureka: a Eureka service registry.
//!
//! One row a line, lowest first; a module imports only from rows below its own (`tests/repo.rs` checks
//! it). Start with `registry` for what is held, with `cache` for what is read, with `http` for how one
//! asks, and with `node` for how it all comes together. ARCHITECTURE.md has the long form.

// row 0
pub mod model;
// row 1
pub mod clock;
#[cfg(any(feature = "server", feature = "spring-files"))]
pub mod config;
#[cfg(feature = "server")]
pub mod files;
#[cfg(feature = "server")]
pub mod metrics;
#[cfg(feature = "server")]
pub mod tls;
pub mod wire;
// row 2
pub mod transport;
// row 3
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod mailbox;
#[cfg(feature = "server")]
pub mod registry;
// row 4
#[cfg(feature = "server")]
pub mod cache;
#[cfg(feature = "server")]
pub mod journal;
#[cfg(feature = "server")]
pub mod peers;
#[cfg(feature = "server")]
pub mod preservation;
// row 5
#[cfg(feature = "server")]
pub mod eviction;
// row 6
#[cfg(feature = "server")]
pub mod http;
// row 7
#[cfg(feature = "server")]
pub mod node;
