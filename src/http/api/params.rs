//! The parameters of a request. An empty one counts as not given, so that a form may send all of its fields.

use std::time::UNIX_EPOCH;

use form_urlencoded::parse;

use crate::http::error::ApiError;
pub(super) use crate::http::query::wrong;
use crate::model::EpochMillis;

/// The query of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params<'q>(pub(super) &'q str);

impl Params<'_> {
    /// All values of a parameter that are not empty.
    pub(super) fn all(self, name: &str) -> impl Iterator<Item = String> {
        let pairs = parse(self.0.as_bytes());
        let named = pairs.filter(move |(key, value)| key == name && !value.is_empty());
        named.map(|(_, value)| value.into_owned())
    }

    /// The first of them.
    pub(super) fn text(self, name: &str) -> Option<String> {
        self.all(name).next()
    }

    /// A number, which is in `range`.
    pub(super) fn number(
        self,
        name: &'static str,
        wanted: &'static str,
        range: impl std::ops::RangeBounds<u64>,
    ) -> Result<Option<u64>, ApiError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|n| digits && range.contains(n));
        number.map(Some).ok_or_else(|| wrong(name, wanted, &text))
    }

    /// A time: RFC 3339, or milliseconds since 1970.
    pub(super) fn time(self, name: &'static str) -> Result<Option<EpochMillis>, ApiError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let wanted = "a time as 2026-11-30T12:00:00Z, or milliseconds since 1970";
        time(&text)
            .map(Some)
            .ok_or_else(|| wrong(name, wanted, &text))
    }
}

/// A time in either form.
pub(super) fn time(text: &str) -> Option<EpochMillis> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let time = humantime::parse_rfc3339(text).ok()?;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_millis() as EpochMillis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_is_not_given_and_what_is_wrong_is_named() {
        let params = Params(
            "a=&a=1&a=2&n=7&big=18446744073709551616&plus=%2B1&t=2027-01-15T08:00:00.5Z&m=5&u=now",
        );
        assert_eq!(params.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(params.text("b"), None);
        let number = |name| {
            params
                .number(name, "a number", 0..=9)
                .map_err(|e| e.to_string())
        };
        assert_eq!(number("n"), Ok(Some(7)));
        assert_eq!(number("b"), Ok(None));
        for name in ["big", "plus", "t"] {
            assert!(number(name).unwrap_err().starts_with(name), "{name}");
        }
        assert_eq!(params.time("t"), Ok(Some(1_800_000_000_500)));
        assert_eq!(params.time("m"), Ok(Some(5)));
        assert!(params.time("u").is_err());
        assert_eq!(time("1969-12-31T23:59:59Z"), None);
    }
}
