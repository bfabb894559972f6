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
    /// Whether one sweep removes at most 15 % of all leases, chosen at random, as the reference does
    /// (B-06). Follows the mode: only in classic.
    pub limited: bool,
}

impl EvictionConfig {
    /// The values of a mode.
    pub fn of(mode: Mode) -> Self {
        match mode {
            Mode::Modern => Self {
                sweep: Sweep::WhenDue,
                limited: false,
            },
            Mode::Classic => Self {
                sweep: Sweep::Every(Duration::from_secs(60)),
                limited: true,
            },
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>, mode: Mode) -> Self {
        let default = Self::of(mode);
        let minute = Duration::from_secs(60);
        let interval = reader.millis(keys::EVICTION_INTERVAL, minute);
        Self {
            sweep: if reader.is_set(keys::EVICTION_INTERVAL) {
                Sweep::Every(interval)
            } else {
                default.sweep
            },
            ..default
        }
    }
}
