//! One event as it is kept, and how it comes from what the registry tells.

use std::sync::Arc;

use crate::clock::{Millis, Moment};
use crate::model::{
    By, EpochMillis, InstanceInfo, InstanceKey, InstanceStatus, Order, Origin, Owner, Who,
};
use crate::registry::{Held, LeaseEvent, LeaseWhat, RegistryEvent, What};

/// What happened to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It was registered and had not been held.
    Registered,
    /// It was registered again as it was.
    RegisteredAgain,
    /// It was registered again with another record.
    Replaced,
    /// It was registered again with another status, or a stored order began to count.
    Status,
    /// Somebody ordered a status for it.
    Override,
    /// The order was taken back, or its time was over.
    OverrideEnded,
    /// Its metadata changed.
    Metadata,
    /// Somebody took it out.
    Cancelled,
    /// It was not renewed in time and was removed.
    LeaseEnded,
    /// It was not renewed in time and is kept by self-preservation.
    Held,
    /// It had been kept and was renewed after all.
    RenewedAfterGap,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Registered,
        Self::RegisteredAgain,
        Self::Replaced,
        Self::Status,
        Self::Override,
        Self::OverrideEnded,
        Self::Metadata,
        Self::Cancelled,
        Self::LeaseEnded,
        Self::Held,
        Self::RenewedAfterGap,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::RegisteredAgain => "registered-again",
            Self::Replaced => "replaced",
            Self::Status => "status",
            Self::Override => "override",
            Self::OverrideEnded => "override-ended",
            Self::Metadata => "metadata",
            Self::Cancelled => "cancelled",
            Self::LeaseEnded => "lease-ended",
            Self::Held => "held",
            Self::RenewedAfterGap => "renewed-after-gap",
        }
    }

    /// The kind with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number; later ones are greater.
    pub number: u64,
    /// When.
    pub at: EpochMillis,
    /// To which instance.
    pub key: InstanceKey,
    /// What.
    pub kind: Kind,
    /// The status before, if it was held.
    pub before: Option<InstanceStatus>,
    /// The status after, if it is still held.
    pub after: Option<InstanceStatus>,
    /// Who caused it.
    pub by: By,
    /// The order that was given or has ended.
    pub order: Option<Arc<Order>>,
    /// Of a lease that ended, when it was last renewed; of one that is or was kept, since when.
    pub since: Option<EpochMillis>,
}

impl Entry {
    /// What is kept of a visible change at `now`.
    pub(super) fn of(event: RegistryEvent, now: Moment) -> Self {
        let RegistryEvent {
            what,
            by,
            before,
            held,
            ..
        } = event;
        let idle = || now.wall.saturating_sub(held.lease.idle(now));
        let removed = what.is_removal();
        let kind = kind(what, before.as_deref(), &held);
        let is_order = matches!(kind, Kind::Override | Kind::OverrideEnded);
        Self {
            number: 0,
            at: held.info.last_updated,
            key: held.info.key(),
            kind,
            order: held.version.order().filter(|_| is_order).cloned(),
            before: before.map(|before| before.info.status),
            after: (!removed).then_some(held.info.status),
            since: (what == What::Evicted).then(idle),
            by,
        }
    }

    /// What is kept of leases that are held, or not any more.
    pub(super) fn of_leases(event: LeaseEvent) -> impl Iterator<Item = Self> {
        let LeaseEvent { now, what, leases } = event;
        let wall = move |then: Millis| now.wall.saturating_sub(now.mono.saturating_sub(then));
        leases.into_iter().map(move |(held, since)| {
            let (kind, by) = match what {
                LeaseWhat::Kept => (Kind::Held, By::only(Who::Node)),
                LeaseWhat::BeatAgain => (Kind::RenewedAfterGap, Origin::Client.into()),
            };
            Self {
                number: 0,
                at: now.wall,
                key: held.info.key(),
                kind,
                before: Some(held.info.status),
                after: Some(held.info.status),
                by,
                order: None,
                since: Some(wall(since)),
            }
        })
    }

    /// Bytes of its texts, at most: some of them are shared with the registry.
    pub(super) fn bytes(&self) -> usize {
        let By { user, reason, .. } = &self.by;
        let (name, why) = match self.owner() {
            Some(owner) => (Some(&owner.name), owner.reason.as_ref()),
            None => (None, None),
        };
        let own = [Some(&self.key.app), Some(&self.key.id)].into_iter();
        let texts = own.chain([user.as_ref(), reason.as_ref(), name, why]);
        texts.flatten().map(|text| text.len()).sum()
    }

    /// Whose order was given or has ended.
    pub fn owner(&self) -> Option<&Owner> {
        self.order.as_ref()?.owner.as_ref()
    }

    /// Why it was done, in the words of an operator.
    pub fn reason(&self) -> Option<&str> {
        let of_order = || self.owner()?.reason.as_deref();
        self.by.reason.as_deref().or_else(of_order)
    }
}

fn kind(what: What, before: Option<&Held>, held: &Held) -> Kind {
    let ordered = || before.is_some_and(|before| !same_order(before, held));
    let order = || match held.info.override_status {
        Some(_) => Kind::Override,
        None => Kind::OverrideEnded,
    };
    match what {
        What::Ordered => order(),
        // A peer's order came with its heartbeat or its record, or one that was stored began to count.
        What::StatusChanged | What::Registered { .. } if ordered() => order(),
        What::StatusChanged => Kind::Status,
        What::Registered { .. } => match before {
            None => Kind::Registered,
            Some(before) if differs(&before.info, &held.info) => Kind::Replaced,
            Some(before) if before.info.status != held.info.status => Kind::Status,
            Some(_) => Kind::RegisteredAgain,
        },
        What::MetadataChanged => Kind::Metadata,
        What::Cancelled => Kind::Cancelled,
        What::Evicted => Kind::LeaseEnded,
    }
}

fn same_order(a: &Held, b: &Held) -> bool {
    let stamp = |held: &Held| held.version.order().map(|order| order.stamp);
    stamp(a) == stamp(b)
}

/// Whether two records of an instance differ in more than their status and their times.
fn differs(a: &Arc<InstanceInfo>, b: &Arc<InstanceInfo>) -> bool {
    let InstanceInfo {
        status,
        override_status,
        action,
        last_dirty,
        last_updated,
        ..
    } = **b;
    let a = InstanceInfo {
        status,
        override_status,
        action,
        last_dirty,
        last_updated,
        ..(**a).clone()
    };
    a != **b
}
