//! When ended leases are removed.

use std::time::Duration;

use super::read::Reader;
use super::{Mode, keys};

/// When the sweep runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// As soon as a lease has ended, at least a second apart.
    WhenDue,
    /// At a fixed pause, with the reference's compensation for late runs (server.md §7).
    Every(Duration),
}

/// Knobs of the eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvictionConfig {
    /// Default: when due; in classic mode every 60 s. A number of milliseconds in
    /// `eviction-interval-timer-in-ms` is a fixed pause in either mode. A longer pause shows the dead
    /// for longer.
    pub sweep: Sweep,
}

impl EvictionConfig {
    /// The values of a mode.
    pub fn of(mode: Mode) -> Self {
        let sweep = match mode {
            Mode::Modern => Sweep::WhenDue,
            Mode::Classic => Sweep::Every(Duration::from_secs(60)),
        };
        Self { sweep }
    }

    pub(super) fn read(reader: &mut Reader<'_>, mode: Mode) -> Self {
        let interval = reader.millis(keys::EVICTION_INTERVAL, Duration::from_secs(60));
        if reader.is_set(keys::EVICTION_INTERVAL) {
            let sweep = Sweep::Every(interval);
            return Self { sweep };
        }
        Self::of(mode)
    }
}
