//! What of an event the other nodes are to hear.

use actix::Message;

use crate::clock::Millis;
use crate::model::{ChangeStamp, InstanceKey, LeaseTerms, Ordered, Origin};
use crate::registry::{RegistryEvent, What};

/// Something happened here that concerns what waits for peers.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[rtype(result = "()")]
pub struct Change {
    /// To which instance.
    pub key: InstanceKey,
    /// The registry's revision after it.
    pub revision: u64,
    /// What.
    pub what: Changed,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It was registered, or its metadata changed.
    Registered,
    /// A status was ordered, or the order taken back.
    Ordered(Ordered),
    /// It was deregistered.
    Cancelled {
        /// When and where.
        stamp: Option<ChangeStamp>,
        /// After this moment no lease of it lives anywhere.
        keep_until: Millis,
    },
    /// It went, and the others find out for themselves: its lease ended, or a peer said so.
    Gone,
    /// A peer says that it is there: whatever was cancelled here before is over.
    Back,
}

impl Change {
    /// What of an event concerns the peers. Of what peers caused nothing is passed on, ever.
    pub fn of(event: &RegistryEvent, now: Millis) -> Option<Self> {
        let info = &event.held.info;
        let what = match (event.what, event.by.origin()) {
            (What::Evicted, _) | (What::Cancelled, Origin::Peer) => Changed::Gone,
            (What::Registered { is_new: true }, Origin::Peer) => Changed::Back,
            // The loop prevention of the whole cluster (server.md §13.1).
            (_, Origin::Peer) => return None,
            (What::Registered { .. } | What::MetadataChanged, _) => Changed::Registered,
            (What::Ordered, _) => Changed::Ordered(match info.override_status {
                Some(status) => Ordered::Set(status),
                None => Ordered::Cleared(info.status),
            }),
            (What::Cancelled, _) => Changed::Cancelled {
                stamp: Some(event.stamp),
                keep_until: now.saturating_add(longest_life(info.lease)),
            },
            // An order that was passed on when it was made.
            (What::StatusChanged, _) => return None,
        };
        Some(Self {
            key: info.key(),
            revision: event.revision,
            what,
        })
    }
}

/// How long a lease on these terms may live at any node after its last renewal: twice its duration at Java's, and
/// at nodes of this kind at least 2.25 renewal intervals.
fn longest_life(terms: LeaseTerms) -> Millis {
    let doubled = u64::from(terms.duration_secs) * 2;
    let lengthened = u64::from(terms.renewal_interval_secs) * 3;
    doubled.max(lengthened) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstanceInfo, InstanceStatus, StampClock, samples};
    use crate::registry::Held;

    fn stamp() -> ChangeStamp {
        StampClock::of(1).next(1)
    }

    fn event(what: What, origin: Origin, info: InstanceInfo) -> RegistryEvent {
        RegistryEvent {
            revision: 7,
            by: origin.into(),
            what,
            stamp: stamp(),
            before: None,
            held: Held::sample(info),
        }
    }

    fn info(override_status: Option<InstanceStatus>) -> InstanceInfo {
        InstanceInfo {
            override_status,
            ..samples::instance("A", "i")
        }
    }

    #[test]
    fn what_clients_did_is_passed_on_and_of_what_peers_did_only_what_ends_waiting() {
        use Changed::*;
        use InstanceStatus::{OutOfService, Up};
        let cancelled = Cancelled {
            stamp: Some(stamp()),
            keep_until: 5 + 180_000,
        };
        for (what, ordered, by_client, by_peer) in [
            (
                What::Registered { is_new: true },
                None,
                Some(Registered),
                Some(Back),
            ),
            (
                What::Registered { is_new: false },
                None,
                Some(Registered),
                None,
            ),
            (What::MetadataChanged, None, Some(Registered), None),
            (
                What::Ordered,
                Some(OutOfService),
                Some(Ordered(super::Ordered::Set(OutOfService))),
                None,
            ),
            (
                What::Ordered,
                None,
                Some(Ordered(super::Ordered::Cleared(Up))),
                None,
            ),
            (What::StatusChanged, None, None, None),
            (What::Cancelled, None, Some(cancelled), Some(Gone)),
            (What::Evicted, None, Some(Gone), Some(Gone)),
        ] {
            let of = |origin| Change::of(&event(what, origin, info(ordered)), 5);
            let whats = [Origin::Client, Origin::Peer].map(|o| of(o).map(|change| change.what));
            assert_eq!(whats, [by_client, by_peer], "{what:?}");
        }
        let change = Change::of(&event(What::Evicted, Origin::Client, info(None)), 0).unwrap();
        assert_eq!(
            (change.key, change.revision),
            (InstanceKey::new("A", "i"), 7)
        );
    }
}
