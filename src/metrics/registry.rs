//! Handles of the registry actor.

use ::metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

use super::{
    APPLICATIONS, CANCELLATIONS, CLOCKS_SET_BACK, EVICTIONS, LEASE_AGE, LEASES, LEASES_HELD,
    LEASES_LENGTHENED, LEASES_SILENT, METADATA_UPDATES, REGISTRATIONS, RENEWALS,
    REPLICATION_RECEIVED, REVISION, STATUS_CHANGES, TOMBSTONES,
};
use super::{InstanceGauges, RenewalResult, Renewals};
use crate::model::{Action, Origin};

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
    pub(super) fn new() -> Self {
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
            instances: InstanceGauges::default(),
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
