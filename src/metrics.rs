//! Every metric of the node: name, unit, labels.
//!
//! The handles are made once from the node's own recorder and handed to their owners; the global macros
//! would mix the nodes of a simulation. Names that grow with data are bounded: at most
//! [`MAX_APPLICATIONS`] applications have a series of their own. docs/operations.md lists them all.

mod access;
mod actors;
mod cache;
mod help;
mod http;
mod instances;
mod peers;
mod preservation;
mod registry;
mod renewals;
mod spring;
mod sync_up;

use std::sync::Arc;

use ::metrics::{gauge, with_local_recorder};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use metrics_process::Collector;

pub use access::{AccessMetrics, AuthFailure};
pub use actors::ActorsMetrics;
pub use cache::CacheMetrics;
pub use http::{FetchKind, HttpMetrics, MAX_ROUTES, Refusal, ShedClass, ShedReason};
pub use instances::InstanceGauges;
pub use peers::{PeerMetrics, PeersMetrics};
pub use preservation::PreservationMetrics;
pub use registry::RegistryMetrics;
pub use renewals::{RenewalResult, Renewals};
pub use sync_up::{SourceKind, SyncUpMetrics};

const REGISTRATIONS: &str = "eureka_registrations_total";
const CANCELLATIONS: &str = "eureka_cancellations_total";
const STATUS_CHANGES: &str = "eureka_status_changes_total";
const METADATA_UPDATES: &str = "eureka_metadata_updates_total";
const RENEWALS: &str = "eureka_renewals_total";
const EVICTIONS: &str = "eureka_evictions_total";
const LEASES: &str = "eureka_leases";
const LEASES_SILENT: &str = "eureka_leases_silent";
const LEASES_HELD: &str = "eureka_leases_held";
const APPLICATIONS: &str = "eureka_applications";
const REVISION: &str = "eureka_registry_revision";
const TOMBSTONES: &str = "eureka_tombstones";
const DELTA_ENTRIES: &str = "eureka_delta_entries";
const RENEWALS_LAST_MINUTE: &str = "eureka_renewals_last_minute";
const RENEWALS_EXPECTED: &str = "eureka_renewals_expected";
const RENEWALS_THRESHOLD: &str = "eureka_renewals_threshold";
const PRESERVATION_ENABLED: &str = "eureka_self_preservation_enabled";
const PRESERVATION_ACTIVE: &str = "eureka_self_preservation_active";
const LEASE_AGE: &str = "eureka_lease_age_seconds";
const LEASES_LENGTHENED: &str = "eureka_leases_lengthened_total";
const CLOCKS_SET_BACK: &str = "eureka_clocks_set_back_total";
const SERVER_INSTANCES: &str = "eureka_server_instances";
const ACCEPTING_READS: &str = "eureka_accepting_reads";
const SYNC_UP_SECONDS: &str = "eureka_sync_up_seconds";
const SYNC_UP_INSTANCES: &str = "eureka_sync_up_instances_total";
const SYNC_UP_PEERS: &str = "eureka_sync_up_peers";
const FETCHES: &str = "eureka_fetches_total";
const FETCH_BYTES: &str = "eureka_fetch_bytes_total";
const PUBLISH_SECONDS: &str = "eureka_publish_seconds";
const DEFLATE_SECONDS: &str = "eureka_deflate_seconds";
const REPLICATION_RECEIVED: &str = "eureka_replication_received_total";
const MAILBOX_DEPTH: &str = "eureka_actor_mailbox_depth";
const MESSAGE_SECONDS: &str = "eureka_actor_message_seconds";
const HTTP_REQUESTS: &str = "eureka_http_requests_total";
const HTTP_SECONDS: &str = "eureka_http_request_seconds";
const REFUSED: &str = "eureka_refused_total";
const SHED: &str = "eureka_shed_total";
const FETCHES_LIMITED: &str = "eureka_fetches_limited_total";
const AUTH_FAILURES: &str = "eureka_auth_failures_total";
const BYTES_IN_FLIGHT: &str = "eureka_bytes_in_flight";
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
    /// Of self-preservation.
    pub preservation: PreservationMetrics,
    /// Of the copy taken of peers at the start.
    pub sync_up: SyncUpMetrics,
    /// Of the response cache.
    pub cache: CacheMetrics,
    /// Of replication to peers.
    pub peers: PeersMetrics,
    /// Of the actors.
    pub actors: ActorsMetrics,
    /// Of the HTTP side.
    pub http: HttpMetrics,
    /// Of who is let through.
    pub access: AccessMetrics,
}

impl Metrics {
    /// A recorder of its own with every metric described.
    pub fn new() -> Self {
        let recorder = Arc::new(recorder());
        let page = recorder.handle();
        let process = Collector::default();
        let (registry, preservation, cache, sync_up, access) =
            with_local_recorder(&*recorder, || {
                help::describe();
                peers::describe();
                process.describe();
                gauge!(BUILD_INFO, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
                (
                    RegistryMetrics::new(),
                    PreservationMetrics::new(),
                    CacheMetrics::new(),
                    SyncUpMetrics::new(),
                    AccessMetrics::new(),
                )
            });
        let http = HttpMetrics::new(&recorder);
        let peers = PeersMetrics::new(recorder.clone());
        Self {
            page,
            process,
            registry,
            preservation,
            cache,
            sync_up,
            peers,
            actors: ActorsMetrics::new(recorder.clone()),
            http,
            recorder,
            access,
        }
    }

    /// The page that Prometheus scrapes, with the figures of the process and of each mailbox.
    pub fn render(&self, mailboxes: &[(&'static str, usize)]) -> String {
        self.registry.show_renewals();
        self.actors.show_depths(mailboxes);
        with_local_recorder(&*self.recorder, || self.process.collect());
        let mut page = self.peers.without_gone(self.page.render());
        self.registry.instances.write(&mut page);
        page
    }

    /// The same page with Spring's names for requests and files besides; `uri` gives the template of a route.
    pub fn render_for_spring(
        &self,
        mailboxes: &[(&'static str, usize)],
        uri: impl Fn(&str) -> &'static str,
    ) -> String {
        let mut page = self.render(mailboxes);
        spring::add(&mut page, uri);
        page
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
    let of = |name: &str| Matcher::Full(name.to_string());
    let builder = PrometheusBuilder::new()
        .set_buckets(&SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(of(LEASE_AGE), &AGES))
        .and_then(|builder| builder.set_buckets_for_metric(of(peers::LAG), &peers::LAGS))
        .and_then(|builder| builder.set_buckets_for_metric(of(peers::BATCH_SIZE), &peers::SIZES));
    // Only empty bucket lists are refused.
    builder.unwrap_or_default().build_recorder()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Origin;

    #[test]
    fn a_scrape_shows_names_help_and_labels_of_this_node_alone() {
        let (metrics, other) = (Metrics::new(), Metrics::new());
        metrics
            .registry
            .renewals
            .count(Origin::Peer, RenewalResult::Newer);
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
}
