//! The journal: what happened to instances of late, when, by whom and why.
//!
//! It listens to the registry and keeps the last so many events, bounded in number and in bytes. Nobody waits for it,
//! and it decides nothing. A heartbeat that changes nothing is no event and costs nothing here.
//!
//! | file | what |
//! |---|---|
//! | `entry.rs` | [`Entry`]: one event as it is kept, and how it comes from the registry's |
//! | `ring.rs` | the last ones, and how they are found |
//! | `actor.rs` | the actor around them |

mod actor;
mod entry;
mod ring;

pub use actor::Journal;
pub use entry::{Entry, Kind};
pub use ring::{FindEntries, Found};
