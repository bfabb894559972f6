//! What addresses owe, in time: each thing they do costs some of it, and time pays.
//!
//! Debts stand in a table of fixed size, by a hash with a key of its own: it needs no upkeep, and no sender can fill it.
//! Addresses that fall on one place share what it owes. Pure: the unit of time is the caller's.

use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::RandomState;

/// Debts of addresses.
pub(super) struct Debts {
    hasher: RandomState,
    /// Until when each place is paid for.
    paid_until: Vec<AtomicU64>,
}

impl Debts {
    /// Debts in so many places.
    pub(super) fn new(places: usize) -> Self {
        Self {
            hasher: RandomState::default(),
            paid_until: std::iter::repeat_with(AtomicU64::default)
                .take(places)
                .collect(),
        }
    }

    /// What an address owes.
    pub(super) fn of(&self, from: Option<IpAddr>, now: u64) -> u64 {
        self.place(from).load(Ordering::Relaxed).saturating_sub(now)
    }

    /// Adds to it.
    pub(super) fn add(&self, from: Option<IpAddr>, now: u64, cost: u64) {
        let more = |paid: u64| Some(paid.max(now).saturating_add(cost));
        // The closure never declines.
        let _ = self
            .place(from)
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    fn place(&self, from: Option<IpAddr>) -> &AtomicU64 {
        let from = from.map_or(Ipv6Addr::UNSPECIFIED.into(), network);
        let hash = self.hasher.hash_one(from) as usize;
        &self.paid_until[hash % self.paid_until.len()]
    }
}

/// Who has one IPv6 address has all of its network.
pub(super) fn network(address: IpAddr) -> IpAddr {
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
    fn debts_are_paid_by_time() {
        let debts = Debts::new(64);
        let from = Some("10.0.0.7".parse().unwrap());
        for (now, cost, owes) in [
            (1_000, 0, 0),
            (1_000, 300, 300),
            (1_000, 300, 600),
            (1_500, 0, 100),
            (9_000, 0, 0),
            (9_000, 300, 300),
            (9_000, u64::MAX, u64::MAX - 9_000),
        ] {
            debts.add(from, now, cost);
            assert_eq!(debts.of(from, now), owes, "{cost} at {now}");
        }
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
