//! Balancing: which instance of a name gets the next request.
//!
//! | file | what |
//! |---|---|
//! | `call.rs` | picking for a program, and trying the next one |
//! | `balancer.rs` | who may be taken |
//! | `policy.rs` | which of these is |
//! | `load.rs` | how an instance does for this client |
//! | `picked.rs` | an instance while a request is under way |
//!
//! It reads the catalogue in force and has no list of its own, so nothing here is older than discovery.

mod balancer;
mod call;
mod load;
mod picked;
mod policy;

pub use call::{NoInstance, Unanswered};
pub use picked::Picked;
pub use policy::Policy;

pub(crate) use balancer::{BalanceOptions, Balancer};
