//! The node's only source of time.
//!
//! Rules count in monotonic milliseconds since the clock was made, so that a step of the wall clock can
//! neither end nor stretch a lease; wall time is only for what is printed. Both come from tokio's
//! instant: pausing tokio's time in a test pauses them together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::model::EpochMillis;

/// Wall clocks that differ by less than this are taken to agree.
const TOLERANCE: Duration = Duration::from_secs(1);

/// Milliseconds since the node's clock was made.
pub type Millis = u64;

/// A point in time, on both scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// For rules.
    pub mono: Millis,
    /// For print.
    pub wall: EpochMillis,
}

/// A cheap, shared clock.
#[derive(Clone, Debug)]
pub struct Clock {
    origin: Instant,
    /// The wall clock's reading at `origin`.
    epoch: Arc<AtomicU64>,
}

impl Clock {
    /// A clock that prints the system's time.
    pub fn system() -> Self {
        Self::starting_at(system_millis())
    }

    /// A clock whose wall reading is `epoch` now; for tests, which like round numbers.
    pub fn starting_at(epoch: EpochMillis) -> Self {
        Self {
            origin: Instant::now(),
            epoch: Arc::new(AtomicU64::new(epoch)),
        }
    }

    /// The present moment.
    pub fn now(&self) -> Moment {
        let mono = self.origin.elapsed().as_millis() as Millis;
        Moment {
            mono,
            wall: self.epoch() + mono,
        }
    }

    /// The wall reading at monotonic 0: add it to a monotonic time to print that.
    pub fn epoch(&self) -> EpochMillis {
        self.epoch.load(Ordering::Relaxed)
    }

    /// Follows the system's wall clock after it was set (or after the machine slept); returns by how
    /// many milliseconds, if at all.
    pub fn follow_system(&self) -> Option<i64> {
        let Moment { mono, wall } = self.now();
        let system = system_millis();
        if wall.abs_diff(system) < TOLERANCE.as_millis() as u64 {
            return None;
        }
        // Not a step, which two at once would take twice.
        let epoch = system.saturating_sub(mono);
        self.epoch.store(epoch, Ordering::Relaxed);
        Some(system as i64 - wall as i64)
    }

    /// Sets the wall clock forth or back by so many milliseconds.
    pub fn step(&self, millis: i64) {
        let epoch = self.epoch().saturating_add_signed(millis);
        self.epoch.store(epoch, Ordering::Relaxed);
    }
}

fn system_millis() -> EpochMillis {
    #[expect(clippy::disallowed_methods, reason = "the one place that may")]
    let since_epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    since_epoch.as_millis() as EpochMillis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_scales_move_together_with_paused_time() {
        let clock = Clock::starting_at(1_000_000);
        tokio::time::advance(Duration::from_millis(2_500)).await;
        let expected = Moment {
            mono: 2_500,
            wall: 1_002_500,
        };
        assert_eq!(clock.now(), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn following_the_system_moves_only_the_wall_scale() {
        let clock = Clock::starting_at(1_000);
        let before = clock.now();
        let step = clock.follow_system().expect("the system is decades later");
        assert!(step > 0);
        assert_eq!(clock.now().mono, before.mono);
        assert_eq!(clock.follow_system(), None);
    }
}
