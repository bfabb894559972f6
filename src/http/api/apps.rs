//! `GET /api/v1/apps`, one application, one instance.
//!
//! Lists are made as pages are: away from the workers, a few at a time, from what the registry publishes. An application
//! is shown a page at a time: `after` goes on behind an instance, `limit` says how many.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::instance::instance;
use super::params::Params;
use super::reply::{reply, reply_written};
use crate::clock::Moment;
use crate::http::error::ApiError;
use crate::http::state::Http;
use crate::model::{InstanceKey, InstanceStatus, Text};
use crate::registry::Held;

/// Instances of a page where nobody says how many.
const USUAL: u64 = 100;
/// Instances of a page at most.
const MOST: u64 = 1000;

/// `GET /api/v1/apps`.
pub(in crate::http) async fn apps(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let from = http.clone();
    let written = http
        .pages
        .write(move || all(&from.published.index.all()).to_string());
    let result = written.await.map_err(ApiError::from);
    reply_written(&http, &request, started, result)
}

/// `GET /api/v1/apps/{app}`.
pub(in crate::http) async fn app(
    request: HttpRequest,
    http: Data<Http>,
    app: Path<String>,
) -> HttpResponse {
    let started = Instant::now();
    let result = one(&http, &app, Params(request.query_string())).await;
    reply_written(&http, &request, started, result)
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

fn all(held: &[Arc<Held>]) -> Value {
    let mut by_app: BTreeMap<&Text, Vec<&Arc<Held>>> = BTreeMap::new();
    for held in held {
        by_app.entry(&held.info.app).or_default().push(held);
    }
    let apps = by_app.into_iter().map(|(name, held)| {
        json!({
            "name": name.as_str(),
            "instances": held.len(),
            "statuses": statuses(held),
        })
    });
    json!({ "apps": apps.collect::<Vec<_>>() })
}

async fn one(http: &Data<Http>, app: &str, params: Params<'_>) -> Result<String, ApiError> {
    let limit = params.number("limit", "a number from 1 to 1000", 1..=MOST)?;
    let page = Page {
        app: InstanceKey::new(app, "").app,
        after: params.text("after"),
        limit: limit.unwrap_or(USUAL) as usize,
    };
    let from = http.clone();
    let written = http.pages.write(move || {
        let held = from.published.index.of_app(&page.app);
        let document = page.of(held, from.clock.epoch(), from.clock.now())?;
        Some(document.to_string())
    });
    written.await?.ok_or(ApiError::NotFound)
}

/// What of an application is asked for.
struct Page {
    app: Text,
    after: Option<String>,
    limit: usize,
}

impl Page {
    /// The document of these instances, which are all that the application has; none without any.
    fn of(&self, mut held: Vec<Arc<Held>>, epoch: u64, now: Moment) -> Option<Value> {
        if held.is_empty() {
            return None;
        }
        held.sort_unstable_by(|a, b| a.info.id().cmp(b.info.id()));
        let is_before = |held: &Arc<Held>| {
            let after = self.after.as_deref();
            after.is_some_and(|after| held.info.id().as_str() <= after)
        };
        let rest = &held[held.partition_point(is_before)..];
        let shown = &rest[..rest.len().min(self.limit)];
        let instances = shown.iter().map(|held| instance(held, epoch, now));
        let mut document = json!({
            "name": self.app.as_str(),
            "count": held.len(),
            "instances": instances.collect::<Vec<_>>(),
        });
        if let Some(last) = shown.last().filter(|_| shown.len() < rest.len()) {
            document["next"] = last.info.id().as_str().into();
        }
        Some(document)
    }
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
