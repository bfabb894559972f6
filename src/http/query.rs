//! The parameters of a request. What is wrong is refused before anything is changed (B-42).

use form_urlencoded::parse;

use super::error::ApiError;
use crate::model::{EpochMillis, InstanceKey, InstanceStatus, Limit, Text};
use crate::wire::shortened;

/// The query of a request, as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'q>(pub(super) &'q str);

impl Query<'_> {
    /// The first value of a parameter, decoded; `+` is a blank.
    fn first(&self, name: &str) -> Option<String> {
        let mut pairs = parse(self.0.as_bytes());
        pairs
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    }

    /// `lastDirtyTimestamp`, in milliseconds.
    pub(super) fn last_dirty(&self) -> Result<Option<EpochMillis>, ApiError> {
        let name = "lastDirtyTimestamp";
        let Some(text) = self.first(name) else {
            return Ok(None);
        };
        // Java's long.
        let stamp: Option<i64> = text.parse().ok();
        let stamp = stamp.ok_or_else(|| wrong(name, "a number of milliseconds", &text))?;
        Ok(Some(stamp.max(0) as EpochMillis))
    }

    /// A status under `name`, exactly as its constant.
    pub(super) fn status(&self, name: &'static str) -> Result<Option<InstanceStatus>, ApiError> {
        let Some(text) = self.first(name) else {
            return Ok(None);
        };
        let wanted = "UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN";
        let status = InstanceStatus::from_constant(&text);
        status.map(Some).ok_or_else(|| wrong(name, wanted, &text))
    }

    /// `app` and `id`: the instance that a page begins after.
    pub(super) fn after(&self) -> Option<InstanceKey> {
        Some(InstanceKey::new(&self.first("app")?, &self.first("id")?))
    }

    /// `value`, which an order must have.
    pub(super) fn value(&self) -> Result<InstanceStatus, ApiError> {
        self.status("value")?.ok_or_else(|| ApiError::Parameter {
            name: "value",
            wanted: "a status",
            got: "nothing".to_string(),
        })
    }

    /// Every parameter as a pair, `most` of them; the first of repeated ones counts (wire.md §3.8).
    pub(super) fn pairs(&self, most: Limit) -> Result<Vec<(Text, Text)>, ApiError> {
        let mut pairs: Vec<(Text, Text)> = Vec::new();
        for (key, value) in parse(self.0.as_bytes()) {
            if key.is_empty() {
                return Err(wrong("metadata", "a key before each =", &value));
            }
            if !pairs.iter().any(|(known, _)| **known == *key) {
                let room = most.allows_count("metadata", pairs.len() + 1, "keys");
                room.map_err(ApiError::TooMuch)?;
                pairs.push((Text::from(&*key), Text::from(&*value)));
            }
        }
        Ok(pairs)
    }
}

/// What is wrong with a parameter.
pub(super) fn wrong(name: &'static str, wanted: &'static str, got: &str) -> ApiError {
    ApiError::Parameter {
        name,
        wanted,
        got: shortened(got),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_a_number_or_absent_and_nothing_else() {
        for (query, expected) in [
            ("", Ok(None)),
            ("status=UP", Ok(None)),
            (
                "lastDirtyTimestamp=1700000000000",
                Ok(Some(1_700_000_000_000)),
            ),
            ("lastDirtyTimestamp=-1", Ok(Some(0))),
            ("lastDirtyTimestamp=", Err("\"\"")),
            ("lastDirtyTimestamp=x", Err("\"x\"")),
            (
                "lastDirtyTimestamp=9223372036854775808",
                Err("\"9223372036854775808\""),
            ),
        ] {
            let got = Query(query).last_dirty();
            match expected {
                Ok(stamp) => assert_eq!(got, Ok(stamp), "{query}"),
                Err(quoted) => {
                    let error = got.unwrap_err().to_string();
                    let text = "lastDirtyTimestamp: wanted a number of milliseconds, got ";
                    assert_eq!(error, format!("{text}{quoted}"));
                }
            }
        }
    }

    #[test]
    fn a_status_must_be_a_constant() {
        assert_eq!(
            Query("value=OUT_OF_SERVICE").value(),
            Ok(InstanceStatus::OutOfService)
        );
        assert_eq!(Query("value=UP&value=x").value(), Ok(InstanceStatus::Up));
        for query in ["", "value=", "value=up", "value=BOGUS", "Value=UP"] {
            assert!(Query(query).value().is_err(), "{query}");
        }
        assert_eq!(Query("").status("value"), Ok(None));
    }

    #[test]
    fn pairs_keep_the_first_of_repeated_keys_and_decode_once() {
        let four = Limit::new(4, "four");
        let pairs = Query("k=v&k=w&f&n=x%20y+z&%C3%A9=%2526")
            .pairs(four)
            .unwrap();
        let pairs: Vec<_> = pairs.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(pairs, [("k", "v"), ("f", ""), ("n", "x y z"), ("é", "%26")]);
        assert!(Query("a=1&=2").pairs(four).is_err());
        assert!(Query("a&b&c&d&a=2").pairs(four).is_ok());
        assert!(Query("a&b&c&d&e").pairs(four).is_err());
        assert_eq!(Query("").pairs(four), Ok(vec![]));
    }
}
