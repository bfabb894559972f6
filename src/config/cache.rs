//! How fresh reads are, and how long changes stay in the delta.

use std::time::Duration;

use super::read::Reader;
use super::{Mode, keys};

/// Knobs of the response cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// `Some(interval)`: lists are read from a copy that a timer replaces at whole multiples of the
    /// interval, as in the reference (`use-read-only-response-cache`, default true in classic mode;
    /// `response-cache-update-interval-ms`, default 30 s). `None`, the default otherwise: every read
    /// shows every acknowledged write.
    pub timed_copy: Option<Duration>,
    /// A written list is written anew after this time even if nothing changed, so that the times in
    /// it stay true; default 180 s.
    pub expiration: Duration,
    /// `/apps/delta` answers 403; default false. Clients then read everything every time.
    pub disable_delta: bool,
    /// How long a change stays in the delta; default 180 s. Must exceed the pause between two reads
    /// of a client, or that client reads everything.
    pub delta_retention: Duration,
    /// Pause between two removals of old changes from the delta; default 30 s.
    pub delta_timer: Duration,
}

impl CacheConfig {
    /// The values of a mode.
    pub fn of(mode: Mode) -> Self {
        let half_minute = Duration::from_secs(30);
        Self {
            timed_copy: (mode == Mode::Classic).then_some(half_minute),
            expiration: Duration::from_secs(180),
            disable_delta: false,
            delta_retention: Duration::from_secs(180),
            delta_timer: half_minute,
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>, mode: Mode) -> Self {
        let default = Self::of(mode);
        let interval = default.timed_copy.unwrap_or(Duration::from_secs(30));
        // The interval alone does not bring the timed copy back.
        let interval = reader.millis(keys::CACHE_UPDATE_INTERVAL, interval);
        let timed = reader.flag(keys::USE_READ_ONLY_CACHE, default.timed_copy.is_some());
        if !timed {
            reader.warn_if_set(keys::CACHE_UPDATE_INTERVAL, "there is no read-only copy");
        }
        Self {
            timed_copy: timed.then_some(interval),
            expiration: reader.seconds(keys::CACHE_EXPIRATION, default.expiration),
            disable_delta: reader.flag(keys::DISABLE_DELTA, default.disable_delta),
            delta_retention: reader.millis(keys::DELTA_RETENTION, default.delta_retention),
            delta_timer: reader.millis(keys::DELTA_TIMER, default.delta_timer),
        }
    }
}
