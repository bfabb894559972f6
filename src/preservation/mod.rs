//! Is it the network, rather than the instances?
//!
//! When many clients fall silent together, the likelier cause is the way to them, and a registry that
//! forgets them all makes a small trouble a large one. This folder judges, each time that leases have ended,
//! whether they may go. It keeps the reference's figures in either mode (server.md §9); what they are used
//! for depends on [`crate::config::Protection`]. It knows leases only by their number.
//!
//! | file | what |
//! |---|---|
//! | `renewals.rs` | renewals of the last full minute |
//! | `expected.rs` | clients expected, and the threshold that follows |
//! | `heard.rs` | for how long this node heard from anybody |
//! | `history.rs` | the same of the last hour, for people |
//! | `permit.rs` | the judgement: pure, in three variants |
//! | `actor.rs` | events and timers in, permits out |

mod actor;
mod expected;
mod heard;
mod history;
mod permit;
mod renewals;

pub use actor::{AskPermit, Describe, Figures, Preservation, Reconfigure, Standing, Verdict};
pub use history::{Sample, TakeHistory};
pub use permit::{Judgement, Permit, Reason};
