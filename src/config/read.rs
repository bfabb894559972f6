//! Texts to values. Every mistake is collected, so that one start shows them all.

use std::fmt::Debug;
use std::str::FromStr;

use super::key::Key;
use super::keys;
use super::mistake::ConfigError;
use super::peer_lists::items;
use super::property::Found;
use super::report::Setting;
use super::sources::Unfilled;
use super::{Sources, units};
use crate::model::{NodeUrl, without_credentials};

/// Reads values from the sources and remembers what was wrong.
pub(super) struct Reader<'s> {
    sources: &'s Sources,
    pub(super) mistakes: Vec<ConfigError>,
    /// What the user should know although nothing is wrong.
    pub(super) warnings: Vec<String>,
    /// What is in force.
    pub(super) settings: Vec<Setting>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(sources: &'s Sources) -> Self {
        Self {
            sources,
            mistakes: sources.mistakes.clone(),
            warnings: sources.warnings.clone(),
            settings: Vec::new(),
        }
    }

    /// What looks like a setting and is none.
    pub(super) fn warn_of_unknown_names(&mut self) {
        for warning in self.sources.unknown() {
            self.warn(warning);
        }
    }

    /// Reads settings that count only where something is switched on. Elsewhere nothing in them is a mistake.
    pub(super) fn only_where<T>(
        &mut self,
        is_on: bool,
        read: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let (mistakes, warnings) = (self.mistakes.len(), self.warnings.len());
        let settings = read(self);
        if is_on {
            return Some(settings);
        }
        self.mistakes.truncate(mistakes);
        self.warnings.truncate(warnings);
        None
    }

    /// Whether the user set this key.
    pub(super) fn is_set(&self, key: impl Into<Key>) -> bool {
        self.sources.has(&key.into())
    }

    /// Says it once.
    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// A key that does nothing at present, because of `reason`.
    pub(super) fn warn_if_set(&mut self, key: &'static str, reason: &str) {
        for name in self.sources.spellings(key) {
            self.warn(format!("{name} has no effect: {reason}"));
        }
    }

    /// What is given for a key.
    pub(super) fn found(&mut self, key: impl Into<Key>) -> Option<Found> {
        let key = key.into();
        let found = self.sources.get(&key)?;
        self.filled(&key, found)
    }

    /// Notes what is in force; what is asked for twice is noted once.
    pub(super) fn note(&mut self, key: &Key, text: Option<&str>, from: Option<&str>) {
        let key = key.to_string();
        let text = text.filter(|text| !text.is_empty());
        self.settings.retain(|known| known.key != key);
        let from = from.map(String::from);
        self.settings.push(Setting::new(key, text, from));
    }

    /// Keys that nobody asked for, and so are not set.
    pub(super) fn note_the_rest(&mut self) {
        for key in keys::active().filter(|key| !key.contains('<')) {
            if self.settings.iter().all(|known| known.key != key) {
                let found = self.found(key);
                let (text, from) = match &found {
                    Some(found) => (Some(found.text.as_str()), Some(found.from.as_str())),
                    None => (None, None),
                };
                self.note(&key.into(), text, from);
            }
        }
        self.settings.sort_by(|a, b| a.key.cmp(&b.key));
    }

    /// The value that `parse` makes of the text without blanks around it, or `default` if there is none. An empty
    /// text is none, as in Spring.
    pub(super) fn value<T: Debug>(
        &mut self,
        key: impl Into<Key>,
        wanted: &'static str,
        default: T,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> T {
        let shown = shown(&default);
        self.value_or(key, wanted, (default, shown), parse)
    }

    /// The same where the default is written otherwise than it is.
    pub(super) fn value_or<T>(
        &mut self,
        key: impl Into<Key>,
        wanted: &'static str,
        (default, shown): (T, String),
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> T {
        let key = key.into();
        let found = self.found(key.clone());
        let Some(found) = found.filter(|found| !found.text.trim().is_empty()) else {
            self.note(&key, Some(&shown), None);
            return default;
        };
        let text = found.text.trim();
        match parse(text) {
            Some(value) => {
                self.note(&key, Some(text), Some(&found.from));
                value
            }
            None => {
                self.refuse(key, &found, wanted);
                default
            }
        }
    }

    /// A number.
    pub(super) fn number<T: FromStr + Debug>(
        &mut self,
        key: impl Into<Key>,
        wanted: &'static str,
        default: T,
    ) -> T {
        self.value(key, wanted, default, |text| {
            units::decimal(text).parse().ok()
        })
    }

    /// The entries of a map; what counts most is last.
    pub(super) fn entries(&mut self, map: &'static str) -> Vec<(String, Found)> {
        let mut entries = Vec::new();
        for (name, found) in self.sources.entries(map) {
            let found = self.filled(&Key::at(map, &name), found);
            if let Some(found) = found {
                self.note(&Key::at(map, &name), Some(&found.text), Some(&found.from));
                entries.push((name, found));
            }
        }
        entries
    }

    /// The entries of a map of lists, each as one text with commas; what counts most is last.
    pub(super) fn lists(&mut self, map: &'static str) -> Vec<(String, Found)> {
        let mut lists: Vec<(String, Found)> = Vec::new();
        for (name, found) in self.entries(map) {
            let Some((name, _)) = name.split_once('[') else {
                lists.retain(|(known, _)| *known != name);
                lists.push((name, found));
                continue;
            };
            match lists.iter_mut().find(|(known, _)| known == name) {
                Some((_, list)) if list.rank == found.rank => {
                    list.text = format!("{},{}", list.text, found.text);
                }
                // A list takes the place of the one below it.
                Some((_, list)) if list.rank < found.rank => *list = found,
                Some(_) => {}
                None => lists.push((name.to_string(), found)),
            }
        }
        lists
    }

    /// What stands for the `<…>` of these keys, each once: names of a map, or `[0]`, `[1]`, … of a list. Each is
    /// read with [`Key::at`].
    pub(super) fn names(&self, keys: &[&'static str]) -> Vec<String> {
        self.sources.names(keys)
    }

    /// A list: a text with commas, or elements one by one. Without blanks around them and empty ones.
    pub(super) fn list(&mut self, key: impl Into<Key>) -> Vec<String> {
        let key = key.into();
        let (mut list, mut from) = (Vec::new(), None);
        for found in self.sources.list(&key) {
            if let Some(found) = self.filled(&key, found) {
                list.extend(items(&found.text).map(String::from));
                from = Some(found.from);
            }
        }
        self.note(&key, Some(&list.join(",")), from.as_deref());
        list
    }

    fn filled(&mut self, key: &Key, found: Result<Found, Unfilled>) -> Option<Found> {
        match found {
            Ok(found) => {
                for name in found.unknown.iter().filter(|name| *name != HOST) {
                    self.warn(format!(
                        "{key}: ${{{name}}} is not set anywhere, so it stays as it is written, from {}",
                        found.from
                    ));
                }
                Some(found)
            }
            Err(Unfilled { from, problem }) => {
                let key = key.to_string();
                let mistake = ConfigError::Placeholder { key, problem, from };
                self.remember(mistake);
                None
            }
        }
    }

    /// Once, although a key may be asked for twice.
    fn remember(&mut self, mistake: ConfigError) {
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// A value cannot be used. One that may be a secret is not shown.
    pub(super) fn refuse(&mut self, key: impl Into<Key>, found: &Found, wanted: &'static str) {
        let key = key.into().to_string();
        let text = match keys::is_secret(&key) {
            true => "***".to_string(),
            false => found.text.clone(),
        };
        let from = found.from.clone();
        self.remember(ConfigError::Value {
            key,
            text,
            from,
            wanted,
        });
    }

    /// A key is not set although another one needs it.
    pub(super) fn missing(&mut self, key: impl Into<Key>, wanted: &'static str, by: &str) {
        let (key, by) = (key.into().to_string(), by.to_string());
        self.remember(ConfigError::Missing { key, wanted, by });
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
        let text = without_credentials(&found.text);
        let found = Found {
            text,
            ..found.clone()
        };
        self.refuse(key, &found, wanted);
    }
}

/// A default as one would write it. What is as good as without end is none.
fn shown(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let plain = text.trim_matches('"');
    match plain {
        "None" => String::new(),
        none if none == usize::MAX.to_string() => String::new(),
        word if word.chars().all(char::is_alphabetic) => word.to_lowercase(),
        text => text.to_string(),
    }
}

/// The one placeholder that is filled in later, when the host's name is known.
const HOST: &str = "eureka.hostname";
