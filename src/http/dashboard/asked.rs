//! What an operator asks for, read from a form or an address. Pure.

use form_urlencoded::parse;

use crate::model::{InstanceStatus, Owner};

/// The things that can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A status is ordered for an instance.
    Override,
    /// The order is taken back.
    EndOverride,
    /// An instance is taken out.
    Remove,
    /// All instances of an application are taken out.
    RemoveApp,
}

impl What {
    const ALL: [Self; 4] = [
        Self::Override,
        Self::EndOverride,
        Self::Remove,
        Self::RemoveApp,
    ];

    /// Its word in forms.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::EndOverride => "end-override",
            Self::Remove => "remove",
            Self::RemoveApp => "remove-app",
        }
    }

    /// What people read.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Override => "Override the status",
            Self::EndOverride => "Take the override back",
            Self::Remove => "Remove the instance",
            Self::RemoveApp => "Remove the application",
        }
    }
}

/// What is asked for, as far as it could be understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) what: Option<What>,
    pub(super) app: String,
    pub(super) id: String,
    pub(super) status: Option<InstanceStatus>,
    /// When an override ends.
    pub(super) minutes: Option<u64>,
    /// A word that is no number of minutes came in its place.
    minutes_are_odd: bool,
    pub(super) reason: String,
}

/// The longest time after which an override ends: a year.
const MOST_MINUTES: u64 = 366 * 24 * 60;

impl Asked {
    pub(super) fn of(pairs: &str) -> Self {
        let mut asked = Self::default();
        for (name, value) in parse(pairs.as_bytes()) {
            match &*name {
                "do" => asked.what = What::ALL.into_iter().find(|what| what.word() == value),
                "app" => asked.app = value.into_owned(),
                "id" => asked.id = value.into_owned(),
                "status" => asked.status = InstanceStatus::from_constant(&value),
                "minutes" if !value.is_empty() => {
                    let minutes = value.parse().ok();
                    asked.minutes = minutes.filter(|n| (1..=MOST_MINUTES).contains(n));
                    asked.minutes_are_odd = asked.minutes.is_none();
                }
                "reason" => asked.reason = value.trim().to_string(),
                _ => {}
            }
        }
        asked
    }

    /// What is to be done, or what is wrong about it.
    pub(super) fn what_is_wrong(&self) -> Result<What, &'static str> {
        let what = self
            .what
            .ok_or("do: wanted override, end-override, remove or remove-app")?;
        if self.app.is_empty() {
            return Err("app: wanted the name of an application");
        }
        if self.id.is_empty() && what != What::RemoveApp {
            return Err("id: wanted the id of an instance");
        }
        if self.status.is_none() && what == What::Override {
            return Err("status: wanted UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN");
        }
        if self.minutes_are_odd {
            return Err("minutes: wanted a number from 1 to 527040, or nothing");
        }
        match self.reason.chars().count() {
            1..=Owner::LONGEST => Ok(what),
            _ => Err("reason: wanted 1 to 256 characters that say why"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_names_the_field() {
        let long = format!("do=remove&app=A&id=i&reason={}", "x".repeat(257));
        for (form, wrong) in [
            (
                "do=override&app=A&id=i&status=DOWN&minutes=60&reason=r",
                None,
            ),
            ("do=override&app=A&id=i&status=DOWN&minutes=&reason=r", None),
            ("do=end-override&app=A&id=i&reason=r", None),
            ("do=remove-app&app=A&reason=r", None),
            ("", Some("do")),
            ("do=explode&app=A&id=i&reason=r", Some("do")),
            ("do=remove&id=i&reason=r", Some("app")),
            ("do=remove&app=A&reason=r", Some("id")),
            ("do=override&app=A&id=i&status=up&reason=r", Some("status")),
            (
                "do=override&app=A&id=i&status=UP&minutes=0&reason=r",
                Some("minutes"),
            ),
            (
                "do=override&app=A&id=i&status=UP&minutes=x&reason=r",
                Some("minutes"),
            ),
            (
                "do=override&app=A&id=i&status=UP&minutes=999999&reason=r",
                Some("minutes"),
            ),
            ("do=remove&app=A&id=i&reason=+", Some("reason")),
            (&long, Some("reason")),
        ] {
            let said = Asked::of(form).what_is_wrong();
            match wrong {
                None => assert!(said.is_ok(), "{form}: {said:?}"),
                Some(field) => assert!(
                    said.unwrap_err().starts_with(&format!("{field}: ")),
                    "{form}"
                ),
            }
        }
    }
}
