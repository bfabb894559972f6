//! The text after `# HELP` and the kind, for every name.

use ::metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

use super::{
    ACCEPTING_READS, APPLICATIONS, AUTH_FAILURES, BUILD_INFO, BYTES_IN_FLIGHT, CANCELLATIONS,
    CLOCKS_SET_BACK, CONNECTIONS, DEFLATE_SECONDS, DELTA_ENTRIES, EVICTIONS, FETCH_BYTES, FETCHES,
    FETCHES_LIMITED, HTTP_REQUESTS, HTTP_SECONDS, LEASE_AGE, LEASES, LEASES_HELD,
    LEASES_LENGTHENED, LEASES_SILENT, MAILBOX_DEPTH, MESSAGE_SECONDS, METADATA_UPDATES,
    PRESERVATION_ACTIVE, PRESERVATION_ENABLED, PUBLISH_SECONDS, REFUSED, REGISTRATIONS, RENEWALS,
    RENEWALS_EXPECTED, RENEWALS_LAST_MINUTE, RENEWALS_THRESHOLD, REPLICATION_RECEIVED, REVISION,
    SHED, STATUS_CHANGES, SYNC_UP_INSTANCES, SYNC_UP_PEERS, SYNC_UP_SECONDS, TOMBSTONES,
};

/// What a metric is.
enum Kind {
    Counter,
    Gauge,
    Seconds,
}

/// The text after `# HELP`, for every name.
const HELP: [(&str, Kind, &str); 41] = [
    (REGISTRATIONS, Kind::Counter, "Registrations accepted"),
    (CANCELLATIONS, Kind::Counter, "Instances deregistered"),
    (
        STATUS_CHANGES,
        Kind::Counter,
        "Overrides set and removed, statuses changed by a heartbeat",
    ),
    (
        METADATA_UPDATES,
        Kind::Counter,
        "Metadata updates carried out",
    ),
    (RENEWALS, Kind::Counter, "Heartbeats by what became of them"),
    (
        EVICTIONS,
        Kind::Counter,
        "Leases removed because they ended",
    ),
    (LEASES, Kind::Gauge, "Instances registered"),
    (
        LEASES_SILENT,
        Kind::Gauge,
        "Leases not renewed for 1.2 of their intervals, at the last sweep",
    ),
    (
        LEASES_HELD,
        Kind::Gauge,
        "Ended leases that self-preservation keeps",
    ),
    (
        APPLICATIONS,
        Kind::Gauge,
        "Applications with at least one instance",
    ),
    (REVISION, Kind::Gauge, "Visible changes since the start"),
    (
        TOMBSTONES,
        Kind::Gauge,
        "Instances cancelled in the last minute, remembered against late registrations",
    ),
    (DELTA_ENTRIES, Kind::Gauge, "Instances in the delta"),
    (
        RENEWALS_LAST_MINUTE,
        Kind::Gauge,
        "Renewals of the last full minute",
    ),
    (RENEWALS_EXPECTED, Kind::Gauge, "Clients expected to renew"),
    (
        RENEWALS_THRESHOLD,
        Kind::Gauge,
        "Renewals that a minute must exceed, as the reference computes it",
    ),
    (
        PRESERVATION_ENABLED,
        Kind::Gauge,
        "1 if self-preservation is switched on",
    ),
    (
        PRESERVATION_ACTIVE,
        Kind::Gauge,
        "1 while ended leases are kept",
    ),
    (LEASE_AGE, Kind::Seconds, "Age of leases when they ended"),
    (
        LEASES_LENGTHENED,
        Kind::Counter,
        "Leases under 2.25 renewal intervals that were lengthened",
    ),
    (
        CLOCKS_SET_BACK,
        Kind::Counter,
        "Registrations whose stamp went back by more than a minute",
    ),
    (ACCEPTING_READS, Kind::Gauge, "1 while lists are served"),
    (
        SYNC_UP_SECONDS,
        Kind::Gauge,
        "Time from the start until lists were served",
    ),
    (
        SYNC_UP_INSTANCES,
        Kind::Counter,
        "Instances copied from peers at the start",
    ),
    (
        SYNC_UP_PEERS,
        Kind::Gauge,
        "Peers at the start by what they were found to be",
    ),
    (FETCHES, Kind::Counter, "Lists and instances read"),
    (FETCH_BYTES, Kind::Counter, "Bytes of the bodies read"),
    (PUBLISH_SECONDS, Kind::Seconds, "Time to write one list"),
    (DEFLATE_SECONDS, Kind::Seconds, "Time to pack one list"),
    (
        REPLICATION_RECEIVED,
        Kind::Counter,
        "Batch items from peers by what became of them",
    ),
    (MAILBOX_DEPTH, Kind::Gauge, "Requests waiting for an actor"),
    (
        MESSAGE_SECONDS,
        Kind::Seconds,
        "Time from a request to an actor until its reply, of one request in sixteen",
    ),
    (HTTP_REQUESTS, Kind::Counter, "Requests answered"),
    (
        HTTP_SECONDS,
        Kind::Seconds,
        "Time from the head of a request to its answer",
    ),
    (REFUSED, Kind::Counter, "Requests refused with a reason"),
    (
        FETCHES_LIMITED,
        Kind::Counter,
        "Reads for which Eureka's own limiter found no room",
    ),
    (
        AUTH_FAILURES,
        Kind::Counter,
        "Requests not let through, by why",
    ),
    (
        SHED,
        Kind::Counter,
        "Requests answered 503 because there was too much to do",
    ),
    (CONNECTIONS, Kind::Gauge, "Open connections"),
    (BYTES_IN_FLIGHT, Kind::Gauge, "Bytes of bodies on their way"),
    (
        BUILD_INFO,
        Kind::Gauge,
        "Always 1; the version is the label",
    ),
];

/// Describes every metric of the node but those of peers.
pub(super) fn describe() {
    for (name, kind, help) in HELP {
        match kind {
            Kind::Counter => describe_counter!(name, help),
            Kind::Gauge => describe_gauge!(name, help),
            Kind::Seconds => describe_histogram!(name, Unit::Seconds, help),
        }
    }
}
