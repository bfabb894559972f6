//! One lease: how long it lives, and what its times look like to readers.
//!
//! Its deadline is in the word (`word.rs`), which every thread may renew. Two ways of reckoning (B-01).
//! *Exact*: a lease ends one life after the last renewal. *Doubled*, as the reference: a renewal sets the
//! base to now plus the duration, so that a renewed lease lives twice as long, and readers see that base as
//! `lastRenewalTimestamp`. In both, base plus life is the deadline.

use std::sync::atomic::{AtomicU64, Ordering};

use super::slots::Slot;
use super::word::{self, FOREVER, State, Word};
use crate::clock::{Millis, Moment};
use crate::config::LeaseAccounting;
use crate::model::{EpochMillis, LeaseTerms, LeaseTimes};

/// No time at all.
const NEVER: Millis = Millis::MAX;

/// The life of one registration.
#[derive(Debug)]
pub struct Lease {
    slot: Slot,
    registered: Millis,
    /// It came from a peer, with an age.
    from_elsewhere: bool,
    /// How long it lives from `base`.
    life: Millis,
    /// What a renewal adds to the present for the new base: nothing, or the duration.
    advance: Millis,
    service_up: AtomicU64,
    /// The base at the end, kept because the word forgets it.
    last_base: AtomicU64,
    evicted: AtomicU64,
    held_since: AtomicU64,
    held_heard: AtomicU64,
    /// Slots of `renewed.rs` that hold the lease, a bit each.
    told: AtomicU64,
}

/// A lease that has ended and is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Since when, in the node's milliseconds.
    pub since: Millis,
    /// How long the node had heard from others by then, see `preservation`.
    pub heard: Millis,
}

/// An exact lease lives at least this many renewal intervals, in quarters: one lost heartbeat must not
/// end it.
const FLOOR_QUARTERS: u64 = 9;

/// How a lease on these terms is reckoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reckoning {
    /// From base to deadline.
    pub(super) life: Millis,
    /// From now to base at a renewal.
    pub(super) advance: Millis,
    /// From silence to deadline; negative where a lease ends before it is silent.
    pub(super) slack: i32,
}

impl Reckoning {
    /// From the last renewal to the end.
    pub(super) fn longest(self) -> Millis {
        self.life + self.advance
    }

    pub(super) fn of(terms: LeaseTerms, accounting: LeaseAccounting) -> Self {
        let duration = u64::from(terms.duration_secs) * 1000;
        let (life, advance) = match accounting {
            LeaseAccounting::Exact => (duration.max(floor(terms)), 0),
            LeaseAccounting::Doubled => (duration, duration),
        };
        // A deadline must fit the word, wherever the node's clock stands.
        let life = life.min(FOREVER / 4);
        let slack = life as i64 - terms.silence() as i64;
        Self {
            life,
            advance: advance.min(FOREVER / 4),
            slack: slack.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
        }
    }
}

/// When a lease began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Began {
    /// It begins here and now.
    Now,
    /// A peer renewed it last so many milliseconds ago, and so much of it is over.
    Elsewhere {
        /// Since then.
        idle: Millis,
    },
}

impl Began {
    /// The moment at which it began, if this node's time goes so far back.
    pub(super) fn at(self, now: Moment) -> Option<Millis> {
        match self {
            Self::Now => Some(now.mono),
            Self::Elsewhere { idle } => now.mono.checked_sub(idle),
        }
    }
}

/// The deadline after a renewal that was `idle` milliseconds ago, from what it would be without the advance now.
fn renewed_ago(full: Millis, advance: Millis, idle: Millis) -> Millis {
    full.saturating_add(advance).saturating_sub(idle)
}

impl Lease {
    /// A lease in a slot of its own.
    pub(super) fn new(slot: Slot, reckoning: Reckoning, began: Began, now: Moment) -> Self {
        let full = now.mono.saturating_add(reckoning.life);
        let deadline = match began {
            Began::Now => full,
            Began::Elsewhere { idle } => renewed_ago(full, reckoning.advance, idle),
        };
        word::begin(slot.cell(), deadline);
        Self {
            slot,
            registered: now.mono,
            from_elsewhere: began != Began::Now,
            life: reckoning.life,
            advance: reckoning.advance,
            service_up: AtomicU64::new(NEVER),
            last_base: AtomicU64::new(NEVER),
            evicted: AtomicU64::new(NEVER),
            held_since: AtomicU64::new(NEVER),
            held_heard: AtomicU64::new(0),
            told: AtomicU64::new(0),
        }
    }

    /// Whether an exact lease on these terms is longer than its client asked.
    pub fn is_lengthened(terms: LeaseTerms) -> bool {
        floor(terms) > u64::from(terms.duration_secs) * 1000
    }

    /// The word as it is now.
    pub fn word(&self) -> Word {
        self.slot.word()
    }

    pub(super) fn told(&self) -> &AtomicU64 {
        &self.told
    }

    pub(super) fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Renews a lease whose record is of `generation`; fails if that is no longer so.
    pub(super) fn renew(&self, generation: u32, now: Moment) -> Result<(), State> {
        self.renew_idle(generation, 0, now)
    }

    /// The same for a renewal that a peer had `idle` milliseconds ago; the deadline only ever moves on.
    pub(super) fn renew_idle(
        &self,
        generation: u32,
        idle: Millis,
        now: Moment,
    ) -> Result<(), State> {
        let full = now.mono.saturating_add(self.life);
        let deadline = renewed_ago(full, self.advance, idle);
        word::renew(self.slot.cell(), generation, deadline)
    }

    /// Gives the word a new generation, because the record changed; returns it.
    pub(super) fn begin_generation(&self) -> u32 {
        word::begin_generation(self.slot.cell())
    }

    /// Ends the lease, whatever its word says by now.
    pub(super) fn end(&self, state: State, now: Moment) {
        let before = word::end(self.slot.cell(), state);
        self.note_end(before, state, now);
    }

    /// Ends the lease if its word is still the one that was judged.
    pub(super) fn end_if(&self, judged: Word, state: State, now: Moment) -> bool {
        let ended = word::end_if(self.slot.cell(), judged, state);
        if ended {
            self.note_end(judged, state, now);
        }
        ended
    }

    fn note_end(&self, before: Word, state: State, now: Moment) {
        let base = before.deadline().saturating_sub(self.life);
        self.last_base.store(base, Ordering::Release);
        if state == State::Removed {
            self.evicted.store(now.mono, Ordering::Release);
        }
    }

    /// The last moment at which the lease is alive.
    pub fn deadline(&self) -> Millis {
        self.word().deadline()
    }

    /// Whether it has ended, with `grace` milliseconds on top.
    pub fn is_expired(&self, now: Moment, grace: Millis) -> bool {
        let word = self.word();
        word.state() != State::Live || now.mono > word.deadline().saturating_add(grace)
    }

    /// Milliseconds since it began.
    pub fn age(&self, now: Moment) -> Millis {
        now.mono.saturating_sub(self.registered)
    }

    /// Milliseconds since it was last renewed, or began.
    pub fn idle(&self, now: Moment) -> Millis {
        let deadline = match self.last_base.load(Ordering::Acquire) {
            NEVER => self.deadline(),
            base => base.saturating_add(self.life),
        };
        // Of one that came from elsewhere the last renewal may have been before this node's time began.
        let full = now.mono.saturating_add(self.life);
        let idle = renewed_ago(full, self.advance, deadline);
        match self.from_elsewhere {
            true => idle,
            false => idle.min(self.age(now)),
        }
    }

    /// Since when self-preservation keeps the ended lease; `None` if it does not, or no longer.
    pub fn hold(&self, now: Moment) -> Option<Hold> {
        let since = self.held_since.load(Ordering::Acquire);
        let heard = self.held_heard.load(Ordering::Acquire);
        (since != NEVER && self.is_expired(now, 0)).then_some(Hold { since, heard })
    }

    /// Since when it was kept, whether it is renewed by now or not.
    pub(super) fn held_since(&self) -> Option<Millis> {
        let since = self.held_since.load(Ordering::Acquire);
        (since != NEVER).then_some(since)
    }

    /// Marks the lease as kept.
    pub(super) fn begin_hold(&self, hold: Hold) {
        self.held_heard.store(hold.heard, Ordering::Release);
        self.held_since.store(hold.since, Ordering::Release);
    }

    /// Takes the mark away.
    pub(super) fn end_hold(&self) {
        self.held_since.store(NEVER, Ordering::Release);
    }

    /// The instance is UP; only the first time counts.
    pub(super) fn service_up(&self, now: Moment) {
        if self.service_up.load(Ordering::Acquire) == NEVER {
            self.service_up.store(now.mono, Ordering::Release);
        }
    }

    /// Takes over when the instance was first UP from the lease before this one.
    pub(super) fn keep_service_up(&self, before: &Lease) {
        let first = before.service_up.load(Ordering::Acquire);
        self.service_up.store(first, Ordering::Release);
    }

    /// The times as readers see them.
    pub fn times(&self, epoch: EpochMillis) -> LeaseTimes {
        let shown = |time: Millis| match time {
            NEVER => 0,
            time => epoch.saturating_add(time),
        };
        let base = match self.last_base.load(Ordering::Acquire) {
            NEVER => self.deadline().saturating_sub(self.life),
            base => base,
        };
        LeaseTimes {
            registered: shown(self.registered),
            renewed: shown(base),
            evicted: shown(self.evicted.load(Ordering::Acquire)),
            service_up: shown(self.service_up.load(Ordering::Acquire)),
        }
    }
}

fn floor(terms: LeaseTerms) -> Millis {
    u64::from(terms.renewal_interval_secs) * 1000 * FLOOR_QUARTERS / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::slots::Slots;
    use LeaseAccounting::{Doubled, Exact};

    fn at(mono: Millis) -> Moment {
        Moment {
            mono,
            wall: 5_000 + mono,
        }
    }

    fn terms(interval: u32, duration: u32) -> LeaseTerms {
        LeaseTerms {
            renewal_interval_secs: interval,
            duration_secs: duration,
        }
    }

    fn lease(terms: LeaseTerms, accounting: LeaseAccounting, now: Millis) -> Lease {
        let reckoning = Reckoning::of(terms, accounting);
        Lease::new(Slots::default().take(), reckoning, Began::Now, at(now))
    }

    fn renew(lease: &Lease, now: Millis) {
        lease.renew(lease.word().generation(), at(now)).unwrap();
    }

    /// server.md scenarios 7 and 8 for doubled; design §2 for exact.
    #[test]
    fn a_lease_ends_where_its_accounting_says_to_the_millisecond() {
        for (accounting, terms, renewed, last_alive) in [
            (Doubled, terms(30, 90), None, 90_000),
            (Doubled, terms(30, 90), Some(30_000), 210_000),
            (Exact, terms(30, 90), None, 90_000),
            (Exact, terms(30, 90), Some(30_000), 120_000),
            (Exact, terms(30, 30), None, 67_500),
            (Exact, terms(30, 30), Some(30_000), 97_500),
            (Doubled, terms(30, 30), None, 30_000),
        ] {
            let lease = lease(terms, accounting, 0);
            if let Some(renewed) = renewed {
                renew(&lease, renewed);
            }
            let case = format!("{accounting:?} {terms:?} {renewed:?}");
            assert!(!lease.is_expired(at(last_alive), 0), "{case}");
            assert!(lease.is_expired(at(last_alive + 1), 0), "{case}");
            assert!(!lease.is_expired(at(last_alive + 10), 10), "{case}");
        }
    }

    #[test]
    fn readers_see_the_base_of_the_accounting_as_the_last_renewal() {
        for (accounting, renewed) in [(Exact, 30_000), (Doubled, 120_000)] {
            let lease = lease(terms(30, 90), accounting, 0);
            assert_eq!(lease.times(5_000).renewed, 5_000);
            renew(&lease, 30_000);
            assert_eq!(lease.times(5_000).renewed, 5_000 + renewed);
            lease.end(State::Removed, at(40_000));
            assert_eq!(
                lease.times(5_000).renewed,
                5_000 + renewed,
                "also after the end"
            );
        }
    }

    #[test]
    fn times_that_never_were_are_zero_and_the_first_up_is_kept() {
        let first = lease(terms(30, 90), Exact, 1);
        let times = first.times(5_000);
        assert_eq!(
            (times.registered, times.evicted, times.service_up),
            (5_001, 0, 0)
        );
        first.service_up(at(2));
        first.service_up(at(3));
        let next = lease(terms(30, 90), Exact, 9);
        next.keep_service_up(&first);
        assert_eq!(next.times(5_000).service_up, 5_002);
        next.end(State::Removed, at(10));
        assert_eq!(next.times(5_000).evicted, 5_010);
        assert!(next.is_expired(at(10), 1_000_000));
    }

    #[test]
    fn a_renewal_that_was_decided_on_another_word_does_nothing() {
        let lease = lease(terms(30, 90), Exact, 0);
        let first = lease.word().generation();
        let second = lease.begin_generation();
        assert_eq!(lease.renew(first, at(10_000)), Err(State::Replaced));
        assert_eq!(lease.deadline(), 90_000);
        assert_eq!(lease.renew(second, at(10_000)), Ok(()));
        lease.end(State::Removed, at(11_000));
        assert_eq!(lease.renew(second, at(12_000)), Err(State::Removed));
        assert_eq!(lease.deadline(), FOREVER, "no sweep finds it due");
    }

    /// Two threads that renew at almost one moment.
    #[test]
    fn a_renewal_never_shortens_a_lease() {
        let lease = lease(terms(30, 90), Exact, 0);
        renew(&lease, 20_000);
        renew(&lease, 19_999);
        assert_eq!(lease.deadline(), 110_000);
    }

    /// B-05.
    #[test]
    fn only_the_word_that_was_judged_is_ended() {
        let lease = lease(terms(30, 90), Exact, 0);
        let judged = lease.word();
        renew(&lease, 1);
        assert!(!lease.end_if(judged, State::Removed, at(100_000)));
        assert!(lease.end_if(lease.word(), State::Removed, at(100_000)));
    }

    #[test]
    fn a_hold_ends_with_the_next_heartbeat() {
        let lease = lease(terms(30, 90), Exact, 0);
        let hold = Hold {
            since: 90_500,
            heard: 7,
        };
        lease.begin_hold(hold);
        assert_eq!(lease.hold(at(90_000)), None, "it has not ended yet");
        assert_eq!(lease.hold(at(91_000)), Some(hold));
        renew(&lease, 95_000);
        assert_eq!(lease.hold(at(95_001)), None);
        lease.end_hold();
        assert_eq!(lease.hold(at(200_000)), None);
    }

    #[test]
    fn the_longest_lease_that_can_be_asked_for_does_not_overflow() {
        let endless = terms(i32::MAX as u32, i32::MAX as u32);
        for accounting in [Exact, Doubled] {
            let lease = lease(endless, accounting, 1);
            renew(&lease, FOREVER / 4);
            assert!(!lease.is_expired(at(FOREVER / 4 + 1), 0));
        }
        assert!(Lease::is_lengthened(terms(30, 30)));
        assert!(!Lease::is_lengthened(terms(30, 90)));
    }
}
