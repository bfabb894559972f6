//! One item of a peer's batch and the answer to it (wire.md §9).

use std::sync::Arc;

use super::{
    ChangeStamp, EpochMillis, Extra, InstanceInfo, InstanceKey, InstanceStatus, LeaseTimes, Listed,
};

/// What a peer's client did there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Registered, or changed its metadata.
    Register,
    /// Sent a heartbeat.
    Heartbeat,
    /// Deregistered.
    Cancel,
    /// Was given another status by an override.
    StatusUpdate,
    /// Lost its override.
    DeleteStatusOverride,
}

impl Action {
    /// All actions, in the order of [`Action::index`].
    pub const ALL: [Action; 5] = [
        Self::Register,
        Self::Heartbeat,
        Self::Cancel,
        Self::StatusUpdate,
        Self::DeleteStatusOverride,
    ];

    /// The constant on the wire, also used as a label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Register => "Register",
            Self::Heartbeat => "Heartbeat",
            Self::Cancel => "Cancel",
            Self::StatusUpdate => "StatusUpdate",
            Self::DeleteStatusOverride => "DeleteStatusOverride",
        }
    }

    /// Reads a constant exactly.
    pub fn from_constant(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.as_str() == text)
    }

    /// A small number for tables of counters.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// One change that a peer passes on, checked and ready for the registry.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplicationItem {
    /// Hold this record.
    Register(Box<InstanceInfo>),
    /// Renew, and compare stamps.
    Heartbeat {
        /// Which instance.
        key: InstanceKey,
        /// The sender's `lastDirtyTimestamp`.
        last_dirty: Option<EpochMillis>,
        /// The override that the sender holds, if any.
        override_status: Option<InstanceStatus>,
    },
    /// Remove.
    Cancel(InstanceKey),
    /// Set an override.
    StatusUpdate {
        /// Which instance.
        key: InstanceKey,
        /// The status ordered.
        status: InstanceStatus,
        /// The sender's stamp.
        last_dirty: Option<EpochMillis>,
    },
    /// Remove an override.
    DeleteStatusOverride {
        /// Which instance.
        key: InstanceKey,
        /// The status after the removal.
        status: InstanceStatus,
        /// The sender's stamp.
        last_dirty: Option<EpochMillis>,
    },
}

impl ReplicationItem {
    /// Which instance it concerns.
    pub fn key(&self) -> InstanceKey {
        match self {
            Self::Register(info) => info.key(),
            Self::Cancel(key)
            | Self::Heartbeat { key, .. }
            | Self::StatusUpdate { key, .. }
            | Self::DeleteStatusOverride { key, .. } => key.clone(),
        }
    }

    /// Which of the five it is.
    pub fn action(&self) -> Action {
        match self {
            Self::Register(_) => Action::Register,
            Self::Heartbeat { .. } => Action::Heartbeat,
            Self::Cancel(_) => Action::Cancel,
            Self::StatusUpdate { .. } => Action::StatusUpdate,
            Self::DeleteStatusOverride { .. } => Action::DeleteStatusOverride,
        }
    }
}

/// An item with what a peer of this kind says beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerItem {
    /// What Eureka knows.
    pub item: ReplicationItem,
    /// The rest.
    pub extra: Extra,
}

impl PeerItem {
    /// Which instance it concerns.
    pub fn key(&self) -> InstanceKey {
        self.item.key()
    }

    /// Which of the five actions it is.
    pub fn action(&self) -> Action {
        self.item.action()
    }
}

impl From<ReplicationItem> for PeerItem {
    /// An item of any other peer.
    fn from(item: ReplicationItem) -> Self {
        let extra = Extra::NONE;
        Self { item, extra }
    }
}

/// One item on its way to a peer.
#[derive(Clone, Debug)]
pub struct OutgoingItem<'i> {
    /// Which instance.
    pub key: &'i InstanceKey,
    /// What to do with it there.
    pub change: Outgoing<'i>,
    /// What only nodes of this kind are told.
    pub extra: Extra,
}

/// What a peer is to do.
#[derive(Clone, Copy, Debug)]
pub enum Outgoing<'i> {
    /// Hold this record.
    Register(Listed<'i>),
    /// Renew, and compare stamps.
    Heartbeat {
        /// The record's stamp.
        last_dirty: EpochMillis,
        /// Its status.
        status: InstanceStatus,
        /// The override in force.
        override_status: Option<InstanceStatus>,
    },
    /// Remove.
    Cancel,
    /// Set an override.
    StatusUpdate {
        /// The status ordered.
        status: InstanceStatus,
        /// The record's stamp.
        last_dirty: EpochMillis,
    },
    /// Remove an override.
    DeleteStatusOverride {
        /// The status after that.
        status: InstanceStatus,
        /// The record's stamp.
        last_dirty: EpochMillis,
    },
}

impl Outgoing<'_> {
    /// Which of the five it is.
    pub fn action(&self) -> Action {
        match self {
            Self::Register(_) => Action::Register,
            Self::Heartbeat { .. } => Action::Heartbeat,
            Self::Cancel => Action::Cancel,
            Self::StatusUpdate { .. } => Action::StatusUpdate,
            Self::DeleteStatusOverride { .. } => Action::DeleteStatusOverride,
        }
    }
}

/// A peer's answer to one item.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerAnswer {
    /// `statusCode`.
    pub status: u16,
    /// The peer's own copy, where it sent one that can be used.
    pub copy: Option<PeerCopy>,
    /// When and where the instance was cancelled, if it does not hold it for that reason; nodes of this kind say so.
    pub cancelled: Option<ChangeStamp>,
}

/// A record as a peer holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerCopy {
    /// The record.
    pub info: Box<InstanceInfo>,
    /// What only nodes of this kind say.
    pub extra: Extra,
}

/// The answer to one item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemAnswer {
    /// 200.
    Done,
    /// 404: the receiver does not hold the instance, or holds an older copy of it.
    Unknown,
    /// 409: the receiver's copy is newer; here it is, with what only nodes of this kind are told.
    Newer(Arc<InstanceInfo>, LeaseTimes, Extra),
    /// 404: the instance was cancelled a moment ago, later than what the sender tells of it.
    Cancelled(ChangeStamp),
    /// 400: the item cannot be carried out as it is.
    Refused,
}

impl ItemAnswer {
    /// `statusCode` of the item.
    pub fn status_code(&self) -> u16 {
        match self {
            Self::Done => 200,
            Self::Unknown | Self::Cancelled(_) => 404,
            Self::Newer(..) => 409,
            Self::Refused => 400,
        }
    }
}
