//! `GET /api/v1/events`: what happened of late, newest first.
//!
//! `before` goes back a page, `after` asks for what is new; both are numbers of events, which begin anew with the node.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::instance::known;
use super::params::{Params, wrong};
use super::reply::{reply, time};
use crate::http::error::ApiError;
use crate::http::state::Http;
use crate::journal::{Entry, FindEntries, Found, Kind};
use crate::model::Order;

/// Events of a page where nobody says how many.
const USUAL: u64 = 100;
/// Events of a page at most.
const MOST: u64 = 1000;

/// `GET /api/v1/events`.
pub(in crate::http) async fn events(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let result = find(&http, Params(request.query_string())).await;
    reply(&http, &request, started, result)
}

async fn find(http: &Http, params: Params<'_>) -> Result<Value, ApiError> {
    let found = http.journal.ask(asked(params)?).await?;
    Ok(document(&http.identity.node_id, &found))
}

fn asked(params: Params<'_>) -> Result<FindEntries, ApiError> {
    let wanted = "the number of an event";
    let limit = params.number("limit", "a number from 1 to 1000", 1..=MOST)?;
    Ok(FindEntries {
        app: params.text("app"),
        id: params.text("instance"),
        kinds: params
            .all("kind")
            .map(|word| kind(&word))
            .collect::<Result<_, _>>()?,
        since: params.time("since")?,
        after: params.number("after", wanted, ..)?,
        before: params.number("before", wanted, ..)?,
        limit: limit.unwrap_or(USUAL) as usize,
    })
}

fn kind(word: &str) -> Result<Kind, ApiError> {
    let wanted = "registered, registered-again, replaced, status, override, override-ended, metadata, cancelled, \
                  lease-ended, held or renewed-after-gap";
    Kind::from_word(word).ok_or_else(|| wrong("kind", wanted, word))
}

fn document(node: &str, found: &Found) -> Value {
    let last = found.entries.last().filter(|_| found.more);
    let mut document = json!({
        "node": node,
        "newest": found.newest,
        "oldest": found.oldest,
        "events": found.entries.iter().map(|entry| event(entry)).collect::<Vec<_>>(),
    });
    if let Some(last) = last {
        document["next"] = last.number.into();
    }
    document
}

/// Whose an order is; what came by Eureka's own calls is nobody's but theirs.
pub(super) fn owner(order: &Order) -> &str {
    order
        .owner
        .as_ref()
        .map_or("api", |owner| owner.name.as_str())
}

/// One event; what is not known of it is left out.
fn event(entry: &Entry) -> Value {
    let by = &entry.by;
    let members = [
        ("number", Some(entry.number.into())),
        ("time", Some(time(entry.at).into())),
        ("app", Some(entry.key.app.as_str().into())),
        ("instance", Some(entry.key.id.as_str().into())),
        ("kind", Some(entry.kind.as_str().into())),
        ("before", entry.before.map(|status| status.as_str().into())),
        ("after", entry.after.map(|status| status.as_str().into())),
        ("by", Some(by.who.as_str().into())),
        (
            "address",
            by.address.map(|address| address.to_string().into()),
        ),
        ("user", by.user.as_ref().map(|user| user.as_str().into())),
        (
            "owner",
            entry.order.as_deref().map(|order| owner(order).into()),
        ),
        ("reason", entry.reason().map(Into::into)),
        (
            "until",
            entry
                .order
                .as_ref()
                .and_then(|order| order.until)
                .map(|until| time(until).into()),
        ),
        ("since", entry.since.map(|since| time(since).into())),
    ];
    known(members)
}
