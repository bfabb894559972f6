//! Which leases were renewed since each peer was last told: what replication of heartbeats starts from.
//!
//! Every peer has a slot, and every lease a bit per slot. The first heartbeat after a drain sets the bit and
//! puts the lease into the slot; further ones cost one atomic. A drain clears the bit before the lease is
//! looked at, so that a heartbeat in between is seen by this drain or by the next. So a slot is bounded by the
//! number of leases, however many heartbeats there are and however long its peer is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_queue::SegQueue;

use super::Held;

/// Peers that can be told apart.
pub const MAX_SLOTS: usize = 64;

/// All slots.
#[derive(Debug)]
pub struct Renewed {
    /// Slots that are in use, a bit each.
    open: AtomicU64,
    slots: [SegQueue<Arc<Held>>; MAX_SLOTS],
}

impl Default for Renewed {
    fn default() -> Self {
        Self {
            open: AtomicU64::new(0),
            slots: std::array::from_fn(|_| SegQueue::new()),
        }
    }
}

impl Renewed {
    /// Takes a slot into use; `None` if all are. What is in it from an earlier use is dropped.
    pub fn open(&self) -> Option<usize> {
        let mut open = self.open.load(Ordering::Acquire);
        loop {
            let slot = (!open).trailing_zeros() as usize;
            if slot >= MAX_SLOTS {
                return None;
            }
            let taken = open | 1 << slot;
            match self
                .open
                .compare_exchange(open, taken, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => {
                    self.drain(slot, usize::MAX);
                    return Some(slot);
                }
                Err(found) => open = found,
            }
        }
    }

    /// Gives a slot back.
    pub fn close(&self, slot: usize) {
        self.open.fetch_and(!(1 << slot), Ordering::AcqRel);
        self.drain(slot, usize::MAX);
    }

    /// A lease was renewed by a client of this node.
    pub(super) fn note(&self, held: &Arc<Held>) {
        let open = self.open.load(Ordering::Acquire);
        if open != 0 {
            self.note_in(open, held);
        }
    }

    /// Always a read-modify-write, also where every bit is set already: that orders the renewal before a
    /// drain that clears the bit after this, which then looks at the lease as it was renewed.
    fn note_in(&self, slots: u64, held: &Arc<Held>) {
        let before = held.lease.told().fetch_or(slots, Ordering::AcqRel);
        let mut first = slots & !before;
        while first != 0 {
            self.slots[first.trailing_zeros() as usize].push(held.clone());
            first &= first - 1;
        }
    }

    /// Leases in a slot, about.
    pub fn waiting(&self, slot: usize) -> usize {
        self.slots[slot].len()
    }

    /// Takes at most `limit` leases out of a slot.
    pub fn drain(&self, slot: usize, limit: usize) -> Vec<Arc<Held>> {
        let mut drained = Vec::new();
        while drained.len() < limit
            && let Some(held) = self.slots[slot].pop()
        {
            held.lease.told().fetch_and(!(1 << slot), Ordering::AcqRel);
            drained.push(held);
        }
        drained
    }

    /// Puts a lease back, because its peer could not be told.
    pub fn put_back(&self, slot: usize, held: &Arc<Held>) {
        self.note_in(1 << slot, held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    fn ids(drained: &[Arc<Held>]) -> Vec<&str> {
        drained.iter().map(|held| &**held.info.id()).collect()
    }

    #[test]
    fn each_peer_hears_of_each_lease_once_per_drain() {
        let renewed = Renewed::default();
        let (first, second) = (renewed.open().unwrap(), renewed.open().unwrap());
        assert_ne!(first, second);
        let (a, b) = (
            Held::sample(samples::instance("A", "a")),
            Held::sample(samples::instance("A", "b")),
        );
        for held in [&a, &b, &a, &a] {
            renewed.note(held);
        }
        assert_eq!(ids(&renewed.drain(first, 10)), ["a", "b"]);
        assert_eq!(ids(&renewed.drain(first, 10)), [""; 0]);
        renewed.note(&a);
        assert_eq!(ids(&renewed.drain(second, 1)), ["a"]);
        assert_eq!(ids(&renewed.drain(second, 10)), ["b"]);
        assert_eq!(ids(&renewed.drain(first, 10)), ["a"]);
    }

    #[test]
    fn a_failed_batch_is_put_back_and_a_closed_slot_forgets() {
        let renewed = Renewed::default();
        let slot = renewed.open().unwrap();
        let held = Held::sample(samples::instance("A", "a"));
        renewed.note(&held);
        let drained = renewed.drain(slot, 10);
        renewed.put_back(slot, &drained[0]);
        renewed.put_back(slot, &drained[0]);
        assert_eq!(ids(&renewed.drain(slot, 10)), ["a"]);

        renewed.note(&held);
        renewed.close(slot);
        renewed.note(&held);
        assert_eq!(renewed.open(), Some(slot));
        assert_eq!(ids(&renewed.drain(slot, 10)), [""; 0]);
    }

    #[test]
    fn there_are_64_slots_and_no_more() {
        let renewed = Renewed::default();
        let slots: Vec<_> = std::iter::from_fn(|| renewed.open()).collect();
        assert_eq!(slots, (0..MAX_SLOTS).collect::<Vec<_>>());
        renewed.close(7);
        assert_eq!(renewed.open(), Some(7));
    }
}
