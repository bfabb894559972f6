//! `heureka bench`: as many clients as one asks for, each with timers of its own, against one node or several.
//!
//! Clients do what Java's do: they register, beat, read the list once and then what changed, and deregister. So what
//! one sees is what a fleet of that size costs, not how much can be sent at once.
//!
//! | file | what |
//! |---|---|
//! | `arguments.rs` | what may be asked for |
//! | `server.rs` | a node by its URL |
//! | `link.rs` | one connection that is kept |
//! | `record.rs` | what a client registers |
//! | `client.rs` | one client from its registration to its end |
//! | `fleet.rs` | all of them |
//! | `figures.rs` | what came of their requests |
//! | `report.rs` | how it goes, and how it went |
//!
//! Exit codes: 0 if every request was answered as it should be, 1 if not.

mod arguments;
mod client;
mod figures;
mod fleet;
mod link;
mod record;
mod report;
mod server;

pub(super) use arguments::BenchArguments;
pub(super) use fleet::run;
