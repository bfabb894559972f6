//! `GET /api/v1/config`: what is in force and where it came from, as `check-config` shows it: without secrets.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use tokio::time::Instant;

use super::reply::reply;
use crate::http::state::Http;

/// `GET /api/v1/config`.
pub(in crate::http) async fn config(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    // Nothing in it can fail to be written.
    let report = serde_json::to_value(&*http.live.report()).unwrap_or_default();
    reply(&http, &request, started, Ok(report))
}
