//! Pauses after failures: each twice as long as the one before, up to a longest one; a quarter of each is chance,
//! so that clients that lost a server together do not come back together.

use std::time::Duration;

use super::chance::Chance;

/// The pauses after one kind of failure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pauses {
    first: Duration,
    longest: Duration,
    failures: u32,
}

impl Pauses {
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first: first.min(longest),
            longest,
            failures: 0,
        }
    }

    /// It failed once more: how long to wait.
    pub(crate) fn fail(&mut self, chance: &Chance) -> Duration {
        let doubled = 2_u32.saturating_pow(self.failures);
        self.failures = self.failures.saturating_add(1);
        let pause = self.first.saturating_mul(doubled).min(self.longest);
        chance.part_of(pause, 0.75)
    }

    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_start_again_after_a_success() {
        let chance = Chance::new(1);
        let mut pauses = Pauses::new(Duration::from_secs(1), Duration::from_secs(30));
        for whole in [1, 2, 4, 8, 16, 30, 30] {
            let whole = Duration::from_secs(whole);
            let pause = pauses.fail(&chance);
            assert!(pause <= whole && pause >= whole.mul_f64(0.75), "{pause:?}");
        }
        pauses.reset();
        assert!(pauses.fail(&chance) <= Duration::from_secs(1));
        let mut short = Pauses::new(Duration::from_secs(1), Duration::from_millis(10));
        assert!(short.fail(&chance) <= Duration::from_millis(10));
    }
}
