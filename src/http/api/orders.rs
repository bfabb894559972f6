//! What operators do to instances: override a status and end that, take an instance or a whole application out.
//!
//! Each needs the role `admin`, names who did it in the journal, and is a line in the audit log.

use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::order_body::{self, Wish, checked_reason};
use super::params::Params;
use super::reply::reply;
use crate::http::audit::note;
use crate::http::body;
use crate::http::by::by;
use crate::http::error::ApiError;
use crate::http::state::Http;
use crate::model::{By, EpochMillis, InstanceKey, InstanceStatus, Owner, Text, Who};
use crate::registry::{Cancel, EndOverride, Override, TakeApp};

/// `POST /api/v1/apps/{app}/instances/{id}/override`.
pub(in crate::http) async fn order(
    request: HttpRequest,
    payload: Payload,
    http: Data<Http>,
    path: Path<(String, String)>,
) -> HttpResponse {
    let started = Instant::now();
    let result = set(&http, &request, payload, key(&path)).await;
    reply(&http, &request, started, result)
}

/// `DELETE /api/v1/apps/{app}/instances/{id}/override`.
pub(in crate::http) async fn end_order(
    request: HttpRequest,
    http: Data<Http>,
    path: Path<(String, String)>,
) -> HttpResponse {
    let started = Instant::now();
    let result = end(&http, &request, key(&path)).await;
    reply(&http, &request, started, result)
}

/// `DELETE /api/v1/apps/{app}/instances/{id}`.
pub(in crate::http) async fn remove(
    request: HttpRequest,
    http: Data<Http>,
    path: Path<(String, String)>,
) -> HttpResponse {
    let started = Instant::now();
    let result = remove_one(&http, &request, key(&path)).await;
    reply(&http, &request, started, result)
}

/// `DELETE /api/v1/apps/{app}`.
pub(in crate::http) async fn remove_app(
    request: HttpRequest,
    http: Data<Http>,
    app: Path<String>,
) -> HttpResponse {
    let started = Instant::now();
    let result = remove_all(&http, &request, &app).await;
    reply(&http, &request, started, result)
}

fn key((app, id): &(String, String)) -> InstanceKey {
    InstanceKey::new(app, id)
}

async fn set(
    http: &Http,
    request: &HttpRequest,
    payload: Payload,
    key: InstanceKey,
) -> Result<Value, ApiError> {
    let body = body::read(request.headers(), payload, http.body_limits()).await?;
    let Wish {
        status,
        reason,
        until,
    } = order_body::read(&body.text, http.clock.now().wall)?;
    let by = operator(http, request, reason);
    override_status(http, key, status, until, by).await?;
    Ok(done(1))
}

/// Overrides a status, for whoever acts by this way or by the page.
pub(in crate::http) async fn override_status(
    http: &Http,
    key: InstanceKey,
    status: InstanceStatus,
    until: Option<EpochMillis>,
    by: By,
) -> Result<(), ApiError> {
    let order = Override {
        key: key.clone(),
        status,
        until,
        owner: owner(&by),
        by: by.clone(),
    };
    http.registry.ask(order).await??;
    note("override", &key, Some(status), &by);
    Ok(())
}

async fn end(http: &Http, request: &HttpRequest, key: InstanceKey) -> Result<Value, ApiError> {
    let by = operator(http, request, asked_reason(request)?);
    end_override(http, key, by).await?;
    Ok(done(1))
}

/// Takes an override back.
pub(in crate::http) async fn end_override(
    http: &Http,
    key: InstanceKey,
    by: By,
) -> Result<(), ApiError> {
    let end = EndOverride {
        key: key.clone(),
        owner: owner(&by),
        by: by.clone(),
    };
    http.registry.ask(end).await??;
    note("end override", &key, None, &by);
    Ok(())
}

async fn remove_one(
    http: &Http,
    request: &HttpRequest,
    key: InstanceKey,
) -> Result<Value, ApiError> {
    let by = operator(http, request, asked_reason(request)?);
    take_out(http, key, by).await?;
    Ok(done(1))
}

/// Takes an instance out.
pub(in crate::http) async fn take_out(
    http: &Http,
    key: InstanceKey,
    by: By,
) -> Result<(), ApiError> {
    let cancel = Cancel {
        key: key.clone(),
        by: by.clone(),
    };
    http.registry.ask(cancel).await??;
    note("remove", &key, None, &by);
    Ok(())
}

async fn remove_all(http: &Http, request: &HttpRequest, app: &str) -> Result<Value, ApiError> {
    let by = operator(http, request, asked_reason(request)?);
    take_out_app(http, app, by).await.map(done)
}

/// Takes all instances of an application out; how many these were.
pub(in crate::http) async fn take_out_app(
    http: &Http,
    app: &str,
    by: By,
) -> Result<usize, ApiError> {
    let app = InstanceKey::new(app, "").app;
    let mut removed = 0;
    for held in http.registry.ask(TakeApp { app }).await? {
        match take_out(http, held.info.key(), by.clone()).await {
            Ok(()) => removed += 1,
            // It left of its own accord meanwhile.
            Err(ApiError::NotFound) => {}
            Err(other) => return Err(other),
        }
    }
    match removed {
        0 => Err(ApiError::NotFound),
        removed => Ok(removed),
    }
}

/// How many instances it concerned.
fn done(instances: usize) -> Value {
    json!({ "instances": instances })
}

fn asked_reason(request: &HttpRequest) -> Result<Option<Text>, ApiError> {
    let reason = Params(request.query_string()).text("reason");
    reason.map(|reason| checked_reason(&reason)).transpose()
}

/// Whoever sent the request, as an operator.
pub(in crate::http) fn operator(http: &Http, request: &HttpRequest, reason: Option<Text>) -> By {
    By {
        reason,
        ..by(http, request, Who::Operator)
    }
}

/// Whose an order is: without access rules nobody has a name.
fn owner(by: &By) -> Owner {
    let anonymous = || Text::from("anonymous");
    Owner {
        name: by.user.clone().unwrap_or_else(anonymous),
        reason: by.reason.clone(),
    }
}
