//! Replicators at work in virtual time: a real registry on one side, a peer that answers as told on the other.
//!
//! | file | what |
//! |---|---|
//! | `world.rs` | a node with a registry |
//! | `fake.rs` | its peers |
//! | `delivery.rs` | what is delivered, and when |
//! | `trouble.rs` | peers that fail |
//! | `kinds.rs` | peers of our kind, and others |
//! | `set.rs` | the list of peers |
//! | `figures.rs` | metrics, and the state for people |

mod delivery;
mod fake;
mod figures;
mod kinds;
mod set;
mod trouble;
mod world;
