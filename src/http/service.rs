//! Eureka's surface: one request from its head to its answer.
//!
//! In this order: what the path means, whether it takes the method, what the caller accepts, then the
//! handler. Every answer is counted under its route.

use actix_web::http::ConnectionType;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use tokio::time::Instant;

use super::answer::Answer;
use super::ask::Ask;
use super::by::by;
use super::error::ApiError;
use super::fetch_limit::Limited;
use super::in_flight::Place;
use super::labels::NO_ROUTE;
use super::limit;
use super::query::Query;
use super::route::{self, NoRoute, Route, Target};
use super::state::Http;
use super::{body, info, instances, lists, replication, rope_body};
use crate::cache::View;
use crate::metrics::{ShedClass, ShedReason};
use crate::model::{By, Origin, Who};
use crate::wire::one_line;

/// Answers one request.
pub(super) async fn serve(
    request: HttpRequest,
    payload: Payload,
    http: Data<Http>,
) -> HttpResponse {
    let started = Instant::now();
    let (label, answer, place) = answer(&http, &request, payload).await;
    let seconds = started.elapsed().as_secs_f64();
    let method = request.method().as_str();
    http.metrics
        .http
        .answered(label, method, answer.status, seconds);
    let mut response = answer.into_response(place);
    if request.head().upgrade() {
        // A connection that offers another protocol is closed after its answer: say so (P10).
        response
            .head_mut()
            .set_connection_type(ConnectionType::Close);
    }
    response
}

/// The answer, under the label of its route, with the place that its body takes on its way.
async fn answer(
    http: &Http,
    request: &HttpRequest,
    payload: Payload,
) -> ((usize, &'static str), Answer, Option<Place>) {
    let ask = Ask::of(request.headers());
    let found = route::find(&http.config.http.context_path, request.uri().path());
    let (label, class, result) = match found {
        Ok(route) => {
            let origin = ask.as_ref().map_or(Origin::Client, |ask| ask.origin);
            let class = limit::class(&route.target, request.method().as_str(), origin);
            let result = dispatch(http, &ask, &route, request, payload).await;
            let result = result.and_then(|answer| {
                let place = http.in_flight.take(rope_body::held(&answer.body));
                Ok((answer, place.ok_or(ApiError::Busy(class))?))
            });
            (route.target.label(), class, result)
        }
        Err(NoRoute::Unknown) => (NO_ROUTE, ShedClass::Full, Err(ApiError::NotFound)),
        Err(NoRoute::NotText) => (NO_ROUTE, ShedClass::Full, Err(ApiError::PathNotText)),
    };
    match result {
        Ok((answer, place)) => (label, answer, Some(place)),
        Err(error) => {
            note(http, label.1, class, &error);
            (label, error.into_answer(ask.as_ref().ok()), None)
        }
    }
}

/// Counts what was refused or turned away.
fn note(http: &Http, route: &str, class: ShedClass, error: &ApiError) {
    if let Some(reason) = error.reason() {
        http.metrics.http.refused(reason);
        let error = one_line(&error.to_string());
        tracing::warn!(route, %error, "request refused");
    }
    match error {
        ApiError::Unavailable(_) => http.metrics.http.shed(class, ShedReason::MailboxFull),
        ApiError::Busy(class) => http.metrics.http.shed(*class, ShedReason::Bytes),
        _ => {}
    }
}

async fn dispatch(
    http: &Http,
    ask: &Result<Ask, ApiError>,
    route: &Route<'_>,
    request: &HttpRequest,
    payload: Payload,
) -> Result<Answer, ApiError> {
    let method = request.method().as_str();
    let allow = route.target.allow();
    if !route.target.takes(method) {
        return Err(ApiError::MethodNotAllowed(allow));
    }
    if method == "OPTIONS" {
        return Ok(Answer::options(allow));
    }
    let ask = ask.as_ref().map_err(Clone::clone)?;
    // Whoever speaks Eureka shows that the network works.
    http.published.heard(http.clock.now().mono);
    if method == "GET" {
        limited(http, &route.target, request)?;
    }
    let by = || by(http, request, Who::of(ask.origin));
    match method {
        "POST" => post(http, ask, &route.target, request, payload).await,
        _ => {
            // Whatever a PUT, DELETE or GET brings along is read and thrown away (P9), unless the connection
            // ends with the answer anyway: what follows an offer of web sockets would have no end.
            if !request.head().upgrade() {
                body::discard(payload, http.body_limits()).await?;
            }
            let query = Query(request.query_string());
            if route.target == Target::Registry {
                return replication::page(http, request.headers(), query).await;
            }
            match method {
                "PUT" => put(http, ask, route, query, by).await,
                "DELETE" => delete(http, ask, &route.target, query, by()).await,
                _ => get(http, ask, route).await,
            }
        }
    }
}

/// Whether Eureka's own limiter lets a read through, where it is set.
fn limited(http: &Http, target: &Target<'_>, request: &HttpRequest) -> Result<(), ApiError> {
    let limit = http.live.fetch_limit.load();
    let Some(limit) = &*limit else {
        return Ok(());
    };
    let name = request.headers().get("DiscoveryIdentity-Name");
    let name = name.and_then(|name| name.to_str().ok());
    let Some(limited) = limit.take(target, name, http.clock.now().mono) else {
        return Ok(());
    };
    let is_full = limited == Limited::Full;
    http.metrics.access.limited(is_full, limit.refuses());
    match limit.refuses() {
        true => Err(ApiError::Limited),
        false => Ok(()),
    }
}

async fn get(http: &Http, ask: &Ask, route: &Route<'_>) -> Result<Answer, ApiError> {
    let v1 = route.v1;
    let list = |view| lists::read(http, ask, v1, view);
    match &route.target {
        Target::Apps => list(View::All).await,
        Target::Delta => list(View::Delta).await,
        Target::App(app) => list(View::App(app.to_uppercase().into())).await,
        Target::Vip(vip) => list(View::Vip((**vip).into())).await,
        Target::Svip(vip) => list(View::Svip((**vip).into())).await,
        Target::Instance(app, id) => instances::get(http, ask, v1, app, id),
        Target::ById(id) => instances::find(http, ask, v1, id).await,
        Target::Status => info::status(http, ask).await,
        Target::StatusOverrides => info::overrides(http, ask).await,
        _ => Err(ApiError::NotFound),
    }
}

async fn post(
    http: &Http,
    ask: &Ask,
    target: &Target<'_>,
    request: &HttpRequest,
    payload: Payload,
) -> Result<Answer, ApiError> {
    let class = limit::class(target, "POST", ask.origin);
    let place = http.in_flight.take(announced(http, target, request));
    let _place = place.ok_or(ApiError::Busy(class))?;
    match target {
        Target::App(app) => instances::register(http, ask, app, request, payload).await,
        Target::Batch => replication::apply(http, request, payload).await,
        _ => Err(ApiError::NotFound),
    }
}

/// How long the body of a POST will be, or may be at most if that is not said.
fn announced(http: &Http, target: &Target<'_>, request: &HttpRequest) -> usize {
    let (limit, _) = match target {
        Target::Batch => http.batch_limits().packed,
        _ => http.body_limits().packed,
    };
    let length = request.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    length.map_or(limit, |length: usize| length.min(limit))
}

async fn put(
    http: &Http,
    ask: &Ask,
    route: &Route<'_>,
    query: Query<'_>,
    by: impl Fn() -> By,
) -> Result<Answer, ApiError> {
    match &route.target {
        Target::Instance(app, id) => instances::renew(http, ask, route.v1, query, (app, id)).await,
        Target::InstanceStatus(app, id) => {
            instances::set_status(http, ask, query, (app, id), by()).await
        }
        Target::InstanceMetadata(app, id) => {
            instances::update_metadata(http, ask, query, (app, id), by()).await
        }
        // Without AWS there is nothing to switch (wire.md §3.11).
        Target::Asg(_) => Err(ApiError::BadRequest),
        _ => Err(ApiError::NotFound),
    }
}

async fn delete(
    http: &Http,
    ask: &Ask,
    target: &Target<'_>,
    query: Query<'_>,
    by: By,
) -> Result<Answer, ApiError> {
    match target {
        Target::Instance(app, id) => instances::cancel(http, ask, (app, id), by).await,
        Target::InstanceStatus(app, id) => {
            instances::clear_status(http, ask, query, (app, id), by).await
        }
        _ => Err(ApiError::NotFound),
    }
}
