//! How many wrong credentials an address may send: some at once, and then one every few seconds.
//!
//! Addresses share a table of fixed size by a hash with a key of its own, so that it needs no upkeep and no
//! sender can fill it. Who shares a place with somebody who guesses is slowed with them, for as long as that
//! goes on; credentials that were right before are never slowed.

use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use foldhash::quality::RandomState;

use crate::clock::Millis;

/// Wrong ones that may come at once.
const AT_ONCE: u64 = 20;
/// After those, one may come every so often, in milliseconds.
const EVERY: Millis = 5_000;
/// Places in the table; 32 kB.
const PLACES: usize = 4096;

/// Wrong credentials by address.
pub(super) struct Guesses {
    hasher: RandomState,
    /// Until when each place is paid for, in the node's milliseconds: every wrong one costs [`EVERY`] of them.
    paid_until: Vec<AtomicU64>,
}

impl Guesses {
    pub(super) fn new() -> Self {
        Self {
            hasher: RandomState::default(),
            paid_until: std::iter::repeat_with(AtomicU64::default)
                .take(PLACES)
                .collect(),
        }
    }

    /// How long to wait before one more guess is looked at; nothing if it may come now.
    pub(super) fn wait(&self, from: Option<IpAddr>, now: Millis) -> Option<Duration> {
        let paid_until = self.place(from).load(Ordering::Relaxed);
        let wait = paid_until.saturating_sub(now + (AT_ONCE - 1) * EVERY);
        (wait > 0).then(|| Duration::from_millis(wait))
    }

    /// A guess was wrong.
    pub(super) fn was_wrong(&self, from: Option<IpAddr>, now: Millis) {
        let more = |paid: u64| Some(paid.max(now).saturating_add(EVERY));
        // The closure never declines.
        let _ = self
            .place(from)
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    fn place(&self, from: Option<IpAddr>) -> &AtomicU64 {
        let from = from.map_or(Ipv6Addr::UNSPECIFIED.into(), network);
        let hash = self.hasher.hash_one(from) as usize;
        &self.paid_until[hash % PLACES]
    }
}

/// Who has one IPv6 address has all of its network.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            Ipv6Addr::from_bits(network).into()
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_may_come_at_once_and_then_one_every_five_seconds() {
        let guesses = Guesses::new();
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

    #[test]
    fn addresses_do_not_share_but_a_network_of_ipv6_does() {
        for (one, other, same) in [
            ("10.0.0.7", "10.0.0.7", true),
            ("::ffff:10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7", "10.0.0.8", false),
            ("fd00::1", "fd00::2", true),
            ("fd00::1", "fd00:0:0:1::1", false),
        ] {
            let [one, other]: [IpAddr; 2] = [one, other].map(|text| text.parse().unwrap());
            assert_eq!(network(one) == network(other), same, "{one} {other}");
        }
    }
}
