//! What the registry tells: events to its listeners, and the one error of its verbs.

use std::sync::Arc;

use actix::Message;

use super::Held;
use crate::clock::{Millis, Moment};
use crate::model::{By, ChangeStamp, InstanceKey};

/// A visible change that has happened; past tense, no reply.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct RegistryEvent {
    /// Its number: one more than that of the change before.
    pub revision: u64,
    /// Who caused it.
    pub by: By,
    /// What happened.
    pub what: What,
    /// When and where the record was made, or in a removal the instance cancelled.
    pub stamp: ChangeStamp,
    /// The instance before the change, if it was held.
    pub before: Option<Arc<Held>>,
    /// The instance after the change; after a removal, as it was removed.
    pub held: Arc<Held>,
}

/// Something that concerns the leases of instances and that no list shows; past tense, no reply.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct LeaseEvent {
    /// When.
    pub now: Moment,
    /// What happened.
    pub what: LeaseWhat,
    /// Each instance, with the moment at which it fell silent or began to be kept.
    pub leases: Vec<(Arc<Held>, Millis)>,
}

/// The kinds of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseWhat {
    /// Self-preservation keeps them although they have ended.
    Kept,
    /// They had been kept, and were renewed after all.
    BeatAgain,
}

/// The kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An instance was registered; `is_new` if it was not held before.
    Registered {
        /// Not held before.
        is_new: bool,
    },
    /// A client or an operator ordered a status, or took the order back.
    Ordered,
    /// Its status changed by a heartbeat: an order that was stored before began to count.
    StatusChanged,
    /// Its metadata changed.
    MetadataChanged,
    /// It was deregistered.
    Cancelled,
    /// Its lease ended and it was removed. Never replicated.
    Evicted,
}

impl What {
    /// Whether the instance is gone after it.
    pub fn is_removal(self) -> bool {
        matches!(self, Self::Cancelled | Self::Evicted)
    }
}

/// The registry holds no such instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no lease for {0}")]
pub struct UnknownInstance(pub InstanceKey);
