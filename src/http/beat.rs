//! A client's heartbeat, answered by its head in front of the router, before an application is looked for. Whatever is
//! not that, or not answered by that alone, goes on as if nobody had looked. The answers are those of
//! `instances::renew`.

use actix_http::{Payload, Request, Response};
use actix_web::body::BoxBody;
use actix_web::http::{Method, StatusCode, header};
use tokio::time::Instant;

use super::ask::Ask;
use super::instances;
use super::query::Query;
use super::route::{Route, Target};
use super::state::Http;
use crate::model::Origin;
use crate::wire::Format;

/// Whether all of a request is its head.
pub(super) fn is_bare(request: &mut Request) -> bool {
    matches!(request.payload(), Payload::None) && !request.upgrade()
}

/// The answer to a client's heartbeat, if that is all it is.
pub(super) fn beat(
    http: &Http,
    request: &Request,
    is_bare: bool,
    route: &Route<'_>,
    started: Instant,
) -> Option<Response<BoxBody>> {
    if !is_bare || *request.method() != Method::PUT {
        return None;
    }
    let Target::Instance(app, id) = &route.target else {
        return None;
    };
    let ask = Ask::of(request.head().headers()).ok()?;
    if ask.origin == Origin::Peer {
        return None;
    }
    let query = Query(request.uri().query().unwrap_or_default());
    let answer = instances::renew_in_step(http, &ask, query, app, id)?;
    let label = route.target.label();
    let seconds = started.elapsed().as_secs_f64();
    http.metrics
        .http
        .answered(label, "PUT", answer.status, seconds);
    let status = StatusCode::from_u16(answer.status).ok()?;
    Some(empty(status, ask.accepted.object))
}

fn empty(status: StatusCode, format: Format) -> Response<BoxBody> {
    let mut response = Response::with_body(status, BoxBody::new(()));
    let content_type = header::HeaderValue::from_static(format.media_type());
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, content_type);
    response
}
