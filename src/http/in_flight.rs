//! Bytes of bodies on their way, in and out, and a bound on all of them together.
//!
//! A list is shared by all who read it; but one who is slow to take it keeps it alive long after newer ones
//! took its place, and holds a copy of some of it. So whoever asks when too much is on its way is answered
//! 503. What is alone always goes: a list longer than the bound must still be readable.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bodies shorter than this are not counted: connections are bounded, and counting costs.
const SMALL: usize = 4096;

/// All bytes on their way.
#[derive(Debug)]
pub struct InFlight {
    bytes: Arc<AtomicUsize>,
    limit: usize,
}

/// Some of them, for as long as this lives.
#[derive(Debug)]
pub(super) struct Place {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl InFlight {
    /// Nothing yet; at most `limit` in all.
    pub fn new(limit: usize) -> Self {
        Self {
            bytes: Arc::default(),
            limit,
        }
    }

    /// Bytes on their way now.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes a place for a body of `bytes`; `None` if there is no room.
    pub(super) fn take(&self, bytes: usize) -> Option<Place> {
        let bytes = if bytes < SMALL { 0 } else { bytes };
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let place = Place {
            all: self.bytes.clone(),
            bytes,
        };
        let fits = before.saturating_add(bytes) <= self.limit;
        (fits || before == 0 || bytes == 0).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_turned_away_until_others_are_done() {
        let in_flight = InFlight::new(10_000);
        let first = in_flight.take(5_000).unwrap();
        let second = in_flight.take(5_000).unwrap();
        assert!(in_flight.take(SMALL).is_none());
        assert_eq!(in_flight.bytes(), 10_000);
        drop(first);
        assert!(in_flight.take(5_001).is_none());
        assert!(in_flight.take(5_000).is_some());
        drop(second);
        assert_eq!(in_flight.bytes(), 0);
    }

    #[test]
    fn small_bodies_and_one_that_is_alone_always_go() {
        let in_flight = InFlight::new(10_000);
        let alone = in_flight.take(50_000).unwrap();
        assert_eq!(in_flight.bytes(), 50_000);
        assert!(in_flight.take(SMALL).is_none());
        assert!(in_flight.take(SMALL - 1).is_some());
        drop(alone);
        assert_eq!(in_flight.bytes(), 0);
    }
}
