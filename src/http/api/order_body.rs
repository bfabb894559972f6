//! What an operator sends with an override: `{"status": …, "reason": …, "until": …}`. Pure.

use serde_json::{Map, Value};

use super::params::{time, wrong};
use crate::http::error::ApiError;
use crate::model::{EpochMillis, InstanceStatus, Owner, Text};
use crate::wire::{Format, ReadError};

/// An override as it is wished.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) status: InstanceStatus,
    pub(super) reason: Option<Text>,
    pub(super) until: Option<EpochMillis>,
}

/// The members that there may be.
const MEMBERS: [&str; 3] = ["status", "reason", "until"];

/// Reads the body at this wall time.
pub(super) fn read(text: &str, now: EpochMillis) -> Result<Wish, ApiError> {
    let members: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        let why = ReadError::Malformed(error.to_string());
        ApiError::Unreadable(Format::Json, why)
    })?;
    let mut names = members.keys();
    if let Some(name) = names.find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(wrong("body", "status, reason and until", name));
    }
    let [said_status, said_reason, said_until] =
        MEMBERS.map(|name| members.get(name).unwrap_or(&Value::Null));
    Ok(Wish {
        status: status(said_status)?,
        reason: reason(said_reason)?,
        until: until(said_until, now)?,
    })
}

fn status(value: &Value) -> Result<InstanceStatus, ApiError> {
    let status = value.as_str().and_then(InstanceStatus::from_constant);
    let wanted = "UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN";
    status.ok_or_else(|| wrong("status", wanted, &value.to_string()))
}

fn reason(value: &Value) -> Result<Option<Text>, ApiError> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) => checked_reason(text).map(Some),
        other => Err(wrong("reason", "a text", &other.to_string())),
    }
}

/// A reason that is not too long.
pub(super) fn checked_reason(text: &str) -> Result<Text, ApiError> {
    match text.chars().nth(Owner::LONGEST) {
        None => Ok(text.into()),
        Some(_) => Err(wrong("reason", "256 characters at most", text)),
    }
}

fn until(value: &Value, now: EpochMillis) -> Result<Option<EpochMillis>, ApiError> {
    let until = match value {
        Value::Null => return Ok(None),
        Value::String(text) if text.is_empty() => return Ok(None),
        Value::String(text) => time(text),
        other => other.as_u64(),
    };
    let wanted = "a time to come as 2026-11-30T12:00:00Z, or milliseconds since 1970";
    let until = until.filter(|until| (now + 1..=super::reply::LAST).contains(until));
    until
        .map(Some)
        .ok_or_else(|| wrong("until", wanted, &value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: EpochMillis = 1_800_000_000_000;

    #[test]
    fn a_wish_has_a_status_and_what_else_is_said() {
        for (text, reason, until) in [
            (r#"{"status":"DOWN"}"#, None, None),
            (r#"{"status":"DOWN","reason":"","until":null}"#, None, None),
            (
                r#"{"until":1800000000001,"reason":"a \" b","status":"DOWN"}"#,
                Some("a \" b"),
                Some(NOW + 1),
            ),
            (
                r#"{"status":"DOWN","until":"2027-01-15T08:00:01Z"}"#,
                None,
                Some(NOW + 1000),
            ),
        ] {
            let wish = Wish {
                status: InstanceStatus::Down,
                reason: reason.map(Text::from),
                until,
            };
            assert_eq!(read(text, NOW), Ok(wish), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let long = format!(r#"{{"status":"UP","reason":"{}"}}"#, "é".repeat(257));
        for (text, begins) in [
            ("", "cannot parse request body"),
            ("[]", "cannot parse request body"),
            (r#"["UP"]"#, "cannot parse request body"),
            (
                r#"{"status":"UP","untill":1}"#,
                "body: wanted status, reason and until, got \"untill\"",
            ),
            ("{}", "status: wanted UP"),
            (r#"{"status":"up"}"#, "status: wanted UP"),
            (r#"{"status":7}"#, "status: wanted UP"),
            (r#"{"status":"UP","reason":7}"#, "reason: wanted a text"),
            (long.as_str(), "reason: wanted 256 characters at most"),
            (
                r#"{"status":"UP","until":"tomorrow"}"#,
                "until: wanted a time to come",
            ),
            (
                r#"{"status":"UP","until":1800000000000}"#,
                "until: wanted a time to come",
            ),
            (
                r#"{"status":"UP","until":-1}"#,
                "until: wanted a time to come",
            ),
            (
                r#"{"status":"UP","until":1e300}"#,
                "until: wanted a time to come",
            ),
            (
                r#"{"status":"UP","until":18446744073709551615}"#,
                "until: wanted a time to come",
            ),
        ] {
            let error = read(text, NOW).unwrap_err().to_string();
            assert!(error.starts_with(begins), "{text}: {error}");
        }
    }
}
