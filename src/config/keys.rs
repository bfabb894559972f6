//! The canonical spelling of every key this version knows. docs/configuration.md explains them.
//!
//! A key that ends in `.<…>` is a map: what stands there is data.

mod fetch_limit;
mod idle;
mod instance;
mod peers;
mod security;
mod tls;

pub use fetch_limit::*;
pub use instance::*;
pub use peers::*;
pub use security::*;
pub use tls::*;

pub(super) use idle::{IDLE, SILENT};

use super::relaxed::{Name, Pattern};

/// Where files of settings are.
pub const CONFIG_LOCATION: &str = "spring.config.location";
/// More such places, which count more.
pub const CONFIG_MORE: &str = "spring.config.additional-location";
/// How such files are called; default `application`.
pub const CONFIG_NAME: &str = "spring.config.name";
/// Files that one brings in.
pub const CONFIG_IMPORT: &str = "spring.config.import";
/// Profiles under which a document counts.
pub const ON_PROFILE: &str = "spring.config.activate.on-profile";
/// Platforms on which a document counts.
pub const ON_PLATFORM: &str = "spring.config.activate.on-cloud-platform";
/// The platform, if the environment does not tell.
pub const PLATFORM: &str = "spring.main.cloud-platform";
/// What one wrote for [`ON_PROFILE`] before.
pub const OLD_ON_PROFILE: &str = "spring.profiles";
/// Profiles that are active.
pub const ACTIVE: &str = "spring.profiles.active";
/// More of them.
pub const INCLUDE: &str = "spring.profiles.include";
/// Those that are active where no others are.
pub const DEFAULT_PROFILES: &str = "spring.profiles.default";
/// Profiles that come with one.
pub const PROFILE_GROUP: &str = "spring.profiles.group.<name>";
/// Settings as a JSON text.
pub const JSON: &str = "spring.application.json";

/// See [`super::HttpConfig::port`].
pub const PORT: &str = "server.port";
/// See [`super::HttpConfig::address`].
pub const ADDRESS: &str = "server.address";
/// See [`super::HttpConfig::context_path`].
pub const CONTEXT_PATH: &str = "server.servlet.context-path";
/// See [`super::HttpConfig::grace`].
pub const SHUTDOWN: &str = "server.shutdown";
/// See [`super::HttpConfig::grace`].
pub const SHUTDOWN_TIME: &str = "spring.lifecycle.timeout-per-shutdown-phase";
/// See [`super::HttpConfig::instance_gauges`].
pub const INSTANCE_GAUGES: &str = "eureka.server.metrics.enabled";
/// See [`super::LimitsConfig::head`].
pub const SPRING_MAX_HEAD: &str = "server.max-http-request-header-size";
/// How much of a part of the program is logged.
pub const LOG_LEVEL: &str = "logging.level.<name>";
/// Whether the log is JSON lines.
pub const LOG_FORMAT: &str = "logging.structured.format.console";
/// How Netflix' file of the server is called; default `eureka-server`.
pub const NETFLIX_SERVER: &str = "eureka.server.props";
/// How Netflix' file of the client is called; default `eureka-client`.
pub const NETFLIX_CLIENT: &str = "eureka.client.props";
/// See [`super::HttpConfig::max_body`].
pub const MAX_BODY: &str = "eureka.server.max-body-bytes";
/// See [`super::HttpConfig::max_batch`].
pub const MAX_BATCH: &str = "eureka.server.max-batch-bytes";
/// See [`super::HttpConfig::max_unpacked`].
pub const MAX_UNPACKED: &str = "eureka.server.max-unpacked-bytes";
/// See [`super::OverloadConfig::shed_lag`].
pub const SHED_LAG: &str = "eureka.server.shed-lag-in-ms";
/// See [`super::OverloadConfig::max_in_flight`].
pub const MAX_IN_FLIGHT: &str = "eureka.server.max-bytes-in-flight";

/// See [`super::LimitsConfig::head`].
pub const MAX_HEAD: &str = "eureka.server.max-head-bytes";
/// See [`crate::model::ContentLimits::name`].
pub const MAX_NAME: &str = "eureka.server.max-name-bytes";
/// See [`crate::model::ContentLimits::text`].
pub const MAX_TEXT: &str = "eureka.server.max-text-bytes";
/// See [`crate::model::MetadataLimits::bytes`].
pub const MAX_METADATA: &str = "eureka.server.max-metadata-bytes";
/// See [`crate::model::MetadataLimits::keys`].
pub const MAX_METADATA_KEYS: &str = "eureka.server.max-metadata-keys";
/// See [`crate::model::ContentLimits::nesting`].
pub const MAX_NESTING: &str = "eureka.server.max-nesting";
/// See [`crate::model::ContentLimits::members`].
pub const MAX_MEMBERS: &str = "eureka.server.max-members";
/// See [`crate::model::RegistryLimits::applications`].
pub const MAX_APPLICATIONS: &str = "eureka.server.max-applications";
/// See [`crate::model::RegistryLimits::app_instances`].
pub const MAX_APP_INSTANCES: &str = "eureka.server.max-instances-per-application";
/// See [`crate::model::RegistryLimits::instances`].
pub const MAX_INSTANCES: &str = "eureka.server.max-instances";
/// See [`super::LimitsConfig::connections`].
pub const MAX_CONNECTIONS: &str = "eureka.server.max-connections";
/// See [`super::LimitsConfig::streams`].
pub const MAX_STREAMS: &str = "eureka.server.max-streams-per-connection";
/// See [`super::LimitsConfig::address_connections`].
pub const MAX_ADDRESS_CONNECTIONS: &str = "eureka.server.max-connections-per-address";
/// See [`super::LimitsConfig::address_requests`].
pub const MAX_ADDRESS_REQUESTS: &str = "eureka.server.max-requests-per-second-per-address";
/// See [`super::LimitsConfig::head_time`].
pub const HEAD_TIME: &str = "eureka.server.head-time-in-ms";
/// See [`super::LimitsConfig::body_time`].
pub const BODY_TIME: &str = "eureka.server.body-time-in-ms";
/// See [`super::LimitsConfig::answer_time`].
pub const ANSWER_TIME: &str = "eureka.server.answer-time-in-ms";

/// See [`super::Mode`].
pub const MODE: &str = "eureka.server.mode";
/// See [`super::RegistryConfig::accounting`].
pub const LEASE_ACCOUNTING: &str = "eureka.server.lease-accounting";
/// See [`super::RegistryConfig::sync_when_timestamp_differs`].
pub const SYNC_WHEN_TIMESTAMP_DIFFERS: &str = "eureka.server.sync-when-timestamp-differs";
/// See [`super::PreservationConfig::protection`].
pub const SELF_PRESERVATION: &str = "eureka.server.self-preservation";
/// See [`super::PreservationConfig::enabled`].
pub const ENABLE_SELF_PRESERVATION: &str = "eureka.server.enable-self-preservation";
/// See [`super::PreservationConfig::percent`].
pub const RENEWAL_PERCENT: &str = "eureka.server.renewal-percent-threshold";
/// See [`super::PreservationConfig::expected_interval`].
pub const EXPECTED_INTERVAL: &str = "eureka.server.expected-client-renewal-interval-seconds";
/// See [`super::PreservationConfig::threshold_update`].
pub const THRESHOLD_UPDATE: &str = "eureka.server.renewal-threshold-update-interval-ms";
/// See [`super::PreservationConfig::open_count`].
pub const OPEN_COUNT: &str = "eureka.instance.registry.default-open-for-traffic-count";
/// Weaker than [`OPEN_COUNT`], which it was called before.
pub const OLD_OPEN_COUNT: &str = "eureka.server.default-open-for-traffic-count";
/// See [`super::PreservationConfig::first_count`].
pub const FIRST_COUNT: &str = "eureka.instance.registry.expected-number-of-clients-sending-renews";
/// Weaker than [`FIRST_COUNT`], which it was called before.
pub const OLD_FIRST_COUNT: &str = "eureka.server.expected-number-of-renews-per-min";
/// See [`super::PreservationConfig::hold_max`].
pub const HOLD_MAX: &str = "eureka.server.hold-max-in-ms";
/// See [`super::EvictionConfig::sweep`].
pub const EVICTION_INTERVAL: &str = "eureka.server.eviction-interval-timer-in-ms";

/// See [`super::CacheConfig::timed_copy`].
pub const USE_READ_ONLY_CACHE: &str = "eureka.server.use-read-only-response-cache";
/// See [`super::CacheConfig::timed_copy`].
pub const CACHE_UPDATE_INTERVAL: &str = "eureka.server.response-cache-update-interval-ms";
/// See [`super::CacheConfig::expiration`].
pub const CACHE_EXPIRATION: &str = "eureka.server.response-cache-auto-expiration-in-seconds";
/// See [`super::CacheConfig::disable_delta`].
pub const DISABLE_DELTA: &str = "eureka.server.disable-delta";
/// See [`super::CacheConfig::delta_retention`].
pub const DELTA_RETENTION: &str = "eureka.server.retention-time-in-ms-in-delta-queue";
/// See [`super::CacheConfig::delta_timer`].
pub const DELTA_TIMER: &str = "eureka.server.delta-retention-timer-interval-in-ms";

/// See [`super::JournalConfig::size`].
pub const JOURNAL_SIZE: &str = "eureka.server.journal-size";

/// See [`super::PageConfig::enabled`].
pub const DASHBOARD_ENABLED: &str = "eureka.dashboard.enabled";
/// See [`super::PageConfig::path`].
pub const DASHBOARD_PATH: &str = "eureka.dashboard.path";
/// See [`super::PageConfig::environment`].
pub const ENVIRONMENT: &str = "eureka.environment";
/// See [`super::PageConfig::datacenter`].
pub const DATACENTER: &str = "eureka.datacenter";

/// Those of the server alone.
const SERVER: &[&str] = &[
    CONFIG_LOCATION,
    CONFIG_MORE,
    CONFIG_NAME,
    CONFIG_IMPORT,
    ON_PROFILE,
    ON_PLATFORM,
    PLATFORM,
    OLD_ON_PROFILE,
    ACTIVE,
    INCLUDE,
    DEFAULT_PROFILES,
    PROFILE_GROUP,
    JSON,
    PORT,
    ADDRESS,
    CONTEXT_PATH,
    SHUTDOWN,
    SHUTDOWN_TIME,
    INSTANCE_GAUGES,
    SPRING_MAX_HEAD,
    LOG_LEVEL,
    LOG_FORMAT,
    NETFLIX_SERVER,
    NETFLIX_CLIENT,
    MAX_BODY,
    MAX_BATCH,
    MAX_UNPACKED,
    MAX_HEAD,
    MAX_NAME,
    MAX_TEXT,
    MAX_METADATA,
    MAX_METADATA_KEYS,
    MAX_NESTING,
    MAX_MEMBERS,
    MAX_APPLICATIONS,
    MAX_APP_INSTANCES,
    MAX_INSTANCES,
    MAX_CONNECTIONS,
    MAX_STREAMS,
    MAX_ADDRESS_CONNECTIONS,
    MAX_ADDRESS_REQUESTS,
    HEAD_TIME,
    BODY_TIME,
    ANSWER_TIME,
    SHED_LAG,
    MAX_IN_FLIGHT,
    MODE,
    LEASE_ACCOUNTING,
    SYNC_WHEN_TIMESTAMP_DIFFERS,
    SELF_PRESERVATION,
    ENABLE_SELF_PRESERVATION,
    RENEWAL_PERCENT,
    EXPECTED_INTERVAL,
    THRESHOLD_UPDATE,
    OPEN_COUNT,
    OLD_OPEN_COUNT,
    FIRST_COUNT,
    OLD_FIRST_COUNT,
    HOLD_MAX,
    EVICTION_INTERVAL,
    USE_READ_ONLY_CACHE,
    CACHE_UPDATE_INTERVAL,
    CACHE_EXPIRATION,
    DISABLE_DELTA,
    DELTA_RETENTION,
    DELTA_TIMER,
    JOURNAL_SIZE,
    DASHBOARD_ENABLED,
    DASHBOARD_PATH,
    ENVIRONMENT,
    DATACENTER,
];

/// Those that do something.
pub(super) fn active() -> impl Iterator<Item = &'static str> {
    let others = [
        peers::ALL,
        instance::ALL,
        security::ALL,
        tls::ALL,
        fetch_limit::ALL,
    ]
    .into_iter()
    .flatten()
    .copied();
    SERVER.iter().copied().chain(others)
}

/// Those that may be written.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let idle = IDLE.iter().flat_map(|idle| idle.keys).copied();
    active().chain(idle).chain(SILENT.iter().copied())
}

/// Whether a name in a file is one of these, or an element of a list of one.
pub(super) fn is_known(name: &str) -> bool {
    let name = Name::dotted(name);
    all().any(|key| {
        let key = Pattern::of(key);
        key.data_in(&name).is_some() || key.below_index().data_in(&name).is_some()
    })
}

/// Those whose changes take effect while a node runs, besides all of who may do what and of the limiter of reads.
const LIVE: &[&str] = &[
    SELF_PRESERVATION,
    ENABLE_SELF_PRESERVATION,
    RENEWAL_PERCENT,
    EXPECTED_INTERVAL,
    HOLD_MAX,
    DISABLE_DELTA,
    DELTA_RETENTION,
    SERVICE_URL,
    ZONES,
    REGION,
    PREFER_SAME_ZONE,
    PEER_DNS,
    MY_URL,
    MIN_AVAILABLE,
    LOG_LEVEL,
    SYNC_WHEN_TIMESTAMP_DIFFERS,
    WAIT_WHEN_EMPTY,
    SYNC_RETRIES,
    SYNC_RETRY_WAIT,
    MAX_ADDRESS_CONNECTIONS,
    MAX_ADDRESS_REQUESTS,
];

/// Whether a change of this key takes effect while a node runs.
pub(super) fn is_live(key: &str) -> bool {
    let name = Name::dotted(key);
    let live = LIVE.iter().chain(security::ALL).chain(fetch_limit::ALL);
    live.copied()
        .any(|key| Pattern::of(key).data_in(&name).is_some())
}

/// Whether values of this key are never shown.
pub(super) fn is_secret(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
    let words = [
        "password",
        "secret",
        "token",
        "passphrase",
        "access-id",
        "private-key",
    ];
    words.iter().any(|word| last.contains(word))
}
