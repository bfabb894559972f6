//! In front of actix-web's router: heads that are too long, streams that are too many, what is turned away
//! because the worker is late (`limit.rs`), and heartbeats of clients that change nothing visible.
//!
//! Heartbeats are nearly all of a registry's requests, so they are answered before an application is looked
//! for: the path, the instance, its lease, an empty answer. Whatever is not that, or not answered by that
//! alone, goes on as if nobody had looked. The answers are those of `instances::renew`.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{Payload, Request, Response};
use actix_service::{Service, ServiceFactory};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{AppConfig, ServiceResponse};
use actix_web::http::{Method, StatusCode, header};
use actix_web::web::Data;
use futures_util::future::{Either, MapOk, Ready, TryFutureExt, ready};
use tokio::time::Instant;

use super::ask::{Ask, origin};
use super::error::ApiError;
use super::guard::{Guard, Refused, Unsure, Verdict, is_cross_site};
use super::instances;
use super::labels::NO_ROUTE;
use super::limit::{self, Lag, is_late};
use super::query::Query;
use super::route::{self, Target};
use super::state::Http;
use super::streams::Stream;
use crate::metrics::{AuthFailure, ShedClass, ShedReason};
use crate::model::{Origin, TooMuch};
use crate::wire::Format;

/// Makes the services of a worker.
pub struct Front<F> {
    http: Data<Http>,
    app: F,
    /// For tests: how late workers pretend to be.
    pretended: Option<Duration>,
}

impl<F> Front<F> {
    /// Puts itself in front of `app`.
    pub fn new(http: Data<Http>, app: F) -> Self {
        Self {
            http,
            app,
            pretended: None,
        }
    }

    /// For tests: its workers are always so late.
    pub fn late_by(self, lag: Duration) -> Self {
        Self {
            pretended: Some(lag),
            ..self
        }
    }
}

impl<F, B> ServiceFactory<Request> for Front<F>
where
    F: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<B>>,
    F::Error: 'static,
    F::Future: 'static,
    F::Service: 'static,
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
        let pretended = self.pretended;
        Box::pin(async move {
            let app = app.await?;
            let lag = pretended.map_or_else(Lag::watch, Lag::Pretended);
            let said = Cell::new(None);
            Ok(FrontService(Rc::new(Worker {
                http,
                app,
                lag,
                said,
            })))
        })
    }
}

/// The front on one worker.
pub struct FrontService<S>(Rc<Worker<S>>);

struct Worker<S> {
    http: Data<Http>,
    app: S,
    lag: Lag,
    /// When the log last said that requests are turned away.
    said: Cell<Option<Instant>>,
}

/// How often the log says at most that requests are turned away.
const SAY_EVERY: Duration = Duration::from_secs(10);

type Answering<F, B, E> = Either<Ready<Answer<E>>, Either<Boxed<F, B>, Answered<E>>>;
type Answer<E> = Result<Response<BoxBody>, E>;
type Boxed<F, B> = MapOk<F, fn(ServiceResponse<B>) -> Response<BoxBody>>;
type Answered<E> = Pin<Box<dyn Future<Output = Answer<E>>>>;

impl<S, B> Service<Request> for FrontService<S>
where
    S: Service<Request, Response = ServiceResponse<B>> + 'static,
    S::Error: 'static,
    S::Future: 'static,
    B: MessageBody + 'static,
{
    type Response = Response<BoxBody>;
    type Error = S::Error;
    type Future = Answering<S::Future, B, S::Error>;

    fn poll_ready(
        &self,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), Self::Error>> {
        self.0.app.poll_ready(cx)
    }

    fn call(&self, request: Request) -> Self::Future {
        let (worker, now) = (&self.0, Instant::now());
        if let Some(refused) = worker.turned_away(&request, now) {
            return Either::Left(ready(Ok(refused)));
        }
        let guard = worker.http.live.guard.load();
        let Some(guard) = &*guard else {
            return worker.answer(request, now);
        };
        match guard.look(&request, worker.http.clock.now()) {
            Verdict::Passes => worker.answer(request, now),
            Verdict::Refused(refused) => {
                Either::Left(ready(Ok(worker.not_let_through(refused, &request, now))))
            }
            Verdict::Unsure(unsure) => {
                let later = worker.clone().find_out(guard.clone(), unsure, request, now);
                Either::Right(Either::Right(Box::pin(later)))
            }
        }
    }
}

impl<S, B> Worker<S>
where
    S: Service<Request, Response = ServiceResponse<B>> + 'static,
    S::Future: 'static,
    B: MessageBody + 'static,
{
    /// The answer to a request that nobody looks into: its head is too long, or there is too much to do.
    fn turned_away(&self, request: &Request, now: Instant) -> Option<Response<BoxBody>> {
        if let Err(too_much) = fits(&self.http, request) {
            let error = ApiError::HeadTooLong(too_much);
            return Some(refusal(&self.http, request, error));
        }
        if let Some(refused) = self.too_often(request, now) {
            return Some(refused);
        }
        let lag = self.lag.at(now);
        match is_late(self.http.config.overload.shed_lag, lag) {
            true => self.shed(request, lag, now),
            false => None,
        }
    }

    /// The answer to a request whose credentials take a while.
    async fn find_out(
        self: Rc<Self>,
        guard: Arc<Guard>,
        unsure: Unsure,
        request: Request,
        now: Instant,
    ) -> Answer<S::Error> {
        match guard.find_out(unsure, &request, &self.http.clock).await {
            Ok(()) => self.answer(request, now).await,
            Err(refused) => Ok(self.not_let_through(refused, &request, now)),
        }
    }

    /// The answer to a request that may be answered.
    fn answer(&self, mut request: Request, now: Instant) -> Answering<S::Future, B, S::Error> {
        if let Some(response) = beat(&self.http, &mut request, now) {
            return Either::Left(ready(Ok(response)));
        }
        if self.is_for_another_site(&request) {
            self.http.metrics.access.failed(AuthFailure::CrossSite);
            let error = ApiError::Forbidden;
            return Either::Left(ready(Ok(refusal(&self.http, &request, error))));
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
    tracing::warn!(%error, "request refused");
    counted_refusal(http, request, error)
}

/// The same without a line in the log.
fn counted_refusal(http: &Http, request: &Request, error: ApiError) -> Response<BoxBody> {
    if let Some(reason) = error.reason() {
        http.metrics.http.refused(reason);
    }
    let ask = Ask::of(request.head().headers());
    let answer = error.into_answer(ask.as_ref().ok());
    let method = request.method().as_str();
    http.metrics
        .http
        .answered(NO_ROUTE, method, answer.status, 0.0);
    Response::from(answer.into_response(None))
}

impl<S> Worker<S> {
    /// Whether a page of another site has a browser change something here. Eureka's clients say nothing of sites.
    fn is_for_another_site(&self, request: &Request) -> bool {
        let is_read = matches!(
            *request.method(),
            Method::GET | Method::HEAD | Method::OPTIONS
        );
        !is_read && is_cross_site(request.head().headers())
    }

    /// The answer to a request that the guard refuses.
    fn not_let_through(
        &self,
        refused: Refused,
        request: &Request,
        now: Instant,
    ) -> Response<BoxBody> {
        let ask = Ask::of(request.head().headers());
        let answer = refused.error.into_answer(ask.as_ref().ok());
        let (method, seconds) = (request.method().as_str(), now.elapsed().as_secs_f64());
        let metrics = &self.http.metrics.http;
        metrics.answered(refused.route, method, answer.status, seconds);
        Response::from(answer.into_response(None))
    }

    /// The answer to a request of an address that asks more often than it may.
    fn too_often(&self, request: &Request, now: Instant) -> Option<Response<BoxBody>> {
        let http = &self.http;
        let most = http.live.addresses.rate()?;
        let head = request.head();
        let from = head.peer_addr.map(|address| address.ip());
        let (context, method) = (&http.config.http.context_path, request.method().as_str());
        let class = limit::class_of(context, request.path(), method, origin(head.headers()));
        let wait = http.live.addresses.ask(from, class, most, now)?;
        let error = ApiError::TooOften { most, wait };
        if self.is_due(now) {
            let from = from.map_or(String::new(), |from| from.to_canonical().to_string());
            tracing::warn!(%error, from, "requests are refused");
        }
        Some(counted_refusal(http, request, error))
    }

    /// The answer to a request that may not wait as long as it would have to.
    fn shed(&self, request: &Request, lag: Duration, now: Instant) -> Option<Response<BoxBody>> {
        let http = &self.http;
        let route = route::find(&http.config.http.context_path, request.path()).ok()?;
        let ask = Ask::of(request.head().headers()).ok()?;
        let method = request.method().as_str();
        let class = limit::class(&route.target, method, ask.origin);
        if !limit::sheds(http.config.overload.shed_lag, class, lag) {
            return None;
        }
        http.metrics.http.shed(class, ShedReason::Late);
        let label = route.target.label();
        let seconds = now.elapsed().as_secs_f64();
        http.metrics.http.answered(label, method, 503, seconds);
        self.say(class, lag, now);
        let answer = ApiError::Busy(class).into_answer(Some(&ask));
        Some(Response::from(answer.into_response(None)))
    }

    /// Whether the log may say again that requests are turned away.
    fn is_due(&self, now: Instant) -> bool {
        let said = self.said.get();
        let is_due = said.is_none_or(|said| now.duration_since(said) >= SAY_EVERY);
        if is_due {
            self.said.set(Some(now));
        }
        is_due
    }

    fn say(&self, class: ShedClass, lag: Duration, now: Instant) {
        if self.is_due(now) {
            let lag_ms = lag.as_millis() as u64;
            tracing::warn!(
                lag_ms,
                ?class,
                "too busy: requests are turned away with 503"
            );
        }
    }
}

/// The answer to a client's heartbeat, if that is all it is.
fn beat(http: &Http, request: &mut Request, started: Instant) -> Option<Response<BoxBody>> {
    let bare = matches!(request.payload(), Payload::None) && !request.upgrade();
    if !bare || *request.method() != Method::PUT {
        return None;
    }
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
