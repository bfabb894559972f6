//! `GET /api/v1/apps`, one application, one instance.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::instance::instance;
use super::reply::reply;
use crate::http::error::ApiError;
use crate::http::state::Http;
use crate::model::{InstanceKey, InstanceStatus, Text};
use crate::registry::{Held, TakeApp, TakeSnapshot};

/// `GET /api/v1/apps`.
pub(in crate::http) async fn apps(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let result = all(&http).await;
    reply(&http, &request, started, result)
}

/// `GET /api/v1/apps/{app}`.
pub(in crate::http) async fn app(
    request: HttpRequest,
    http: Data<Http>,
    app: Path<String>,
) -> HttpResponse {
    let started = Instant::now();
    let result = one(&http, &app).await;
    reply(&http, &request, started, result)
}

/// `GET /api/v1/apps/{app}/instances/{id}`.
pub(in crate::http) async fn one_instance(
    request: HttpRequest,
    http: Data<Http>,
    path: Path<(String, String)>,
) -> HttpResponse {
    let started = Instant::now();
    let (app, id) = &*path;
    let held = http.published.index.get(&InstanceKey::new(app, id));
    let result = held.map(|held| instance(&held, http.clock.epoch(), http.clock.now()));
    reply(&http, &request, started, result.ok_or(ApiError::NotFound))
}

async fn all(http: &Http) -> Result<Value, ApiError> {
    let held = http.registry.ask(TakeSnapshot).await?;
    let mut by_app: BTreeMap<&Text, Vec<&Arc<Held>>> = BTreeMap::new();
    for held in &held {
        by_app.entry(&held.info.app).or_default().push(held);
    }
    let apps = by_app.into_iter().map(|(name, held)| {
        json!({
            "name": name.as_str(),
            "instances": held.len(),
            "statuses": statuses(held),
        })
    });
    Ok(json!({ "apps": apps.collect::<Vec<_>>() }))
}

async fn one(http: &Http, app: &str) -> Result<Value, ApiError> {
    let app = InstanceKey::new(app, "").app;
    let held = http.registry.ask(TakeApp { app: app.clone() }).await?;
    if held.is_empty() {
        return Err(ApiError::NotFound);
    }
    let (epoch, now) = (http.clock.epoch(), http.clock.now());
    Ok(json!({
        "name": app.as_str(),
        "instances": held.iter().map(|held| instance(held, epoch, now)).collect::<Vec<_>>(),
    }))
}

/// How many instances have each status; none is not mentioned.
pub(super) fn statuses<'h>(held: impl IntoIterator<Item = &'h Arc<Held>>) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for held in held {
        let status: InstanceStatus = held.info.status;
        *counts.entry(status.as_str()).or_default() += 1;
    }
    let counts = counts
        .into_iter()
        .map(|(status, n)| (status.to_string(), n.into()));
    Value::Object(counts.collect::<Map<_, _>>())
}
