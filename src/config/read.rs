//! Texts to values. Every mistake is collected, so that one start shows them all.

use std::str::FromStr;
use std::time::Duration;

use super::Sources;
use super::peer_lists::items;
use super::sources::Found;
use crate::model::{Limit, NodeUrl, without_credentials};

/// A value that cannot be used: the key, what came, from where, and what is wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: wanted {wanted}, got {text:?} from {from}")]
pub struct ConfigError {
    /// The canonical key.
    pub key: &'static str,
    /// What was given.
    pub text: String,
    /// Where it was given.
    pub from: String,
    /// What would have been right.
    pub wanted: &'static str,
}

/// Reads values from the sources and remembers what was wrong.
pub(super) struct Reader<'s> {
    sources: &'s Sources,
    pub(super) mistakes: Vec<ConfigError>,
    /// What the user should know although nothing is wrong.
    pub(super) warnings: Vec<String>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(sources: &'s Sources) -> Self {
        Self {
            sources,
            mistakes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Whether the user set this key.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.sources.get(key).is_some()
    }

    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// A key that does nothing at present, because of `reason`.
    pub(super) fn warn_if_set(&mut self, key: &'static str, reason: &str) {
        if self.is_set(key) {
            self.warn(format!("{key} has no effect: {reason}"));
        }
    }

    /// The value that `parse` makes of the text, or `default` if there is none.
    pub(super) fn value<T>(
        &mut self,
        key: &'static str,
        wanted: &'static str,
        default: T,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> T {
        let Some(found) = self.sources.get(key) else {
            return default;
        };
        match parse(found.text.trim()) {
            Some(value) => value,
            None => {
                self.mistakes.push(ConfigError {
                    key,
                    text: found.text.clone(),
                    from: found.from.clone(),
                    wanted,
                });
                default
            }
        }
    }

    /// A number.
    pub(super) fn number<T: FromStr>(
        &mut self,
        key: &'static str,
        wanted: &'static str,
        default: T,
    ) -> T {
        self.value(key, wanted, default, |text| text.parse().ok())
    }

    /// What is given for a key.
    pub(super) fn found(&self, key: &str) -> Option<Found> {
        self.sources.get(key).cloned()
    }

    /// The entries of a map; what counts most is last.
    pub(super) fn entries(&self, map: &str) -> Vec<(String, Found)> {
        self.sources.entries(map).to_vec()
    }

    /// A key is not set although another one needs it.
    pub(super) fn missing(&mut self, key: &'static str, wanted: &'static str, by: &str) {
        let from = format!("nowhere, and {by} needs it");
        let text = String::new();
        self.mistakes.push(ConfigError {
            key,
            text,
            from,
            wanted,
        });
    }

    /// A list of service URLs, each once. Mistakes are shown without credentials.
    pub(super) fn urls(&mut self, key: &'static str, found: &Found) -> Vec<NodeUrl> {
        let mut urls: Vec<NodeUrl> = Vec::new();
        for item in items(&found.text) {
            match item.parse::<NodeUrl>() {
                Ok(url) if urls.contains(&url) => {}
                Ok(url) => urls.push(url),
                Err(_) => {
                    let wanted = "URLs like http://host:8761/eureka/, with commas between them";
                    self.refuse_urls(key, found, wanted);
                }
            }
        }
        urls
    }

    /// Refuses a text that may have credentials in it. All of it is shown without them, and no part by itself: a
    /// comma in a password cuts that in two.
    pub(super) fn refuse_urls(&mut self, key: &'static str, found: &Found, wanted: &'static str) {
        let from = found.from.clone();
        let text = without_credentials(&found.text);
        self.mistakes.push(ConfigError {
            key,
            text,
            from,
            wanted,
        });
    }

    /// A text, if one is given that is not empty.
    pub(super) fn name(&mut self, key: &'static str) -> Option<String> {
        Some(self.text(key, "")).filter(|text| !text.is_empty())
    }

    /// A port that one can connect to.
    pub(super) fn port(&mut self, key: &'static str, default: u16) -> u16 {
        let wanted = "a number from 1 to 65535";
        self.value(key, wanted, default, |text| {
            text.parse().ok().filter(|port| *port != 0)
        })
    }

    /// How many of something that there must be at least one of.
    pub(super) fn count(&mut self, key: &'static str, default: usize) -> usize {
        self.limit(Limit::new(default, key)).max
    }

    /// A number of milliseconds without a unit; 0 is no pause.
    pub(super) fn pause(&mut self, key: &'static str, default: Duration) -> Duration {
        let wanted = "a number of milliseconds without a unit";
        self.value(key, wanted, default, |text| match text {
            "0" => Some(Duration::ZERO),
            _ => positive(text).map(Duration::from_millis),
        })
    }

    /// A limit, which knows its key.
    pub(super) fn limit(&mut self, default: Limit) -> Limit {
        // Far beyond any machine, and far from where sums overflow.
        let sensible = 1..=1_usize << 40;
        let max = self.value(default.key, "a positive number", default.max, |text| {
            text.parse().ok().filter(|max| sensible.contains(max))
        });
        Limit { max, ..default }
    }

    /// A positive number of milliseconds, without a unit as in Java.
    pub(super) fn millis(&mut self, key: &'static str, default: Duration) -> Duration {
        let wanted = "a positive number of milliseconds without a unit";
        self.value(key, wanted, default, |text| {
            positive(text).map(Duration::from_millis)
        })
    }

    /// A positive number of seconds, without a unit as in Java.
    pub(super) fn seconds(&mut self, key: &'static str, default: Duration) -> Duration {
        let wanted = "a positive number of seconds without a unit";
        self.value(key, wanted, default, |text| {
            positive(text).map(Duration::from_secs)
        })
    }

    /// A flag, in any of Spring's words (config.md §6.5).
    pub(super) fn flag(&mut self, key: &'static str, default: bool) -> bool {
        self.value(key, "true or false", default, |text| {
            match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => Some(true),
                "false" | "off" | "no" | "0" => Some(false),
                _ => None,
            }
        })
    }

    /// Any text.
    pub(super) fn text(&mut self, key: &'static str, default: &str) -> String {
        self.value(key, "a text", default.to_string(), |text| {
            Some(text.to_string())
        })
    }
}

fn positive(text: &str) -> Option<u64> {
    // No interval of a year or more is meant; this also keeps sums of times far from overflow.
    const YEAR_IN_MILLIS: u64 = 366 * 24 * 3_600_000;
    text.parse()
        .ok()
        .filter(|n| (1..=YEAR_IN_MILLIS).contains(n))
}
