//! In front of actix-web's router: heads that are too long, streams that are too many, and heartbeats of clients that change nothing
//! visible.
//!
//! Heartbeats are nearly all of a registry's requests, so they are answered before an application is looked
//! for: the path, the instance, its lease, an empty answer. Whatever is not that, or not answered by that
//! alone, goes on as if nobody had looked. The answers are those of `instances::renew`.

use std::pin::Pin;

use actix_http::{Payload, Request, Response};
use actix_service::{Service, ServiceFactory};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{AppConfig, ServiceResponse};
use actix_web::http::{Method, StatusCode, header};
use actix_web::web::Data;
use futures_util::future::{Either, MapOk, Ready, TryFutureExt, ready};
use tokio::time::Instant;

use super::ask::Ask;
use super::error::ApiError;
use super::instances;
use super::query::Query;
use super::route::{self, NO_ROUTE, Target};
use super::state::Http;
use super::streams::Stream;
use crate::model::{Origin, TooMuch};
use crate::wire::Format;

/// Makes the services of a worker.
pub struct Front<F> {
    http: Data<Http>,
    app: F,
}

impl<F> Front<F> {
    /// Puts itself in front of `app`.
    pub fn new(http: Data<Http>, app: F) -> Self {
        Self { http, app }
    }
}

impl<F, B> ServiceFactory<Request> for Front<F>
where
    F: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<B>>,
    F::Future: 'static,
    <F::Service as Service<Request>>::Future: 'static,
    B: MessageBody + 'static,
{
    type Response = Response<BoxBody>;
    type Error = F::Error;
    type Config = AppConfig;
    type Service = FrontService<F::Service>;
    type InitError = F::InitError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Service, F::InitError>>>>;

    fn new_service(&self, config: AppConfig) -> Self::Future {
        let (http, app) = (self.http.clone(), self.app.new_service(config));
        Box::pin(async move {
            let app = app.await?;
            Ok(FrontService { http, app })
        })
    }
}

/// The front on one worker.
pub struct FrontService<S> {
    http: Data<Http>,
    app: S,
}

type Boxed<F, B> = MapOk<F, fn(ServiceResponse<B>) -> Response<BoxBody>>;
type Answered<E> = Pin<Box<dyn Future<Output = Result<Response<BoxBody>, E>>>>;

impl<S, B> Service<Request> for FrontService<S>
where
    S: Service<Request, Response = ServiceResponse<B>>,
    S::Future: 'static,
    B: MessageBody + 'static,
{
    type Response = Response<BoxBody>;
    type Error = S::Error;
    type Future = Either<
        Ready<Result<Response<BoxBody>, S::Error>>,
        Either<Boxed<S::Future, B>, Answered<S::Error>>,
    >;

    fn poll_ready(
        &self,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), Self::Error>> {
        self.app.poll_ready(cx)
    }

    fn call(&self, mut request: Request) -> Self::Future {
        if let Err(too_much) = fits(&self.http, &request) {
            let error = ApiError::HeadTooLong(too_much);
            return Either::Left(ready(Ok(refusal(&self.http, &request, error))));
        }
        if let Some(response) = beat(&self.http, &mut request) {
            return Either::Left(ready(Ok(response)));
        }
        let stream = match Stream::open(&request, self.http.config.limits.streams) {
            Ok(stream) => stream,
            Err(too_much) => {
                let error = ApiError::Streams(too_much);
                return Either::Left(ready(Ok(refusal(&self.http, &request, error))));
            }
        };
        let into_boxed: fn(_) -> _ = |answer| Response::from(answer).map_into_boxed_body();
        let answer = self.app.call(request).map_ok(into_boxed);
        Either::Right(match stream {
            None => Either::Left(answer),
            Some(stream) => {
                Either::Right(Box::pin(async move { Ok(stream.ends_with(answer.await?)) }))
            }
        })
    }
}

/// Whether the head is as short as it has to be.
fn fits(http: &Http, request: &Request) -> Result<(), TooMuch> {
    let uri = request.uri();
    let path = uri.path().len() + uri.query().map_or(0, str::len);
    let headers = request.head().headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len());
    let bytes = path + headers.sum::<usize>();
    http.config.limits.head.allows_bytes("the head", bytes)
}

/// The answer to a request that is refused before anybody asks what it wants.
fn refusal(http: &Http, request: &Request, error: ApiError) -> Response<BoxBody> {
    if let Some(reason) = error.reason() {
        http.metrics.http.refused(reason);
    }
    tracing::warn!(%error, "request refused");
    let ask = Ask::of(request.head().headers());
    let answer = error.into_answer(ask.as_ref().ok());
    let method = request.method().as_str();
    http.metrics
        .http
        .answered(NO_ROUTE, method, answer.status, 0.0);
    Response::from(answer.into_response())
}

/// The answer to a client's heartbeat, if that is all it is.
fn beat(http: &Http, request: &mut Request) -> Option<Response<BoxBody>> {
    let bare = matches!(request.payload(), Payload::None) && !request.upgrade();
    if !bare || *request.method() != Method::PUT {
        return None;
    }
    let started = Instant::now();
    let route = route::find(&http.config.http.context_path, request.path()).ok()?;
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
