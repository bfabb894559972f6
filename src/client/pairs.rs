//! Pairs of a name and a text, looked up as Spring looks them up: without regard to case, dashes, points and underscores.
//!
//! It knows no setting by its name.

use std::time::Duration;

use super::error::StartError;

/// A setting: its name, and what it does with a text.
pub(super) type Setting<T> = (&'static str, fn(T, &str) -> Result<T, &'static str>);

const NUMBER: &str = "wanted a whole number";
const FLAG: &str = "wanted true or false";

/// Pairs by their names without case and marks, and the names as they were written.
pub(super) struct Pairs(Vec<(String, String, String)>);

impl Pairs {
    pub(super) fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let pairs = pairs.into_iter();
        let known = |(name, value): (String, String)| (uniform(&name), name, value);
        Self(pairs.map(known).collect())
    }

    /// The last one counts.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let name = uniform(name);
        let mut named = self.0.iter().rev().filter(|(known, ..)| *known == name);
        named.next().map(|(_, _, value)| value.trim())
    }

    pub(super) fn apply<T>(&self, onto: T, settings: &[Setting<T>]) -> Result<T, StartError> {
        settings
            .iter()
            .try_fold(onto, |onto, (name, apply)| match self.get(name) {
                Some(text) => apply(onto, text).map_err(|why| bad(name, why)),
                None => Ok(onto),
            })
    }

    /// What follows a prefix, as it was written, and the values. The environment knows only capitals; they mean small
    /// letters, as in Spring.
    pub(super) fn below(&self, prefix: &str) -> Vec<(String, &str)> {
        let prefix = uniform(prefix);
        let found = self
            .0
            .iter()
            .filter(|(known, ..)| known.starts_with(&prefix));
        found
            .filter_map(|(_, name, value)| {
                let rest = after(name, prefix.len())?;
                let is_shouted = !name.contains(|letter: char| letter.is_lowercase());
                let key = if is_shouted {
                    rest.to_lowercase()
                } else {
                    rest.to_string()
                };
                Some((key, value.trim()))
            })
            .collect()
    }

    /// Names that begin with `prefix` and are none of these, nor begin with one of `groups`; as they were written.
    pub(super) fn others(&self, prefix: &str, known: &[&str], groups: &[&str]) -> Vec<&str> {
        let prefix = uniform(prefix);
        let known: Vec<_> = known.iter().map(|name| uniform(name)).collect();
        let groups: Vec<_> = groups.iter().map(|group| uniform(group)).collect();
        let is_other = |name: &String| {
            let is_in_group = groups.iter().any(|group| name.starts_with(group.as_str()));
            name.starts_with(&prefix) && !known.contains(name) && !is_in_group
        };
        let others = self.0.iter().filter(|(name, ..)| is_other(name));
        let mut others: Vec<_> = others.map(|(_, written, _)| written.as_str()).collect();
        others.sort_unstable();
        others.dedup();
        others
    }
}

/// What stands in `name` after so many letters and digits and the mark behind them; nothing where that is the end.
fn after(name: &str, letters: usize) -> Option<&str> {
    let mut places = name
        .char_indices()
        .filter(|(_, mark)| mark.is_alphanumeric());
    let (at, last) = places.nth(letters.checked_sub(1)?)?;
    let rest = name[at + last.len_utf8()..].trim_start_matches(['.', '_', '[', '-']);
    let rest = rest.trim_end_matches(']');
    (!rest.is_empty()).then_some(rest)
}

pub(super) fn uniform(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

pub(super) fn bad(setting: &'static str, why: &str) -> StartError {
    StartError::BadSetting {
        setting,
        why: why.to_string(),
    }
}

pub(super) fn flag(text: &str) -> Result<bool, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(FLAG),
    }
}

pub(super) fn number(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| NUMBER)
}

pub(super) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().map_err(|_| NUMBER);
    seconds.map(Duration::from_secs)
}

pub(super) fn list(text: &str) -> Vec<String> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.map(String::from).collect()
}

/// Milliseconds.
pub(super) fn millis(text: &str) -> Result<Duration, &'static str> {
    let millis = text.parse().map_err(|_| NUMBER);
    millis.map(Duration::from_millis)
}
