//! How many wrong credentials an address may send: some at once, and then one every few seconds.
//!
//! Who shares a place among the [`Debts`] with somebody who guesses is slowed with them, for as long as that goes on;
//! credentials that were right before are never slowed.

use std::net::IpAddr;
use std::time::Duration;

use crate::clock::Millis;
use crate::http::debts::Debts;

/// Wrong ones that may come at once.
const AT_ONCE: u64 = 20;
/// After those, one may come every so often, in milliseconds. That is what each costs.
const EVERY: Millis = 5_000;
/// Places for addresses; 32 kB.
const PLACES: usize = 4096;

/// Wrong credentials by address.
pub(super) struct Guesses(Debts);

impl Default for Guesses {
    fn default() -> Self {
        Self(Debts::new(PLACES))
    }
}

impl Guesses {
    /// How long to wait before one more guess is looked at; nothing if it may come now.
    pub(super) fn wait(&self, from: Option<IpAddr>, now: Millis) -> Option<Duration> {
        let wait = self.0.of(from, now).saturating_sub((AT_ONCE - 1) * EVERY);
        (wait > 0).then(|| Duration::from_millis(wait))
    }

    /// A guess was wrong.
    pub(super) fn was_wrong(&self, from: Option<IpAddr>, now: Millis) {
        self.0.add(from, now, EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_may_come_at_once_and_then_one_every_five_seconds() {
        let guesses = Guesses::default();
        let from = Some("10.0.0.7".parse().unwrap());
        for _ in 0..20 {
            assert_eq!(guesses.wait(from, 1_000), None);
            guesses.was_wrong(from, 1_000);
        }
        assert_eq!(guesses.wait(from, 1_000), Some(Duration::from_secs(5)));
        assert_eq!(guesses.wait(from, 5_999), Some(Duration::from_millis(1)));
        assert_eq!(guesses.wait(from, 6_000), None);
        guesses.was_wrong(from, 6_000);
        assert_eq!(guesses.wait(from, 6_000), Some(Duration::from_secs(5)));
        // What was on its way when the limit was reached is paid for later.
        guesses.was_wrong(from, 6_000);
        assert_eq!(guesses.wait(from, 11_000), Some(Duration::from_secs(5)));
        assert_eq!(guesses.wait(from, 1_000_000), None);
    }
}
