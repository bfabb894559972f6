//! Answers as bytes: lists are written once per change and form, and handed out as often as asked.
//!
//! The reference's three levels are kept by name: registry → read-write answers ([`Answers`]) → read-only
//! copy ([`TimedCopy`], only where configured). The actor follows the registry's events in a [`Mirror`];
//! an answer is made of one state of it, so its content and its hash agree (I2). A reader compares the
//! revision of the published answers with the registry's: equal means there is nothing newer, behind
//! means one question to the actor. So a read after an acknowledged write always shows it (I3).
//!
//! | file | what |
//! |---|---|
//! | `answers.rs` | what is published, and the names of the lists |
//! | `mirror.rs` | the registry as its events tell it |
//! | `block.rs` | neighbouring instances, written and packed once |
//! | `blocks.rs` | all instances in blocks |
//! | `views.rs` | which applications have a VIP |
//! | `delta.rs` | what changed lately |
//! | `list.rs` | from the mirror to a body |
//! | `actor.rs` | events in, and the timers |
//! | `fetch.rs` | questions in, answers out: written at once, or elsewhere if that takes long |
//! | `copy.rs` | the read-only copy |
//! | `reader.rs` | how a request reads |

mod actor;
mod answers;
mod block;
mod blocks;
mod copy;
mod delta;
mod fetch;
mod list;
mod mirror;
mod reader;
mod views;

pub use actor::{Reconfigure, ResponseCache};
pub use answers::{Answers, View, Want};
pub use copy::TimedCopy;
pub use fetch::{Fetch, Fetched};
pub use mirror::Mirror;
pub use reader::Reader;
