//! One kind of value each: names, numbers, times, sizes, yes and no.

use std::time::Duration;

use super::key::Key;
use super::read::Reader;
use super::units;
use crate::model::Limit;

impl Reader<'_> {
    /// A text, if one is given that is not empty.
    pub(super) fn name(&mut self, key: impl Into<Key>) -> Option<String> {
        Some(self.text(key, "")).filter(|text| !text.is_empty())
    }

    /// A port that one can connect to.
    pub(super) fn port(&mut self, key: impl Into<Key>, default: u16) -> u16 {
        let wanted = "a number from 1 to 65535";
        self.value(key, wanted, default, |text| {
            let port = units::decimal(text).parse().ok();
            port.filter(|port| *port != 0)
        })
    }

    /// How many of something that there must be at least one of.
    pub(super) fn count(&mut self, key: &'static str, default: usize) -> usize {
        self.limit(Limit::new(default, key)).max
    }

    /// A number of milliseconds without a unit; 0 is no pause.
    pub(super) fn pause(&mut self, key: impl Into<Key>, default: Duration) -> Duration {
        let wanted = "a number of milliseconds without a unit";
        let shown = default.as_millis().to_string();
        self.value_or(key, wanted, (default, shown), |text| match text {
            "0" => Some(Duration::ZERO),
            _ => positive(text).map(Duration::from_millis),
        })
    }

    /// A limit, which knows its key. Where nothing is set and the default is the largest number, there is none.
    pub(super) fn limit(&mut self, default: Limit) -> Limit {
        // Far beyond any machine, and far from where sums overflow.
        let sensible = 1..=1_usize << 40;
        let shown = match default.max {
            usize::MAX => String::new(),
            max => max.to_string(),
        };
        let parse = |text: &str| {
            let max = units::decimal(text).parse().ok();
            max.filter(|max| sensible.contains(max))
        };
        let default_max = (default.max, shown);
        let max = self.value_or(default.key, "a positive number", default_max, parse);
        Limit { max, ..default }
    }

    /// A positive number of milliseconds, without a unit as in Java.
    pub(super) fn millis(&mut self, key: impl Into<Key>, default: Duration) -> Duration {
        let wanted = "a positive number of milliseconds without a unit";
        let shown = default.as_millis().to_string();
        self.value_or(key, wanted, (default, shown), |text| {
            positive(text).map(Duration::from_millis)
        })
    }

    /// A positive number of seconds, without a unit as in Java.
    pub(super) fn seconds(&mut self, key: impl Into<Key>, default: Duration) -> Duration {
        let wanted = "a positive number of seconds without a unit";
        let shown = default.as_secs().to_string();
        self.value_or(key, wanted, (default, shown), |text| {
            positive(text).map(Duration::from_secs)
        })
    }

    /// A time as Spring has it: `30s`, `5m`, `PT1M`; a number alone is of milliseconds. Less than a year.
    pub(super) fn duration(&mut self, key: impl Into<Key>, default: Duration) -> Duration {
        let wanted = "a time such as 500ms, 30s or 5m";
        self.value(key, wanted, default, units::duration)
    }

    /// A size as Spring has it: `8KB`, `1MB`; a number alone is of bytes.
    pub(super) fn size(&mut self, key: impl Into<Key>, default: usize) -> usize {
        self.value(key, "a size such as 8KB or 1MB", default, units::size)
    }

    /// A flag, in any of Spring's words (config.md §6.5).
    pub(super) fn flag(&mut self, key: impl Into<Key>, default: bool) -> bool {
        self.value(key, "true or false", default, |text| {
            match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => Some(true),
                "false" | "off" | "no" | "0" => Some(false),
                _ => None,
            }
        })
    }

    /// Any text, without blanks around it; an empty one is one.
    pub(super) fn text(&mut self, key: impl Into<Key>, default: &str) -> String {
        let key = key.into();
        let found = self.found(key.clone());
        let from = found.as_ref().map(|found| found.from.clone());
        let text = found.map_or(default.to_string(), |found| found.text.trim().to_string());
        self.note(&key, Some(&text), from.as_deref());
        text
    }
}

fn positive(text: &str) -> Option<u64> {
    // No interval of a year or more is meant; this also keeps sums of times far from overflow.
    const YEAR_IN_MILLIS: u64 = 366 * 24 * 3_600_000;
    units::decimal(text)
        .parse()
        .ok()
        .filter(|n| (1..=YEAR_IN_MILLIS).contains(n))
}
