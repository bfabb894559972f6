//! `GET /api/v1/overview`: how the node is, in numbers and in words.

use std::collections::HashSet;
use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::apps::statuses;
use super::instance::known;
use super::peers::is_behind;
use super::reply::{reply, time};
use crate::clock::Moment;
use crate::http::error::ApiError;
use crate::http::state::Http;
use crate::peers::{PeerState, TakePeers};
use crate::preservation::{Describe, Standing};
use crate::registry::Held;

/// `GET /api/v1/overview`.
pub(in crate::http) async fn overview(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let result = describe(&http).await;
    reply(&http, &request, started, result)
}

async fn describe(http: &Data<Http>) -> Result<Value, ApiError> {
    let standing = http.preservation.ask(Describe).await?;
    let peers = http.peers.ask(TakePeers).await?;
    // What takes a look at every instance is done as for pages: away from the workers, from what the registry publishes.
    let from = http.clone();
    let counted = http
        .pages
        .write(move || counted(&from.published.index.all(), from.clock.now()));
    let mut document = counted.await?;
    document.extend([
        ("node".to_string(), node(http)),
        ("ready".to_string(), http.is_ready().into()),
        ("servesLists".to_string(), http.gate.is_open().into()),
        ("changes".to_string(), http.published.revision().into()),
        ("selfPreservation".to_string(), preservation(&standing)),
        ("peers".to_string(), summary(&peers)),
    ]);
    Ok(Value::Object(document))
}

/// What is held, in numbers.
fn counted(held: &[Arc<Held>], now: Moment) -> Map<String, Value> {
    let applications: HashSet<_> = held.iter().map(|held| &held.info.app).collect();
    let count = |is: &dyn Fn(&Held) -> bool| held.iter().filter(|held| is(held)).count();
    let overridden = count(&|held| held.info.override_status.is_some());
    let kept = count(&|held| held.lease.hold(now).is_some());
    let members = [
        ("applications", applications.len().into()),
        ("instances", held.len().into()),
        ("statuses", statuses(held)),
        ("overridden", overridden.into()),
        ("held", kept.into()),
    ];
    members
        .map(|(name, value)| (name.to_string(), value))
        .into_iter()
        .collect()
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
