//! What the head of a request asks for.

use std::borrow::Cow;

use actix_web::http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName};

use super::error::ApiError;
use crate::model::Origin;
use crate::wire::negotiate::{Accepted, accepts_gzip, wants_compact};

const X_EUREKA_ACCEPT: HeaderName = HeaderName::from_static("x-eureka-accept");
const REPLICATION: HeaderName = HeaderName::from_static("x-netflix-discovery-replication");

/// The wishes in the head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) accepted: Accepted,
    pub(super) gzip: bool,
    pub(super) compact: bool,
    /// A peer says so with exactly `true` (wire.md §2.5).
    pub(super) origin: Origin,
}

impl Ask {
    /// Reads the head; fails if nothing that could be sent is acceptable, which comes before everything
    /// else (wire.md §2.1).
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let accept = joined(headers, &ACCEPT);
        let accepted = Accepted::from_header(accept.as_deref()).ok_or(ApiError::NotAcceptable)?;
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        Ok(Self {
            accepted,
            gzip: accepts_gzip(joined(headers, &ACCEPT_ENCODING).as_deref()),
            compact: wants_compact(text(&X_EUREKA_ACCEPT)),
            origin: origin(headers),
        })
    }
}

/// Who says to have caused the request.
pub(super) fn origin(headers: &HeaderMap) -> Origin {
    match headers.get(REPLICATION) {
        Some(value) if value == "true" => Origin::Peer,
        _ => Origin::Client,
    }
}

/// All lines of a header as one; nearly always there is one at most.
fn joined<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<Cow<'h, str>> {
    let mut lines = headers
        .get_all(name)
        .filter_map(|value| value.to_str().ok());
    let first = lines.next()?;
    let mut all = Cow::Borrowed(first);
    for line in lines {
        let all = all.to_mut();
        all.push(',');
        all.push_str(line);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn only_the_exact_word_makes_a_request_a_peer_s() {
        for (value, expected) in [
            (Some("true"), Origin::Peer),
            (Some("TRUE"), Origin::Client),
            (Some("1"), Origin::Client),
            (None, Origin::Client),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(value) = value {
                headers.insert(REPLICATION, HeaderValue::from_static(value));
            }
            assert_eq!(Ask::of(&headers).unwrap().origin, expected, "{value:?}");
        }
    }

    #[test]
    fn several_lines_of_accept_count_as_one() {
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT, HeaderValue::from_static("text/html"));
        assert_eq!(Ask::of(&headers), Err(ApiError::NotAcceptable));
        headers.append(ACCEPT, HeaderValue::from_static("application/json"));
        assert!(Ask::of(&headers).is_ok());
    }
}
