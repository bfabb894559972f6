//! The body of a request as text: bounded, unpacked, decoded, its format found out.

use std::time::Duration;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName};
use actix_web::web::Payload;
use bytes::Bytes;
use tokio::time::timeout;

use super::error::ApiError;
use crate::config::keys;
use crate::wire::gzip::{Coding, UnpackError, unpack};
use crate::wire::negotiate::BodyType;
use crate::wire::{Format, ReadError, shortened};

/// How long a body may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// As it came, in bytes, with the key that sets it.
    pub(super) packed: (usize, &'static str),
    /// Unpacked.
    pub(super) unpacked: usize,
    /// How long it may take to come.
    pub(super) time: Duration,
}

/// A body that can be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) format: Format,
}

/// Reads a body of JSON or XML.
pub(super) async fn read(
    headers: &HeaderMap,
    payload: Payload,
    limits: Limits,
) -> Result<Body, ApiError> {
    let content_type = header(headers, &CONTENT_TYPE);
    let body_type =
        BodyType::from_header(content_type).ok_or_else(|| unreadable_type(content_type))?;
    let coding = header(headers, &CONTENT_ENCODING).unwrap_or_default();
    let coding = Coding::from_header(coding).ok_or_else(|| unreadable_coding(coding))?;
    let raw = take(payload, limits).await?;
    let bytes = match coding {
        Coding::Identity => raw.to_vec(),
        coding => unpack(coding, &raw, limits.unpacked).map_err(broken)?,
    };
    let text = decode(bytes, body_type.latin1)?;
    let format = body_type.format_of(&text).ok_or_else(|| {
        ApiError::MediaType("Content-Type: wanted application/json or application/xml".to_string())
    })?;
    Ok(Body { text, format })
}

/// Reads a form as a browser sends it.
pub(super) async fn form(
    headers: &HeaderMap,
    payload: Payload,
    limits: Limits,
) -> Result<String, ApiError> {
    const FORM: &str = "application/x-www-form-urlencoded";
    let content_type = header(headers, &CONTENT_TYPE).unwrap_or_default();
    let (media_type, _) = content_type.split_once(';').unwrap_or((content_type, ""));
    if !media_type.trim().eq_ignore_ascii_case(FORM) {
        return Err(ApiError::MediaType(format!("Content-Type: wanted {FORM}")));
    }
    let bytes = take(payload, limits).await?;
    // What is not ASCII is escaped in it.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a body that nobody will look at, so that the connection can go on.
pub(super) async fn discard(payload: Payload, limits: Limits) -> Result<(), ApiError> {
    take(payload, limits).await.map(|_| ())
}

async fn take(payload: Payload, limits: Limits) -> Result<Bytes, ApiError> {
    let (limit, key) = limits.packed;
    let Ok(taken) = timeout(limits.time, payload.to_bytes_limited(limit)).await else {
        return Err(ApiError::Slow {
            millis: limits.time.as_millis(),
            key: keys::BODY_TIME,
        });
    };
    match taken {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) => Err(ApiError::Broken(format!("the body broke off: {error}"))),
        Err(_) => Err(ApiError::TooLong { limit, key }),
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn unreadable_type(got: Option<&str>) -> ApiError {
    let got = shortened(got.unwrap_or_default());
    ApiError::MediaType(format!(
        "Content-Type: wanted application/json or application/xml in UTF-8 or ISO-8859-1, got {got}"
    ))
}

fn unreadable_coding(got: &str) -> ApiError {
    let got = shortened(got);
    ApiError::MediaType(format!(
        "Content-Encoding: wanted gzip, deflate or none, got {got}"
    ))
}

fn broken(error: UnpackError) -> ApiError {
    match error {
        UnpackError::TooLong(limit) => ApiError::TooLong {
            limit,
            key: keys::MAX_UNPACKED,
        },
        UnpackError::NotPacked(_) => ApiError::Broken(error.to_string()),
    }
}

/// UTF-8 without its mark; ISO-8859-1 where that is announced and the bytes are no UTF-8.
fn decode(bytes: Vec<u8>, latin1: bool) -> Result<String, ApiError> {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if latin1 => error
            .as_bytes()
            .iter()
            .map(|byte| char::from(*byte))
            .collect(),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            return Err(ApiError::Broken(format!(
                "the body is not UTF-8 at byte {at}"
            )));
        }
    };
    Ok(match text.strip_prefix('\u{FEFF}') {
        Some(rest) => rest.to_string(),
        None => text,
    })
}

impl Body {
    /// What is wrong with this body, said in its own format.
    pub(super) fn unreadable(&self, error: ReadError) -> ApiError {
        ApiError::Unreadable(self.format, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utf_8_or_latin_1_where_announced() {
        for (bytes, latin1, expected) in [
            (&b"abc"[..], false, Some("abc")),
            (b"\xEF\xBB\xBFabc", false, Some("abc")),
            ("\u{fc}".as_bytes(), true, Some("\u{fc}")),
            (b"\xfc", true, Some("\u{fc}")),
            (b"\xfc", false, None),
        ] {
            let got = decode(bytes.to_vec(), latin1).ok();
            assert_eq!(got.as_deref(), expected, "{bytes:?}");
        }
    }
}
