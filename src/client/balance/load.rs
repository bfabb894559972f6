//! How an instance does for this client: what is under way there, how long it takes, and whether it is left alone.
//!
//! After so many failures in a row an instance is *ejected*: not picked for a while that doubles each time. Then it is
//! picked like the others; one success makes it well, one failure ejects it again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How failing instances are left alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ejection {
    /// Failures in a row; 0 ejects nobody.
    pub(super) after: u32,
    /// The first time.
    pub(super) first: Duration,
    /// The longest time.
    pub(super) longest: Duration,
}

/// The load of one instance.
#[derive(Debug, Default)]
pub(super) struct Load {
    under_way: AtomicUsize,
    past: Mutex<Past>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Past {
    /// Failures in a row.
    failures: u32,
    /// Ejections in a row.
    ejections: u32,
    ejected_until: Option<Instant>,
    /// Smoothed time of good answers.
    takes: Option<Duration>,
}

impl Load {
    fn past(&self) -> MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self) {
        self.under_way.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    pub(super) fn succeeded(&self, took: Duration) {
        let mut past = self.past();
        let takes = match past.takes {
            // A fifth of what is new: some ten answers turn it round.
            Some(before) => before.mul_f64(0.8) + took.mul_f64(0.2),
            None => took,
        };
        *past = Past {
            takes: Some(takes),
            ..Past::default()
        };
    }

    pub(super) fn failed(&self, now: Instant, ejection: Ejection) {
        let mut past = self.past();
        past.failures = past.failures.saturating_add(1);
        let again = past.ejections > 0;
        if ejection.after == 0 || (past.failures < ejection.after && !again) {
            return;
        }
        let doubled = 2_u32.saturating_pow(past.ejections);
        let pause = ejection.first.saturating_mul(doubled).min(ejection.longest);
        past.ejections = past.ejections.saturating_add(1);
        past.ejected_until = Some(now + pause);
    }

    pub(super) fn is_ejected(&self, now: Instant) -> bool {
        self.past().ejected_until.is_some_and(|until| until > now)
    }

    /// How long good answers take of late.
    pub(super) fn takes(&self) -> Option<Duration> {
        self.past().takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EJECTION: Ejection = Ejection {
        after: 3,
        first: Duration::from_secs(10),
        longest: Duration::from_secs(35),
    };

    #[tokio::test(start_paused = true)]
    async fn an_instance_that_fails_in_a_row_is_left_alone_longer_each_time() {
        let load = Load::default();
        let now = Instant::now();
        for (failures, ejected) in [(1, false), (2, false), (3, true)] {
            load.failed(now, EJECTION);
            assert_eq!(load.is_ejected(now), ejected, "{failures}");
        }
        let mut now = now;
        for seconds in [10, 20, 35, 35] {
            let back = now + Duration::from_secs(seconds);
            assert!(
                load.is_ejected(back - Duration::from_millis(1)),
                "{seconds}"
            );
            assert!(!load.is_ejected(back));
            now = back;
            // The first request after that fails, too.
            load.failed(now, EJECTION);
        }
        load.succeeded(Duration::ZERO);
        assert!(!load.is_ejected(now));
        load.failed(now, EJECTION);
        assert!(!load.is_ejected(now));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_ejected_where_that_is_off() {
        let load = Load::default();
        for _ in 0..100 {
            load.failed(
                Instant::now(),
                Ejection {
                    after: 0,
                    ..EJECTION
                },
            );
        }
        assert!(!load.is_ejected(Instant::now()));
    }

    #[test]
    fn times_are_smoothed() {
        let load = Load::default();
        assert_eq!(load.takes(), None);
        load.succeeded(Duration::from_millis(100));
        load.succeeded(Duration::from_millis(200));
        assert_eq!(load.takes(), Some(Duration::from_millis(120)));
    }
}
