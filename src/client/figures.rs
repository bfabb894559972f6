//! Figures of a client, for whoever runs the program (client.md §18), by the facade of the crate `metrics`.
//!
//! The handles are made once, when the client starts, from the recorder that is in force then: a program that wants figures
//! installs its recorder before. Nothing is counted when somebody looks an instance up.

use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, counter, describe_counter, describe_gauge};
use metrics::{describe_histogram, gauge, histogram};

use super::operation::Operation;
use crate::model::EpochMillis;

const REQUESTS: &str = "eureka_client_requests_total";
const SECONDS: &str = "eureka_client_request_seconds";
const REREGISTRATIONS: &str = "eureka_client_reregistrations_total";
const MISMATCHES: &str = "eureka_client_hash_mismatches_total";
const REGISTERED: &str = "eureka_client_registered";
const CONFIRMED: &str = "eureka_client_confirmed_timestamp_seconds";
const FETCHED: &str = "eureka_client_fetched_timestamp_seconds";
const INSTANCES: &str = "eureka_client_instances";
const DOUBTED: &str = "eureka_client_doubted_instances";
const SERVERS: &str = "eureka_client_servers";
const AVOIDED: &str = "eureka_client_avoided_servers";

const OUTCOMES: [&str; 3] = ["answered", "refused", "failed"];

/// What came of a try at one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered,
    Refused,
    Failed,
}

/// The handles.
#[derive(Clone)]
pub(crate) struct Figures {
    /// By operation.
    tries: [Tries; Operation::NAMES.len()],
    reregistrations: Counter,
    mismatches: Counter,
    registered: Gauge,
    confirmed: Gauge,
    fetched: Gauge,
    instances: Gauge,
    doubted: Gauge,
    servers: Gauge,
    avoided: Gauge,
}

#[derive(Clone)]
struct Tries {
    by_outcome: [Counter; OUTCOMES.len()],
    seconds: Histogram,
}

impl Figures {
    /// `client` is the label of the same name: the own application, where one is registered.
    pub(crate) fn new(client: &str) -> Self {
        describe();
        let client = client.to_string();
        Self {
            tries: Operation::NAMES.map(|operation| Tries::new(&client, operation)),
            reregistrations: counter!(REREGISTRATIONS, "client" => client.clone()),
            mismatches: counter!(MISMATCHES, "client" => client.clone()),
            registered: gauge!(REGISTERED, "client" => client.clone()),
            confirmed: gauge!(CONFIRMED, "client" => client.clone()),
            fetched: gauge!(FETCHED, "client" => client.clone()),
            instances: gauge!(INSTANCES, "client" => client.clone()),
            doubted: gauge!(DOUBTED, "client" => client.clone()),
            servers: gauge!(SERVERS, "client" => client.clone()),
            avoided: gauge!(AVOIDED, "client" => client),
        }
    }

    pub(crate) fn tried(&self, operation: &Operation, outcome: Outcome, took: Duration) {
        let tries = &self.tries[operation.number()];
        tries.by_outcome[outcome as usize].increment(1);
        tries.seconds.record(took);
    }

    /// A server has the registration, at this time of the wall clock; nothing where it is taken back.
    pub(crate) fn registered(&self, at: Option<EpochMillis>) {
        self.registered.set(if at.is_some() { 1.0 } else { 0.0 });
        if let Some(at) = at {
            self.confirmed.set(seconds(at));
        }
    }

    /// A server did not know the instance.
    pub(crate) fn unknown(&self) {
        self.reregistrations.increment(1);
    }

    /// A server told what instances there are.
    pub(crate) fn fetched(&self, at: EpochMillis, instances: usize, doubted: usize) {
        self.fetched.set(seconds(at));
        self.instances.set(instances as f64);
        self.doubted.set(doubted as f64);
    }

    /// A delta did not add up.
    pub(crate) fn mismatch(&self) {
        self.mismatches.increment(1);
    }

    pub(crate) fn servers(&self, all: usize, avoided: usize) {
        self.servers.set(all as f64);
        self.avoided.set(avoided as f64);
    }
}

impl Tries {
    fn new(client: &str, operation: &'static str) -> Self {
        let labels = |outcome| [("operation", operation), ("outcome", outcome)];
        let of = |outcome| counter!(REQUESTS, with(client, &labels(outcome)));
        Self {
            by_outcome: OUTCOMES.map(of),
            seconds: histogram!(SECONDS, with(client, &[("operation", operation)])),
        }
    }
}

fn with(client: &str, labels: &[(&'static str, &'static str)]) -> Vec<metrics::Label> {
    let client = metrics::Label::new("client", client.to_string());
    let labels = labels.iter();
    let labels = labels.map(|(name, value)| metrics::Label::from_static_parts(name, value));
    std::iter::once(client).chain(labels).collect()
}

fn seconds(at: EpochMillis) -> f64 {
    at as f64 / 1000.0
}

fn describe() {
    describe_counter!(REQUESTS, "Tries at one server, by operation and outcome.");
    describe_histogram!(SECONDS, "Seconds that a try at one server took.");
    describe_counter!(
        REREGISTRATIONS,
        "Heartbeats to a server that did not know the instance."
    );
    describe_counter!(MISMATCHES, "Deltas that did not add up.");
    describe_gauge!(REGISTERED, "1 while a server has the registration.");
    describe_gauge!(CONFIRMED, "When a server last confirmed the registration.");
    describe_gauge!(FETCHED, "When a server last told what instances there are.");
    describe_gauge!(INSTANCES, "Instances in the list.");
    describe_gauge!(
        DOUBTED,
        "Instances kept although the servers suddenly do not list them."
    );
    describe_gauge!(SERVERS, "Servers that are known.");
    describe_gauge!(
        AVOIDED,
        "Servers that failed and are tried last for a while."
    );
}
