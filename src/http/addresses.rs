//! What one address may take: so many connections, and so many requests a second. Both are off unless they are set.
//!
//! Each request costs its share of a second, and an address that asks for more than it may gets into debt. What is needed
//! least is refused first, at a debt of one second; the others may owe as many times that as they may wait for a worker
//! that is late (`limit.rs`): heartbeats 32 seconds. What is refused costs nothing. Addresses are those of connections:
//! what a header says, anybody can write.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

use super::debts::{Debts, network};
use super::limit::patience;
use crate::config::LimitsConfig;
use crate::metrics::ShedClass;

/// Places for addresses; 512 kB, once a rate is set.
const PLACES: usize = 1 << 16;
/// A second, as debts are counted.
const SECOND: u64 = 1_000_000_000;

/// What addresses take, and how much they may.
pub(super) struct Addresses {
    /// Connections of one address; no limit is the largest number.
    connections: AtomicUsize,
    /// Requests a second of one address, likewise.
    requests: AtomicUsize,
    /// From when on debts are counted, in nanoseconds.
    began: Instant,
    debts: OnceLock<Debts>,
    shares: Shares,
}

impl Addresses {
    /// As these settings say.
    pub(super) fn of(limits: &LimitsConfig) -> Self {
        let addresses = Self {
            connections: AtomicUsize::default(),
            requests: AtomicUsize::default(),
            began: Instant::now(),
            debts: OnceLock::new(),
            shares: Shares::default(),
        };
        addresses.set(limits);
        addresses
    }

    /// As these settings say, from now on.
    pub(super) fn set(&self, limits: &LimitsConfig) {
        let connections = limits.address_connections.max;
        self.connections.store(connections, Ordering::Relaxed);
        let requests = limits.address_requests.max;
        self.requests.store(requests, Ordering::Relaxed);
    }

    /// One more connection; `None` if the address has as many as it may.
    pub(super) fn connect(&self, from: IpAddr) -> Option<Share> {
        let most = self.connections.load(Ordering::Relaxed);
        self.shares.take(from, most)
    }

    /// Requests a second of one address, where there is a limit; all that a request asks where there is none.
    pub(super) fn rate(&self) -> Option<usize> {
        let rate = self.requests.load(Ordering::Relaxed);
        (rate != usize::MAX).then_some(rate)
    }

    /// How long an address has to wait before it may ask for this; nothing if it may now, which costs it.
    pub(super) fn ask(
        &self,
        from: Option<IpAddr>,
        class: ShedClass,
        rate: usize,
        now: Instant,
    ) -> Option<Duration> {
        let debts = self.debts.get_or_init(|| Debts::new(PLACES));
        let now = now.duration_since(self.began).as_nanos() as u64;
        let most = SECOND * u64::from(patience(class));
        let owes = debts.of(from, now);
        if owes > most {
            return Some(Duration::from_nanos(owes - most));
        }
        debts.add(from, now, SECOND / rate as u64);
        None
    }
}

/// Open connections by address; only addresses that have some.
#[derive(Clone, Default)]
struct Shares(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One connection of an address, for as long as it is counted.
pub(super) struct Share {
    shares: Shares,
    from: IpAddr,
}

impl Shares {
    fn take(&self, from: IpAddr, most: usize) -> Option<Share> {
        let from = network(from);
        {
            // Nothing panics while it is held.
            let mut all = self.0.lock().ok()?;
            let open = all.get(&from).copied().unwrap_or_default();
            if open >= most {
                return None;
            }
            all.insert(from, open + 1);
        }
        let shares = self.clone();
        Some(Share { shares, from })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let Ok(mut all) = self.shares.0.lock() else {
            return;
        };
        if let Entry::Occupied(mut open) = all.entry(self.from) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limit;
    use ShedClass::{Change, Delta, Full, Renewal, Replication};

    fn limits(connections: usize, requests: usize) -> LimitsConfig {
        LimitsConfig {
            address_connections: Limit::new(connections, ""),
            address_requests: Limit::new(requests, ""),
            ..LimitsConfig::default()
        }
    }

    fn addresses(connections: usize, requests: usize) -> Addresses {
        Addresses::of(&limits(connections, requests))
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// How many requests of each class an address may send at once, one class after the other; and then it may send
    /// nothing more of that class.
    #[test]
    fn what_is_needed_least_is_refused_first() {
        let addresses = addresses(0, 10);
        let (from, now) = (Some(ip("10.0.0.7")), addresses.began);
        let mut sent = 0;
        for (class, most) in [
            (Full, 11),
            (Delta, 21),
            (Change, 41),
            (Renewal, 321),
            (Replication, 641),
        ] {
            let asked = std::iter::repeat_with(|| addresses.ask(from, class, 10, now));
            sent += asked.take_while(Option::is_none).count();
            assert_eq!(sent, most, "{class:?}");
        }
        let wait = |class| addresses.ask(from, class, 10, now);
        assert_eq!(wait(Full), Some(Duration::from_millis(63_100)));
        assert_eq!(wait(Replication), Some(Duration::from_millis(100)));
        // Somebody else is not concerned.
        assert_eq!(addresses.ask(Some(ip("10.0.0.8")), Full, 10, now), None);
    }

    #[test]
    fn time_pays_and_who_keeps_to_the_rate_never_waits() {
        let addresses = addresses(0, 10);
        let from = Some(ip("10.0.0.7"));
        let mut now = addresses.began;
        for _ in 0..1000 {
            assert_eq!(addresses.ask(from, Full, 10, now), None);
            now += Duration::from_millis(100);
        }
        let asked = std::iter::repeat_with(|| addresses.ask(from, Full, 10, now));
        assert_eq!(asked.take_while(Option::is_none).count(), 11);
        now += Duration::from_millis(99);
        assert_eq!(
            addresses.ask(from, Full, 10, now),
            Some(Duration::from_millis(1))
        );
        now += Duration::from_millis(1);
        assert_eq!(addresses.ask(from, Full, 10, now), None);
    }

    #[test]
    fn connections_are_counted_while_they_are_open() {
        let addresses = addresses(2, usize::MAX);
        assert_eq!(addresses.rate(), None);
        let connect = |from| addresses.connect(ip(from));
        let (first, second) = (connect("10.0.0.7"), connect("::ffff:10.0.0.7"));
        assert!(first.is_some() && second.is_some());
        assert!(connect("10.0.0.7").is_none());
        let other = connect("10.0.0.8");
        assert!(other.is_some());
        drop(first);
        let third = connect("10.0.0.7");
        assert!(third.is_some() && connect("10.0.0.7").is_none());
        drop((second, third, other));
        assert!(addresses.shares.0.lock().unwrap().is_empty());
    }

    /// A lower limit ends no connection, and counts those that are there.
    #[test]
    fn limits_change_while_connections_are_open() {
        let addresses = addresses(2, 5);
        let open = [addresses.connect(ip("::1")), addresses.connect(ip("::1"))];
        addresses.set(&limits(1, usize::MAX));
        drop(open);
        let one = addresses.connect(ip("::1"));
        assert!(one.is_some() && addresses.connect(ip("::1")).is_none());
        assert_eq!(addresses.rate(), None);
    }
}
