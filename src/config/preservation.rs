//! When ended leases are kept, because the network rather than the instances may have failed.

use std::time::Duration;

use super::read::Reader;
use super::{Mode, keys};

/// How it is judged whether ended leases may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// The reference's formula: renewals of the last minute against a share of the expected ones; no end
    /// to the hold, and at most the other share of all leases per sweep.
    Threshold,
    /// By silence: ended leases are kept while more than 15 % of all leases are silent, and not for ever.
    Adaptive,
    /// Every ended lease goes.
    Off,
}

/// Knobs of self-preservation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreservationConfig {
    /// `eureka.server.self-preservation`: default adaptive, in classic mode threshold, and threshold wherever
    /// `renewal-percent-threshold` is set.
    pub protection: Protection,
    /// `enable-self-preservation`, default true. False means off, or, with `threshold`, that the formula
    /// does not keep anything; its limit per sweep holds all the same (B-06).
    pub enabled: bool,
    /// Share of the expected renewals under which nothing ends, 0 to 1; default 0.85. Raising it protects
    /// more and forgets the dead later.
    pub percent: f64,
    /// How often clients are expected to renew; default 30 s. Must be what the clients do.
    pub expected_interval: Duration,
    /// Pause between two comparisons of the expected clients with those that are there; default 15 min.
    pub threshold_update: Duration,
    /// Clients expected at the start, although none is there; default 0, in classic mode 1 as in Spring
    /// (B-02): one client that never was, so that up to five real ones are always protected.
    pub open_count: u64,
    /// The same until lists are served for the first time; default as `open_count`.
    pub first_count: u64,
    /// How long adaptive protection keeps one instance, counted only while this node hears from somebody;
    /// default 10 min. Longer keeps the dead for longer, and the living through longer troubles.
    pub hold_max: Duration,
}

impl PreservationConfig {
    /// The values of a mode.
    pub fn of(mode: Mode) -> Self {
        let (protection, open_count) = match mode {
            Mode::Modern => (Protection::Adaptive, 0),
            Mode::Classic => (Protection::Threshold, 1),
        };
        Self {
            protection,
            enabled: true,
            percent: 0.85,
            expected_interval: Duration::from_secs(30),
            threshold_update: Duration::from_secs(900),
            open_count,
            first_count: open_count,
            hold_max: Duration::from_secs(600),
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>, mode: Mode) -> Self {
        let default = Self::of(mode);
        let share = |text: &str| {
            text.parse()
                .ok()
                .filter(|share| (0.0..=1.0).contains(share))
        };
        let percent = reader.value(keys::RENEWAL_PERCENT, "0 to 1", default.percent, share);
        let open_count = open_count(reader, default.open_count);
        let enabled = reader.flag(keys::ENABLE_SELF_PRESERVATION, default.enabled);
        let protection = protection(reader, default.protection, enabled);
        if protection != Protection::Adaptive {
            reader.warn_if_set(keys::HOLD_MAX, "self-preservation is not adaptive");
        }
        if protection == Protection::Off {
            reader.warn_if_set(keys::RENEWAL_PERCENT, "self-preservation is off");
        }
        Self {
            protection,
            enabled: enabled && protection != Protection::Off,
            percent,
            expected_interval: expected_interval(reader, default.expected_interval),
            threshold_update: reader.millis(keys::THRESHOLD_UPDATE, default.threshold_update),
            open_count,
            first_count: first_count(reader, open_count),
            hold_max: reader.millis(keys::HOLD_MAX, default.hold_max),
        }
    }
}

/// Under either name; the newer one wins (C13).
fn open_count(reader: &mut Reader<'_>, default: u64) -> u64 {
    let wanted = "a number of clients";
    let old = reader.number(keys::OLD_OPEN_COUNT, wanted, default);
    reader.number(keys::OPEN_COUNT, wanted, old)
}

/// Likewise; the older name says renewals and means clients.
fn first_count(reader: &mut Reader<'_>, default: u64) -> u64 {
    let wanted = "a number of clients";
    let old = reader.number(keys::OLD_FIRST_COUNT, wanted, default);
    reader.number(keys::FIRST_COUNT, wanted, old)
}

/// The key itself, else what the other keys mean by it.
fn protection(reader: &mut Reader<'_>, default: Protection, enabled: bool) -> Protection {
    let implied = match default {
        _ if reader.is_set(keys::RENEWAL_PERCENT) => Protection::Threshold,
        Protection::Adaptive if !enabled => Protection::Off,
        default => default,
    };
    let wanted = "adaptive, threshold or off";
    let chosen = reader.value(keys::SELF_PRESERVATION, wanted, implied, |text| match text
        .to_ascii_lowercase()
        .as_str()
    {
        "adaptive" => Some(Protection::Adaptive),
        "threshold" => Some(Protection::Threshold),
        "off" => Some(Protection::Off),
        _ => None,
    });
    match chosen {
        Protection::Adaptive if !enabled => Protection::Off,
        chosen => chosen,
    }
}

/// Nothing and less means the default, as in Netflix; Spring divides by zero.
fn expected_interval(reader: &mut Reader<'_>, default: Duration) -> Duration {
    let key = keys::EXPECTED_INTERVAL;
    let wanted = "a number of seconds without a unit";
    let seconds: i64 = reader.number(key, wanted, default.as_secs() as i64);
    if seconds > 0 {
        return Duration::from_secs(seconds as u64);
    }
    reader.warn(format!(
        "{key}: {seconds} is taken for {}",
        default.as_secs()
    ));
    default
}
