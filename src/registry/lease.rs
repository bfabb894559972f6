//! One lease: how long it lives, and what its times look like to readers.
//!
//! Two ways of reckoning (B-01). *Exact*: it ends one life after the last renewal. *Doubled*, as the
//! reference: a renewal sets the base to now plus the duration, so that a renewed lease lives twice as
//! long, and readers see that base as `lastRenewalTimestamp`. In both, base plus life is the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::{Millis, Moment};
use crate::config::LeaseAccounting;
use crate::model::{EpochMillis, InstanceInfo, LeaseTerms, LeaseTimes, Listed};

/// A record and its lease, as they are handed to readers.
#[derive(Debug)]
pub struct Held {
    /// The record; never changes.
    pub info: Arc<InstanceInfo>,
    /// The lease; its times go on.
    pub lease: Arc<Lease>,
}

impl Held {
    /// The instance for a writer, with the times of its lease at this moment. `epoch` is
    /// [`crate::clock::Clock::epoch`].
    pub fn listed(&self, epoch: EpochMillis) -> Listed<'_> {
        Listed {
            info: &self.info,
            times: self.lease.times(epoch),
        }
    }
}

/// No time at all.
const NEVER: Millis = Millis::MAX;

/// The life of one registration.
#[derive(Debug)]
pub struct Lease {
    registered: Millis,
    /// How long it lives from `base`.
    life: Millis,
    /// What a renewal adds to the present for the new base: nothing, or the duration.
    advance: Millis,
    base: AtomicU64,
    service_up: AtomicU64,
    evicted: AtomicU64,
}

/// An exact lease lives at least this many renewal intervals, in quarters: one lost heartbeat must not
/// end it.
const FLOOR_QUARTERS: u64 = 9;

impl Lease {
    /// A lease that begins now.
    pub fn new(terms: LeaseTerms, accounting: LeaseAccounting, now: Moment) -> Self {
        let duration = u64::from(terms.duration_secs) * 1000;
        let (life, advance) = match accounting {
            LeaseAccounting::Exact => (duration.max(floor(terms)), 0),
            LeaseAccounting::Doubled => (duration, duration),
        };
        Self {
            registered: now.mono,
            life,
            advance,
            base: AtomicU64::new(now.mono),
            service_up: AtomicU64::new(NEVER),
            evicted: AtomicU64::new(NEVER),
        }
    }

    /// Whether an exact lease on these terms is longer than its client asked.
    pub fn is_lengthened(terms: LeaseTerms) -> bool {
        floor(terms) > u64::from(terms.duration_secs) * 1000
    }

    /// A heartbeat came.
    pub(super) fn renew(&self, now: Moment) {
        let base = now.mono.saturating_add(self.advance);
        self.base.store(base, Ordering::Release);
    }

    /// The last moment at which the lease is alive.
    pub fn deadline(&self) -> Millis {
        self.base.load(Ordering::Acquire).saturating_add(self.life)
    }

    /// Whether it has ended, with `grace` milliseconds on top.
    pub fn is_expired(&self, now: Moment, grace: Millis) -> bool {
        self.evicted.load(Ordering::Acquire) != NEVER
            || now.mono > self.deadline().saturating_add(grace)
    }

    /// Milliseconds since it began.
    pub fn age(&self, now: Moment) -> Millis {
        now.mono.saturating_sub(self.registered)
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

    /// The lease was cancelled or evicted.
    pub(super) fn end(&self, now: Moment) {
        self.evicted.store(now.mono, Ordering::Release);
    }

    /// The times as readers see them.
    pub fn times(&self, epoch: EpochMillis) -> LeaseTimes {
        let shown = |time: Millis| match time {
            NEVER => 0,
            time => epoch.saturating_add(time),
        };
        LeaseTimes {
            registered: shown(self.registered),
            renewed: shown(self.base.load(Ordering::Acquire)),
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
            let lease = Lease::new(terms, accounting, at(0));
            if let Some(renewed) = renewed {
                lease.renew(at(renewed));
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
            let lease = Lease::new(terms(30, 90), accounting, at(0));
            assert_eq!(lease.times(5_000).renewed, 5_000);
            lease.renew(at(30_000));
            assert_eq!(lease.times(5_000).renewed, 5_000 + renewed);
        }
    }

    #[test]
    fn times_that_never_were_are_zero_and_the_first_up_is_kept() {
        let lease = Lease::new(terms(30, 90), Exact, at(1));
        let times = lease.times(5_000);
        assert_eq!(
            (times.registered, times.evicted, times.service_up),
            (5_001, 0, 0)
        );
        lease.service_up(at(2));
        lease.service_up(at(3));
        let next = Lease::new(terms(30, 90), Exact, at(9));
        next.keep_service_up(&lease);
        assert_eq!(next.times(5_000).service_up, 5_002);
        next.end(at(10));
        assert_eq!(next.times(5_000).evicted, 5_010);
        assert!(next.is_expired(at(10), 1_000_000));
    }

    #[test]
    fn the_longest_lease_that_can_be_asked_for_does_not_overflow() {
        let endless = terms(i32::MAX as u32, i32::MAX as u32);
        for accounting in [Exact, Doubled] {
            let lease = Lease::new(endless, accounting, at(1));
            lease.renew(at(u64::MAX / 2));
            assert!(!lease.is_expired(at(u64::MAX / 2 + 1), 0));
        }
        assert!(Lease::is_lengthened(terms(30, 30)));
        assert!(!Lease::is_lengthened(terms(30, 90)));
    }
}
