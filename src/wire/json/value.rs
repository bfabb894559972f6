//! Looking into JSON without deciding its shape beforehand.
//!
//! A body is split into members with their raw text; each reader picks what it knows and skips the
//! rest, whatever its type (foreign-clients.md B9). A repeated member simply counts the last time.
//! Numbers keep the digits they were written with, so that `1.10` in metadata stays `1.10`.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::wire::ReadError;

/// The members of an object, in the order they were written.
pub(in crate::wire) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object; whatever follows it is ignored, as the reference does.
    pub(in crate::wire) fn read(text: &'a str) -> Result<Self, ReadError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        Self::deserialize(&mut reader).map_err(|error| ReadError::Malformed(error.to_string()))
    }

    /// Reads a member's value if it is an object.
    pub(in crate::wire) fn of(value: &'a RawValue) -> Option<Self> {
        let text = value.get();
        if text.starts_with('{') {
            Self::read(text).ok()
        } else {
            None
        }
    }

    /// The members, in order.
    pub(in crate::wire) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }

    /// The last member of this name.
    pub(in crate::wire) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0
            .iter()
            .rev()
            .find(|(n, _)| n == name)
            .map(|(_, value)| *value)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key::<Name<'de>>()? {
                    members.push((name, map.next_value::<&'de RawValue>()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// A member's name or a text, borrowed where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The elements of `value`: of an array, or the value itself (old servers write single elements
/// bare, wire.md §12.1).
pub(in crate::wire) fn elements(value: &RawValue) -> Result<Vec<&RawValue>, ReadError> {
    struct Elements<'a>(Vec<&'a RawValue>);
    impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visit;
            impl<'de> Visitor<'de> for Visit {
                type Value = Elements<'de>;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an array")
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                    let mut found = Vec::new();
                    while let Some(element) = seq.next_element::<&'de RawValue>()? {
                        found.push(element);
                    }
                    Ok(Elements(found))
                }
            }
            deserializer.deserialize_seq(Visit)
        }
    }
    match Scalar::of(value) {
        Scalar::Null => Ok(Vec::new()),
        Scalar::Nested(text) if text.starts_with('[') => serde_json::from_str::<Elements<'_>>(text)
            .map(|elements| elements.0)
            .map_err(|error| ReadError::Malformed(error.to_string())),
        _ => Ok(vec![value]),
    }
}

/// A value seen as a text, if it can be.
pub(in crate::wire) enum Scalar<'a> {
    /// `null`.
    Null,
    /// A string, unescaped.
    Text(Cow<'a, str>),
    /// A number or a boolean, as written.
    Literal(&'a str),
    /// An object or an array, as written.
    Nested(&'a str),
}

impl<'a> Scalar<'a> {
    pub(in crate::wire) fn of(value: &'a RawValue) -> Self {
        let text = value.get();
        match text.as_bytes().first() {
            Some(b'"') => match serde_json::from_str::<Name<'a>>(text) {
                Ok(Name(text)) => Self::Text(text),
                // A lone surrogate: not a text anybody could read.
                Err(_) => Self::Null,
            },
            Some(b'n') => Self::Null,
            Some(b'{' | b'[') => Self::Nested(text),
            _ => Self::Literal(text),
        }
    }

    /// The text of a string, number or boolean; `None` for null and nested values.
    pub(in crate::wire) fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Literal(text) => Some(Cow::Borrowed(text)),
            Self::Null | Self::Nested(_) => None,
        }
    }

    /// A number that is not negative, written as a number or in a string; `junk` for a text that is
    /// none, `None` for null, an empty text or a nested value.
    pub(in crate::wire) fn into_number(self, junk: u64) -> Option<u64> {
        let text = self.into_text()?;
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        Some(number(text).unwrap_or(junk))
    }

    /// `true`, also as a string and in any case; `None` for null and nested values.
    pub(in crate::wire) fn into_flag(self) -> Option<bool> {
        let text = self.into_text()?;
        Some(text.trim().eq_ignore_ascii_case("true"))
    }
}

/// Reads digits, saturating; negative numbers are 0, fractions are cut off.
pub(in crate::wire) fn number(text: &str) -> Option<u64> {
    if let Ok(number) = text.parse::<u64>() {
        return Some(number.min(i64::MAX as u64));
    }
    let float = text.parse::<f64>().ok().filter(|n| !n.is_nan())?;
    // `as` saturates at both ends.
    Some((float as u64).min(i64::MAX as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str) -> Scalar<'_> {
        Scalar::of(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn scalars_are_read_as_text_number_and_flag_whatever_they_are_written_as() {
        for (json, text, number, flag) in [
            ("null", None, None, None),
            (r#""8080""#, Some("8080"), Some(8080), Some(false)),
            ("8080", Some("8080"), Some(8080), Some(false)),
            ("1.10", Some("1.10"), Some(1), Some(false)),
            ("-5", Some("-5"), Some(0), Some(false)),
            ("1e30", Some("1e30"), Some(i64::MAX as u64), Some(false)),
            (r#""""#, Some(""), None, Some(false)),
            (r#""junk""#, Some("junk"), Some(7), Some(false)),
            ("true", Some("true"), Some(7), Some(true)),
            (r#""TRUE""#, Some("TRUE"), Some(7), Some(true)),
            (r#""aé\n""#, Some("aé\n"), Some(7), Some(false)),
            ("{}", None, None, None),
        ] {
            assert_eq!(scalar(json).into_text().as_deref(), text, "{json}");
            assert_eq!(scalar(json).into_number(7), number, "{json}");
            assert_eq!(scalar(json).into_flag(), flag, "{json}");
        }
    }

    #[test]
    fn the_last_of_repeated_members_counts_and_the_rest_of_the_body_is_ignored() {
        let members = Members::read(r#" {"a":1,"b":{"x":[1]},"a":2} trailing"#).unwrap();
        assert_eq!(members.get("a").unwrap().get(), "2");
        assert_eq!(members.iter().count(), 3);
        assert!(Members::read("[1]").is_err());
        assert!(Members::read(r#"{"a":"#).is_err());
    }

    #[test]
    fn a_single_element_may_stand_without_its_array() {
        for (json, count) in [("[]", 0), ("null", 0), ("[{},{}]", 2), (r#"{"a":1}"#, 1)] {
            let value: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(elements(value).unwrap().len(), count, "{json}");
        }
    }
}
