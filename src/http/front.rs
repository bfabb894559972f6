//! In front of actix-web's router: heads that are too long, streams that are too many, what is turned away
//! because the worker is late (`limit.rs`), who may (`guard/`), and heartbeats of clients that change nothing visible
//! (`beat.rs`), which are nearly all of a registry's requests. What of Eureka's a path addresses is found once for all of
//! them.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{Request, Response};
use actix_service::{Service, ServiceFactory};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{AppConfig, ServiceResponse};
use actix_web::http::Method;
use actix_web::web::Data;
use futures_util::future::{Either, MapOk, Ready, TryFutureExt, ready};
use tokio::time::Instant;

use super::ask::{Ask, origin};
use super::beat::{beat, is_bare};
use super::error::ApiError;
use super::guard::{Guard, Refused, Unsure, Verdict, is_cross_site};
use super::labels::NO_ROUTE;
use super::limit::{self, Lag, is_late};
use super::route::{self, Route};
use super::state::Http;
use super::streams::Stream;
use crate::metrics::{AuthFailure, ShedClass, ShedReason};
use crate::model::TooMuch;

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

    fn call(&self, mut request: Request) -> Self::Future {
        let (worker, now) = (&self.0, Instant::now());
        let is_bare = is_bare(&mut request);
        let route = route_of(&worker.http, &request);
        if let Some(refused) = worker.turned_away(&request, route.as_ref(), now) {
            return Either::Left(ready(Ok(refused)));
        }
        if let Some(guard) = &*worker.http.live.guard.load() {
            match guard.look(&request, route.as_ref(), worker.http.clock.now()) {
                Verdict::Passes => {}
                Verdict::Refused(refused) => {
                    let refused = worker.not_let_through(refused, &request, now);
                    return Either::Left(ready(Ok(refused)));
                }
                Verdict::Unsure(unsure) => {
                    let later = worker.clone().find_out(guard.clone(), unsure, request, now);
                    return Either::Right(Either::Right(Box::pin(later)));
                }
            }
        }
        match route.and_then(|route| beat(&worker.http, &request, is_bare, &route, now)) {
            Some(response) => Either::Left(ready(Ok(response))),
            None => worker.answer(request),
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
    fn turned_away(
        &self,
        request: &Request,
        route: Option<&Route<'_>>,
        now: Instant,
    ) -> Option<Response<BoxBody>> {
        if let Err(too_much) = fits(&self.http, request) {
            let error = ApiError::HeadTooLong(too_much);
            return Some(refusal(&self.http, request, error));
        }
        if let Some(refused) = self.too_often(request, route, now) {
            return Some(refused);
        }
        let lag = self.lag.at(now);
        match is_late(self.http.config.overload.shed_lag, lag) {
            true => self.shed(request, route, lag, now),
            false => None,
        }
    }

    /// The answer to a request whose credentials take a while.
    async fn find_out(
        self: Rc<Self>,
        guard: Arc<Guard>,
        unsure: Unsure,
        mut request: Request,
        now: Instant,
    ) -> Answer<S::Error> {
        let is_bare = is_bare(&mut request);
        let route = route_of(&self.http, &request);
        let found = guard.find_out(unsure, &request, route.as_ref(), &self.http.clock);
        if let Err(refused) = found.await {
            return Ok(self.not_let_through(refused, &request, now));
        }
        match route.and_then(|route| beat(&self.http, &request, is_bare, &route, now)) {
            Some(response) => Ok(response),
            None => self.answer(request).await,
        }
    }

    /// The answer to a request that may be answered and is not a heartbeat alone.
    fn answer(&self, request: Request) -> Answering<S::Future, B, S::Error> {
        if changes_for_another_site(&request) {
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

/// Whether a page of another site has a browser change something here. Eureka's clients say nothing of sites; nor is it
/// asked of a heartbeat, which is a PUT: for one of those browsers ask beforehand, and nobody here says yes.
fn changes_for_another_site(request: &Request) -> bool {
    let is_read = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    !is_read && is_cross_site(request.head().headers())
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
    fn too_often(
        &self,
        request: &Request,
        route: Option<&Route<'_>>,
        now: Instant,
    ) -> Option<Response<BoxBody>> {
        let http = &self.http;
        let most = http.live.addresses.rate()?;
        let head = request.head();
        let from = head.peer_addr.map(|address| address.ip());
        let origin = origin(head.headers());
        let class = match route {
            Some(route) => limit::class(&route.target, request.method().as_str(), origin),
            None => limit::class_of_others(&http.config.http.context_path, request.path()),
        };
        let wait = http.live.addresses.ask(from, class, most, now)?;
        let error = ApiError::TooOften { most, wait };
        if self.is_due(now) {
            let from = from.map_or(String::new(), |from| from.to_canonical().to_string());
            tracing::warn!(%error, from, "requests are refused");
        }
        Some(counted_refusal(http, request, error))
    }

    /// The answer to a request that may not wait as long as it would have to.
    fn shed(
        &self,
        request: &Request,
        route: Option<&Route<'_>>,
        lag: Duration,
        now: Instant,
    ) -> Option<Response<BoxBody>> {
        let (http, route) = (&self.http, route?);
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

/// What of Eureka's a request addresses.
fn route_of<'r>(http: &Http, request: &'r Request) -> Option<Route<'r>> {
    route::find(&http.config.http.context_path, request.path()).ok()
}
