//! Balancing: which instance of a name gets the next request.
//!
//! | file | what |
//! |---|---|
//! | `call.rs` | picking for a program, and trying the next one |
//! | `balancer.rs` | who may be taken |
//! | `policy.rs` | which of these is |
//! | `load.rs` | how an instance does for this client |
//! | `picked.rs` | an instance while a request is under way |
//! | `address.rs` | where it is reached |
//! | `middleware.rs`, `service.rs` | `http://orders/…` with reqwest and with tower |
//! | `discover.rs` | instances as services for the balancers of tower |
//!
//! It reads the catalogue in force and has no list of its own, so nothing here is older than discovery.

mod address;
mod balancer;
mod call;
#[cfg(feature = "tower")]
mod discover;
mod load;
#[cfg(feature = "reqwest-middleware")]
mod middleware;
mod picked;
mod policy;
#[cfg(feature = "tower")]
mod service;

pub use call::{NoInstance, Unanswered};
#[cfg(feature = "tower")]
pub use discover::Discovered;
#[cfg(feature = "reqwest-middleware")]
pub use middleware::Balance;
pub use picked::Picked;
pub use policy::Policy;
#[cfg(feature = "tower")]
pub use service::{BalanceLayer, Balanced};

pub(crate) use balancer::{BalanceOptions, Balancer};
