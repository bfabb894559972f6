//! `GET /api/v1/peers`: how things stand with each of the other nodes.

use std::time::Duration;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::instance::known;
use super::reply::{reply, time};
use crate::http::error::ApiError;
use crate::http::replicas::replicas;
use crate::http::state::Http;
use crate::peers::PeerState;

/// A change that a peer has not got after this time is late.
const LATE: Duration = Duration::from_secs(5);

/// `GET /api/v1/peers`.
pub(in crate::http) async fn peers(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let result = list(&http).await;
    reply(&http, &request, started, result)
}

async fn list(http: &Http) -> Result<Value, ApiError> {
    let (peers, replicas) = replicas(http).await?;
    let peers = peers
        .iter()
        .map(|state| peer(state, replicas.available.contains(&state.url)));
    Ok(json!({ "peers": peers.collect::<Vec<_>>() }))
}

/// Whether a peer does not take what it is sent, or has not got something for long.
pub(super) fn is_behind(peer: &PeerState) -> bool {
    !peer.up || peer.oldest.is_some_and(|oldest| oldest >= LATE)
}

fn peer(state: &PeerState, available: bool) -> Value {
    let sign = state.sign.as_ref();
    let kind = match (sign, state.last_contact) {
        (Some(_), _) => Some("heureka"),
        (None, Some(_)) => Some("eureka"),
        (None, None) => None,
    };
    known([
        ("url", Some(state.url.as_str().into())),
        ("up", Some(state.up.into())),
        ("behind", Some(is_behind(state).into())),
        ("available", Some(available.into())),
        ("kind", kind.map(Into::into)),
        ("node", sign.map(|sign| sign.id.as_str().into())),
        ("version", sign.map(|sign| sign.version.as_str().into())),
        ("servesLists", sign.map(|sign| sign.open.into())),
        ("lastContact", state.last_contact.map(|at| time(at).into())),
        ("waiting", Some(state.queue_length.into())),
        (
            "oldestSeconds",
            state.oldest.map(|age| age.as_secs_f64().into()),
        ),
        (
            "pauseSeconds",
            state.pause.map(|pause| pause.as_secs_f64().into()),
        ),
    ])
}
