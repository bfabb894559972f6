//! What waits for one peer: keys, never records, one slot per instance.
//!
//! An instance whose items are on their way is not handed out again before they are answered, which keeps its
//! items in order; others are. What failed goes back in front, and what came since is put on top of it by the
//! rules of `slot.rs`. Slots without a cancellation belong to instances that are held, so those are bounded by
//! the registry; cancellations are bounded by a number and by the longest time that a peer might hold what was
//! cancelled.

use std::collections::{BTreeMap, HashMap};

use super::slot::{Op, Part};
use super::suspects::{May, Suspects};
use crate::clock::Millis;
use crate::model::InstanceKey;

/// All slots of one peer.
#[derive(Debug)]
pub struct Queue {
    slots: HashMap<InstanceKey, Slot>,
    /// Slots that may be handed out, by their turn.
    ready: BTreeMap<u64, InstanceKey>,
    /// Slots with a cancellation that waits, by their turn.
    cancels: BTreeMap<u64, InstanceKey>,
    /// Slots with changes, waiting or on their way.
    changes: usize,
    next_turn: u64,
    max_cancels: usize,
    /// Instances whose items may be what the peer cannot take.
    pub suspects: Suspects,
}

#[derive(Debug, Default)]
struct Slot {
    waiting: Option<Part>,
    away: Option<Away>,
}

/// What of an instance is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Away {
    Beat,
    Ops { settles_presence: bool },
}

/// What became of an op that was offered to a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is in the batch.
    Yes,
    /// It makes no sense any more: the instance is not held.
    Needless,
    /// There is no room.
    Full,
}

/// Which slots are handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Those that may go with others.
    Together,
    /// Suspects.
    Alone,
}

/// What a heartbeat is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeatTurn {
    /// Go; it is on its way from now on.
    Go,
    /// Go in a batch of its own.
    GoAlone,
    /// Come again later.
    Wait,
    /// Nothing: what is queued says the same, or the peer does not take it.
    Needless,
}

/// What was handed out, and what was dropped on that occasion.
#[derive(Debug, Default)]
pub struct Handed {
    /// On its way from now on.
    pub parts: Vec<(InstanceKey, Part)>,
    /// Changes of instances that are not held any more.
    pub needless: u64,
    /// Cancellations that the peer's own lease has outrun.
    pub expired: u64,
}

impl Queue {
    /// Nothing waits. At most `max_cancels` cancellations ever will.
    pub fn new(max_cancels: usize) -> Self {
        Self {
            slots: HashMap::new(),
            ready: BTreeMap::new(),
            cancels: BTreeMap::new(),
            changes: 0,
            next_turn: 0,
            max_cancels,
            suspects: Suspects::default(),
        }
    }

    /// Something happened at `revision`. Returns how many old cancellations had to go for it.
    pub fn push(&mut self, key: &InstanceKey, op: Op, revision: u64, now: Millis) -> usize {
        let fresh = self.part(now);
        self.update(key, |slot| {
            slot.waiting.get_or_insert(fresh).push(op, revision);
        });
        self.drop_oldest_cancels()
    }

    /// The peer lacks the record: it gets it before anything else that waits.
    pub fn register_back(&mut self, key: &InstanceKey, now: Millis) {
        let mut part = self.part(now);
        part.push(Op::Register, 0);
        self.update(key, |slot| slot.put_in_front(part));
    }

    /// The instance went without anybody having cancelled it here.
    pub fn gone(&mut self, key: &InstanceKey) {
        if self.slots.contains_key(key) {
            self.update(key, |slot| {
                slot.waiting.iter_mut().for_each(Part::forget_record);
            });
        }
    }

    /// Whether something waits for the instance that came after what is on its way.
    pub fn has_newer(&self, key: &InstanceKey) -> bool {
        self.slots
            .get(key)
            .is_some_and(|slot| slot.waiting.is_some())
    }

    /// Slots that may be handed out.
    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    /// Instances with changes that the peer has not got yet, those on their way included.
    pub fn len(&self) -> usize {
        self.changes
    }

    /// Whether nothing waits and nothing is on its way, heartbeats included.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// When the oldest change came of those that may be handed out.
    pub fn oldest(&self) -> Option<Millis> {
        let (_, key) = self.ready.first_key_value()?;
        let part = self.slots.get(key)?.waiting.as_ref()?;
        Some(part.since)
    }

    fn part(&mut self, now: Millis) -> Part {
        self.next_turn += 1;
        Part {
            since: now,
            turn: self.next_turn,
            revision: 0,
            ops: Vec::new(),
        }
    }

    fn drop_oldest_cancels(&mut self) -> usize {
        let mut dropped = 0;
        while self.cancels.len() > self.max_cancels
            && let Some((_, key)) = self.cancels.first_key_value()
        {
            let key = key.clone();
            self.update(&key, |slot| {
                slot.waiting.iter_mut().for_each(Part::drop_cancel);
            });
            dropped += 1;
        }
        dropped
    }
}

// === out and back ===

impl Queue {
    /// Offers what waits to `take`, oldest slots first, until that says that it is full. What it took is on its
    /// way from now on. Slots whose records cannot be looked up at the revision `visible` stay.
    pub fn hand_out(
        &mut self,
        pass: Pass,
        now: Millis,
        visible: u64,
        mut take: impl FnMut(&InstanceKey, &Op) -> Taken,
    ) -> Handed {
        let (mut handed, mut next, mut full) = (Handed::default(), 0, false);
        while !full && let Some((&turn, key)) = self.ready.range(next..).next() {
            next = turn + 1;
            let key = key.clone();
            if !self.suits(&key, pass, now, visible) {
                continue;
            }
            let part = self.update(&key, |slot| {
                let (out, rest) = slot.waiting.take()?.split(|op| match op {
                    _ if full => Taken::Full,
                    Op::Cancel { keep_until, .. } if *keep_until < now => {
                        handed.expired += 1;
                        Taken::Needless
                    }
                    op => take_one(&mut take, &key, op, &mut full, &mut handed.needless),
                });
                slot.waiting = rest;
                slot.away = out.as_ref().map(Away::of);
                out
            });
            handed.parts.extend(part.map(|part| (key, part)));
        }
        handed
    }

    /// Whether a slot's turn has come in this pass.
    fn suits(&self, key: &InstanceKey, pass: Pass, now: Millis, visible: u64) -> bool {
        let part = self.slots.get(key).and_then(|slot| slot.waiting.as_ref());
        let wanted = match pass {
            Pass::Together => May::GoTogether,
            Pass::Alone => May::GoAlone,
        };
        part.is_some_and(|part| part.revision <= visible) && self.suspects.may(key, now) == wanted
    }

    /// A lease was renewed: may its heartbeat go?
    pub fn begin_beat(&mut self, key: &InstanceKey, now: Millis) -> BeatTurn {
        if let Some(slot) = self.slots.get(key) {
            return match slot.settles_presence() {
                true => BeatTurn::Needless,
                false => BeatTurn::Wait,
            };
        }
        if self.suspects.is_aside(key, now) {
            return BeatTurn::Needless;
        }
        match self.suspects.may(key, now) {
            May::Wait => BeatTurn::Wait,
            May::GoAlone => BeatTurn::GoAlone,
            May::GoTogether => {
                self.send_beat(key);
                BeatTurn::Go
            }
        }
    }

    /// A heartbeat is on its way.
    pub fn send_beat(&mut self, key: &InstanceKey) {
        self.update(key, |slot| slot.away = Some(Away::Beat));
    }

    /// What was on its way for the instance is done with.
    pub fn done(&mut self, key: &InstanceKey) {
        self.update(key, |slot| slot.away = None);
    }

    /// What was on its way for the instance has to go again.
    pub fn put_back(&mut self, key: &InstanceKey, part: Part) {
        self.update(key, |slot| {
            slot.away = None;
            slot.put_in_front(part);
        });
        self.drop_oldest_cancels();
    }

    /// Changes a slot; the lists of slots follow.
    fn update<T>(&mut self, key: &InstanceKey, change: impl FnOnce(&mut Slot) -> T) -> T {
        let mut slot = self.slots.remove(key).unwrap_or_default();
        if let Some(part) = &slot.waiting {
            self.ready.remove(&part.turn);
            self.cancels.remove(&part.turn);
        }
        self.changes -= usize::from(slot.has_changes());
        let result = change(&mut slot);
        slot.waiting.take_if(|part| part.ops.is_empty());
        self.changes += usize::from(slot.has_changes());
        if let Some(part) = &slot.waiting {
            if slot.away.is_none() {
                self.ready.insert(part.turn, key.clone());
            }
            if part.has_cancel() {
                self.cancels.insert(part.turn, key.clone());
            }
        }
        if slot.waiting.is_some() || slot.away.is_some() {
            self.slots.insert(key.clone(), slot);
        }
        result
    }
}

fn take_one(
    take: &mut impl FnMut(&InstanceKey, &Op) -> Taken,
    key: &InstanceKey,
    op: &Op,
    full: &mut bool,
    needless: &mut u64,
) -> Taken {
    let taken = take(key, op);
    *full |= taken == Taken::Full;
    *needless += u64::from(taken == Taken::Needless);
    taken
}

impl Slot {
    fn put_in_front(&mut self, mut part: Part) {
        if let Some(later) = self.waiting.take() {
            part.push_all(later);
        }
        self.waiting = Some(part);
    }

    fn has_changes(&self) -> bool {
        self.waiting.is_some() || matches!(self.away, Some(Away::Ops { .. }))
    }

    fn settles_presence(&self) -> bool {
        let waiting = self.waiting.as_ref().is_some_and(Part::settles_presence);
        let away = Away::Ops {
            settles_presence: true,
        };
        waiting || self.away == Some(away)
    }
}

impl Away {
    fn of(part: &Part) -> Self {
        Self::Ops {
            settles_presence: part.settles_presence(),
        }
    }
}
