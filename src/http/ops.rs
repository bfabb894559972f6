//! For operators and their tools: health, metrics, Spring's actuator.

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;
use tokio::time::Instant;

use super::state::Http;

/// Labels of what is not Eureka's own surface.
pub(super) mod label {
    pub(in crate::http) const METRICS: (usize, &str) = (14, "metrics");
    pub(in crate::http) const HEALTH: (usize, &str) = (15, "health");
    pub(in crate::http) const INFO: (usize, &str) = (16, "info");
    pub(in crate::http) const PAGE: (usize, &str) = (17, "page");
    pub(in crate::http) const LASTN: (usize, &str) = (18, "lastn");
}

/// What Prometheus expects as the type of a page of metrics.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Counts an answer that took since `started`.
pub(super) fn counted(
    http: &Http,
    request: &HttpRequest,
    label: (usize, &'static str),
    started: Instant,
    response: HttpResponse,
) -> HttpResponse {
    let (method, status) = (request.method().as_str(), response.status().as_u16());
    http.metrics
        .http
        .answered(label, method, status, started.elapsed().as_secs_f64());
    response
}

/// `GET /metrics` and `GET /actuator/prometheus`.
pub(super) async fn metrics(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let in_flight = http.in_flight.bytes() as f64;
    http.metrics.http.bytes_in_flight.set(in_flight);
    let page = http.metrics.render(&http.mailboxes());
    let response = HttpResponse::Ok().content_type(PROMETHEUS).body(page);
    counted(&http, &request, label::METRICS, started, response)
}

/// `GET /health/live`: the process answers.
pub(super) async fn live(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let response = HttpResponse::Ok().json(json!({ "status": "UP" }));
    counted(&http, &request, label::HEALTH, Instant::now(), response)
}

/// `GET /health/ready`: requests should be sent here; 503 once the node is on its way out.
pub(super) async fn ready(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let response = readiness(&http, json!({}));
    counted(&http, &request, label::HEALTH, Instant::now(), response)
}

/// `GET /actuator/health`, as Spring's probes and clients read it.
pub(super) async fn health(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let response = readiness(&http, json!({ "groups": ["liveness", "readiness"] }));
    counted(&http, &request, label::HEALTH, Instant::now(), response)
}

fn readiness(http: &Http, mut document: serde_json::Value) -> HttpResponse {
    let (code, word) = if http.is_ready() {
        (StatusCode::OK, "UP")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "OUT_OF_SERVICE")
    };
    document["status"] = word.into();
    HttpResponse::build(code).json(document)
}

/// `GET /actuator/info`: who answers.
pub(super) async fn info(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let response = HttpResponse::Ok().json(json!({
        "build": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "node": {
            "id": http.identity.node_id,
            "host": http.identity.host_name,
            "port": http.identity.port,
            "mode": http.config.mode.as_str(),
        },
    }));
    counted(&http, &request, label::INFO, Instant::now(), response)
}

/// Any other method on these paths.
pub(super) async fn only_get() -> HttpResponse {
    let allow = HeaderValue::from_static("GET,HEAD");
    HttpResponse::MethodNotAllowed()
        .insert_header((ALLOW, allow))
        .finish()
}
