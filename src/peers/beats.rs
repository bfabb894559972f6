//! The slow lane: heartbeats of renewed leases, and the comparison of everything with a peer of our kind.
//!
//! Renewals collect in `registry/renewed.rs`, once per instance however often it beats. They go every half second
//! in what room changes leave, or as soon as they fill a batch. A comparison is a heartbeat for every instance
//! held, in what room these leave: the peer's 404s and 409s then repair both sides.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::draft::Draft;
use super::queue::{BeatTurn, Queue, Taken};
use crate::clock::Moment;
use crate::model::InstanceKey;
use crate::registry::{Held, Published};

/// Heartbeats that wait for one peer.
pub struct Beats {
    published: Arc<Published>,
    /// `None` if there are more peers than slots: then this one hears no heartbeats.
    slot: Option<usize>,
    due: bool,
    /// Those of suspects, who go alone.
    lone: BTreeMap<InstanceKey, Arc<Held>>,
    /// What is left of a comparison; the next one last.
    compare: Vec<Arc<Held>>,
}

/// Renewals of instances that are gone, or held by another lease by now, that may wait.
const SPARE: usize = 1000;

/// Heartbeats that a batch took.
pub type Taking = Vec<(InstanceKey, Arc<Held>)>;

impl Beats {
    /// Takes a slot of the registry's renewals.
    pub fn new(published: Arc<Published>) -> Self {
        Self {
            slot: published.renewed.open(),
            published,
            due: false,
            lone: BTreeMap::new(),
            compare: Vec::new(),
        }
    }

    /// Whether there was a slot.
    pub fn has_slot(&self) -> bool {
        self.slot.is_some()
    }

    /// Half a second is over.
    pub fn make_due(&mut self) {
        self.due = true;
    }

    /// Records that were replaced or removed while the peer was away are not kept for it: each instance waits once.
    pub fn forget_gone(&mut self) {
        let held = self.published.index.len();
        if self.waiting() <= 2 * held + SPARE {
            return;
        }
        let Some(slot) = self.slot else {
            return;
        };
        for gone in self.published.renewed.drain(slot, usize::MAX) {
            if let Some(held) = self.published.index.get(&gone.info.key()) {
                self.put_back(&held);
            }
        }
    }

    /// Renewals that wait, about.
    pub fn waiting(&self) -> usize {
        let waiting = |slot| self.published.renewed.waiting(slot);
        self.slot.map_or(0, waiting) + self.lone.len()
    }

    /// Compare everything that is held now; what was left of an earlier comparison is in it.
    pub fn compare_all(&mut self) {
        self.compare = self.published.index.all();
        // Backwards, because the last one is taken first.
        let key = |held: &Arc<Held>| std::cmp::Reverse(held.info.key());
        self.compare.sort_by_cached_key(key);
    }

    /// Puts renewals into the batch, if half a second is over or they fill it.
    pub fn add_renewed(&mut self, draft: &mut Draft, queue: &mut Queue, now: Moment) -> Taking {
        let (mut taken, mut later) = (Vec::new(), Vec::new());
        let Some(slot) = self.slot else {
            return taken;
        };
        if !self.due && self.waiting() < draft.left() {
            return taken;
        }
        while draft.left() > 0 {
            let drained = self.published.renewed.drain(slot, draft.left());
            if drained.is_empty() {
                self.due = false;
                break;
            }
            for held in drained {
                let key = held.info.key();
                match self.offer(&key, &held, draft, queue, now) {
                    Offered::Taken => taken.push((key, held)),
                    Offered::Later => later.push(held),
                    Offered::Dropped => {}
                }
            }
        }
        for held in later {
            self.published.renewed.put_back(slot, &held);
        }
        taken
    }

    /// Puts some of the comparison into the batch.
    pub fn add_comparison(&mut self, draft: &mut Draft, queue: &mut Queue, now: Moment) -> Taking {
        let mut taken = Vec::new();
        while draft.left() > 0
            && let Some(held) = self.compare.pop()
        {
            // Where a lease has ended the peer finds out for itself, held here or not.
            if held.lease.is_expired(now, 0) {
                continue;
            }
            let key = held.info.key();
            match self.offer(&key, &held, draft, queue, now) {
                Offered::Taken => taken.push((key, held)),
                Offered::Later if draft.left() == 0 => self.compare.push(held),
                // What is queued for it says more than a heartbeat.
                Offered::Later | Offered::Dropped => {}
            }
        }
        taken
    }

    /// Puts the heartbeat of a suspect into a batch of its own.
    pub fn add_lone(&mut self, draft: &mut Draft, queue: &mut Queue, now: Moment) -> Taking {
        while let Some((key, held)) = self.lone.pop_first() {
            let turn = queue.begin_beat(&key, now.mono);
            let may_go = matches!(turn, BeatTurn::Go | BeatTurn::GoAlone);
            let held_now = self.published.index.get(&key).filter(|_| may_go);
            if let Some(held_now) = held_now {
                queue.send_beat(&key);
                draft.beat(&key, &held_now);
                return vec![(key, held)];
            }
            if turn == BeatTurn::Go {
                queue.done(&key);
            }
            if turn == BeatTurn::Wait {
                self.put_back(&held);
            }
        }
        Vec::new()
    }

    /// A heartbeat was not delivered.
    pub fn put_back(&mut self, held: &Arc<Held>) {
        if let Some(slot) = self.slot {
            self.published.renewed.put_back(slot, held);
        }
    }

    /// A part of a comparison was not delivered.
    pub fn compare_again(&mut self, held: Arc<Held>) {
        self.compare.push(held);
    }

    fn offer(
        &mut self,
        key: &InstanceKey,
        held: &Arc<Held>,
        draft: &mut Draft,
        queue: &mut Queue,
        now: Moment,
    ) -> Offered {
        // The record may have changed since it was renewed.
        let Some(held_now) = self.published.index.get(key) else {
            return Offered::Dropped;
        };
        match queue.begin_beat(key, now.mono) {
            BeatTurn::Go if draft.beat(key, &held_now) == Taken::Yes => Offered::Taken,
            BeatTurn::Go => {
                queue.done(key);
                Offered::Later
            }
            BeatTurn::Wait => Offered::Later,
            BeatTurn::GoAlone => {
                self.lone.insert(key.clone(), held.clone());
                Offered::Dropped
            }
            BeatTurn::Needless => Offered::Dropped,
        }
    }
}

impl Drop for Beats {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            self.published.renewed.close(slot);
        }
    }
}

/// What became of a heartbeat that was offered to a batch.
enum Offered {
    Taken,
    Later,
    Dropped,
}
