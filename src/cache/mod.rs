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
//! | `views.rs` | which instances share a VIP |
//! | `delta.rs` | what changed lately |
//! | `render.rs` | from the mirror to bytes |
//! | `actor.rs` | events in, answers out, and the timers |
//! | `copy.rs` | the read-only copy |
//! | `reader.rs` | how a request reads |

mod actor;
mod answers;
mod copy;
mod delta;
mod mirror;
mod reader;
mod render;
mod views;

pub use actor::{Fetch, Fetched, ResponseCache};
pub use answers::{Answers, View, Want};
pub use copy::TimedCopy;
pub use mirror::Mirror;
pub use reader::Reader;
