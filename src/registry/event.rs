//! What the registry tells: events to its listeners, and the one error of its verbs.

use std::sync::Arc;

use actix::Message;

use super::Held;
use crate::model::{ChangeStamp, InstanceKey, Origin};

/// A visible change that has happened; past tense, no reply.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct RegistryEvent {
    /// Its number: one more than that of the change before.
    pub revision: u64,
    /// Who caused it.
    pub origin: Origin,
    /// What happened.
    pub what: What,
    /// When and where the record was made, or in a removal the instance cancelled.
    pub stamp: ChangeStamp,
    /// The instance after the change; after a removal, as it was removed.
    pub held: Arc<Held>,
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
