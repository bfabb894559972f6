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
use crate::model::{Action, InstanceKey};

/// All slots of one peer.
#[derive(Debug)]
pub struct Queue {
    /// Cancellations wait however long it takes.
    keeps_cancels: bool,
    slots: HashMap<InstanceKey, Slot>,
    /// Slots that may be handed out, by their turn.
    ready: BTreeMap<u64, InstanceKey>,
    /// Slots with a cancellation that waits, by their turn.
    cancels: BTreeMap<u64, InstanceKey>,
    /// Slots with changes, waiting or on their way.
    changes: usize,
    next_turn: u64,
    max_cancels: usize,
    /// How long what is said only once may wait, if not for ever.
    max_wait: Option<Millis>,
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
    /// Cancellations that the peer's own lease has outrun, and what has waited for too long.
    pub expired: Vec<Action>,
}

impl Queue {
    /// Nothing waits. At most `max_cancels` cancellations ever will.
    pub fn new(max_cancels: usize) -> Self {
        Self {
            keeps_cancels: false,
            slots: HashMap::new(),
            ready: BTreeMap::new(),
            cancels: BTreeMap::new(),
            changes: 0,
            next_turn: 0,
            max_cancels,
            max_wait: None,
            suspects: Suspects::default(),
        }
    }

    /// The same; and what is said only once is dropped after so long.
    pub fn forgetting_after(self, max_wait: Option<Millis>) -> Self {
        Self { max_wait, ..self }
    }

    /// Something happened at `revision`. Returns how many old cancellations had to go for it.
    pub fn push(&mut self, key: &InstanceKey, op: Op, revision: u64, now: Millis) -> usize {
        let fresh = self.part(now);
        self.update(key, |slot| {
            let part = slot.waiting.get_or_insert(fresh);
            part.latest = now;
            part.push(op, revision);
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

    /// A peer registered the instance after it was cancelled here: a cancellation that comes late would remove it.
    pub fn back(&mut self, key: &InstanceKey) {
        if self.slots.contains_key(key) {
            self.update(key, |slot| {
                slot.waiting.iter_mut().for_each(Part::drop_cancel);
            });
        }
    }

    /// Nodes of this kind know by its stamp what a cancellation is about, however late it comes.
    pub fn keep_cancels(&mut self, keep: bool) {
        self.keeps_cancels = keep;
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
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// Whether nothing waits and nothing is on its way, heartbeats included.
    #[cfg(test)]
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
            latest: now,
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
        let (keeps, max_wait) = (self.keeps_cancels, self.max_wait);
        while !full && let Some((&turn, key)) = self.ready.range(next..).next() {
            next = turn + 1;
            let key = key.clone();
            if !self.suits(&key, pass, now, visible) {
                continue;
            }
            let part = self.update(&key, |slot| {
                let part = slot.waiting.take()?;
                let is_late = max_wait.is_some_and(|most| now.saturating_sub(part.latest) > most);
                let (out, rest) = part.split(|op| match op {
                    _ if full => Taken::Full,
                    op if (is_late && op.is_said_once()) || (op.is_outrun(now) && !keeps) => {
                        handed.expired.push(op.action());
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::model::{InstanceStatus, Ordered};
    use crate::registry::Undelivered;

    fn key(id: &str) -> InstanceKey {
        InstanceKey::new("A", id)
    }

    fn cancel(keep_until: Millis) -> Op {
        Op::Cancel {
            stamp: None,
            keep_until,
            note: Arc::<Undelivered>::default().wait(&key("i")),
        }
    }

    fn take_all(queue: &mut Queue, now: Millis) -> Vec<(InstanceKey, Part)> {
        let all = |_: &InstanceKey, _: &Op| Taken::Yes;
        queue.hand_out(Pass::Together, now, u64::MAX, all).parts
    }

    fn ids(parts: &[(InstanceKey, Part)]) -> Vec<&str> {
        parts.iter().map(|(key, _)| &*key.id).collect()
    }

    #[test]
    fn what_is_on_its_way_blocks_its_instance_and_no_other() {
        let mut queue = Queue::new(9);
        queue.push(&key("a"), Op::Register, 1, 0);
        let away = take_all(&mut queue, 0);
        queue.push(&key("a"), cancel(99), 2, 5);
        queue.push(&key("b"), Op::Register, 3, 6);
        assert_eq!(ids(&away), ["a"]);
        assert_eq!(ids(&take_all(&mut queue, 6)), ["b"]);
        assert!(queue.has_newer(&key("a")));
        assert_eq!(queue.changes(), 2);
        queue.done(&key("a"));
        assert_eq!(ids(&take_all(&mut queue, 6)), ["a"]);
    }

    #[test]
    fn age_counts_from_the_first_change_whatever_replaces_it() {
        let mut queue = Queue::new(9);
        for now in [10, 400, 800] {
            queue.push(&key("a"), Op::Register, 1, now);
        }
        queue.push(&key("b"), Op::Register, 1, 500);
        assert_eq!(queue.oldest(), Some(10));
        let away = take_all(&mut queue, 900);
        assert_eq!(ids(&away), ["a", "b"]);
        queue.push(&key("a"), Op::Register, 2, 950);
        for (key, part) in away {
            queue.put_back(&key, part);
        }
        assert_eq!(queue.oldest(), Some(10), "what failed keeps its age");
        assert_eq!(ids(&take_all(&mut queue, 999)), ["a", "b"], "and its turn");
    }

    #[test]
    fn a_change_that_cannot_be_looked_up_yet_waits_and_others_go() {
        let mut queue = Queue::new(9);
        queue.push(&key("a"), Op::Register, 7, 0);
        queue.push(&key("b"), Op::Register, 6, 0);
        let all = |_: &InstanceKey, _: &Op| Taken::Yes;
        let parts = queue.hand_out(Pass::Together, 0, 6, all).parts;
        assert_eq!(ids(&parts), ["b"]);
        let parts = queue.hand_out(Pass::Together, 0, 7, all).parts;
        assert_eq!(ids(&parts), ["a"]);
    }

    #[test]
    fn what_there_is_no_room_for_goes_after_what_was_taken() {
        let mut queue = Queue::new(9);
        queue.push(&key("a"), cancel(99), 1, 0);
        queue.push(&key("a"), Op::Register, 2, 0);
        queue.push(&key("b"), Op::Register, 3, 0);
        let mut room = 1;
        let parts = queue.hand_out(Pass::Together, 0, 9, |_, _| match room {
            0 => Taken::Full,
            _ => {
                room -= 1;
                Taken::Yes
            }
        });
        assert_eq!(ids(&parts.parts), ["a"]);
        assert_eq!(parts.parts[0].1.ops.len(), 1);
        assert_eq!(ids(&take_all(&mut queue, 0)), ["b"], "a is on its way");
        queue.done(&key("a"));
        let rest = take_all(&mut queue, 0);
        assert!(matches!(rest[0].1.ops[..], [Op::Register]), "{rest:?}");
    }

    #[test]
    fn cancels_are_bounded_by_number_and_by_the_longest_lease_and_the_oldest_go_first() {
        let mut queue = Queue::new(2);
        queue.push(&key("held"), Op::Register, 1, 0);
        for (id, overflow) in [("a", 0), ("b", 0), ("c", 1), ("d", 1)] {
            let until = if id == "d" { 5 } else { 100 };
            assert_eq!(queue.push(&key(id), cancel(until), 1, 0), overflow);
        }
        assert_eq!(queue.changes(), 3);
        let all = |_: &InstanceKey, _: &Op| Taken::Yes;
        let handed = queue.hand_out(Pass::Together, 6, 9, all);
        assert_eq!(ids(&handed.parts), ["held", "c"]);
        assert_eq!(handed.expired, [Action::Cancel]);
        assert_eq!(queue.changes(), 2);
    }

    /// config.md §1.2, maxTimeForReplication.
    #[test]
    fn with_a_limit_what_is_said_only_once_is_dropped_after_it_and_records_stay() {
        for (max_wait, sent, expired) in [(None, 3, 0), (Some(40), 3, 0), (Some(39), 2, 1)] {
            let mut queue = Queue::new(9).forgetting_after(max_wait);
            queue.keep_cancels(true);
            queue.push(&key("gone"), cancel(99), 1, 10);
            queue.push(&key("held"), Op::Register, 1, 10);
            // What was first is older, but the last thing counts.
            queue.push(&key("again"), Op::Register, 1, 10);
            queue.push(&key("again"), cancel(99), 1, 11);
            let all = |_: &InstanceKey, _: &Op| Taken::Yes;
            let handed = queue.hand_out(Pass::Together, 50, 9, all);
            let found = (handed.parts.len(), handed.expired.len());
            assert_eq!(found, (sent, expired), "{max_wait:?}");
        }
    }

    #[test]
    fn of_an_instance_that_went_only_the_cancel_stays() {
        let mut queue = Queue::new(9);
        for op in [cancel(99), Op::Register] {
            queue.push(&key("a"), op, 1, 0);
        }
        queue.push(&key("b"), Op::Register, 1, 0);
        queue.gone(&key("a"));
        queue.gone(&key("b"));
        queue.gone(&key("c"));
        let parts = take_all(&mut queue, 0);
        assert_eq!(ids(&parts), ["a"]);
        assert_eq!(parts[0].1.ops.len(), 1);
    }

    #[test]
    fn a_heartbeat_is_swallowed_by_what_says_more_and_waits_for_an_order() {
        let orders = Arc::new(Undelivered::default());
        let order = || Op::Order {
            what: Ordered::Set(InstanceStatus::Down),
            repeated: false,
            wait: orders.wait(&key("a")),
        };
        let mut queue = Queue::new(9);
        let ops: [(fn() -> Op, BeatTurn); 2] = [
            (|| Op::Register, BeatTurn::Needless),
            (|| cancel(99), BeatTurn::Needless),
        ];
        for (op, turn) in ops {
            queue.push(&key("a"), op(), 1, 0);
            assert_eq!(queue.begin_beat(&key("a"), 0), turn);
            take_all(&mut queue, 0);
            assert_eq!(queue.begin_beat(&key("a"), 0), turn, "on its way");
            queue.done(&key("a"));
        }
        queue.push(&key("a"), order(), 1, 0);
        assert_eq!(queue.begin_beat(&key("a"), 0), BeatTurn::Wait);
        drop(take_all(&mut queue, 0));
        assert_eq!(queue.begin_beat(&key("a"), 0), BeatTurn::Wait);
        queue.done(&key("a"));
        assert_eq!(queue.begin_beat(&key("a"), 0), BeatTurn::Go);
        assert_eq!(
            queue.begin_beat(&key("a"), 0),
            BeatTurn::Wait,
            "one at a time"
        );
        assert_eq!(queue.changes(), 0, "a heartbeat is no change");
        queue.push(&key("a"), cancel(99), 1, 0);
        assert_eq!(
            ids(&take_all(&mut queue, 0)),
            [""; 0],
            "it waits for the heartbeat"
        );
        queue.done(&key("a"));
        assert_eq!(ids(&take_all(&mut queue, 0)), ["a"]);
    }

    #[test]
    fn a_register_back_goes_first_and_never_after_a_cancel() {
        let mut queue = Queue::new(9);
        let id = key("a");
        assert_eq!(queue.begin_beat(&id, 0), BeatTurn::Go);
        queue.push(&id, cancel(99), 1, 0);
        queue.done(&id);
        queue.register_back(&id, 0);
        let parts = take_all(&mut queue, 0);
        assert!(matches!(parts[0].1.ops[..], [Op::Cancel { .. }]));
        queue.done(&id);
        queue.register_back(&id, 0);
        assert!(matches!(
            take_all(&mut queue, 0)[0].1.ops[..],
            [Op::Register]
        ));
    }

    #[test]
    fn suspects_go_alone_and_wait_for_their_pause() {
        let mut queue = Queue::new(9);
        for id in ["a", "b"] {
            queue.push(&key(id), Op::Register, 1, 0);
        }
        queue.suspects.failed_together(&key("a"), true);
        assert_eq!(ids(&take_all(&mut queue, 0)), ["b"]);
        let all = |_: &InstanceKey, _: &Op| Taken::Yes;
        let alone = queue.hand_out(Pass::Alone, 0, 9, all).parts;
        assert_eq!(ids(&alone), ["a"]);
        for (id, part) in alone {
            queue.suspects.failed_itself(&id, 0);
            queue.put_back(&id, part);
        }
        assert_eq!(
            ids(&queue.hand_out(Pass::Alone, 499, 9, all).parts),
            [""; 0]
        );
        assert_eq!(ids(&queue.hand_out(Pass::Alone, 500, 9, all).parts), ["a"]);
    }

    // === any sequence of changes and failures ends with the same ===

    #[derive(Clone, Debug)]
    enum Step {
        Register(usize),
        Order(usize, bool),
        Cancel(usize),
        Evict(usize),
        HandOut(usize),
        /// What becomes of one of the batches on their way: lost before it was carried out, after so many of its
        /// items, or answered.
        Answer(usize, Option<usize>),
    }

    const KEYS: usize = 3;

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..KEYS).prop_map(Step::Register),
            (0..KEYS, any::<bool>()).prop_map(|(key, set)| Step::Order(key, set)),
            (0..KEYS).prop_map(Step::Cancel),
            (0..KEYS).prop_map(Step::Evict),
            (1..4usize).prop_map(Step::HandOut),
            (0..4usize, proptest::option::of(0..5usize))
                .prop_map(|(batch, lost)| Step::Answer(batch, lost)),
        ]
    }

    /// A record's version and the override.
    type Record = (u64, Option<InstanceStatus>);

    /// One item with what was looked up for it.
    #[derive(Clone, Copy, Debug)]
    enum Item {
        Register(Record),
        Order(Option<InstanceStatus>),
        Cancel,
    }

    type Batch = Vec<(usize, Part, Vec<Item>)>;

    #[derive(Default)]
    struct Model {
        here: HashMap<usize, Record>,
        there: HashMap<usize, Record>,
        /// Went without a word: the peer finds out for itself.
        evicted: [bool; KEYS],
        orders: Arc<Undelivered>,
        revision: u64,
        away: Vec<Batch>,
    }

    impl Model {
        fn change(&mut self, queue: &mut Queue, step: &Step) {
            self.revision += 1;
            let (id, op) = match *step {
                Step::Register(id) => {
                    let ordered = self.here.get(&id).and_then(|record| record.1);
                    self.here.insert(id, (self.revision, ordered));
                    self.evicted[id] = false;
                    (id, Op::Register)
                }
                Step::Order(id, set) => {
                    let Some(record) = self.here.get_mut(&id) else {
                        return;
                    };
                    record.1 = set.then_some(InstanceStatus::Down);
                    let what = match set {
                        true => Ordered::Set(InstanceStatus::Down),
                        false => Ordered::Cleared(InstanceStatus::Up),
                    };
                    let wait = self.orders.wait(&key(&id.to_string()));
                    let repeated = false;
                    (
                        id,
                        Op::Order {
                            what,
                            repeated,
                            wait,
                        },
                    )
                }
                Step::Cancel(id) if self.here.remove(&id).is_some() => (id, cancel(u64::MAX)),
                Step::Evict(id) if self.here.remove(&id).is_some() => {
                    self.evicted[id] = true;
                    return queue.gone(&key(&id.to_string()));
                }
                _ => return,
            };
            queue.push(&key(&id.to_string()), op, self.revision, 0);
        }

        fn hand_out(&mut self, queue: &mut Queue, limit: usize) {
            let (mut left, mut items) = (limit, Vec::new());
            let handed = queue.hand_out(Pass::Together, 0, self.revision, |key, op| {
                if left == 0 {
                    return Taken::Full;
                }
                let id: usize = key.id.parse().unwrap();
                let item = match (op, self.here.get(&id)) {
                    (Op::Cancel { .. }, _) => Item::Cancel,
                    (_, None) => return Taken::Needless,
                    (Op::Register, Some(record)) => Item::Register(*record),
                    (Op::Order { what, .. }, Some(_)) => Item::Order(match what {
                        Ordered::Set(status) => Some(*status),
                        Ordered::Cleared(_) | Ordered::Ended => None,
                    }),
                };
                left -= 1;
                items.push(item);
                Taken::Yes
            });
            let mut items = items.into_iter();
            let mut batch = Batch::new();
            for (key, part) in handed.parts {
                let own: Vec<Item> = items.by_ref().take(part.ops.len()).collect();
                let id = key.id.parse().unwrap();
                let twice = self.away.iter().flatten().any(|(other, ..)| *other == id);
                assert!(!twice, "{id} is on its way twice");
                batch.push((id, part, own));
            }
            if !batch.is_empty() {
                self.away.push(batch);
            }
        }

        fn answer(&mut self, queue: &mut Queue, batch: usize, lost: Option<usize>) {
            if self.away.is_empty() {
                return;
            }
            let batch = self.away.remove(batch % self.away.len());
            let items = batch.iter().flat_map(|(id, _, items)| {
                let id = *id;
                items.iter().map(move |item| (id, *item))
            });
            for (id, item) in items.take(lost.unwrap_or(usize::MAX)) {
                match item {
                    Item::Register(record) => {
                        self.there.insert(id, record);
                    }
                    Item::Order(ordered) => {
                        if let Some(record) = self.there.get_mut(&id) {
                            record.1 = ordered;
                        }
                    }
                    Item::Cancel => {
                        self.there.remove(&id);
                    }
                }
            }
            for (id, part, _) in batch {
                let key = key(&id.to_string());
                match lost {
                    Some(_) => queue.put_back(&key, part),
                    None => queue.done(&key),
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_peer_ends_with_what_is_here_whatever_was_lost_on_the_way(
            steps in proptest::collection::vec(step(), 0..60)
        ) {
            let (mut queue, mut model) = (Queue::new(99), Model::default());
            for step in &steps {
                match *step {
                    Step::HandOut(limit) => model.hand_out(&mut queue, limit),
                    Step::Answer(batch, lost) => model.answer(&mut queue, batch, lost),
                    _ => model.change(&mut queue, step),
                }
            }
            while !queue.is_empty() {
                model.hand_out(&mut queue, 2);
                model.answer(&mut queue, 0, None);
            }
            prop_assert_eq!(queue.changes(), 0);
            for id in 0..KEYS {
                prop_assert!(!model.orders.contains(&key(&id.to_string())));
                if !model.evicted[id] {
                    prop_assert_eq!(model.there.get(&id), model.here.get(&id), "{}", id);
                }
            }
        }
    }
}
