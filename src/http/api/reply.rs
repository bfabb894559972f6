//! How an answer looks.

use std::time::{Duration, UNIX_EPOCH};

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ContentType, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::http::error::ApiError;
use crate::http::labels;
use crate::http::ops::counted;
use crate::http::state::Http;
use crate::model::EpochMillis;
use crate::wire::one_line;

pub(super) use crate::http::system::LAST;

/// The answer to a request, counted.
pub(super) fn reply(
    http: &Http,
    request: &HttpRequest,
    started: Instant,
    result: Result<Value, ApiError>,
) -> HttpResponse {
    let written = result.map(|document| document.to_string());
    reply_written(http, request, started, written)
}

/// The same with a document that was written already, where that is long.
pub(super) fn reply_written(
    http: &Http,
    request: &HttpRequest,
    started: Instant,
    result: Result<String, ApiError>,
) -> HttpResponse {
    let response = match result {
        Ok(document) => HttpResponse::Ok()
            .insert_header((CACHE_CONTROL, "no-store"))
            .content_type(ContentType::json())
            .body(document),
        Err(error) => refused(http, &error),
    };
    counted(http, request, labels::API, started, response)
}

fn refused(http: &Http, error: &ApiError) -> HttpResponse {
    let text = one_line(&error.to_string());
    if let Some(reason) = error.reason() {
        http.metrics.http.refused(reason);
        tracing::warn!(route = labels::API.1, error = %text, "request refused");
    }
    let answer = error.clone().into_answer(None);
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    if let Some(seconds) = answer.retry_after {
        response.insert_header((RETRY_AFTER, seconds));
    }
    response.json(json!({ "error": text }))
}

/// A time as it is written.
pub(super) fn time(time: EpochMillis) -> String {
    let time = UNIX_EPOCH + Duration::from_millis(time.min(LAST));
    humantime::format_rfc3339_millis(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_can_be_written() {
        assert_eq!(time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(1_800_000_000_123), "2027-01-15T08:00:00.123Z");
        assert_eq!(time(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
