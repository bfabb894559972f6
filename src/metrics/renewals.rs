//! Heartbeats by what became of them, counted on every thread without disturbing the others.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::model::Origin;

/// What became of a heartbeat; the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenewalResult {
    /// In step.
    Ok,
    /// Not held, or its status is UNKNOWN.
    Unknown,
    /// The sender has a newer copy.
    Newer,
    /// The sender has an older copy.
    Older,
}

impl RenewalResult {
    pub(super) const ALL: [RenewalResult; 4] = [Self::Ok, Self::Unknown, Self::Newer, Self::Older];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Newer => "newer",
            Self::Older => "older",
        }
    }
}

/// Threads that count in places of their own; further ones share.
const SHARDS: usize = 16;
/// Origins times results.
const CELLS: usize = 8;

/// One thread's counts: a cache line that no other thread writes.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard([AtomicU64; CELLS]);

/// The counts of all threads.
#[derive(Clone, Debug, Default)]
pub struct Renewals(Arc<[Shard; SHARDS]>);

thread_local! {
    static OWN_SHARD: Cell<usize> = Cell::new(next_shard());
}

fn next_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS
}

impl Renewals {
    /// A heartbeat was answered.
    pub fn count(&self, origin: Origin, result: RenewalResult) {
        let shard = &self.0[OWN_SHARD.get()];
        shard.0[cell(origin, result)].fetch_add(1, Ordering::Relaxed);
    }

    /// How many had this result.
    pub fn of(&self, origin: Origin, result: RenewalResult) -> u64 {
        let cell = cell(origin, result);
        self.0
            .iter()
            .map(|shard| shard.0[cell].load(Ordering::Relaxed))
            .sum()
    }

    /// How many renewed a lease: all but those of unknown instances.
    pub fn renewed(&self) -> u64 {
        let counts = [
            RenewalResult::Ok,
            RenewalResult::Newer,
            RenewalResult::Older,
        ];
        let of = |origin| {
            counts
                .map(|result| self.of(origin, result))
                .into_iter()
                .sum::<u64>()
        };
        Origin::ALL.map(of).into_iter().sum()
    }
}

fn cell(origin: Origin, result: RenewalResult) -> usize {
    origin.index() * RenewalResult::ALL.len() + result as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_threads_count_adds_up() {
        let renewals = Renewals::default();
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        renewals.count(Origin::Client, RenewalResult::Ok);
                    }
                    renewals.count(Origin::Peer, RenewalResult::Older);
                    renewals.count(Origin::Peer, RenewalResult::Unknown);
                });
            }
        });
        assert_eq!(renewals.of(Origin::Client, RenewalResult::Ok), 2000);
        assert_eq!(renewals.of(Origin::Peer, RenewalResult::Ok), 0);
        assert_eq!(renewals.renewed(), 2020);
    }
}
