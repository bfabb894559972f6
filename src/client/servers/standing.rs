//! How it stands with one server: how often it failed in a row, and when it may be tried first again.
//!
//! A server that fails is not banished: for a while it is only tried after all others. The first request after that
//! while finds out whether it is back.

use std::time::Duration;

use tokio::time::Instant;

use crate::client::chance::Chance;
use crate::client::pause::Pauses;

/// The first pause and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// The standing of one server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pauses: Pauses,
    avoided_until: Option<Instant>,
    /// Until when it asked to be left alone, when it failed last.
    asked_until: Option<Instant>,
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            pauses: Pauses::new(FIRST, LONGEST),
            avoided_until: None,
            asked_until: None,
        }
    }
}

impl Standing {
    pub(crate) fn well(&mut self) {
        *self = Self::default();
    }

    /// It failed. `asked` is what it asked for itself by `Retry-After`.
    pub(crate) fn failed(&mut self, now: Instant, asked: Option<Duration>, chance: &Chance) {
        let asked = asked.map(|asked| asked.min(LONGEST));
        let pause = self.pauses.fail(chance).max(asked.unwrap_or_default());
        self.avoided_until = Some(now + pause);
        self.asked_until = asked.map(|asked| now + asked);
    }

    /// For how long it asks to be left alone from `now` on; nothing if it does not, or no more.
    pub(crate) fn asks_for(&self, now: Instant) -> Option<Duration> {
        let left = self.asked_until?.checked_duration_since(now)?;
        (!left.is_zero()).then_some(left)
    }

    /// Until when it comes after the others.
    pub(crate) fn avoided_until(&self, now: Instant) -> Option<Instant> {
        self.avoided_until.filter(|until| *until > now)
    }

    pub(crate) fn failures(&self) -> u32 {
        self.pauses.failures()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_is_avoided_longer_with_each_failure_up_to_a_minute() {
        let chance = Chance::new(3);
        let now = Instant::now();
        let mut standing = Standing::default();
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            standing.failed(now, None, &chance);
            let until = standing.avoided_until(now).unwrap() - now;
            assert!(until <= Duration::from_secs(seconds), "{until:?}");
            assert!(until >= Duration::from_secs(seconds).mul_f64(0.75));
            assert_eq!(standing.avoided_until(now + until), None);
        }
        standing.well();
        assert_eq!(
            (standing.avoided_until(now), standing.failures()),
            (None, 0)
        );
        standing.failed(now, None, &chance);
        assert_eq!(standing.asks_for(now), None);
        // Retry-After counts, within reason.
        for (asked, at_least) in [(20, 20), (3600, 60)] {
            standing.well();
            standing.failed(now, Some(Duration::from_secs(asked)), &chance);
            let until = standing.avoided_until(now).unwrap();
            assert_eq!(until, now + Duration::from_secs(at_least));
            let asks_for = Duration::from_secs(at_least);
            assert_eq!(standing.asks_for(now), Some(asks_for));
            assert_eq!(standing.asks_for(until), None);
        }
    }
}
