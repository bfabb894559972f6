//! What was cancelled a moment ago: a registration that a peer sends late must not bring it back.
//!
//! A tombstone holds the stamps of the record that went, for a minute, and longer while some peer has not heard of it.
//! Between nodes of this kind the change stamps decide. Of any other peer a registration that is not newer is
//! refused; if a peer's heartbeat was answered 404 meanwhile, its client is alive (it registered again over there with
//! the same stamp, as go-kit does), and then the next one counts. A client that registers here is always right. What
//! a peer of another kind cancelled leaves none, but while a node is filled (`cancel.rs`). Bounded: beyond [`MAX`] the
//! oldest go.

use std::collections::{HashMap, VecDeque};

use crate::clock::Millis;
use crate::model::{ChangeStamp, EpochMillis, InstanceKey};

/// How long a tombstone stands.
const STANDS: Millis = 60_000;
/// Tombstones that stand at once.
const MAX: usize = 10_000;

/// One that went.
#[derive(Clone, Copy, Debug)]
struct Tombstone {
    until: Millis,
    /// Eureka's stamp of the record; `None` if it was not held: then everything is older.
    last_dirty: Option<EpochMillis>,
    /// When and where it was cancelled.
    cancelled: Option<ChangeStamp>,
    /// A peer's heartbeat was answered 404 since.
    beat: bool,
    /// There was an order about its status, which ended with it.
    ordered: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Tombstones {
    standing: HashMap<InstanceKey, Tombstone>,
    /// By age, with the end that they had when they were put here.
    order: VecDeque<(Millis, InstanceKey)>,
}

impl Tombstones {
    /// An instance was cancelled; `last_dirty` is that of its record, if there was one.
    pub(super) fn put(
        &mut self,
        key: InstanceKey,
        last_dirty: Option<EpochMillis>,
        cancelled: Option<ChangeStamp>,
        now: Millis,
    ) {
        let until = now + STANDS;
        self.order.push_back((until, key.clone()));
        // A cancellation that comes late does not make a later one forgotten.
        let before = self.standing.get(&key);
        let tombstone = Tombstone {
            until,
            last_dirty: before.and_then(|before| before.last_dirty).max(last_dirty),
            cancelled: before.and_then(|before| before.cancelled).max(cancelled),
            beat: false,
            ordered: before.is_some_and(|before| before.ordered),
        };
        self.standing.insert(key, tombstone);
        while self.order.len() > MAX {
            self.drop_oldest();
        }
    }

    /// Whether a peer's registration comes too late. Refuses once.
    pub(super) fn refuse(
        &mut self,
        key: &InstanceKey,
        last_dirty: EpochMillis,
        stamp: Option<ChangeStamp>,
    ) -> bool {
        let Some(tombstone) = self.standing.get(key) else {
            return false;
        };
        let refuse = match (stamp, tombstone.cancelled) {
            // Between nodes of this kind there is no doubt.
            (Some(made), Some(cancelled)) => made <= cancelled,
            _ => {
                let is_newer = tombstone.last_dirty.is_some_and(|held| last_dirty > held);
                !is_newer && !tombstone.beat
            }
        };
        if !refuse {
            self.standing.remove(key);
        }
        refuse
    }

    /// An order about the status of an instance that was cancelled just now ended with it.
    pub(super) fn note_order(&mut self, key: &InstanceKey) {
        if let Some(tombstone) = self.standing.get_mut(key) {
            tombstone.ordered = true;
        }
    }

    /// When and where an order ended with the instance, if one did not long ago.
    pub(super) fn order_ended(&self, key: &InstanceKey) -> Option<ChangeStamp> {
        let tombstone = self.standing.get(key)?;
        tombstone.cancelled.filter(|_| tombstone.ordered)
    }

    /// When and where the instance was cancelled, if that is known and not long ago.
    pub(super) fn cancelled(&self, key: &InstanceKey) -> Option<ChangeStamp> {
        self.standing.get(key)?.cancelled
    }

    /// A peer's heartbeat for an instance that is not held was answered 404.
    pub(super) fn beat(&mut self, key: &InstanceKey) {
        if let Some(tombstone) = self.standing.get_mut(key) {
            tombstone.beat = true;
        }
    }

    /// The instance is there again.
    pub(super) fn remove(&mut self, key: &InstanceKey) {
        self.standing.remove(key);
    }

    /// How many stand.
    pub(super) fn len(&self) -> usize {
        self.standing.len()
    }

    /// Takes away those whose time is over, but for those that must `stay` for another minute.
    pub(super) fn expire(&mut self, now: Millis, stay: impl Fn(&InstanceKey) -> bool) {
        while let Some((until, key)) = self.order.front()
            && *until <= now
        {
            let (key, stays) = (key.clone(), stay(key));
            if stays && let Some(tombstone) = self.standing.get_mut(&key) {
                tombstone.until = now + STANDS;
                self.order.push_back((tombstone.until, key));
            }
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some((until, key)) = self.order.pop_front() else {
            return;
        };
        // A later tombstone of the same instance has an entry of its own.
        if self.standing.get(&key).is_some_and(|t| t.until == until) {
            self.standing.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StampClock;

    fn key(id: &str) -> InstanceKey {
        InstanceKey::new("A", id)
    }

    #[test]
    fn what_is_not_newer_is_refused_until_a_heartbeat_shows_that_it_lives() {
        let mut stones = Tombstones::default();
        stones.put(key("i"), Some(1000), None, 0);
        assert!(stones.refuse(&key("i"), 1000, None));
        assert!(stones.refuse(&key("i"), 999, None));
        assert!(!stones.refuse(&key("other"), 1, None));
        stones.beat(&key("i"));
        assert!(!stones.refuse(&key("i"), 1000, None));
        assert_eq!(stones.len(), 0);
    }

    #[test]
    fn newer_ones_pass_by_eureka_s_stamp_or_where_both_are_known_by_the_change_stamp() {
        let mut clock = StampClock::of(1);
        let [before, cancelled, after] = [1, 2, 3].map(|wall| clock.next(wall));
        for (last_dirty, stamp, refused) in [
            (1001, None, false),
            (1000, None, true),
            (1000, Some(after), false),
            (1000, Some(before), true),
            // A later registration that was made before the cancellation.
            (1001, Some(before), true),
        ] {
            let mut stones = Tombstones::default();
            stones.put(key("i"), Some(1000), Some(cancelled), 0);
            let case = format!("{last_dirty} {stamp:?}");
            assert_eq!(
                stones.refuse(&key("i"), last_dirty, stamp),
                refused,
                "{case}"
            );
        }
    }

    #[test]
    fn they_stand_for_a_minute_and_not_more_than_so_many() {
        let mut stones = Tombstones::default();
        stones.put(key("i"), None, None, 0);
        let nobody = |_: &InstanceKey| false;
        stones.expire(STANDS - 1, nobody);
        assert!(stones.refuse(&key("i"), u64::MAX, None));
        // A second cancellation counts from itself.
        stones.put(key("i"), None, None, 30_000);
        assert!(stones.refuse(&key("i"), 1, None));
        stones.expire(30_000 + STANDS, |key| *key.id == *"i");
        assert!(
            stones.refuse(&key("i"), 1, None),
            "a peer has not heard of it"
        );
        stones.expire(30_000 + 2 * STANDS, nobody);
        assert!(!stones.refuse(&key("i"), 1, None));
        assert_eq!(stones.len(), 0);
        for n in 0..MAX + 5 {
            stones.put(key(&n.to_string()), None, None, 100_000);
        }
        assert_eq!(stones.len(), MAX);
        assert!(!stones.refuse(&key("4"), 1, None));
        assert!(stones.refuse(&key("5"), 1, None));
    }

    #[test]
    fn cancelled_over_and_over_again_one_instance_takes_one_place() {
        let mut stones = Tombstones::default();
        for n in 0..3 * MAX as u64 {
            stones.put(key("i"), None, None, n);
        }
        assert_eq!(stones.len(), 1);
        assert_eq!(stones.order.len(), MAX);
    }
}
