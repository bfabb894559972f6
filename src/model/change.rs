//! When and where something was changed: what decides between two copies that Eureka's own stamp calls equal.
//!
//! A hybrid logical clock: wall milliseconds and a counter, so that a node's next stamp is later than every
//! one it has seen, and the node itself, so that no two are equal. Given by the node where a client or an
//! operator acted, passed on unchanged between nodes of this kind, and never shown to others.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::sync::Arc;

use super::{EpochMillis, InstanceStatus, Text};

/// Bits of the counter below the milliseconds.
const COUNTER_BITS: u32 = 16;

/// A moment of change. Later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeStamp {
    /// Milliseconds since 1970 and, in the lower 16 bits, a counter.
    time: NonZeroU64,
    /// Which node gave it.
    node: u64,
}

impl ChangeStamp {
    /// The earliest: every other is later.
    pub const FIRST: Self = Self {
        time: NonZeroU64::MIN,
        node: 0,
    };

    /// The next stamp of all; no clock gives it, unless a node's number is the largest there is.
    fn just_after(self) -> Self {
        match self.node.checked_add(1) {
            Some(node) => Self { node, ..self },
            None => Self {
                time: self.time.saturating_add(1),
                node: 0,
            },
        }
    }

    /// The wall time that it was given at, about.
    pub fn millis(self) -> EpochMillis {
        self.time.get() >> COUNTER_BITS
    }
}

/// On the wire: both parts in hexadecimal, with a dot between them.
impl fmt::Display for ChangeStamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}.{:x}", self.time, self.node)
    }
}

/// A text is no change stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("wanted a change stamp, two hexadecimal numbers with a dot between them")]
pub struct NoStamp;

impl FromStr for ChangeStamp {
    type Err = NoStamp;

    fn from_str(text: &str) -> Result<Self, NoStamp> {
        let (time, node) = text.split_once('.').ok_or(NoStamp)?;
        let number = |digits: &str| match digits.starts_with('+') {
            true => Err(NoStamp),
            false => u64::from_str_radix(digits, 16).map_err(|_| NoStamp),
        };
        Ok(Self {
            time: NonZeroU64::new(number(time)?).ok_or(NoStamp)?,
            node: number(node)?,
        })
    }
}

/// Gives stamps, each later than all that it gave or saw.
#[derive(Clone, Copy, Debug)]
pub struct StampClock {
    last: NonZeroU64,
    node: u64,
}

impl StampClock {
    /// The clock of the node with this number, which must be its own.
    pub fn of(node: u64) -> Self {
        let last = NonZeroU64::MIN;
        Self { last, node }
    }

    /// The next stamp, at this wall time.
    pub fn next(&mut self, wall: EpochMillis) -> ChangeStamp {
        let wall = NonZeroU64::new(wall << COUNTER_BITS).unwrap_or(NonZeroU64::MIN);
        self.last = self.last.saturating_add(1).max(wall);
        ChangeStamp {
            time: self.last,
            node: self.node,
        }
    }

    /// Another node gave this stamp: what happens here from now on is later.
    pub fn saw(&mut self, stamp: ChangeStamp) {
        self.last = self.last.max(stamp.time);
    }
}

/// What was last ordered about the status of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// When and where.
    pub stamp: ChangeStamp,
    /// What.
    pub what: Ordered,
    /// When it ends by itself, or did.
    pub until: Option<EpochMillis>,
    /// Whose it is; nobody's, where it came by Eureka's own calls.
    pub owner: Option<Owner>,
}

/// Whoever gave an order as an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// What the settings call them.
    pub name: Text,
    /// Why.
    pub reason: Option<Text>,
}

impl Owner {
    /// The longest name and the longest reason, in characters.
    pub const LONGEST: usize = 256;
}

impl Order {
    /// An order that came by Eureka's own calls.
    pub fn plain(stamp: ChangeStamp, what: Ordered) -> Self {
        Self {
            stamp,
            what,
            until: None,
            owner: None,
        }
    }

    /// The override in force by it.
    pub fn override_status(&self) -> Option<InstanceStatus> {
        match self.what {
            Ordered::Set(status) => Some(status),
            Ordered::Cleared(_) | Ordered::Ended => None,
        }
    }

    /// When it will end by itself.
    pub fn ends(&self) -> Option<EpochMillis> {
        self.until.filter(|_| self.override_status().is_some())
    }

    /// The same order after its time is over. Its stamp is the next one after the order's, whichever node finds out: so
    /// all nodes agree, and any order that was given after this one is later than its end.
    pub fn ended(&self) -> Self {
        Self {
            stamp: self.stamp.just_after(),
            what: Ordered::Ended,
            ..self.clone()
        }
    }

    /// Whether it is the same order, as far as a node tells that knows nothing of owners and ends.
    pub fn is(&self, other: &Self) -> bool {
        let order = |order: &Self| (order.stamp, order.override_status());
        order(self) == order(other)
    }
}

/// An order, or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordered {
    /// This status overrides the instance's own.
    Set(InstanceStatus),
    /// No override any more; this status holds until the instance registers again.
    Cleared(InstanceStatus),
    /// No override any more; what the instance says of itself holds.
    Ended,
}

/// What a node of this kind says of an instance beside what Eureka knows; nothing, from any other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// When and where the record, or in a cancellation the instance's end, was made.
    pub stamp: Option<ChangeStamp>,
    /// The status that the instance said of itself, under any override.
    pub said: Option<InstanceStatus>,
    /// The last order about its status.
    pub order: Option<Arc<Order>>,
    /// Milliseconds since its lease was last renewed.
    pub idle: Option<u64>,
}

impl Extra {
    /// What one knows of a peer that says nothing more than Eureka does.
    pub const NONE: Self = Self {
        stamp: None,
        said: None,
        order: None,
        idle: None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_grow_whatever_the_wall_clock_does() {
        let mut clock = StampClock::of(7);
        let walls = [1000, 1000, 500, 2000];
        let stamps = walls.map(|wall| clock.next(wall));
        assert!(stamps.is_sorted_by(|a, b| a < b), "{stamps:?}");
        assert_eq!(stamps.map(ChangeStamp::millis), [1000, 1000, 1000, 2000]);
    }

    #[test]
    fn what_happens_after_a_stamp_was_seen_is_later_even_where_the_clock_is_behind() {
        let (mut ahead, mut behind) = (StampClock::of(1), StampClock::of(2));
        let first = ahead.next(60_000);
        assert!(behind.next(1000) < first);
        behind.saw(first);
        assert!(behind.next(1001) > first);
    }

    #[test]
    fn stamps_of_two_nodes_differ_and_come_back_from_the_wire() {
        let [a, b] = [1, u64::MAX].map(|node| StampClock::of(node).next(1_800_000_000_000));
        assert!(a < b);
        for stamp in [a, b] {
            assert_eq!(stamp.to_string().parse(), Ok(stamp));
        }
        for text in [
            "",
            ".",
            "0.1",
            "1",
            "1.",
            ".1",
            "1.2.3",
            "+1.2",
            "1.-2",
            "g.1",
            "1.11111111111111111",
        ] {
            assert_eq!(text.parse::<ChangeStamp>(), Err(NoStamp), "{text}");
        }
    }
}
