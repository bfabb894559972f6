//! `GET /api/v1/overview`: how the node is, in numbers and in words.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::apps::statuses;
use super::instance::known;
use super::peers::is_behind;
use super::reply::{reply, time};
use crate::http::error::ApiError;
use crate::http::state::Http;
use crate::peers::{PeerState, TakePeers};
use crate::preservation::{Describe, Standing};
use crate::registry::TakeSnapshot;

/// `GET /api/v1/overview`.
pub(in crate::http) async fn overview(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let result = describe(&http).await;
    reply(&http, &request, started, result)
}

async fn describe(http: &Http) -> Result<Value, ApiError> {
    let standing = http.preservation.ask(Describe).await?;
    let peers = http.peers.ask(TakePeers).await?;
    let held = http.registry.ask(TakeSnapshot).await?;
    let now = http.clock.now();
    let overridden = held
        .iter()
        .filter(|held| held.info.override_status.is_some());
    let kept = held.iter().filter(|held| held.lease.hold(now).is_some());
    let applications = held.chunk_by(|a, b| a.info.app == b.info.app);
    Ok(json!({
        "node": node(http),
        "ready": http.is_ready(),
        "servesLists": http.gate.is_open(),
        "applications": applications.count(),
        "instances": held.len(),
        "statuses": statuses(&held),
        "overridden": overridden.count(),
        "held": kept.count(),
        "changes": http.published.revision(),
        "selfPreservation": preservation(&standing),
        "peers": summary(&peers),
    }))
}

fn node(http: &Http) -> Value {
    let (identity, page, now) = (&http.identity, &http.config.page, http.clock.now());
    json!({
        "id": identity.node_id,
        "version": env!("CARGO_PKG_VERSION"),
        "mode": http.config.mode.as_str(),
        "hostName": identity.host_name,
        "port": identity.port,
        "environment": page.environment,
        "datacenter": page.datacenter,
        "time": time(now.wall),
        "started": time(identity.started.wall),
        "uptimeSeconds": now.mono.saturating_sub(identity.started.mono) / 1000,
    })
}

/// Why leases end or do not: `active` with its `reason` while they are kept.
fn preservation(standing: &Standing) -> Value {
    let figures = standing.figures;
    known([
        ("protection", Some(standing.protection.into())),
        ("enabled", Some(standing.enabled.into())),
        ("active", Some(standing.withheld.is_some().into())),
        ("alarming", Some(standing.alarming.into())),
        ("reason", standing.withheld.as_deref().map(Into::into)),
        ("inWords", Some(standing.in_words().into())),
        ("renewsLastMinute", Some(figures.renewals.into())),
        ("renewsThreshold", Some(figures.threshold.into())),
        ("expectedClients", Some(figures.expected.into())),
    ])
}

fn summary(peers: &[PeerState]) -> Value {
    let others = || peers.iter().filter(|peer| !peer.ourselves);
    let behind = others().filter(|peer| is_behind(peer));
    json!({
        "known": others().count(),
        "up": others().filter(|peer| peer.up).count(),
        "behind": behind.map(|peer| peer.url.as_str()).collect::<Vec<_>>(),
    })
}
