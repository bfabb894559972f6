//! Telling the others what clients do here, and asking them what they hold.
//!
//! [`Peers`] hears the registry's events, keeps the list of peers, and has a [`Replicator`] for each. A slow or
//! dead peer costs its own queue and nothing else. What peers caused is never passed on; `change.rs` has that
//! line.
//!
//! | file | what |
//! |---|---|
//! | `set.rs` | actor [`Peers`]: who the peers are |
//! | `change.rs` | what of an event the others are to hear |
//! | `replicator.rs` | actor [`Replicator`]: one peer |
//! | `send.rs` | when which batch goes out to it |
//! | `answer.rs` | what is done about its answer to a batch |
//! | `items.rs` | what is done about its answers to items |
//! | `flush.rs` | everything out before the node ends |
//! | `state.rs` | how things stand with it, for people and metrics |
//! | `resolve.rs` | where the peers are |
//! | `replicas.rs` | which peers count as available replicas |
//! | `sync_up.rs` | what peers hold, copied when the node starts |
//! | `gate.rs` | whether lists are served yet |
//! | `own.rs` | the node as an instance of its own registry |
//!
//! | rules without actors | |
//! |---|---|
//! | `queue.rs` | what waits for a peer, in which order it goes, what goes back |
//! | `slot.rs` | the net effect of what happened to one instance |
//! | `suspects.rs` | instances whose items may be what a peer cannot take |
//! | `beats.rs` | heartbeats, and comparing everything |
//! | `draft.rs` | a batch in the making |
//! | `outcome.rs` | what an answer means |
//! | `link.rs` | whether somebody is at an address, who, and when to try again |
//! | `backoff.rs` | how long to leave a peer alone |
//!
//! This folder does not know how a batch gets to a node.

mod answer;
mod backoff;
mod beats;
mod change;
mod draft;
mod flush;
mod gate;
mod items;
mod link;
mod outcome;
mod own;
mod queue;
mod replicas;
mod replicator;
mod resolve;
mod send;
mod set;
mod slot;
mod state;
mod suspects;
mod sync_up;
#[cfg(test)]
mod tests;

pub use change::{Change, Changed};
pub use flush::Flush;
pub use gate::Gate;
pub use own::OwnInstance;
pub use replicas::Replicas;
pub use replicator::{Replicator, ReplicatorParts};
pub use resolve::{Me, SharedPeersConfig, listed, lookup, refresh_interval};
pub use set::{Begin, Heard, Look, Peers, PeersParts};
pub use state::{PeerState, TakePeers};
pub use sync_up::SyncUp;

use std::rc::Rc;

use crate::model::NodeUrl;
use crate::transport::Awaited;

/// Who the peers are, looked up anew each time.
pub type Lookup = Rc<dyn Fn() -> Awaited<Result<Vec<NodeUrl>, String>>>;
