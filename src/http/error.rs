//! Every way in which a request can fail, and the one place that knows what that looks like.
//!
//! What Eureka's clients meet in ordinary operation (401, 403, 404, 405, 406, 503) has an empty body. Whoever
//! sends something wrong, or too much, is told what it was: as JSON where JSON was asked for or sent, as an XML document
//! for an XML body that cannot be read, as plain text otherwise.

use std::time::Duration;

use bytes::Bytes;

use super::answer::Answer;
use super::ask::Ask;
use super::limit;
use crate::config::keys;
use crate::mailbox::Shut;
use crate::metrics::{Refusal as Reason, ShedClass};
use crate::model::TooMuch;
use crate::registry::{MetadataRefused, UnknownInstance};
use crate::wire::{Format, ReadError, Refusal, one_line};

/// A request that fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ApiError {
    /// There is no such path, application or instance.
    #[error("not found")]
    NotFound,
    /// Deltas are switched off, or whoever asks may not.
    #[error("forbidden")]
    Forbidden,
    /// Credentials are missing or wrong; this is asked for.
    #[error("unauthorized")]
    Unauthorized(&'static str),
    /// Eureka's own limiter of reads has no room.
    #[error("too many reads")]
    Limited,
    /// Too many wrong credentials came from there; try again after this.
    #[error("too many wrong credentials")]
    Slowed(Duration),
    /// One address asks too often; try again after this.
    #[error(
        "one address asks more than {most} times a second ({})",
        keys::MAX_ADDRESS_REQUESTS
    )]
    TooOften { most: usize, wait: Duration },
    /// Nothing that we could send is acceptable.
    #[error("not acceptable")]
    NotAcceptable,
    /// The path does not take the method; these it takes.
    #[error("method not allowed")]
    MethodNotAllowed(&'static str),
    /// `asg` without AWS.
    #[error("bad request")]
    BadRequest,
    /// An actor did not answer.
    #[error(transparent)]
    Unavailable(#[from] Shut),
    /// There is too much to do, or on its way.
    #[error("too busy")]
    Busy(ShedClass),
    /// A path segment is not text.
    #[error("the path is not UTF-8 once decoded")]
    PathNotText,
    /// A query parameter is wrong or missing.
    #[error("{name}: wanted {wanted}, got {got}")]
    Parameter {
        name: &'static str,
        wanted: &'static str,
        got: String,
    },
    /// The body cannot be read.
    #[error("cannot parse request body: {1}")]
    Unreadable(Format, ReadError),
    /// The body was read, but something in it is missing or wrong.
    #[error(transparent)]
    Invalid(#[from] Refusal),
    /// There is more of something in it than a limit allows.
    #[error(transparent)]
    TooMuch(TooMuch),
    /// There is no room for another instance.
    #[error(transparent)]
    Full(TooMuch),
    /// The body is of a kind that is not read here.
    #[error("{0}")]
    MediaType(String),
    /// The body is too long.
    #[error("the body is longer than {limit} bytes ({key})")]
    TooLong { limit: usize, key: &'static str },
    /// The body took too long to come.
    #[error("the body took longer than {millis} ms ({key})")]
    Slow { millis: u128, key: &'static str },
    /// The head is too long.
    #[error(transparent)]
    HeadTooLong(TooMuch),
    /// The node has not yet all that its peers have; try again after this.
    #[error("the node is still copying what its peers hold")]
    Loading(Duration),
    /// Too many requests of an HTTP/2 connection are open.
    #[error(transparent)]
    Streams(TooMuch),
    /// The body broke off, or is not packed as it says.
    #[error("{0}")]
    Broken(String),
}

impl From<UnknownInstance> for ApiError {
    fn from(_: UnknownInstance) -> Self {
        Self::NotFound
    }
}

impl From<MetadataRefused> for ApiError {
    fn from(refused: MetadataRefused) -> Self {
        match refused {
            MetadataRefused::Unknown(_) => Self::NotFound,
            MetadataRefused::TooMuch(too_much) => Self::TooMuch(too_much),
        }
    }
}

/// Whole ones, rounded up.
fn seconds(wait: Duration) -> u32 {
    wait.as_secs_f64().ceil() as u32
}

/// When to try again where there is no room: instances go when their leases end.
const FULL_RETRY: u32 = 30;

impl ApiError {
    /// Why it was refused, where a reason is counted.
    pub(super) fn reason(&self) -> Option<Reason> {
        Some(match self {
            Self::PathNotText | Self::Parameter { .. } => Reason::Parameter,
            Self::TooMuch(_) | Self::Unreadable(_, ReadError::TooMuch(_)) => Reason::TooMuch,
            Self::Full(_) => Reason::Full,
            Self::Unreadable(..) | Self::Broken(_) => Reason::Malformed,
            Self::Invalid(_) => Reason::Invalid,
            Self::MediaType(_) => Reason::MediaType,
            Self::TooLong { .. } => Reason::TooLong,
            Self::Slow { .. } => Reason::Slow,
            Self::HeadTooLong(_) => Reason::Head,
            Self::Streams(_) => Reason::Connections,
            Self::TooOften { .. } => Reason::Address,
            _ => return None,
        })
    }

    /// The answer to it. `ask` is `None` where not even that could be read.
    pub(super) fn into_answer(self, ask: Option<&Ask>) -> Answer {
        let format = ask.map_or(Format::Xml, |ask| ask.accepted.object);
        let later = |status, seconds| Answer {
            retry_after: Some(seconds),
            ..Answer::empty(status, format)
        };
        match self {
            Self::NotFound => Answer::empty(404, format),
            Self::Forbidden => Answer::empty(403, format),
            Self::Unauthorized(challenge) => Answer {
                challenge: Some(challenge),
                ..Answer::empty(401, format)
            },
            Self::Limited => later(503, 1),
            Self::Slowed(wait) => later(429, seconds(wait)),
            Self::NotAcceptable => Answer::bare(406),
            Self::BadRequest => Answer::empty(400, format),
            Self::MethodNotAllowed(allow) => Answer {
                allow: Some(allow),
                ..Answer::empty(405, format)
            },
            // A body might be taken as little as those before it.
            Self::Unavailable(_) | Self::Streams(_) => later(503, 1),
            Self::Loading(wait) => later(503, seconds(wait)),
            Self::Busy(class) => later(503, limit::retry_after(class)),
            Self::MediaType(_) => self.explained(415, ask),
            Self::TooLong { .. } => self.explained(413, ask),
            Self::Slow { .. } => self.explained(408, ask),
            Self::HeadTooLong(_) => self.explained(431, ask),
            Self::TooOften { wait, .. } => Answer {
                retry_after: Some(seconds(wait)),
                ..self.explained(429, ask)
            },
            Self::Full(_) => Answer {
                retry_after: Some(FULL_RETRY),
                ..self.explained(503, ask)
            },
            _ => self.explained(400, ask),
        }
    }

    fn explained(self, status: u16, ask: Option<&Ask>) -> Answer {
        let sent = match self {
            Self::Unreadable(format, _) => Some(format),
            _ => None,
        };
        let text = one_line(&self.to_string());
        let wants_json = ask.is_some_and(|ask| ask.accepted.list == Format::Json);
        let (content_type, body) = if wants_json || sent == Some(Format::Json) {
            let quoted = serde_json::Value::from(text);
            ("application/json", format!("{{\"error\": {quoted}}}"))
        } else if sent == Some(Format::Xml) {
            let escaped = quick_xml::escape::escape(text.as_str());
            let document = format!("<error><message>{escaped}</message></error>");
            ("application/xml", document)
        } else {
            ("text/plain; charset=utf-8", text)
        };
        Answer {
            content_type: Some(content_type),
            body: Bytes::from(body).into(),
            ..Answer::bare(status)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Origin;
    use crate::wire::negotiate::Accepted;

    fn ask(accept: Option<&str>) -> Ask {
        Ask {
            accepted: Accepted::from_header(accept).unwrap(),
            gzip: false,
            compact: false,
            origin: Origin::Client,
        }
    }

    fn unreadable(format: Format) -> ApiError {
        ApiError::Unreadable(format, ReadError::Malformed("a < \"b\"".into()))
    }

    #[test]
    fn whoever_sends_something_wrong_is_told_in_a_form_that_fits() {
        let json = Some("application/json");
        for (error, accept, status, content_type, body) in [
            (
                unreadable(Format::Json),
                None,
                400,
                "application/json",
                r#"{"error": "cannot parse request body: a < \"b\""}"#,
            ),
            (
                unreadable(Format::Xml),
                None,
                400,
                "application/xml",
                "<error><message>cannot parse request body: a &lt; &quot;b&quot;</message></error>",
            ),
            (
                unreadable(Format::Xml),
                json,
                400,
                "application/json",
                r#"{"error": "cannot parse request body: a < \"b\""}"#,
            ),
            (
                Refusal::MissingHostName.into(),
                None,
                400,
                "text/plain; charset=utf-8",
                "Missing hostname",
            ),
            (
                Refusal::MissingHostName.into(),
                json,
                400,
                "application/json",
                r#"{"error": "Missing hostname"}"#,
            ),
            (
                ApiError::TooLong { limit: 7, key: "k" },
                None,
                413,
                "text/plain; charset=utf-8",
                "the body is longer than 7 bytes (k)",
            ),
        ] {
            let answer = error.into_answer(Some(&ask(accept)));
            assert_eq!(answer.status, status);
            assert_eq!(answer.content_type, Some(content_type));
            assert_eq!(answer.body.joined(), body.as_bytes());
        }
    }

    #[test]
    fn what_clients_meet_in_ordinary_operation_has_no_body() {
        for (error, status) in [
            (ApiError::NotFound, 404),
            (ApiError::Forbidden, 403),
            (ApiError::Unauthorized("Basic"), 401),
            (ApiError::Slowed(Duration::from_secs(5)), 429),
            (ApiError::BadRequest, 400),
            (ApiError::MethodNotAllowed("GET"), 405),
            (ApiError::Unavailable(Shut::Full), 503),
            (ApiError::Busy(ShedClass::Full), 503),
        ] {
            let answer = error.into_answer(Some(&ask(Some("application/json"))));
            assert_eq!((answer.status, answer.body.len()), (status, 0));
            assert_eq!(answer.content_type, Some("application/json"));
        }
        assert_eq!(ApiError::NotAcceptable.into_answer(None), Answer::bare(406));
    }
}
