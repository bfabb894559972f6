//! For operators and their tools: metrics, and who answers.

use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;
use tokio::time::Instant;

use super::labels::{self, Label};
use super::state::Http;

/// What Prometheus expects as the type of a page of metrics.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Counts an answer that took since `started`.
pub(super) fn counted(
    http: &Http,
    request: &HttpRequest,
    label: Label,
    started: Instant,
    response: HttpResponse,
) -> HttpResponse {
    let (method, status) = (request.method().as_str(), response.status().as_u16());
    http.metrics
        .http
        .answered(label, method, status, started.elapsed().as_secs_f64());
    response
}

/// `GET /metrics`.
pub(super) async fn metrics(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    page_of_metrics(request, http, |http| http.metrics.render(&http.mailboxes())).await
}

/// `GET /actuator/prometheus`: the same and Spring's names.
pub(super) async fn prometheus(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    page_of_metrics(request, http, |http| {
        http.metrics
            .render_for_spring(&http.mailboxes(), labels::uri)
    })
    .await
}

/// A page is written on the blocking pool: it takes milliseconds, in which a worker answers hundreds of heartbeats.
async fn page_of_metrics(
    request: HttpRequest,
    http: Data<Http>,
    render: fn(&Http) -> String,
) -> HttpResponse {
    let started = Instant::now();
    let in_flight = http.in_flight.bytes() as f64;
    http.metrics.http.bytes_in_flight.set(in_flight);
    let shared = http.clone();
    let response = match web::block(move || render(&shared)).await {
        Ok(page) => HttpResponse::Ok().content_type(PROMETHEUS).body(page),
        // Only where the runtime is on its way out.
        Err(_) => HttpResponse::ServiceUnavailable().finish(),
    };
    counted(&http, &request, labels::METRICS, started, response)
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
    counted(&http, &request, labels::INFO, Instant::now(), response)
}

/// Any other method on these paths.
pub(super) async fn only_get() -> HttpResponse {
    only("GET,HEAD").await
}

/// A method that a path does not take; these it takes.
pub(super) async fn only(allow: &'static str) -> HttpResponse {
    let allow = HeaderValue::from_static(allow);
    HttpResponse::MethodNotAllowed()
        .insert_header((ALLOW, allow))
        .finish()
}
