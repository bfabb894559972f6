//! The words of all leases, dense in memory, so that a sweep reads them in one go.
//!
//! A slot is one lease's place for as long as it lives. Words never move, so that every thread may renew; what
//! only the sweep needs stands beside them, under the same number, and belongs to the registry alone. A slot
//! that was given back is used again, with a new generation.
//!
//! A renewal only ever makes a deadline later. So the earliest deadline of a block, once seen, is a bound that
//! holds until a new lease is put there, and most sweeps pass over most blocks without reading a word.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Held;
use super::lease::{Hold, Reckoning};
use super::newcomers::Newcomers;
use super::word::{FOREVER, Word};
use crate::clock::Millis;

/// Words per block: what has a summary of its own.
const BLOCK: usize = 1024;

/// Words that stand together and never move: the first chunk is a block, each further one twice as long as
/// the one before, so that a million words lie in a few long runs.
type Chunk = Arc<[AtomicU64]>;

/// In which chunk a slot is, and where there.
fn place(number: usize) -> (usize, usize) {
    let chunk = (number / BLOCK + 1).ilog2() as usize;
    (chunk, number - BLOCK * ((1 << chunk) - 1))
}

/// The place of one lease's word.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    chunk: Chunk,
    offset: u32,
    number: u32,
}

impl Slot {
    pub(super) fn cell(&self) -> &AtomicU64 {
        &self.chunk[self.offset as usize]
    }

    pub(super) fn word(&self) -> Word {
        Word(self.cell().load(Ordering::Acquire))
    }
}

/// What is known of a block without reading its words.
#[derive(Clone, Copy, Debug)]
struct Summary {
    /// No lease of it ends earlier.
    earliest: Millis,
    /// The most that any lease of it is silent before its end.
    slack: i64,
    /// Marks of holds in it.
    holds: usize,
}

/// All slots.
#[derive(Debug, Default)]
pub(super) struct Slots {
    chunks: Vec<Chunk>,
    /// By block.
    summaries: Vec<Summary>,
    /// From silence to deadline, by slot.
    slack: Vec<i32>,
    /// How long without a renewal is silence, by slot.
    silence: Vec<u32>,
    /// The number of the application, by slot.
    app: Vec<u32>,
    /// When its hold began on the clock of [`Hold::heard`], plus one; 0 if it is not held, by slot.
    hold: Vec<u64>,
    /// The instance, by slot.
    held: Vec<Option<Arc<Held>>>,
    free: VecDeque<u32>,
}

/// What one pass over all words found.
#[derive(Debug, Default)]
pub(super) struct Swept {
    /// Leases that have ended, with the word that says so; without those that are held, and were not held
    /// before the moment asked for.
    pub(super) due: Vec<(Arc<Held>, Word)>,
    /// Leases that have ended and are held.
    pub(super) held: usize,
    /// Leases that are silent and not explained by a newcomer.
    pub(super) silent: usize,
    /// The earliest deadline, past or to come.
    pub(super) next_due: Millis,
    /// Slots whose lease was held and has been renewed.
    beating_again: Vec<usize>,
    /// The instances in them, and since when they were held.
    pub(super) returned: Vec<(Arc<Held>, Millis)>,
}

impl Slots {
    /// A slot that nobody uses.
    pub(super) fn take(&mut self) -> Slot {
        if self.free.is_empty() {
            self.grow();
        }
        // Growing puts at least a block there.
        let number = self.free.pop_front().unwrap_or_default();
        let (chunk, offset) = place(number as usize);
        Slot {
            chunk: self.chunks[chunk].clone(),
            offset: offset as u32,
            number,
        }
    }

    fn grow(&mut self) {
        let blocks = 1 << self.chunks.len();
        let unused = Word::live(FOREVER, 0).0;
        self.chunks.push(
            (0..blocks * BLOCK)
                .map(|_| AtomicU64::new(unused))
                .collect(),
        );
        let summary = Summary {
            earliest: FOREVER,
            slack: 0,
            holds: 0,
        };
        let first = self.slack.len();
        self.summaries
            .resize(self.summaries.len() + blocks, summary);
        let slots = self.summaries.len() * BLOCK;
        self.slack.resize(slots, 0);
        self.silence.resize(slots, 0);
        self.app.resize(slots, 0);
        self.hold.resize(slots, 0);
        self.held.resize(slots, None);
        self.free.extend(first as u32..slots as u32);
    }

    /// Notes whose lease stands in the slot.
    pub(super) fn occupy(&mut self, held: &Arc<Held>, reckoning: Reckoning, app: u32) {
        let number = held.lease.slot().number as usize;
        self.slack[number] = reckoning.slack;
        self.silence[number] = held.info.lease.silence().try_into().unwrap_or(u32::MAX);
        self.app[number] = app;
        self.held[number] = Some(held.clone());
        let summary = &mut self.summaries[number / BLOCK];
        summary.earliest = summary.earliest.min(held.lease.deadline());
        summary.slack = summary.slack.max(reckoning.slack.into());
    }

    /// Notes that the record in the slot is another one.
    pub(super) fn update(&mut self, held: &Arc<Held>) {
        self.held[held.lease.slot().number as usize] = Some(held.clone());
    }

    /// Gives back the slot of a lease that has ended.
    pub(super) fn release(&mut self, slot: &Slot) {
        let number = slot.number as usize;
        self.end_hold(number);
        self.held[number] = None;
        self.free.push_back(slot.number);
    }

    /// Looks at every lease that may be silent or due.
    pub(super) fn sweep(&mut self, view: View, newcomers: &mut Newcomers) -> Swept {
        let mut swept = Swept {
            next_due: FOREVER,
            ..Swept::default()
        };
        for block in 0..self.summaries.len() {
            let summary = self.summaries[block];
            let quiet_until = summary.earliest as i64 - summary.slack.max(0);
            if view.now as i64 > quiet_until || summary.holds > 0 {
                self.summaries[block].earliest =
                    self.sweep_block(block, view, newcomers, &mut swept);
            }
            swept.next_due = swept.next_due.min(self.summaries[block].earliest);
        }
        swept.silent -= newcomers.explained();
        for number in std::mem::take(&mut swept.beating_again) {
            let held = self.held[number].clone();
            swept
                .returned
                .extend(held.and_then(|held| Some((held.clone(), held.lease.held_since()?))));
            self.end_hold(number);
        }
        swept
    }

    /// Looks at every word of a block; returns the earliest deadline.
    fn sweep_block(
        &self,
        block: usize,
        view: View,
        newcomers: &mut Newcomers,
        swept: &mut Swept,
    ) -> Millis {
        let now = view.now as i64;
        let ended_before = view.now.saturating_sub(view.grace);
        let summary = self.summaries[block];
        // A lease that ends later than this is neither silent nor due.
        let quiet_after = view.now + summary.slack.max(0) as u64;
        let mut earliest = FOREVER;
        let (chunk, offset) = place(block * BLOCK);
        let cells = &self.chunks[chunk][offset..offset + BLOCK];
        for (cell, number) in cells.iter().zip(block * BLOCK..) {
            let word = Word(cell.load(Ordering::Relaxed));
            let deadline = word.deadline();
            earliest = earliest.min(deadline);
            if deadline > quiet_after && summary.holds == 0 {
                continue;
            }
            let silent_since = deadline as i64 - i64::from(self.slack[number]);
            if silent_since < now {
                swept.silent += 1;
                let renewed = silent_since - i64::from(self.silence[number]);
                newcomers.silent(self.app[number], renewed);
            }
            let hold = self.hold[number];
            if deadline < ended_before {
                swept.held += usize::from(hold > 0);
                if hold <= view.held_before {
                    let held = self.held[number].clone();
                    swept.due.extend(held.map(|held| (held, word)));
                }
            } else if hold > 0 {
                swept.beating_again.push(number);
            }
        }
        earliest
    }

    /// Marks a lease as held, in the slot and for those who look at it alone.
    pub(super) fn begin_hold(&mut self, held: &Held, hold: Hold) {
        let number = held.lease.slot().number as usize;
        self.summaries[number / BLOCK].holds += usize::from(self.hold[number] == 0);
        self.hold[number] = hold.heard + 1;
        held.lease.begin_hold(hold);
    }

    fn end_hold(&mut self, number: usize) {
        self.summaries[number / BLOCK].holds -= usize::from(self.hold[number] > 0);
        self.hold[number] = 0;
        if let Some(held) = &self.held[number] {
            held.lease.end_hold();
        }
    }
}

/// How a pass looks at the leases.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) now: Millis,
    /// Milliseconds on top of every lease.
    pub(super) grace: Millis,
    /// Held leases are due only if their hold began at or before this, on the clock of [`Hold::heard`].
    pub(super) held_before: Millis,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::config::LeaseAccounting;
    use crate::model::{ChangeStamp, InstanceStatus, LeaseTerms, samples};
    use crate::registry::Version;
    use crate::registry::lease::{Began, Lease};
    use crate::registry::word::State;

    fn at(mono: Millis) -> Moment {
        Moment { mono, wall: mono }
    }

    fn occupy(slots: &mut Slots, app: u32, now: Millis) -> Arc<Held> {
        let reckoning = Reckoning::of(LeaseTerms::default(), LeaseAccounting::Exact);
        let lease = Lease::new(slots.take(), reckoning, Began::Now, at(now));
        let held = Arc::new(Held::new(
            samples::instance("A", "i").into(),
            lease.into(),
            Version::of(ChangeStamp::FIRST, InstanceStatus::Up),
        ));
        slots.occupy(&held, reckoning, app);
        held
    }

    fn sweep(slots: &mut Slots, now: Millis, held_before: Millis) -> Swept {
        let view = View {
            now,
            grace: 0,
            held_before,
        };
        slots.sweep(view, &mut Newcomers::default())
    }

    #[test]
    fn every_slot_has_a_place_of_its_own() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(BLOCK - 1), (0, BLOCK - 1));
        assert_eq!(place(BLOCK), (1, 0));
        assert_eq!(place(3 * BLOCK - 1), (1, 2 * BLOCK - 1));
        assert_eq!(place(3 * BLOCK), (2, 0));
        let mut slots = Slots::default();
        let cells: std::collections::HashSet<_> = (0..8 * BLOCK)
            .map(|_| std::ptr::from_ref(slots.take().cell()))
            .collect();
        assert_eq!(cells.len(), 8 * BLOCK);
    }

    #[test]
    fn a_pass_finds_what_is_silent_what_is_due_and_what_comes_next() {
        let mut slots = Slots::default();
        for now in [0, 1_000, 50_000] {
            occupy(&mut slots, 0, now);
        }
        for (now, expected) in [
            (36_000, (0, 0, 90_000)),
            (36_001, (0, 1, 90_000)),
            (90_000, (0, 3, 90_000)),
            (90_001, (1, 3, 90_000)),
            (91_001, (2, 3, 90_000)),
            (140_001, (3, 3, 90_000)),
        ] {
            let swept = sweep(&mut slots, now, 0);
            assert_eq!(
                (swept.due.len(), swept.silent, swept.next_due),
                expected,
                "{now}"
            );
        }
    }

    #[test]
    fn what_a_newcomer_explains_does_not_count_as_silent() {
        let mut slots = Slots::default();
        occupy(&mut slots, 0, 0);
        occupy(&mut slots, 1, 0);
        let mut newcomers = Newcomers::default();
        newcomers.open(0);
        newcomers.open(1);
        let view = View {
            now: 50_000,
            grace: 0,
            held_before: 0,
        };
        assert_eq!(slots.sweep(view, &mut newcomers).silent, 2);
        newcomers.came(1, 1);
        assert_eq!(slots.sweep(view, &mut newcomers).silent, 1);
    }

    #[test]
    fn a_held_lease_is_due_again_only_after_its_time_and_its_mark_goes_with_a_heartbeat() {
        let mut slots = Slots::default();
        let held = occupy(&mut slots, 0, 0);
        let hold = Hold {
            since: 91_000,
            heard: 70,
        };
        slots.begin_hold(&held, hold);
        for (held_before, due) in [(0, 0), (70, 0), (71, 1), (Millis::MAX, 1)] {
            let swept = sweep(&mut slots, 92_000, held_before);
            assert_eq!((swept.due.len(), swept.held), (due, 1), "{held_before}");
        }
        held.lease.renew(held.generation, at(93_000)).unwrap();
        let swept = sweep(&mut slots, 94_000, 0);
        assert_eq!((swept.due.len(), swept.held), (0, 0));
        assert_eq!(held.lease.hold(at(500_000)), None, "the mark is gone");
        assert_eq!(sweep(&mut slots, 500_000, 0).due.len(), 1);
    }

    #[test]
    fn a_slot_that_was_given_back_is_neither_due_nor_silent_and_its_old_lease_stays_ended() {
        let mut slots = Slots::default();
        let first = occupy(&mut slots, 0, 0);
        first.lease.end(State::Removed, at(1));
        slots.release(first.lease.slot());
        let swept = sweep(&mut slots, 1_000_000, 0);
        assert_eq!(
            (swept.due.len(), swept.silent, swept.next_due),
            (0, 0, FOREVER)
        );
        // Every slot of the block once, so that the first comes round again.
        let others: Vec<_> = (0..BLOCK).map(|_| occupy(&mut slots, 0, 2)).collect();
        let again = others
            .iter()
            .find(|held| held.lease.slot().number == first.lease.slot().number);
        assert!(again.is_some(), "no more slots were needed");
        assert_eq!(
            first.lease.renew(first.generation, at(3)),
            Err(State::Replaced)
        );
    }
}
