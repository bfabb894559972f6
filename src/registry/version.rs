//! Which of two copies is the later one, and what two copies come to together.
//!
//! Eureka's rule comes first: the newer `lastDirtyTimestamp` wins. What has the same one is decided between nodes
//! of this kind by the change stamp, given where a client or an operator acted; a peer of another kind sends none,
//! and then the reference's rule holds: what comes replaces what is there. Orders about the status have stamps
//! of their own, so that a record and an order that were given at two nodes at once end alike on all.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::model::{ChangeStamp, EpochMillis, Extra, InstanceStatus, Order, Ordered};

/// What is kept of a record beside the record, to compare copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// When and where the record was made, or where a peer of another kind brought it, or by whom it was cancelled.
    pub(super) stamp: ChangeStamp,
    /// The status that the instance said of itself, under any order.
    pub(super) said: InstanceStatus,
    /// The last order; elsewhere, since few instances ever get one.
    pub(super) order: Option<Arc<Order>>,
}

impl Version {
    /// A record nobody gave orders about.
    #[cfg(test)]
    pub(super) fn of(stamp: ChangeStamp, said: InstanceStatus) -> Self {
        Self {
            stamp,
            said,
            order: None,
        }
    }

    /// The wall time at which the record was made, about.
    pub fn made(&self) -> EpochMillis {
        self.stamp.millis()
    }

    /// Whether the record was made before that.
    pub fn is_before(&self, stamp: ChangeStamp) -> bool {
        self.stamp < stamp
    }

    /// The status that the instance said of itself, under any order.
    pub fn said(&self) -> InstanceStatus {
        self.said
    }

    /// The last order.
    pub fn order(&self) -> Option<&Arc<Order>> {
        self.order.as_ref()
    }

    /// The override in force.
    pub(super) fn override_status(&self) -> Option<InstanceStatus> {
        self.order()?.override_status()
    }

    /// The status that readers see (server.md §8): an order holds at once, whatever the instance said before; after
    /// it registers again, what it says against itself is believed.
    pub(super) fn visible(&self) -> InstanceStatus {
        use InstanceStatus::{OutOfService, Up};
        let Some(order) = self.order() else {
            return self.said;
        };
        let is_last_word = order.stamp > self.stamp;
        match order.what {
            Ordered::Set(status) | Ordered::Cleared(status) if is_last_word => status,
            Ordered::Set(status) if matches!(self.said, Up | OutOfService) => status,
            Ordered::Set(_) | Ordered::Cleared(_) | Ordered::Ended => self.said,
        }
    }

    /// What the instance counts as having said once its record is changed by somebody else, so that the status stays
    /// as it is. Where an override holds anyway, it is what the instance said: that comes back when the override ends.
    pub(super) fn said_after_change(&self) -> InstanceStatus {
        use InstanceStatus::{OutOfService, Up};
        let is_overridden = self.override_status().is_some();
        match self.said {
            said @ (Up | OutOfService) if is_overridden => said,
            _ => self.visible(),
        }
    }

    /// What nodes of this kind are told.
    pub(super) fn extra(&self) -> Extra {
        Extra {
            stamp: Some(self.stamp),
            said: Some(self.said),
            order: self.order.clone(),
            idle: None,
        }
    }
}

/// How a copy that comes from a peer compares with the one that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// It is later.
    Newer,
    /// It is the same, as far as can be told.
    Same,
    /// It is earlier.
    Older,
}

/// Compares records by Eureka's stamps, and equal ones by change stamps where both have them.
pub(super) fn compare(
    (came_dirty, came): (EpochMillis, Option<ChangeStamp>),
    (held_dirty, held): (EpochMillis, ChangeStamp),
) -> Compared {
    let tie = || came.map(|came| came.cmp(&held));
    let order = came_dirty.cmp(&held_dirty);
    match order.then_with(|| tie().unwrap_or(Ordering::Equal)) {
        Ordering::Greater => Compared::Newer,
        Ordering::Equal => Compared::Same,
        Ordering::Less => Compared::Older,
    }
}

/// The later of two orders, and whether it is the one that came.
pub(super) fn later_order(
    came: Option<&Arc<Order>>,
    held: Option<&Arc<Order>>,
) -> (Option<Arc<Order>>, bool) {
    let is_later = is_later_order(came, held);
    let later = if is_later { came } else { held };
    (later.cloned(), is_later)
}

/// Whether the order that came is the later one.
pub(super) fn is_later_order(came: Option<&Arc<Order>>, held: Option<&Arc<Order>>) -> bool {
    came.is_some_and(|came| held.is_none_or(|held| came.stamp > held.stamp))
}

/// Whether both are the same order, or none.
pub(super) fn same_order(a: Option<&Arc<Order>>, b: Option<&Arc<Order>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.is(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};

    use super::*;
    use crate::model::StampClock;

    fn stamps() -> [ChangeStamp; 3] {
        let mut clock = StampClock::of(1);
        [1, 2, 3].map(|wall| clock.next(wall))
    }

    #[test]
    fn an_order_holds_at_once_and_later_the_instance_is_believed_against_itself() {
        let [early, middle, late] = stamps();
        let version = |said, ordered, at| Version {
            stamp: middle,
            said,
            order: Some(Arc::new(Order::plain(at, ordered))),
        };
        let set = Ordered::Set;
        for (said, ordered, after, before) in [
            (Up, set(OutOfService), OutOfService, OutOfService),
            (Starting, set(OutOfService), OutOfService, Starting),
            (Starting, set(Up), Up, Starting),
            (OutOfService, set(Up), Up, Up),
            (Down, set(Up), Up, Down),
            (Up, Ordered::Cleared(Unknown), Unknown, Up),
            (OutOfService, Ordered::Cleared(Up), Up, OutOfService),
            (Starting, Ordered::Ended, Starting, Starting),
        ] {
            let case = format!("{said} {ordered:?}");
            assert_eq!(version(said, ordered, late).visible(), after, "{case}");
            assert_eq!(version(said, ordered, early).visible(), before, "{case}");
        }
        assert_eq!(Version::of(early, Down).visible(), Down);
    }

    #[test]
    fn eureka_s_stamp_comes_first_and_ties_are_decided_by_the_change_stamp_if_there_is_one() {
        let [early, _, late] = stamps();
        for (came, held, expected) in [
            ((2, Some(early)), (1, late), Compared::Newer),
            ((1, Some(late)), (2, early), Compared::Older),
            ((1, Some(late)), (1, early), Compared::Newer),
            ((1, Some(early)), (1, late), Compared::Older),
            ((1, Some(early)), (1, early), Compared::Same),
            ((1, None), (1, late), Compared::Same),
            ((2, None), (1, late), Compared::Newer),
        ] {
            assert_eq!(compare(came, held), expected, "{came:?} {held:?}");
        }
    }

    #[test]
    fn the_later_order_stays() {
        let [early, _, late] = stamps();
        let order = |stamp| Some(Arc::new(Order::plain(stamp, Ordered::Set(Down))));
        for (came, held, expected) in [
            (None, None, (None, false)),
            (order(early), None, (order(early), true)),
            (None, order(early), (order(early), false)),
            (order(late), order(early), (order(late), true)),
            (order(early), order(late), (order(late), false)),
            (order(early), order(early), (order(early), false)),
        ] {
            assert_eq!(later_order(came.as_ref(), held.as_ref()), expected);
        }
    }
}
