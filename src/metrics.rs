//! Every metric of the node: name, unit, labels.
//!
//! The handles are made once from the node's own recorder and handed to their owners; the global macros
//! would mix the nodes of a simulation. Names that grow with data are bounded: at most
//! [`MAX_APPLICATIONS`] applications have a series of their own. docs/operations.md lists them all.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use metrics::{
    Counter, Gauge, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram,
    gauge, histogram, with_local_recorder,
};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use metrics_process::Collector;

use crate::model::{Action, InstanceStatus, Origin, Text};

const REGISTRATIONS: &str = "eureka_registrations_total";
const CANCELLATIONS: &str = "eureka_cancellations_total";
const STATUS_CHANGES: &str = "eureka_status_changes_total";
const METADATA_UPDATES: &str = "eureka_metadata_updates_total";
const RENEWALS: &str = "eureka_renewals_total";
const EVICTIONS: &str = "eureka_evictions_total";
const LEASES: &str = "eureka_leases";
const APPLICATIONS: &str = "eureka_applications";
const REVISION: &str = "eureka_registry_revision";
const DELTA_ENTRIES: &str = "eureka_delta_entries";
const LEASE_AGE: &str = "eureka_lease_age_seconds";
const LEASES_LENGTHENED: &str = "eureka_leases_lengthened_total";
const CLOCKS_SET_BACK: &str = "eureka_clocks_set_back_total";
const SERVER_INSTANCES: &str = "eureka_server_instances";
const ACCEPTING_READS: &str = "eureka_accepting_reads";
const FETCHES: &str = "eureka_fetches_total";
const FETCH_BYTES: &str = "eureka_fetch_bytes_total";
const PUBLISH_SECONDS: &str = "eureka_publish_seconds";
const DEFLATE_SECONDS: &str = "eureka_deflate_seconds";
const REPLICATION_RECEIVED: &str = "eureka_replication_received_total";
const MAILBOX_DEPTH: &str = "eureka_actor_mailbox_depth";
const HTTP_REQUESTS: &str = "eureka_http_requests_total";
const HTTP_SECONDS: &str = "eureka_http_request_seconds";
const REFUSED: &str = "eureka_refused_total";
const SHED: &str = "eureka_shed_total";
const CONNECTIONS: &str = "eureka_connections";
const BUILD_INFO: &str = "eureka_build_info";

/// Applications with series of their own in `eureka_server_instances`; the others share `other`.
pub const MAX_APPLICATIONS: usize = 1000;

/// All handles of a node, and its recorder.
#[derive(Clone)]
pub struct Metrics {
    recorder: Arc<PrometheusRecorder>,
    page: PrometheusHandle,
    process: Collector,
    /// Of the registry.
    pub registry: RegistryMetrics,
    /// Of the response cache.
    pub cache: CacheMetrics,
    /// Of the HTTP side.
    pub http: HttpMetrics,
}

impl Metrics {
    /// A recorder of its own with every metric described.
    pub fn new() -> Self {
        let recorder = Arc::new(recorder());
        let page = recorder.handle();
        let process = Collector::default();
        let (registry, cache) = with_local_recorder(&*recorder, || {
            describe();
            process.describe();
            gauge!(BUILD_INFO, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
            (RegistryMetrics::new(&recorder), CacheMetrics::new())
        });
        let http = HttpMetrics::new(&recorder);
        Self {
            recorder,
            page,
            process,
            registry,
            cache,
            http,
        }
    }

    /// The page that Prometheus scrapes, with the figures of the process and of each mailbox.
    pub fn render(&self, mailboxes: &[(&'static str, usize)]) -> String {
        with_local_recorder(&*self.recorder, || {
            self.process.collect();
            for (actor, depth) in mailboxes {
                gauge!(MAILBOX_DEPTH, "actor" => *actor).set(*depth as f64);
            }
        });
        self.page.render()
    }

    /// Folds recorded samples into the histograms; to be called every few seconds, or samples pile up.
    pub fn upkeep(&self) {
        self.page.run_upkeep();
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

/// Buckets from 100 µs to 10 s: an answer, a published list.
const SECONDS: [f64; 12] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.0, 10.0,
];
/// Buckets from a minute to a month: the age of a lease when it ended.
const AGES: [f64; 9] = [
    60.0, 300.0, 1800.0, 3600.0, 21600.0, 86400.0, 259200.0, 604800.0, 2592000.0,
];

fn recorder() -> PrometheusRecorder {
    let age = Matcher::Full(LEASE_AGE.to_string());
    let builder = PrometheusBuilder::new()
        .set_buckets(&SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(age, &AGES));
    // Only empty bucket lists are refused.
    builder.unwrap_or_default().build_recorder()
}

fn describe() {
    describe_counter!(REGISTRATIONS, "Registrations accepted");
    describe_counter!(CANCELLATIONS, "Instances deregistered");
    describe_counter!(
        STATUS_CHANGES,
        "Overrides set and removed, statuses changed by a renewal"
    );
    describe_counter!(METADATA_UPDATES, "Metadata updates carried out");
    describe_counter!(RENEWALS, "Heartbeats by what became of them");
    describe_counter!(EVICTIONS, "Leases removed because they ended");
    describe_gauge!(LEASES, Unit::Count, "Leases held");
    describe_gauge!(
        APPLICATIONS,
        Unit::Count,
        "Applications with at least one instance"
    );
    describe_gauge!(REVISION, Unit::Count, "Visible changes since the start");
    describe_gauge!(DELTA_ENTRIES, Unit::Count, "Instances in the delta");
    describe_histogram!(LEASE_AGE, Unit::Seconds, "Age of leases when they ended");
    describe_counter!(
        LEASES_LENGTHENED,
        "Leases shorter than 2.25 renewal intervals, lengthened"
    );
    describe_counter!(
        CLOCKS_SET_BACK,
        "Registrations whose stamp went back by more than a minute"
    );
    describe_gauge!(
        SERVER_INSTANCES,
        Unit::Count,
        "Instances by application and status"
    );
    describe_gauge!(ACCEPTING_READS, Unit::Count, "1 while lists are served");
    describe_counter!(FETCHES, "Lists and instances read");
    describe_counter!(FETCH_BYTES, Unit::Bytes, "Bytes of the bodies read");
    describe_histogram!(PUBLISH_SECONDS, Unit::Seconds, "Time to write one list");
    describe_histogram!(DEFLATE_SECONDS, Unit::Seconds, "Time to pack one list");
    describe_counter!(
        REPLICATION_RECEIVED,
        "Batch items from peers by what became of them"
    );
    describe_gauge!(MAILBOX_DEPTH, Unit::Count, "Requests waiting for an actor");
    describe_counter!(HTTP_REQUESTS, "Requests answered");
    describe_histogram!(
        HTTP_SECONDS,
        Unit::Seconds,
        "Time from request head to answer head"
    );
    describe_counter!(REFUSED, "Requests refused with a reason");
    describe_counter!(SHED, "Requests answered 503 because too many were waiting");
    describe_gauge!(CONNECTIONS, Unit::Count, "Open connections");
    describe_gauge!(
        BUILD_INFO,
        Unit::Count,
        "Always 1; the version is the label"
    );
}

fn by_origin(name: &'static str) -> [Counter; 2] {
    Origin::ALL.map(|origin| counter!(name, "origin" => origin.as_str()))
}

/// What became of a heartbeat; the label `result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenewalResult {
    /// In step.
    Ok,
    /// Not held, or its status is UNKNOWN.
    Unknown,
    /// The sender has a newer copy.
    Newer,
    /// The sender has an older copy.
    Older,
}

impl RenewalResult {
    const ALL: [(RenewalResult, &'static str); 4] = [
        (Self::Ok, "ok"),
        (Self::Unknown, "unknown"),
        (Self::Newer, "newer"),
        (Self::Older, "older"),
    ];
}

/// Handles of the registry actor.
#[derive(Clone)]
pub struct RegistryMetrics {
    registrations: [Counter; 2],
    cancellations: [Counter; 2],
    status_changes: [Counter; 2],
    metadata_updates: [Counter; 2],
    renewals: [[Counter; 4]; 2],
    evictions: Counter,
    replication: [[Counter; 4]; 5],
    /// Leases held.
    pub leases: Gauge,
    /// Applications that have instances.
    pub applications: Gauge,
    /// The revision.
    pub revision: Gauge,
    /// Seconds from registration to the end.
    pub lease_age: Histogram,
    /// Leases lengthened to 2.25 renewal intervals.
    pub lengthened: Counter,
    /// Clients whose clock was set back.
    pub clocks_set_back: Counter,
    /// Instances by application and status.
    pub instances: InstanceGauges,
}

impl RegistryMetrics {
    fn new(recorder: &Arc<PrometheusRecorder>) -> Self {
        Self {
            registrations: by_origin(REGISTRATIONS),
            cancellations: by_origin(CANCELLATIONS),
            status_changes: by_origin(STATUS_CHANGES),
            metadata_updates: by_origin(METADATA_UPDATES),
            renewals: Origin::ALL.map(|origin| {
                RenewalResult::ALL.map(|(_, result)| {
                    counter!(RENEWALS, "origin" => origin.as_str(), "result" => result)
                })
            }),
            evictions: counter!(EVICTIONS, "reason" => "expired"),
            replication: Action::ALL.map(|action| {
                ["ok", "unknown", "newer", "refused"].map(|result| {
                    let action = action.as_str();
                    counter!(REPLICATION_RECEIVED, "action" => action, "result" => result)
                })
            }),
            leases: gauge!(LEASES),
            applications: gauge!(APPLICATIONS),
            revision: gauge!(REVISION),
            lease_age: histogram!(LEASE_AGE),
            lengthened: counter!(LEASES_LENGTHENED),
            clocks_set_back: counter!(CLOCKS_SET_BACK),
            instances: InstanceGauges::new(recorder.clone()),
        }
    }

    /// A registration was accepted.
    pub fn registered(&self, origin: Origin) {
        self.registrations[origin.index()].increment(1);
    }

    /// An instance was deregistered.
    pub fn cancelled(&self, origin: Origin) {
        self.cancellations[origin.index()].increment(1);
    }

    /// A status or an override changed.
    pub fn status_changed(&self, origin: Origin) {
        self.status_changes[origin.index()].increment(1);
    }

    /// Metadata were updated.
    pub fn metadata_updated(&self, origin: Origin) {
        self.metadata_updates[origin.index()].increment(1);
    }

    /// A heartbeat came.
    pub fn renewed(&self, origin: Origin, result: RenewalResult) {
        self.renewals[origin.index()][result as usize].increment(1);
    }

    /// A lease ended and was removed.
    pub fn evicted(&self) {
        self.evictions.increment(1);
    }

    /// An item of a peer's batch was answered with this status code.
    pub fn replicated(&self, action: Action, status_code: u16) {
        let result = match status_code {
            200 => 0,
            404 => 1,
            409 => 2,
            _ => 3,
        };
        self.replication[action.index()][result].increment(1);
    }
}

/// `eureka_server_instances`, kept up to date change by change.
#[derive(Clone)]
pub struct InstanceGauges {
    recorder: Arc<PrometheusRecorder>,
    by_app: HashMap<Text, [Gauge; 5]>,
    other: Option<[Gauge; 5]>,
}

impl InstanceGauges {
    fn new(recorder: Arc<PrometheusRecorder>) -> Self {
        Self {
            recorder,
            by_app: HashMap::new(),
            other: None,
        }
    }

    /// An instance of `app` came (`from` is `None`), changed its status, or went (`to` is `None`).
    pub fn moved(&mut self, app: &Text, from: Option<InstanceStatus>, to: Option<InstanceStatus>) {
        if from == to {
            return;
        }
        let gauges = self.of(app);
        if let Some(from) = from {
            gauges[from.index()].decrement(1.0);
        }
        if let Some(to) = to {
            gauges[to.index()].increment(1.0);
        }
    }

    fn of(&mut self, app: &Text) -> &[Gauge; 5] {
        let recorder = &self.recorder;
        if self.by_app.len() >= MAX_APPLICATIONS && !self.by_app.contains_key(app) {
            return self
                .other
                .get_or_insert_with(|| status_gauges(recorder, "other"));
        }
        self.by_app
            .entry(app.clone())
            .or_insert_with(|| status_gauges(recorder, app))
    }
}

fn status_gauges(recorder: &Arc<PrometheusRecorder>, app: &str) -> [Gauge; 5] {
    with_local_recorder(&**recorder, || {
        InstanceStatus::ALL.map(|status| {
            let (app, status) = (app.to_string(), status.as_str());
            gauge!(SERVER_INSTANCES, "application" => app, "status" => status)
        })
    })
}

/// Handles of the response cache.
#[derive(Clone)]
pub struct CacheMetrics {
    /// Instances in the delta.
    pub delta_entries: Gauge,
    /// Seconds to write a list.
    pub publish_seconds: Histogram,
    /// Seconds to pack a list.
    pub deflate_seconds: Histogram,
}

impl CacheMetrics {
    fn new() -> Self {
        Self {
            delta_entries: gauge!(DELTA_ENTRIES),
            publish_seconds: histogram!(PUBLISH_SECONDS),
            deflate_seconds: histogram!(DEFLATE_SECONDS),
        }
    }
}

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
}

const REFUSALS: [&str; 5] = [
    "malformed",
    "invalid",
    "too_long",
    "media_type",
    "parameter",
];

/// Methods with a label of their own, the last for all others.
const METHODS: [&str; 7] = ["GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "other"];
/// Statuses with a label of their own; others are labelled by their class.
const STATUSES: [u16; 14] = [
    200, 204, 400, 403, 404, 405, 406, 408, 409, 413, 415, 500, 503, 0,
];
/// Routes that can be told apart.
const MAX_ROUTES: usize = 24;

/// Handles of the HTTP side.
#[derive(Clone)]
pub struct HttpMetrics {
    fetches: Arc<Vec<(Counter, Counter)>>,
    refused: Arc<[Counter; 5]>,
    requests: Arc<Requests>,
    /// Answers 503 because an actor's mailbox was full.
    pub shed: Counter,
    /// Open connections.
    pub connections: Gauge,
    /// 1 while lists are served.
    pub accepting_reads: Gauge,
}

struct Requests {
    recorder: Arc<PrometheusRecorder>,
    cells: Vec<OnceLock<(Counter, Histogram)>>,
}

impl HttpMetrics {
    fn new(recorder: &Arc<PrometheusRecorder>) -> Self {
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
            shed: counter!(SHED, "reason" => "mailbox_full"),
            connections: gauge!(CONNECTIONS),
            accepting_reads: gauge!(ACCEPTING_READS),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrape_shows_names_help_and_labels_of_this_node_alone() {
        let (metrics, other) = (Metrics::new(), Metrics::new());
        metrics.registry.renewed(Origin::Peer, RenewalResult::Newer);
        metrics.http.answered((3, "app"), "GET", 200, 0.001);
        metrics.http.answered((3, "app"), "BREW", 418, 0.001);
        metrics.http.fetched(FetchKind::Delta, false, true, 70);
        metrics.upkeep();
        let page = metrics.render(&[("registry", 2)]);
        for line in [
            "# HELP eureka_renewals_total Heartbeats by what became of them",
            r#"eureka_renewals_total{origin="peer",result="newer"} 1"#,
            r#"eureka_http_requests_total{route="app",method="GET",status="200"} 1"#,
            r#"eureka_http_requests_total{route="app",method="other",status="4xx"} 1"#,
            r#"eureka_fetch_bytes_total{kind="delta",format="xml",encoding="gzip"} 70"#,
            r#"eureka_actor_mailbox_depth{actor="registry"} 2"#,
            r#"eureka_http_request_seconds_bucket{route="app",method="GET",status="200",le="0.001"} 1"#,
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
        assert!(page.contains("process_resident_memory_bytes"));
        let quiet = r#"eureka_renewals_total{origin="peer",result="newer"} 0"#;
        assert!(other.render(&[]).contains(quiet));
    }

    #[test]
    fn applications_beyond_the_limit_share_one_series() {
        let mut metrics = Metrics::new();
        let gauges = &mut metrics.registry.instances;
        for n in 0..MAX_APPLICATIONS + 2 {
            gauges.moved(&format!("APP-{n}").into(), None, Some(InstanceStatus::Up));
        }
        let first: Text = "APP-0".into();
        gauges.moved(&first, Some(InstanceStatus::Up), Some(InstanceStatus::Down));
        let page = metrics.render(&[]);
        for line in [
            r#"eureka_server_instances{application="other",status="UP"} 2"#,
            r#"eureka_server_instances{application="APP-0",status="UP"} 0"#,
            r#"eureka_server_instances{application="APP-0",status="DOWN"} 1"#,
            r#"eureka_server_instances{application="APP-7",status="UP"} 1"#,
        ] {
            assert!(page.contains(line), "{line}");
        }
    }
}
