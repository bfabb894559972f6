//! Facts about the process and the machine, for the status document and the page.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use crate::clock::Millis;
use crate::model::EpochMillis;

/// What can be found out; nothing where the system does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct System {
    pub(super) cpus: usize,
    /// Memory of the machine, in MiB.
    pub(super) total_memory: Option<u64>,
    /// Memory of the process, in MiB.
    pub(super) used_memory: Option<u64>,
}

impl System {
    pub(super) fn now() -> Self {
        Self {
            cpus: std::thread::available_parallelism().map_or(1, |n| n.get()),
            total_memory: read_mebibytes("/proc/meminfo", "MemTotal:"),
            used_memory: read_mebibytes("/proc/self/status", "VmRSS:"),
        }
    }

    /// `total-avail-memory` as the reference prints it.
    pub(super) fn total_text(&self) -> Option<String> {
        self.total_memory.map(|mebibytes| format!("{mebibytes}mb"))
    }

    /// `current-memory-usage` as the reference prints it.
    pub(super) fn used_text(&self) -> Option<String> {
        let (used, total) = (self.used_memory?, self.total_memory?.max(1));
        Some(format!("{used}mb ({}%)", used * 100 / total))
    }
}

/// The number of kB in the line that begins with `name`, as MiB.
fn read_mebibytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024)
}

/// `server-uptime` as the reference prints it: `HH:MM`, with the days before it.
pub(super) fn uptime(millis: Millis) -> String {
    let minutes = millis / 60_000;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match days {
        0 => format!("{hours:02}:{minutes:02}"),
        1 => format!("1 day {hours:02}:{minutes:02}"),
        days => format!("{days} days {hours:02}:{minutes:02}"),
    }
}

/// The last moment that RFC 3339 can write: the end of the year 9999.
pub(super) const LAST: EpochMillis = 253_402_300_799_999;

/// A time as people read it: `2026-11-30T12:00:00Z`. Clients send what they like, so what is later than [`LAST`] is that.
pub(super) fn utc(time: EpochMillis) -> String {
    let time = UNIX_EPOCH + Duration::from_millis(time.min(LAST));
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_that_a_client_may_send_is_a_time() {
        for (time, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_796_040_000_000, "2026-11-30T12:00:00Z"),
            (LAST, "9999-12-31T23:59:59Z"),
            (LAST + 1, "9999-12-31T23:59:59Z"),
            (i64::MAX as u64, "9999-12-31T23:59:59Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(time), expected);
        }
    }

    #[test]
    fn the_uptime_has_hours_minutes_and_days() {
        for (minutes, expected) in [
            (0, "00:00"),
            (61, "01:01"),
            (1440, "1 day 00:00"),
            (2 * 1440 + 5, "2 days 00:05"),
        ] {
            assert_eq!(uptime(minutes * 60_000), expected);
        }
    }

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(utc(951_782_400_999), "2000-02-29T00:00:00Z");
    }
}
