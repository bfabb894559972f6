//! Reads and changes of one instance.

use actix_web::HttpRequest;
use actix_web::web::Payload;

use super::answer::Answer;
use super::ask::Ask;
use super::audit;
use super::body;
use super::by::by;
use super::error::ApiError;
use super::query::Query;
use super::state::Http;
use crate::metrics::FetchKind;
use crate::model::{By, Extra, InstanceKey, InstanceStatus, Origin, Who};
use crate::registry::{
    Beat, Cancel, ClearStatus, FindById, Held, Register, Renew, Renewal, SetStatus, UpdateMetadata,
};
use crate::wire::{Format, encode, json, limits as content, xml};

/// `GET apps/{app}/{id}`: written live; an ended lease is not found (wire.md §3.5).
pub(super) fn get(
    http: &Http,
    ask: &Ask,
    v1: bool,
    app: &str,
    id: &str,
) -> Result<Answer, ApiError> {
    let held = http.published.index.get(&http.key(app, id));
    let alive = held.filter(|held| http.published.counts(held, http.clock.now()));
    alive
        .map(|held| show(http, ask, v1, &held))
        .ok_or(ApiError::NotFound)
}

/// `GET instances/{id}`: the first application that has the id, or else has it with `+` read as a blank
/// (foreign-clients.md P6).
pub(super) async fn find(http: &Http, ask: &Ask, v1: bool, id: &str) -> Result<Answer, ApiError> {
    let by_id = |id: &str| http.registry.ask(FindById { id: id.into() });
    let mut found = by_id(id).await?;
    if found.is_none() && id.contains('+') {
        found = by_id(&id.replace('+', " ")).await?;
    }
    found
        .map(|held| show(http, ask, v1, &held))
        .ok_or(ApiError::NotFound)
}

fn show(http: &Http, ask: &Ask, v1: bool, held: &Held) -> Answer {
    let format = ask.accepted.object;
    let body = encode::instance(format, v1, held.listed(http.clock.epoch()));
    let json = format == Format::Json;
    http.metrics
        .http
        .fetched(FetchKind::Instance, json, false, body.len());
    Answer::body(format, body)
}

/// `POST apps/{app}`: 204, whichever copy the registry kept (wire.md §3.3).
pub(super) async fn register(
    http: &Http,
    ask: &Ask,
    app: &str,
    request: &HttpRequest,
    payload: Payload,
) -> Result<Answer, ApiError> {
    let limits = &http.config.limits.content;
    let body = body::read(request.headers(), payload, http.body_limits()).await?;
    let draft = match body.format {
        Format::Json => json::registration(&body.text, limits),
        Format::Xml => xml::registration(&body.text, limits),
    };
    let draft = draft.map_err(|error| body.unreadable(error))?;
    let info = draft.settle(app, http.clock.now().wall)?;
    content::check(&info, limits).map_err(ApiError::TooMuch)?;
    let by = by(http, request, Who::of(ask.origin));
    let register = Register { info, by };
    let registered = http.registry.ask(register).await?;
    registered.map_err(ApiError::Full)?;
    Ok(Answer::empty(204, ask.accepted.object))
}

/// A client's heartbeat that can be answered without asking the registry. The `status` it carries is not
/// looked at (wire.md §3.6).
pub(super) fn renew_in_step(
    http: &Http,
    ask: &Ask,
    query: Query<'_>,
    app: &str,
    id: &str,
) -> Option<Answer> {
    let beat = Beat {
        extra: &Extra::NONE,
        app,
        id,
        last_dirty: query.last_dirty().ok()?,
        override_status: None,
        origin: Origin::Client,
    };
    if id.contains('+') {
        // Perhaps the plus is a blank (foreign-clients.md P6).
        return None;
    }
    let now = http.clock.now();
    http.published.heard(now.mono);
    let renewal = http.published.renew(beat, now)?;
    Some(answer_to_client(ask, &renewal))
}

fn answer_to_client(ask: &Ask, renewal: &Renewal) -> Answer {
    match renewal {
        Renewal::Unknown | Renewal::Newer => Answer::empty(404, ask.accepted.object),
        Renewal::InStep | Renewal::Older(_) => done(ask),
    }
}

/// `PUT apps/{app}/{id}`: any heartbeat.
pub(super) async fn renew(
    http: &Http,
    ask: &Ask,
    v1: bool,
    query: Query<'_>,
    (app, id): (&str, &str),
) -> Result<Answer, ApiError> {
    let override_status = match ask.origin {
        Origin::Peer => query.status("overriddenstatus")?,
        Origin::Client => None,
    };
    let last_dirty = query.last_dirty()?;
    let key = http.key(app, id);
    let beat = Beat {
        extra: &Extra::NONE,
        app: &key.app,
        id: &key.id,
        last_dirty,
        override_status,
        origin: ask.origin,
    };
    let renewal = match http.published.renew(beat, http.clock.now()) {
        Some(renewal) => renewal,
        None => {
            let origin = ask.origin;
            let renew = Renew {
                extra: Extra::NONE,
                key,
                last_dirty,
                override_status,
                origin,
            };
            http.registry.ask(renew).await?
        }
    };
    match renewal {
        Renewal::Older(held) if ask.origin == Origin::Peer => Ok(Answer {
            status: 409,
            ..show(http, ask, v1, &held)
        }),
        renewal => Ok(answer_to_client(ask, &renewal)),
    }
}

/// `DELETE apps/{app}/{id}`.
pub(super) async fn cancel(
    http: &Http,
    ask: &Ask,
    (app, id): (&str, &str),
    by: By,
) -> Result<Answer, ApiError> {
    let cancel = Cancel {
        key: http.key(app, id),
        by,
    };
    http.registry.ask(cancel).await??;
    Ok(done(ask))
}

/// `PUT apps/{app}/{id}/status?value=`.
pub(super) async fn set_status(
    http: &Http,
    ask: &Ask,
    query: Query<'_>,
    (app, id): (&str, &str),
    by: By,
) -> Result<Answer, ApiError> {
    let key = http.key(app, id);
    // An unknown instance is answered 404 whatever else is wrong (wire.md §3.8).
    if http.published.index.get(&key).is_none() {
        return Err(ApiError::NotFound);
    }
    let order = SetStatus {
        key,
        status: query.value()?,
        last_dirty: query.last_dirty()?,
        by: by.clone(),
    };
    http.registry.ask(order.clone()).await??;
    note(ask, "override", &order.key, Some(order.status), &by);
    Ok(done(ask))
}

/// `DELETE apps/{app}/{id}/status[?value=]`.
pub(super) async fn clear_status(
    http: &Http,
    ask: &Ask,
    query: Query<'_>,
    (app, id): (&str, &str),
    by: By,
) -> Result<Answer, ApiError> {
    let key = http.key(app, id);
    if http.published.index.get(&key).is_none() {
        return Err(ApiError::NotFound);
    }
    let status: Option<InstanceStatus> = query.status("value")?;
    let order = ClearStatus {
        key,
        status,
        last_dirty: query.last_dirty()?,
        by: by.clone(),
    };
    http.registry.ask(order.clone()).await??;
    note(ask, "end override", &order.key, status, &by);
    Ok(done(ask))
}

/// `PUT apps/{app}/{id}/metadata?k=v`; always a client's, as in the reference (wire.md §2.5).
pub(super) async fn update_metadata(
    http: &Http,
    ask: &Ask,
    query: Query<'_>,
    (app, id): (&str, &str),
    by: By,
) -> Result<Answer, ApiError> {
    let update = UpdateMetadata {
        key: http.key(app, id),
        pairs: query.pairs(http.config.limits.content.metadata.keys)?,
        by: By {
            who: Who::Client,
            ..by
        },
    };
    http.registry.ask(update).await??;
    Ok(done(ask))
}

/// Whoever orders a status acts as an operator, unless it is a peer that passes it on.
fn note(
    ask: &Ask,
    action: &'static str,
    key: &InstanceKey,
    status: Option<InstanceStatus>,
    by: &By,
) {
    if ask.origin == Origin::Client {
        audit::note(action, key, status, by);
    }
}

fn done(ask: &Ask) -> Answer {
    Answer::empty(200, ask.accepted.object)
}
