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
use actix_web::http::header::{AUTHORIZATION, HeaderValue};

use super::credentials::{Credentials, is_bearer};
use super::guesses::Guesses;
use super::known::{Hashed, Holder, Known, Knows};
use super::marks::{Mark, Marker, Remembered};
use super::needs::{Need, Needs};
use super::passwords::{Comparisons, TooManyWait};
use crate::clock::{Clock, Millis, Moment};
use crate::config::Config;
use crate::http::ask::origin;
use crate::http::error::ApiError;
use crate::http::labels::{Label, NO_ROUTE};
use crate::metrics::{AccessMetrics, AuthFailure};
use crate::model::{Role, Secret};

/// What a client is asked for.
const BASIC: &str = "Basic realm=\"heureka\", charset=\"UTF-8\"";
/// What is said of a token.
const BEARER: &str = "Bearer realm=\"heureka\", error=\"invalid_token\"";
/// How often the log says at most that requests are not let through, in milliseconds.
const SAY_EVERY: Millis = 10_000;
/// Right credentials that are remembered.
const RIGHT: usize = 16_384;
/// Wrong ones: clients that were set up wrongly come again and again.
const WRONG: usize = 4_096;

/// Who decides.
pub struct Guard {
    needs: Needs,
    known: Known,
    /// Whoever comes without credentials, if they may do anything.
    nobody: Option<Holder>,
    marker: Marker,
    right: Remembered<Holder>,
    wrong: Remembered<()>,
    guesses: Guesses,
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

/// Whose credentials they are.
enum Whose {
    Nobodys,
    Holder(Arc<Holder>),
    Unsure(Unsure),
}

impl Guard {
    /// The guard that the settings ask for; none if they know nobody.
    pub fn new(config: &Config, metrics: AccessMetrics) -> Option<Self> {
        let security = &config.security;
        let marker = Marker::new();
        security.is_on().then(|| Self {
            needs: Needs::new(config),
            known: Known::new(security, &marker),
            nobody: security.anonymous_read.then(Holder::nobody),
            marker,
            right: Remembered::new(RIGHT),
            wrong: Remembered::new(WRONG),
            guesses: Guesses::new(),
            comparisons: Comparisons::new(),
            said: AtomicU64::default(),
            metrics,
        })
    }

    /// Looks at the head of a request.
    pub(in crate::http) fn look(&self, request: &Request, now: Moment) -> Verdict {
        let head = request.head();
        let (method, path) = (request.method().as_str(), request.path());
        let (need, route) = self.needs.of(method, path, origin(head.headers()));
        if need == Need::Nothing {
            return Verdict::Passes;
        }
        let header = head.headers().get(AUTHORIZATION);
        let from = head.peer_addr.map(|address| address.ip());
        let (why, who) = match self.whose(header, from, now) {
            Ok(Whose::Unsure(unsure)) => return Verdict::Unsure(unsure),
            Ok(Whose::Holder(holder)) => match allows(&holder, &need, now) {
                Ok(()) => return Verdict::Passes,
                Err(why) => (why, Some(holder)),
            },
            Ok(Whose::Nobodys) => match &self.nobody {
                Some(nobody) if allows(nobody, &need, now).is_ok() => return Verdict::Passes,
                _ => (AuthFailure::Missing, None),
            },
            Err(why) => (why, None),
        };
        self.say(why, who.as_deref(), from, now);
        let wait = self.guesses.wait(from, now.mono);
        Verdict::Refused(self.refused(why, header, route, wait))
    }

    /// Says that requests are not let through; not for each, and not for those that bring nothing, as browsers do
    /// at first.
    fn say(&self, why: AuthFailure, who: Option<&Holder>, from: Option<IpAddr>, now: Moment) {
        let last = self.said.load(Ordering::Relaxed);
        let is_due = last == 0 || now.mono.saturating_sub(last) >= SAY_EVERY;
        if why == AuthFailure::Missing || !is_due {
            return;
        }
        self.said.store(now.mono.max(1), Ordering::Relaxed);
        let from = from.map(|from| from.to_canonical().to_string());
        let (from, who) = (
            from.unwrap_or_default(),
            who.map(|holder| holder.name.as_str()),
        );
        let reason = why.as_str();
        tracing::warn!(reason, from, who, "requests are not let through");
    }

    /// Compares what is unsure with its hash, and looks at the request again.
    pub(in crate::http) async fn find_out(
        &self,
        unsure: Unsure,
        request: &Request,
        clock: &Clock,
    ) -> Result<(), Refused> {
        let is_known =
            || self.right.get(&unsure.mark).is_some() || self.wrong.get(&unsure.mark).is_some();
        let password = unsure.hashed.password.clone();
        let compared = self.comparisons.compare(password, unsure.given, is_known);
        match compared.await {
            Ok(Some(true)) if unsure.is_theirs => {
                self.right.insert(unsure.mark, unsure.hashed.holder.clone());
            }
            Ok(Some(_)) => self.was_wrong(unsure.mark, unsure.from, clock.now()),
            Ok(None) | Err(TooManyWait) => {}
        }
        match self.look(request, clock.now()) {
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

    /// Whose credentials a request has.
    fn whose(
        &self,
        header: Option<&HeaderValue>,
        from: Option<IpAddr>,
        now: Moment,
    ) -> Result<Whose, AuthFailure> {
        let Some(header) = header else {
            return Ok(Whose::Nobodys);
        };
        let mark = self.marker.mark(header.as_bytes());
        if let Some(holder) = self.right.get(&mark) {
            return Ok(Whose::Holder(holder));
        }
        if self.wrong.get(&mark).is_some() {
            return Err(AuthFailure::Wrong);
        }
        if self.guesses.wait(from, now.mono).is_some() {
            return Err(AuthFailure::Slowed);
        }
        let Some(credentials) = Credentials::of(header) else {
            return Err(AuthFailure::Malformed);
        };
        match self.known.find(&credentials, &self.marker) {
            Knows::Holder(holder) => {
                self.right.insert(mark, holder.clone());
                Ok(Whose::Holder(holder))
            }
            Knows::Nobody => {
                self.was_wrong(mark, from, now);
                Err(AuthFailure::Wrong)
            }
            Knows::Perhaps(hashed, is_theirs) => Ok(Whose::Unsure(Unsure {
                mark,
                hashed,
                is_theirs,
                given: credentials.into_password(),
                from,
            })),
        }
    }

    fn was_wrong(&self, mark: Mark, from: Option<IpAddr>, now: Moment) {
        self.guesses.was_wrong(from, now.mono);
        self.wrong.insert(mark, Arc::new(()));
    }
}

/// Whether somebody has what is needed.
fn allows(holder: &Holder, need: &Need<'_>, now: Moment) -> Result<(), AuthFailure> {
    if holder.expires.is_some_and(|end| end <= now.wall) {
        return Err(AuthFailure::Expired);
    }
    let role = match need {
        Need::Nothing => return Ok(()),
        Need::Role(role) => *role,
        Need::Register(_) => Role::Register,
    };
    if holder.grant.role < role {
        return Err(AuthFailure::Forbidden);
    }
    match need {
        Need::Register(app) if !holder.grant.covers(app) => Err(AuthFailure::OtherApplication),
        _ => Ok(()),
    }
}
