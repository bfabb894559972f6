//! Eureka's own limiter of reads (server.md §17): two buckets for the whole node, one for all lists and one for full
//! ones, and clients of some names that are never limited. Off unless it is set.

use std::sync::Mutex;

use super::route::Target;
use crate::clock::Millis;
use crate::config::FetchLimitConfig;

/// The two buckets.
#[derive(Debug)]
pub struct FetchLimit {
    config: FetchLimitConfig,
    buckets: Mutex<Buckets>,
}

#[derive(Debug, Default)]
struct Buckets {
    all: Bucket,
    full: Bucket,
}

/// What is known of a bucket: tokens taken, and when some were last put back.
#[derive(Debug, Default)]
struct Bucket {
    taken: u64,
    refilled: Option<Millis>,
}

/// Which bucket was empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limited {
    /// That of all lists.
    All,
    /// That of full ones.
    Full,
}

/// Clients that are never limited, unless `throttle-standard-clients` says so.
const STANDARD: [&str; 2] = ["DefaultClient", "DefaultServer"];

impl FetchLimit {
    /// The limiter that is set.
    pub fn new(config: &FetchLimitConfig) -> Option<Self> {
        config.is_set.then(|| Self {
            config: config.clone(),
            buckets: Mutex::default(),
        })
    }

    /// Whether this is the limiter that is set, or is not.
    pub(super) fn is_for(limit: Option<&Self>, config: &FetchLimitConfig) -> bool {
        limit.map_or(!config.is_set, |limit| limit.config == *config)
    }

    /// Whether refusals are carried out, or counted only.
    pub(super) fn refuses(&self) -> bool {
        self.config.refuses
    }

    /// Whether a GET by a client of this name finds an empty bucket.
    pub(super) fn take(
        &self,
        target: &Target<'_>,
        name: Option<&str>,
        now: Millis,
    ) -> Option<Limited> {
        let is_full = match target {
            Target::Apps => true,
            Target::Delta | Target::App(_) => false,
            _ => return None,
        };
        if self.is_privileged(name) {
            return None;
        }
        let FetchLimitConfig {
            burst,
            fetch_rate,
            full_rate,
            ..
        } = self.config;
        // Nothing panics while it is held.
        let Ok(mut buckets) = self.buckets.lock() else {
            return None;
        };
        // A full read takes from both, and what it took from the first is gone if the second is empty (B-38).
        if !buckets.all.take(burst, fetch_rate, now) {
            return Some(if is_full { Limited::Full } else { Limited::All });
        }
        let is_let_in = !is_full || buckets.full.take(burst, full_rate, now);
        (!is_let_in).then_some(Limited::Full)
    }

    fn is_privileged(&self, name: Option<&str>) -> bool {
        let Some(name) = name.filter(|_| !self.config.throttle_standard) else {
            return false;
        };
        STANDARD.contains(&name) || self.config.privileged.iter().any(|known| known == name)
    }
}

impl Bucket {
    /// Takes a token, if there is one. A size or a rate of 0 is no limit.
    fn take(&mut self, burst: u64, rate: u64, now: Millis) -> bool {
        if burst == 0 || rate == 0 {
            return true;
        }
        let since = self
            .refilled
            .map_or(now, |refilled| now.saturating_sub(refilled));
        let new = since.saturating_mul(rate) / 1000;
        if new > 0 {
            // The rest of a token is not lost.
            self.refilled = Some(
                self.refilled
                    .map_or(now, |refilled| refilled + new * 1000 / rate),
            );
            self.taken = self.taken.min(burst).saturating_sub(new);
        }
        let is_left = self.taken < burst;
        self.taken += u64::from(is_left);
        is_left
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    /// server.md §17.
    #[test]
    fn a_bucket_fills_as_in_the_reference() {
        let mut bucket = Bucket::default();
        let mut taken = |now| (0..20).filter(|_| bucket.take(10, 100, now)).count();
        for (now, expected) in [(1_000, 10), (1_009, 0), (1_010, 1), (1_060, 5), (6_000, 10)] {
            assert_eq!(taken(now), expected, "at {now}");
        }
        let mut open = Bucket::default();
        assert!((0..100).all(|_| open.take(0, 100, 1) && open.take(10, 0, 1)));
    }

    fn limit(burst: u64, full_rate: u64, throttle_standard: bool) -> FetchLimit {
        FetchLimit::new(&FetchLimitConfig {
            is_set: true,
            refuses: true,
            burst,
            fetch_rate: 500,
            full_rate,
            throttle_standard,
            privileged: vec!["Known".to_string()],
        })
        .unwrap()
    }

    /// server.md §21, 73.
    #[test]
    fn full_reads_are_limited_twice_and_some_clients_never() {
        let of_burst = limit(2, 1, false);
        let mut found = Vec::new();
        for _ in 0..3 {
            found.push(of_burst.take(&Target::Apps, Some("X"), 5_000));
        }
        assert_eq!(found, [None, None, Some(Limited::Full)]);
        for name in ["DefaultClient", "DefaultServer", "Known"] {
            assert_eq!(
                of_burst.take(&Target::Apps, Some(name), 5_000),
                None,
                "{name}"
            );
        }
        // The tokens of full reads are gone from the other bucket, too.
        assert_eq!(
            of_burst.take(&Target::Delta, None, 5_000),
            Some(Limited::All)
        );
        assert_eq!(of_burst.take(&Target::Delta, None, 5_004), None);
        let app = Target::App(Cow::Borrowed("A"));
        assert_eq!(of_burst.take(&app, None, 5_006), None);
        assert_eq!(of_burst.take(&Target::Status, None, 5_006), None);

        let strict = limit(1, 1, true);
        assert_eq!(
            strict.take(&Target::Apps, Some("DefaultClient"), 5_000),
            None
        );
        let again = strict.take(&Target::Apps, Some("DefaultClient"), 5_000);
        assert_eq!(again, Some(Limited::Full));
    }
}
