//! How long to leave a peer alone after it failed: 100 ms, then twice as long each time, up to 3 s.
//!
//! No longer, because two nodes that can talk again are to hold the same within five seconds.
//!
//! A quarter of each pause is chance, so that nodes that lost a peer together do not come back together. The
//! chance comes from a seed, so that a simulation can be repeated.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The first pause.
const FIRST: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(3);
/// The longest that a peer may ask for itself.
pub const LONGEST_ASKED: Duration = Duration::from_secs(10);

/// The pauses of one peer.
#[derive(Debug)]
pub struct Backoff {
    step: Duration,
    chance: StdRng,
}

impl Backoff {
    /// Nothing has failed yet.
    pub fn new(seed: u64) -> Self {
        Self {
            step: Duration::ZERO,
            chance: StdRng::seed_from_u64(seed),
        }
    }

    /// The peer failed once more: how long to wait. `asked` is what it asked for itself.
    pub fn fail(&mut self, asked: Option<Duration>) -> Duration {
        self.step = (self.step * 2).clamp(FIRST, LONGEST);
        let pause = self.step.mul_f64(self.chance.random_range(0.75..=1.0));
        pause.max(asked.unwrap_or_default().min(LONGEST_ASKED))
    }

    /// All is well.
    pub fn reset(&mut self) {
        self.step = Duration::ZERO;
    }

    /// The length of the pauses now, before chance; zero while all is well.
    pub fn step(&self) -> Duration {
        self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_from_100_ms_to_3_s_and_start_again_after_a_success() {
        let mut backoff = Backoff::new(1);
        for step in [100, 200, 400, 800, 1600, 3000, 3000] {
            let pause = backoff.fail(None).as_millis();
            assert!((step * 3 / 4..=step).contains(&pause), "{pause} of {step}");
            assert_eq!(backoff.step().as_millis(), step);
        }
        backoff.reset();
        assert!(backoff.fail(None) <= FIRST);
    }

    #[test]
    fn what_the_peer_asks_for_counts_up_to_the_longest_pause() {
        for (asked, least, most) in [(0, 75, 100), (3, 3000, 3000), (60, 10_000, 10_000)] {
            let pause = Backoff::new(1).fail(Some(Duration::from_secs(asked)));
            assert!(
                (least..=most).contains(&pause.as_millis()),
                "{asked} s asked, {pause:?} waited"
            );
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_pauses_and_others_differ() {
        let pauses = |seed| {
            let mut backoff = Backoff::new(seed);
            [(); 5].map(|()| backoff.fail(None))
        };
        assert_eq!(pauses(7), pauses(7));
        assert_ne!(pauses(7), pauses(8));
    }
}
