//! The guard: one request from its head to its verdict.
//!
//! In this order: what it needs; what it comes with, right or wrong before; whether its address may guess once more;
//! whose credentials they are; whether those may. Wrong credentials are refused also where none are needed to
//! read: a client that sends some believes in them.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_http::Request;
use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderValue};

use super::credentials::{Credentials, is_bearer};
use super::guesses::Guesses;
use super::known::{Hashed, Holder, Known, Knows};
use super::marks::{Mark, Marker, Remembered};
use super::needs::{Need, Needs};
use super::passwords::{Comparisons, TooManyWait};
use crate::clock::{Clock, Millis, Moment};
use crate::config::SecurityConfig;
use crate::http::ask::origin;
use crate::http::error::ApiError;
use crate::http::labels::{Label, NO_ROUTE};
use crate::http::route::Route;
use crate::metrics::{AccessMetrics, AuthFailure};
use crate::model::{Role, Secret, Text};

/// What a client is asked for.
pub(in crate::http) const BASIC: &str = "Basic realm=\"heureka\", charset=\"UTF-8\"";
/// What is said of a token.
const BEARER: &str = "Bearer realm=\"heureka\", error=\"invalid_token\"";
/// How often the log says at most that requests are not let through, in milliseconds.
const SAY_EVERY: Millis = 10_000;
/// Right credentials that are remembered.
const RIGHT: usize = 16_384;
/// Wrong ones: clients that were set up wrongly come again and again.
const WRONG: usize = 4_096;

/// Who decides.
pub(in crate::http) struct Guard {
    /// What it was made from.
    security: SecurityConfig,
    needs: Needs,
    known: Known,
    /// Whoever comes without credentials, if they may do anything.
    nobody: Option<Holder>,
    marker: Marker,
    right: Remembered<Holder>,
    wrong: Remembered<()>,
    guesses: Arc<Guesses>,
    comparisons: Comparisons,
    /// When the log last said that somebody was not let through.
    said: AtomicU64,
    metrics: AccessMetrics,
}

/// What becomes of a request.
pub(in crate::http) enum Verdict {
    /// It may go on.
    Passes,
    /// It may not.
    Refused(Refused),
    /// Its credentials must be compared with a hash first; then it is looked at again.
    Unsure(Unsure),
}

/// A request that may not go on.
pub(in crate::http) struct Refused {
    pub(in crate::http) error: ApiError,
    /// The label of its route.
    pub(in crate::http) route: Label,
}

/// Credentials that are not known to be right or wrong.
pub(in crate::http) struct Unsure {
    mark: Mark,
    hashed: Arc<Hashed>,
    /// Whether it is the hash of the user who is named.
    is_theirs: bool,
    given: Secret,
    from: Option<IpAddr>,
}

/// The names in the certificate that was shown when the connection came about; none without one. Credentials of a
/// request come before it.
pub(in crate::http) struct Shown(pub(in crate::http) Vec<String>);

/// Whose credentials they are.
enum Guess {
    Right(Arc<Holder>),
    Wrong(AuthFailure),
    Unsure(Unsure),
}

/// Why somebody may not, and who, as the settings call them.
struct Denied {
    why: AuthFailure,
    who: Option<String>,
}

impl From<AuthFailure> for Denied {
    fn from(why: AuthFailure) -> Self {
        Self { why, who: None }
    }
}

impl Guard {
    /// The guard that the settings ask for; none if they know nobody. From the one `before` it has who guesses, and
    /// whose credentials were right and still are: whoever was taken out is forgotten with the old one. Else whoever
    /// shares an address with somebody who guesses would be slowed by each change of the settings.
    pub(in crate::http) fn new(
        context: &str,
        security: &SecurityConfig,
        metrics: AccessMetrics,
        before: Option<&Self>,
    ) -> Option<Self> {
        if !security.is_on() {
            return None;
        }
        let marker = before.map_or_else(Marker::new, |before| before.marker.clone());
        let guard = Self {
            needs: Needs::new(context, security.open_metrics),
            known: Known::new(security, &marker),
            nobody: security.anonymous_read.then(Holder::nobody),
            marker,
            right: Remembered::new(RIGHT),
            wrong: Remembered::new(WRONG),
            guesses: before.map_or_else(Arc::default, |before| before.guesses.clone()),
            comparisons: Comparisons::new(),
            said: AtomicU64::default(),
            metrics,
            security: security.clone(),
        };
        if let Some(before) = before {
            before.right.each(|mark, holder| {
                if let Some(holder) = guard.known.still(holder) {
                    guard.right.insert(*mark, holder);
                }
            });
        }
        Some(guard)
    }

    /// Whether this is the guard that the settings ask for, or that they ask for none.
    pub(in crate::http) fn is_for(guard: Option<&Self>, security: &SecurityConfig) -> bool {
        match guard {
            Some(guard) => guard.security == *security,
            None => !security.is_on(),
        }
    }

    /// Whether nobody needs credentials to read.
    pub(in crate::http) fn lets_anybody_read(&self) -> bool {
        self.nobody.is_some()
    }

    /// Looks at the head of a request, whose path was found to address `route`.
    pub(in crate::http) fn look(
        &self,
        request: &Request,
        route: Option<&Route<'_>>,
        now: Moment,
    ) -> Verdict {
        let head = request.head();
        let (method, path) = (request.method().as_str(), request.path());
        let (need, label) = self.needs.of(method, path, route, origin(head.headers()));
        if need == Need::Nothing {
            return Verdict::Passes;
        }
        let header = head.headers().get(AUTHORIZATION);
        let from = head.peer_addr.map(|address| address.ip());
        let decided = match header {
            None => self.without_credentials(request, &need, now),
            Some(header) => {
                let mark = self.marker.mark(header.as_bytes());
                let may = |holder: &Holder| allows(holder, &need, now);
                match self.right.with(&mark, may) {
                    Some(decided) => decided,
                    None => match self.guess(mark, header, from, now) {
                        Guess::Right(holder) => may(&holder),
                        Guess::Wrong(why) => Err(why.into()),
                        Guess::Unsure(unsure) => return Verdict::Unsure(unsure),
                    },
                }
            }
        };
        let Err(denied) = decided else {
            return Verdict::Passes;
        };
        self.say(&denied, from, now);
        let wait = self.guesses.wait(from, now.mono);
        Verdict::Refused(self.refused(denied.why, header, label, wait))
    }

    /// What the settings call the sender of a request that was let through.
    pub(in crate::http) fn who(&self, request: &HttpRequest) -> Option<Text> {
        let name = |holder: &Holder| Text::from(holder.name.as_str());
        match request.headers().get(AUTHORIZATION) {
            Some(header) => self.right.with(&self.marker.mark(header.as_bytes()), name),
            None => {
                let shown = request.conn_data::<Shown>();
                shown
                    .and_then(|Shown(names)| self.known.named(names))
                    .map(name)
            }
        }
    }

    /// Whether the sender of a request that was let through may do everything.
    pub(in crate::http) fn is_admin(&self, request: &HttpRequest, now: Moment) -> bool {
        let may = |holder: &Holder| allows(holder, &Need::Role(Role::Admin), now).is_ok();
        match request.headers().get(AUTHORIZATION) {
            Some(header) => {
                let mark = self.marker.mark(header.as_bytes());
                self.right.with(&mark, may).unwrap_or(false)
            }
            None => {
                let shown = request.conn_data::<Shown>();
                let known = shown.and_then(|Shown(names)| self.known.named(names));
                known.is_some_and(may)
            }
        }
    }

    /// Whether a request may go on that brings no credentials of its own.
    fn without_credentials(
        &self,
        request: &Request,
        need: &Need<'_>,
        now: Moment,
    ) -> Result<(), Denied> {
        let shown = request.conn_data::<Shown>();
        if let Some(holder) = shown.and_then(|Shown(names)| self.known.named(names)) {
            return allows(holder, need, now);
        }
        match &self.nobody {
            Some(nobody) if allows(nobody, need, now).is_ok() => Ok(()),
            _ => Err(AuthFailure::Missing.into()),
        }
    }

    /// Says that requests are not let through; not for each, and not for those that bring nothing, as browsers do
    /// at first.
    fn say(&self, denied: &Denied, from: Option<IpAddr>, now: Moment) {
        let last = self.said.load(Ordering::Relaxed);
        let is_due = last == 0 || now.mono.saturating_sub(last) >= SAY_EVERY;
        if denied.why == AuthFailure::Missing || !is_due {
            return;
        }
        self.said.store(now.mono.max(1), Ordering::Relaxed);
        let from = from.map_or(String::new(), |from| from.to_canonical().to_string());
        let (reason, who) = (denied.why.as_str(), denied.who.as_deref());
        tracing::warn!(reason, from, who, "requests are not let through");
    }

    /// Compares what is unsure with its hash, and looks at the request again.
    pub(in crate::http) async fn find_out(
        &self,
        unsure: Unsure,
        request: &Request,
        route: Option<&Route<'_>>,
        clock: &Clock,
    ) -> Result<(), Refused> {
        let is_known = || self.right.has(&unsure.mark) || self.wrong.has(&unsure.mark);
        let password = unsure.hashed.password.clone();
        let compared = self.comparisons.compare(password, unsure.given, is_known);
        match compared.await {
            Ok(Some(true)) if unsure.is_theirs => {
                self.right.insert(unsure.mark, unsure.hashed.holder.clone());
            }
            Ok(Some(_)) => self.was_wrong(unsure.mark, unsure.from, clock.now()),
            Ok(None) | Err(TooManyWait) => {}
        }
        match self.look(request, route, clock.now()) {
            Verdict::Passes => Ok(()),
            Verdict::Refused(refused) => Err(refused),
            Verdict::Unsure(_) => Err(self.refused(AuthFailure::Busy, None, NO_ROUTE, None)),
        }
    }

    fn refused(
        &self,
        why: AuthFailure,
        header: Option<&HeaderValue>,
        route: Label,
        wait: Option<Duration>,
    ) -> Refused {
        self.metrics.failed(why);
        let error = match why {
            AuthFailure::Forbidden | AuthFailure::OtherApplication => ApiError::Forbidden,
            AuthFailure::Slowed => ApiError::Slowed(wait.unwrap_or_default()),
            AuthFailure::Busy => ApiError::Slowed(Duration::from_secs(1)),
            _ if header.is_some_and(is_bearer) => ApiError::Unauthorized(BEARER),
            _ => ApiError::Unauthorized(BASIC),
        };
        Refused { error, route }
    }

    /// Whose credentials these are, which were not right before.
    fn guess(&self, mark: Mark, header: &HeaderValue, from: Option<IpAddr>, now: Moment) -> Guess {
        if self.wrong.has(&mark) {
            return Guess::Wrong(AuthFailure::Wrong);
        }
        if self.guesses.wait(from, now.mono).is_some() {
            return Guess::Wrong(AuthFailure::Slowed);
        }
        let Some(credentials) = Credentials::of(header) else {
            return Guess::Wrong(AuthFailure::Malformed);
        };
        match self.known.find(&credentials, &self.marker) {
            Knows::Holder(holder) => {
                self.right.insert(mark, holder.clone());
                Guess::Right(holder)
            }
            Knows::Nobody => {
                self.was_wrong(mark, from, now);
                Guess::Wrong(AuthFailure::Wrong)
            }
            Knows::Perhaps(hashed, is_theirs) => Guess::Unsure(Unsure {
                mark,
                hashed,
                is_theirs,
                given: credentials.into_password(),
                from,
            }),
        }
    }

    fn was_wrong(&self, mark: Mark, from: Option<IpAddr>, now: Moment) {
        self.guesses.was_wrong(from, now.mono);
        self.wrong.insert(mark, Arc::new(()));
    }
}

/// Whether somebody has what is needed.
fn allows(holder: &Holder, need: &Need<'_>, now: Moment) -> Result<(), Denied> {
    let (role, app) = match need {
        Need::Nothing => return Ok(()),
        Need::Role(role) => (*role, None),
        Need::Register(app) => (Role::Register, Some(*app)),
    };
    let why = if holder.expires.is_some_and(|end| end <= now.wall) {
        AuthFailure::Expired
    } else if holder.grant.role < role {
        AuthFailure::Forbidden
    } else if app.is_some_and(|app| !holder.grant.covers(app)) {
        AuthFailure::OtherApplication
    } else {
        return Ok(());
    };
    let who = Some(holder.name.clone());
    Err(Denied { why, who })
}
