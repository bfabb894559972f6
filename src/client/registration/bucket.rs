//! How often changes are pushed: two at once, then one for each half of the interval (client.md §4).

use std::time::Duration;

use tokio::time::Instant;

/// Pushes that may follow each other at once.
const BURST: u32 = 2;

/// The budget of pushes.
#[derive(Debug)]
pub(crate) struct Bucket {
    refill: Duration,
    /// When the bucket will be full again.
    full: Option<Instant>,
}

impl Bucket {
    /// A budget for changes that would otherwise be pushed once per `interval`.
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            refill: interval / BURST,
            full: None,
        }
    }

    /// When the next push may go out.
    pub(crate) fn earliest(&self, now: Instant) -> Instant {
        let earliest = self
            .full
            .and_then(|full| full.checked_sub(self.refill * (BURST - 1)));
        earliest.unwrap_or(now).max(now)
    }

    /// A push goes out, whether or not there was budget for it.
    pub(crate) fn take(&mut self, now: Instant) {
        let limit = now + self.refill * BURST;
        let full = self.full.unwrap_or(now).max(now) + self.refill;
        self.full = Some(full.min(limit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client.md §4: as the reference's bucket, measured with one call every 5 s.
    #[tokio::test(start_paused = true)]
    async fn two_go_at_once_and_then_one_in_fifteen_seconds() {
        let start = Instant::now();
        let mut bucket = Bucket::new(Duration::from_secs(30));
        let mut granted = Vec::new();
        for second in (0..=60).step_by(5) {
            let now = start + Duration::from_secs(second);
            if bucket.earliest(now) <= now {
                bucket.take(now);
                granted.push(second);
            }
        }
        assert_eq!(granted, [0, 5, 15, 30, 45, 60]);
    }

    #[tokio::test(start_paused = true)]
    async fn no_interval_is_no_limit() {
        let now = Instant::now();
        let mut bucket = Bucket::new(Duration::ZERO);
        for _ in 0..100 {
            assert_eq!(bucket.earliest(now), now);
            bucket.take(now);
        }
    }
}
