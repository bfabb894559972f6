//! Which profiles are active, and which conditions that fulfils (config.md §6.2, §6.3).

use std::collections::BTreeMap;

/// Active where nobody activates any.
const DEFAULT: &str = "default";

/// What the sources say of profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    /// `spring.profiles.active`.
    pub(super) active: Vec<String>,
    /// `spring.profiles.include`, of all sources.
    pub(super) include: Vec<String>,
    /// `spring.profiles.default`.
    pub(super) default: Option<Vec<String>>,
    /// `spring.profiles.group.<name>`.
    pub(super) groups: BTreeMap<String, Vec<String>>,
}

/// Those that are active, in order: what a later one says counts more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profiles(Vec<String>);

impl Profiles {
    /// Those that were asked for, with the members of their groups behind them.
    pub(super) fn of(wishes: &Wishes) -> Self {
        let asked = wishes.include.iter().chain(&wishes.active);
        let mut waiting: Vec<&str> = asked.map(String::as_str).collect();
        if waiting.is_empty() {
            let default = wishes.default.as_deref();
            waiting = default.map_or(vec![DEFAULT], |names| {
                names.iter().map(String::as_str).collect()
            });
        }
        waiting.reverse();
        let mut active: Vec<String> = Vec::new();
        while let Some(name) = waiting.pop() {
            if active.iter().any(|known| known == name) {
                continue;
            }
            active.push(name.to_string());
            let members = wishes.groups.get(name).into_iter().flatten();
            waiting.extend(members.rev().map(String::as_str));
        }
        Self(active)
    }

    /// In order.
    pub(super) fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether one of the conditions holds: names, or expressions with `!`, `&`, `|` and parentheses.
    pub(super) fn fulfil(&self, conditions: &[String]) -> Result<bool, ConditionError> {
        let mut any = false;
        for condition in conditions {
            any |= holds(condition, self)?;
        }
        Ok(any)
    }
}

/// Names are letters, digits and a few signs; others are taken for mistakes.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.+@".contains(c);
    !name.is_empty() && name.chars().all(plain)
}

/// A condition that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ConditionError {
    /// `a & b | c`: nobody knows which goes first.
    #[error("write parentheses where & and | stand together")]
    Mixed,
    /// Anything else.
    #[error("wanted names of profiles, with !, &, | and parentheses between them")]
    Malformed,
}

fn holds(condition: &str, profiles: &Profiles) -> Result<bool, ConditionError> {
    let mut rest = condition;
    let value = terms(&mut rest, profiles, 0)?;
    match rest.trim_start().is_empty() {
        true => Ok(value),
        false => Err(ConditionError::Malformed),
    }
}

/// Terms between which stands the same sign everywhere.
fn terms(rest: &mut &str, profiles: &Profiles, depth: usize) -> Result<bool, ConditionError> {
    let mut value = term(rest, profiles, depth)?;
    let mut sign = None;
    while let Some(next) = take(rest, &['&', '|']) {
        if *sign.get_or_insert(next) != next {
            return Err(ConditionError::Mixed);
        }
        let other = term(rest, profiles, depth)?;
        value = match next {
            '&' => value && other,
            _ => value || other,
        };
    }
    Ok(value)
}

/// A name, a negation, or something in parentheses.
fn term(rest: &mut &str, profiles: &Profiles, depth: usize) -> Result<bool, ConditionError> {
    // Deeper than anybody writes; each level is a call within a call.
    if depth > 50 {
        return Err(ConditionError::Malformed);
    }
    if take(rest, &['!']).is_some() {
        return Ok(!term(rest, profiles, depth + 1)?);
    }
    if take(rest, &['(']).is_some() {
        let value = terms(rest, profiles, depth + 1)?;
        return match take(rest, &[')']) {
            Some(_) => Ok(value),
            None => Err(ConditionError::Malformed),
        };
    }
    let text = rest.trim_start();
    let end = text.find(['!', '&', '|', '(', ')']).unwrap_or(text.len());
    let name = text[..end].trim_end();
    *rest = &text[end..];
    match is_name(name) {
        true => Ok(profiles.0.iter().any(|active| active == name)),
        false => Err(ConditionError::Malformed),
    }
}

fn take(rest: &mut &str, signs: &[char]) -> Option<char> {
    let text = rest.trim_start();
    let sign = text.chars().next().filter(|sign| signs.contains(sign))?;
    *rest = &text[1..];
    Some(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn active(profiles: &[&str]) -> Profiles {
        Profiles(names(profiles))
    }

    /// C7.
    #[test]
    fn conditions_hold_or_not() {
        for (condition, profiles, wanted) in [
            ("prod & !test", &["prod"][..], true),
            ("prod & !test", &["prod", "test"], false),
            ("prod&!test", &["prod"], true),
            ("a | b", &["b"], true),
            ("a | b", &["c"], false),
            ("(a & b) | c", &["c"], true),
            ("!(a | b)", &["c"], true),
            ("!!a", &["a"], true),
            ("peer-1.x+y@z_0", &["peer-1.x+y@z_0"], true),
            ("Prod", &["prod"], false),
        ] {
            let got = active(profiles).fulfil(&names(&[condition]));
            assert_eq!(got, Ok(wanted), "{condition} {profiles:?}");
        }
        let any = names(&["a", "b & c"]);
        assert_eq!(active(&["a"]).fulfil(&any), Ok(true));
        assert_eq!(active(&["b"]).fulfil(&any), Ok(false));
        assert_eq!(active(&["b"]).fulfil(&[]), Ok(false));
    }

    #[test]
    fn conditions_that_cannot_be_read_are_refused() {
        let deep = "!".repeat(60) + "a";
        for (condition, wanted) in [
            ("a & b | c", ConditionError::Mixed),
            ("a | b & c", ConditionError::Mixed),
            ("", ConditionError::Malformed),
            ("a &", ConditionError::Malformed),
            ("(a", ConditionError::Malformed),
            ("a)", ConditionError::Malformed),
            ("a b", ConditionError::Malformed),
            ("a !b", ConditionError::Malformed),
            (&deep, ConditionError::Malformed),
        ] {
            let got = active(&["a"]).fulfil(&names(&[condition]));
            assert_eq!(got, Err(wanted), "{condition}");
        }
    }

    #[test]
    fn groups_follow_their_profile_and_included_profiles_come_first() {
        let wishes = Wishes {
            active: names(&["prod", "tls"]),
            include: names(&["common", "tls"]),
            default: Some(names(&["none"])),
            groups: BTreeMap::from([
                ("prod".to_string(), names(&["db", "peers"])),
                ("peers".to_string(), names(&["prod", "two"])),
            ]),
        };
        let wanted = ["common", "tls", "prod", "db", "peers", "two"];
        assert_eq!(Profiles::of(&wishes).names(), wanted);

        assert_eq!(Profiles::of(&Wishes::default()).names(), ["default"]);
        let none = Wishes {
            default: Some(names(&["quiet"])),
            ..Wishes::default()
        };
        assert_eq!(Profiles::of(&none).names(), ["quiet"]);
    }
}
