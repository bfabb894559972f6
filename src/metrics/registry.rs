//! Handles of the registry actor, and the instances by application and status.

use std::collections::HashMap;
use std::sync::Arc;

use ::metrics::{Counter, Gauge, Histogram, counter, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::PrometheusRecorder;

use super::{
    APPLICATIONS, CANCELLATIONS, CLOCKS_SET_BACK, EVICTIONS, LEASE_AGE, LEASES, LEASES_HELD,
    LEASES_LENGTHENED, LEASES_SILENT, MAX_APPLICATIONS, METADATA_UPDATES, REGISTRATIONS, RENEWALS,
    REPLICATION_RECEIVED, REVISION, SERVER_INSTANCES, STATUS_CHANGES, TOMBSTONES,
};
use super::{RenewalResult, Renewals};
use crate::model::{Action, InstanceStatus, Origin, Text};

fn by_origin(name: &'static str) -> [Counter; 2] {
    Origin::ALL.map(|origin| counter!(name, "origin" => origin.as_str()))
}

/// Handles of the registry actor.
#[derive(Clone)]
pub struct RegistryMetrics {
    registrations: [Counter; 2],
    cancellations: [Counter; 2],
    status_changes: [Counter; 2],
    metadata_updates: [Counter; 2],
    /// Heartbeats by what became of them.
    pub renewals: Renewals,
    renewal_counters: [[Counter; 4]; 2],
    evictions: Counter,
    replication: [[Counter; 4]; 5],
    /// Leases held.
    pub leases: Gauge,
    /// Leases that are silent.
    pub silent: Gauge,
    /// Ended leases that are kept.
    pub held: Gauge,
    /// Applications that have instances.
    pub applications: Gauge,
    /// The revision.
    pub revision: Gauge,
    /// Instances cancelled a moment ago.
    pub tombstones: Gauge,
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
    pub(super) fn new(recorder: &Arc<PrometheusRecorder>) -> Self {
        Self {
            registrations: by_origin(REGISTRATIONS),
            cancellations: by_origin(CANCELLATIONS),
            status_changes: by_origin(STATUS_CHANGES),
            metadata_updates: by_origin(METADATA_UPDATES),
            renewals: Renewals::default(),
            renewal_counters: Origin::ALL.map(|origin| {
                RenewalResult::ALL.map(|result| {
                    let (origin, result) = (origin.as_str(), result.as_str());
                    counter!(RENEWALS, "origin" => origin, "result" => result)
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
            silent: gauge!(LEASES_SILENT),
            held: gauge!(LEASES_HELD),
            applications: gauge!(APPLICATIONS),
            revision: gauge!(REVISION),
            tombstones: gauge!(TOMBSTONES),
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

    /// Brings the counters of heartbeats up to date, before they are shown.
    pub(super) fn show_renewals(&self) {
        for origin in Origin::ALL {
            for result in RenewalResult::ALL {
                let counter = &self.renewal_counters[origin.index()][result as usize];
                counter.absolute(self.renewals.of(origin, result));
            }
        }
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
