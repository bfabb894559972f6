//! Whether the process lives, whether requests should be sent to it, and in Spring's words how its parts are.
//!
//! Alive asks nothing of anybody. Ready is: lists are served, and the node is not on its way out. A peer that is away
//! or protection at work are shown and make nobody unready: the node serves its clients all the same.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::labels;
use super::ops::counted;
use super::state::Http;
use crate::peers::TakePeers;
use crate::preservation::Describe;

/// How long an actor may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// The paths of probes, below the context path.
pub(super) const PROBES: [&str; 5] = [
    "/health/live",
    "/health/ready",
    "/actuator/health",
    "/actuator/health/liveness",
    "/actuator/health/readiness",
];

const UP: &str = "UP";
const OUT_OF_SERVICE: &str = "OUT_OF_SERVICE";
/// What is said of a part that does not answer.
const UNKNOWN: &str = "UNKNOWN";

/// `GET /health/live`: the process answers.
pub(super) async fn live(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let response = HttpResponse::Ok().json(json!({ "status": UP }));
    counted(&http, &request, labels::HEALTH, Instant::now(), response)
}

/// `GET /health/ready`: requests should be sent here; 503 before lists are served, and once the node is told to stop.
pub(super) async fn ready(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let response = of_readiness(&http, json!({}));
    counted(&http, &request, labels::HEALTH, Instant::now(), response)
}

/// `GET /actuator/health`: the status of readiness, with components as Spring shows them.
pub(super) async fn health(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let mut document = json!({ "groups": ["liveness", "readiness"] });
    if shows_parts(&http) {
        document["components"] = json!({
            "livenessState": { "status": UP },
            "readinessState": { "status": readiness(&http).1 },
            "registry": registry(&http),
            "selfPreservation": preservation(&http).await,
            "peers": peers(&http).await,
        });
    }
    let response = of_readiness(&http, document);
    counted(&http, &request, labels::HEALTH, started, response)
}

/// Probes bring no credentials, so parts are shown where everybody may read.
fn shows_parts(http: &Http) -> bool {
    let guard = http.live.guard.load();
    guard.as_ref().is_none_or(|guard| guard.lets_anybody_read())
}

fn readiness(http: &Http) -> (StatusCode, &'static str) {
    match http.is_ready() {
        true => (StatusCode::OK, UP),
        false => (StatusCode::SERVICE_UNAVAILABLE, OUT_OF_SERVICE),
    }
}

fn of_readiness(http: &Http, mut document: Value) -> HttpResponse {
    let (code, word) = readiness(http);
    document["status"] = word.into();
    HttpResponse::build(code).json(document)
}

fn registry(http: &Http) -> Value {
    json!({
        "status": readiness(http).1,
        "details": {
            "instances": http.published.index.len(),
            "acceptingReads": http.gate.is_open(),
        },
    })
}

async fn preservation(http: &Http) -> Value {
    match timeout(PATIENCE, http.preservation.ask(Describe)).await {
        Ok(Ok(standing)) => json!({
            "status": UP,
            "details": { "active": standing.withheld.is_some(), "inWords": standing.in_words() },
        }),
        _ => json!({ "status": UNKNOWN }),
    }
}

async fn peers(http: &Http) -> Value {
    match timeout(PATIENCE, http.peers.ask(TakePeers)).await {
        Ok(Ok(mut peers)) => {
            peers.retain(|peer| !peer.ourselves);
            let up = peers.iter().filter(|peer| peer.up).count();
            json!({ "status": UP, "details": { "known": peers.len(), "up": up } })
        }
        _ => json!({ "status": UNKNOWN }),
    }
}
