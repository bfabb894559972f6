//! When requests are turned away because there are too many.

use std::time::Duration;

use super::keys;
use super::read::Reader;
use crate::model::Limit;

/// Knobs of shedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverloadConfig {
    /// How late a worker may be before it turns full reads away; other requests may wait a multiple of it,
    /// heartbeats 32 times as long. Default 200 ms, 0 never sheds. A smaller value keeps heartbeats quicker
    /// under load and turns more reads away in short peaks.
    pub shed_lag: Duration,
    /// Bytes of bodies on their way in, and of answers that are held for one reader alone (a short answer,
    /// or about an eighth of a long list), in all; default 256 MiB. What would exceed it is answered
    /// 503, so that readers who are slow to take big lists cannot fill the memory.
    pub max_in_flight: usize,
}

impl Default for OverloadConfig {
    fn default() -> Self {
        Self {
            shed_lag: Duration::from_millis(200),
            max_in_flight: 256 << 20,
        }
    }
}

impl OverloadConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let in_flight = Limit::new(default.max_in_flight, keys::MAX_IN_FLIGHT);
        Self {
            shed_lag: reader.pause(keys::SHED_LAG, default.shed_lag),
            max_in_flight: reader.limit(in_flight).max,
        }
    }
}
