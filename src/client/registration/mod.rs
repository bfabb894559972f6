//! Registration: the own record, its way to the servers, and keeping it there.
//!
//! | file | what |
//! |---|---|
//! | `record.rs` | the record and what of it is not pushed yet |
//! | `own.rs` | the record in the hands of all who may change it |
//! | `bucket.rs` | how often changes are pushed |
//! | `registrar.rs` | the one task that pushes and beats |
//! | `leave.rs` | how it ends |
//! | `health.rs` | asking the program how it is |
//!
//! It does not know how a server is chosen, nor what other instances there are.

mod bucket;
mod health;
mod leave;
mod own;
mod record;
mod registrar;

pub use health::HealthCheck;

pub(crate) use health::keep_asking;
pub(crate) use leave::Leave;
pub(crate) use own::Own;
pub(crate) use registrar::{Registrar, RegistrarOptions};
