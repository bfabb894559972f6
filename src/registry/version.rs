//! Which of two copies is the later one, and what two copies come to together.
//!
//! Eureka's rule comes first: the newer `lastDirtyTimestamp` wins. What has the same one is decided between nodes
//! of this kind by the change stamp, given where a client or an operator acted; a peer of another kind sends none,
//! and then the reference's rule holds: what comes replaces what is there. Orders about the status have stamps
//! of their own, so that a record and an order that were given at two nodes at once end alike on all.

use std::cmp::Ordering;

use crate::model::{ChangeStamp, EpochMillis, Extra, InstanceStatus, Order, Ordered};

/// What is kept of a record beside the record, to compare copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// When and where the record was made, or where a peer of another kind brought it, or by whom it was cancelled.
    pub(super) stamp: ChangeStamp,
    /// The status that the instance said of itself, under any order.
    pub(super) said: InstanceStatus,
    /// The last order; boxed, since few instances ever get one.
    pub(super) order: Option<Box<Order>>,
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

    /// The last order.
    pub fn order(&self) -> Option<Order> {
        self.order.as_deref().copied()
    }

    /// The override in force.
    pub(super) fn override_status(&self) -> Option<InstanceStatus> {
        match self.order()?.what {
            Ordered::Set(status) => Some(status),
            Ordered::Cleared(_) => None,
        }
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
            Ordered::Set(_) | Ordered::Cleared(_) => self.said,
        }
    }

    /// What nodes of this kind are told.
    pub(super) fn extra(&self) -> Extra {
        Extra {
            stamp: Some(self.stamp),
            said: Some(self.said),
            order: self.order(),
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
pub(super) fn later_order(came: Option<Order>, held: Option<Order>) -> (Option<Order>, bool) {
    match (came, held) {
        (Some(came), Some(held)) if came.stamp > held.stamp => (Some(came), true),
        (Some(came), None) => (Some(came), true),
        (_, held) => (held, false),
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
            order: Some(Box::new(Order {
                stamp: at,
                what: ordered,
            })),
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
        let order = |stamp| {
            Some(Order {
                stamp,
                what: Ordered::Set(Down),
            })
        };
        for (came, held, expected) in [
            (None, None, (None, false)),
            (order(early), None, (order(early), true)),
            (None, order(early), (order(early), false)),
            (order(late), order(early), (order(late), true)),
            (order(early), order(late), (order(late), false)),
            (order(early), order(early), (order(early), false)),
        ] {
            assert_eq!(later_order(came, held), expected);
        }
    }
}
