//! Handles of the HTTP side. A request costs a few atomic additions: every combination of route, method
//! and status has its handles in a table, made when it first occurs.

use std::sync::{Arc, OnceLock};

use ::metrics::{Counter, Gauge, Histogram, counter, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::PrometheusRecorder;

use super::{
    BYTES_IN_FLIGHT, CONNECTIONS, FETCH_BYTES, FETCHES, HTTP_REQUESTS, HTTP_SECONDS, REFUSED, SHED,
};

/// What is read; the label `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the routes")]
pub enum FetchKind {
    Full,
    Delta,
    App,
    Vip,
    Svip,
    Instance,
}

const FETCH_KINDS: [&str; 6] = ["full", "delta", "app", "vip", "svip", "instance"];
const FORMATS: [&str; 2] = ["json", "xml"];
const ENCODINGS: [&str; 2] = ["identity", "gzip"];

/// Why a request was refused; the label `reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The body cannot be understood.
    Malformed,
    /// The body was understood, but something needed is missing or wrong.
    Invalid,
    /// The body is too long.
    TooLong,
    /// The body is of a kind that is not read here.
    MediaType,
    /// A query parameter or a path segment cannot be understood.
    Parameter,
    /// There is more of something in it than a limit allows.
    TooMuch,
    /// There is no room for another instance.
    Full,
    /// The head is too long.
    Head,
    /// The client took too long.
    Slow,
    /// There are too many connections.
    Connections,
    /// No TLS came about.
    Handshake,
    /// One address has too many connections, or asks too often.
    Address,
}

const REFUSALS: [&str; 12] = [
    "malformed",
    "invalid",
    "too_long",
    "media_type",
    "parameter",
    "too_much",
    "full",
    "head",
    "slow",
    "connections",
    "handshake",
    "address",
];

/// What kind of request was turned away, those that go first first; the label `class`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShedClass {
    /// Lists of everything, or of any size.
    Full,
    /// Other reads.
    Delta,
    /// Registrations and all other changes.
    Change,
    /// Heartbeats.
    Renewal,
    /// What peers send.
    Replication,
}

const SHED_CLASSES: [&str; 5] = ["full", "delta", "change", "renewal", "replication"];

/// Why a request was turned away; the label `reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShedReason {
    /// Too many wait for an actor.
    MailboxFull,
    /// The worker is too late.
    Late,
    /// Too many bytes are on their way.
    Bytes,
}

const SHED_REASONS: [&str; 3] = ["mailbox_full", "late", "bytes"];

/// Methods with a label of their own, the last for all others.
const METHODS: [&str; 7] = ["GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "other"];
/// Statuses with a label of their own; others are labelled by their class.
const STATUSES: [u16; 17] = [
    200, 204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 429, 431, 500, 503, 0,
];
/// Routes that can be told apart.
pub const MAX_ROUTES: usize = 40;

/// Handles of the HTTP side.
#[derive(Clone)]
pub struct HttpMetrics {
    fetches: Arc<Vec<(Counter, Counter)>>,
    refused: Arc<[Counter; REFUSALS.len()]>,
    requests: Arc<Requests>,
    shed: Arc<[[Counter; SHED_REASONS.len()]; SHED_CLASSES.len()]>,
    /// Open connections.
    pub connections: Gauge,
    /// Bytes of bodies on their way.
    pub bytes_in_flight: Gauge,
}

struct Requests {
    recorder: Arc<PrometheusRecorder>,
    cells: Vec<OnceLock<(Counter, Histogram)>>,
}

impl HttpMetrics {
    pub(super) fn new(recorder: &Arc<PrometheusRecorder>) -> Self {
        let requests = Requests {
            recorder: recorder.clone(),
            cells: std::iter::repeat_with(OnceLock::new)
                .take(MAX_ROUTES * METHODS.len() * STATUSES.len())
                .collect(),
        };
        with_local_recorder(&**recorder, || Self {
            fetches: Arc::new(fetch_counters()),
            refused: Arc::new(REFUSALS.map(|reason| counter!(REFUSED, "reason" => reason))),
            requests: Arc::new(requests),
            shed: Arc::new(shed_counters()),
            connections: gauge!(CONNECTIONS),
            bytes_in_flight: gauge!(BYTES_IN_FLIGHT),
        })
    }

    /// A list or an instance of `bytes` bytes was read.
    pub fn fetched(&self, kind: FetchKind, json: bool, gzip: bool, bytes: usize) {
        let cell = (kind as usize * 2 + usize::from(!json)) * 2 + usize::from(gzip);
        let (count, size) = &self.fetches[cell];
        count.increment(1);
        size.increment(bytes as u64);
    }

    /// A request was refused.
    pub fn refused(&self, reason: Refusal) {
        self.refused[reason as usize].increment(1);
    }

    /// A request was turned away, because there is too much to do.
    pub fn shed(&self, class: ShedClass, reason: ShedReason) {
        self.shed[class as usize][reason as usize].increment(1);
    }

    /// A request was answered. `route` is a small number with a name.
    pub fn answered(&self, route: (usize, &'static str), method: &str, status: u16, seconds: f64) {
        let method = METHODS
            .iter()
            .position(|m| *m == method)
            .unwrap_or(METHODS.len() - 1);
        let status_cell = STATUSES
            .iter()
            .position(|s| *s == status)
            .unwrap_or(STATUSES.len() - 1);
        let route_cell = route.0.min(MAX_ROUTES - 1);
        let cell = (route_cell * METHODS.len() + method) * STATUSES.len() + status_cell;
        let (count, time) = self.requests.cells[cell].get_or_init(|| {
            let status = match STATUSES[status_cell] {
                0 => format!("{}xx", status / 100),
                status => status.to_string(),
            };
            let labels = [
                ("route", route.1.to_string()),
                ("method", METHODS[method].to_string()),
                ("status", status),
            ];
            with_local_recorder(&*self.requests.recorder, || {
                (
                    counter!(HTTP_REQUESTS, &labels),
                    histogram!(HTTP_SECONDS, &labels),
                )
            })
        });
        count.increment(1);
        time.record(seconds);
    }
}

fn shed_counters() -> [[Counter; SHED_REASONS.len()]; SHED_CLASSES.len()] {
    SHED_CLASSES.map(|class| {
        SHED_REASONS.map(|reason| counter!(SHED, "class" => class, "reason" => reason))
    })
}

fn fetch_counters() -> Vec<(Counter, Counter)> {
    let mut counters = Vec::new();
    for kind in FETCH_KINDS {
        for format in FORMATS {
            for encoding in ENCODINGS {
                let labels = [("kind", kind), ("format", format), ("encoding", encoding)];
                counters.push((counter!(FETCHES, &labels), counter!(FETCH_BYTES, &labels)));
            }
        }
    }
    counters
}
