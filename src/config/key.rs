//! The name of a key with its data filled in: `eureka.server.users.<name>.roles` of `alice`.

use std::borrow::Cow;
use std::fmt;

use super::relaxed::Pattern;

/// A key of [`super::keys`]; one with `<…>` in it stands for as many as there are names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    spelt: &'static str,
    data: Option<String>,
}

impl Key {
    /// The key with `data` in place of its first `<…>`.
    pub(super) fn at(spelt: &'static str, data: &str) -> Self {
        let data = Some(data.to_string());
        Self { spelt, data }
    }

    pub(super) fn pattern(&self) -> Pattern {
        let pattern = Pattern::of(self.spelt);
        match &self.data {
            Some(data) => pattern.at(data),
            None => pattern,
        }
    }

    /// As it stands in a file.
    pub fn name(&self) -> Cow<'static, str> {
        let Some(data) = &self.data else {
            return self.spelt.into();
        };
        let (Some(start), Some(end)) = (self.spelt.find('<'), self.spelt.find('>')) else {
            return self.spelt.into();
        };
        let (before, after) = (&self.spelt[..start], &self.spelt[end + 1..]);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let before = before.trim_end_matches('.');
        match data {
            index if index.starts_with('[') => format!("{before}{index}{after}"),
            name if name.chars().all(plain) => format!("{before}.{name}{after}"),
            odd => format!("{before}[{odd}]{after}"),
        }
        .into()
    }
}

impl From<&'static str> for Key {
    fn from(spelt: &'static str) -> Self {
        Self { spelt, data: None }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_as_one_would_write_it() {
        let spelt = "a.users.<name>.roles";
        for (key, name) in [
            (Key::from("a.b"), "a.b"),
            (Key::at(spelt, "alice"), "a.users.alice.roles"),
            (Key::at(spelt, "[0]"), "a.users[0].roles"),
            (Key::at(spelt, "a@b"), "a.users[a@b].roles"),
            (Key::at("a.<zone>", "z"), "a.z"),
        ] {
            assert_eq!(key.to_string(), name);
        }
    }
}
