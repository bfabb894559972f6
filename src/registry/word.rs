//! The word of a lease: deadline, generation and state in one atomic number, and all that may happen to it.
//!
//! Whoever renews compares and swaps from the word it read, so a renewal can neither stretch a lease that
//! was replaced nor revive one that was removed: every change of the record gives the word a new
//! generation, and a renewal that was decided on an older record finds it changed. *Replaced* means "look
//! the instance up again", only *removed* means that it is gone.
//!
//! This file stands alone, so that a model checker can try every interleaving of it (`tests/loom`).

use std::sync::atomic::Ordering;

/// Bits of the word: 40 of deadline (34 years of milliseconds), 22 of generation, 2 of state.
const DEADLINE_SHIFT: u32 = 24;
const GENERATION_SHIFT: u32 = 2;
const GENERATION_MASK: u64 = (1 << 22) - 1;
const STATE_MASK: u64 = 0b11;

/// The latest deadline; a lease that is free or gone has it, so that no sweep ever finds it due.
pub(crate) const FOREVER: u64 = (1 << 40) - 1;

/// What has become of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It counts.
    Live,
    /// Another one took its place.
    Replaced,
    /// The instance is gone.
    Removed,
}

/// Deadline, generation and state as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub(crate) u64);

impl Word {
    pub(crate) fn live(deadline: u64, generation: u32) -> Self {
        let generation = (u64::from(generation) & GENERATION_MASK) << GENERATION_SHIFT;
        Self(generation).with_deadline(deadline)
    }

    pub(crate) fn deadline(self) -> u64 {
        self.0 >> DEADLINE_SHIFT
    }

    pub(crate) fn generation(self) -> u32 {
        ((self.0 >> GENERATION_SHIFT) & GENERATION_MASK) as u32
    }

    pub(crate) fn state(self) -> State {
        match self.0 & STATE_MASK {
            0 => State::Live,
            1 => State::Replaced,
            _ => State::Removed,
        }
    }

    fn with_deadline(self, deadline: u64) -> Self {
        let rest = self.0 & ((1 << DEADLINE_SHIFT) - 1);
        Self(rest | (deadline.min(FOREVER) << DEADLINE_SHIFT))
    }

    fn with_next_generation(self) -> Self {
        let rest = self.0 & !(GENERATION_MASK << GENERATION_SHIFT);
        Self(rest | (u64::from(self.next_generation()) << GENERATION_SHIFT))
    }

    /// The word of a lease that has ended one way or the other.
    fn ended(self, state: State) -> Self {
        let state = match state {
            State::Live => 0,
            State::Replaced => 1,
            State::Removed => 2,
        };
        Self((self.0 & !STATE_MASK) | state).with_deadline(FOREVER)
    }

    /// The generation after this one.
    pub(crate) fn next_generation(self) -> u32 {
        (self.generation() + 1) & GENERATION_MASK as u32
    }
}

/// Where a word stands.
pub(crate) trait Cell {
    fn load(&self, order: Ordering) -> u64;
    fn store(&self, word: u64, order: Ordering);
    fn compare_exchange(&self, from: u64, to: u64) -> Result<u64, u64>;
}

impl Cell for std::sync::atomic::AtomicU64 {
    fn load(&self, order: Ordering) -> u64 {
        self.load(order)
    }

    fn store(&self, word: u64, order: Ordering) {
        self.store(word, order);
    }

    fn compare_exchange(&self, from: u64, to: u64) -> Result<u64, u64> {
        self.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
    }
}

pub(crate) fn read(cell: &impl Cell) -> Word {
    Word(cell.load(Ordering::Acquire))
}

/// Begins a lease in a cell that nobody else changes: the lease before it has ended. Returns its
/// generation.
pub(crate) fn begin(cell: &impl Cell, deadline: u64) -> u32 {
    let generation = read(cell).next_generation();
    cell.store(Word::live(deadline, generation).0, Ordering::Release);
    generation
}

/// Moves the deadline of a lease whose record is of `generation`, never to an earlier moment; fails if the
/// word is of another generation, or has ended.
pub(crate) fn renew(cell: &impl Cell, generation: u32, deadline: u64) -> Result<(), State> {
    let mut word = read(cell);
    loop {
        match word.state() {
            _ if word.generation() != generation => return Err(State::Replaced),
            State::Live => {}
            ended => return Err(ended),
        }
        let renewed = word.with_deadline(deadline.max(word.deadline()));
        match cell.compare_exchange(word.0, renewed.0) {
            Ok(_) => return Ok(()),
            Err(found) => word = Word(found),
        }
    }
}

/// Gives the word a new generation, because the record changed; returns it.
pub(crate) fn begin_generation(cell: &impl Cell) -> u32 {
    swap(cell, Word::with_next_generation).next_generation()
}

/// Ends the lease, whatever its word says by now; returns the word before.
pub(crate) fn end(cell: &impl Cell, state: State) -> Word {
    swap(cell, |word| word.ended(state))
}

/// Ends the lease if its word is still the one that was judged.
pub(crate) fn end_if(cell: &impl Cell, judged: Word, state: State) -> bool {
    cell.compare_exchange(judged.0, judged.ended(state).0)
        .is_ok()
}

/// Changes the word, whatever it is by now; returns the one before.
fn swap(cell: &impl Cell, change: impl Fn(Word) -> Word) -> Word {
    let mut word = read(cell);
    loop {
        match cell.compare_exchange(word.0, change(word).0) {
            Ok(_) => return word,
            Err(found) => word = Word(found),
        }
    }
}
