//! What goes back, before it is actix-web's.
//!
//! An answer that has nothing to say has no body, a success as much as a 404, and still carries the type
//! that was asked for: a Netflix client takes any body of a heartbeat for an instance (wire.md §2.7), and
//! some Python clients refuse an answer without a type.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;

use super::in_flight::Place;
use super::rope_body::RopeBody;
use crate::transport::SIGN;
use crate::wire::{Format, Rope};

/// A finished answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: Option<&'static str>,
    pub(super) gzip: bool,
    pub(super) allow: Option<&'static str>,
    pub(super) retry_after: Option<u32>,
    /// Which credentials are asked for.
    pub(super) challenge: Option<&'static str>,
    /// Who answers, for nodes of this kind only.
    pub(super) sign: Option<String>,
    pub(super) body: Rope,
}

impl Answer {
    /// Nothing to say.
    pub(super) fn empty(status: u16, format: Format) -> Self {
        Self {
            content_type: Some(format.media_type()),
            ..Self::bare(status)
        }
    }

    /// Nothing to say, and no type that could be named.
    pub(super) fn bare(status: u16) -> Self {
        Self {
            status,
            content_type: None,
            gzip: false,
            allow: None,
            retry_after: None,
            challenge: None,
            sign: None,
            body: Rope::default(),
        }
    }

    /// 200 with a body.
    pub(super) fn body(format: Format, body: impl Into<Rope>) -> Self {
        Self {
            body: body.into(),
            ..Self::empty(200, format)
        }
    }

    /// The methods that a path takes; the answer to OPTIONS (wire.md §1.5).
    pub(super) fn options(allow: &'static str) -> Self {
        Self {
            content_type: Some("text/plain"),
            allow: Some(allow),
            body: Bytes::from_static(allow.as_bytes()).into(),
            ..Self::bare(200)
        }
    }

    /// The answer as actix-web sends it; `place` is kept until it is sent.
    pub(super) fn into_response(self, place: Option<Place>) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponse::build(status);
        if let Some(content_type) = self.content_type {
            response.insert_header((header::CONTENT_TYPE, HeaderValue::from_static(content_type)));
        }
        if self.gzip {
            response.insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("gzip")));
        }
        if let Some(allow) = self.allow {
            response.insert_header((header::ALLOW, HeaderValue::from_static(allow)));
        }
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        if let Some(challenge) = self.challenge {
            let challenge = HeaderValue::from_static(challenge);
            response.insert_header((header::WWW_AUTHENTICATE, challenge));
        }
        if let Some(sign) = self.sign {
            response.insert_header((SIGN, sign));
        }
        response.body(RopeBody::new(self.body, place))
    }
}
