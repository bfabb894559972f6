//! Keys of peers and replication (config.md §1.2, §3).

/// See [`crate::config::PeersConfig::service_urls`].
pub const SERVICE_URL: &str = "eureka.client.service-url.<zone>";
/// See [`crate::config::PeersConfig::region`].
pub const REGION: &str = "eureka.client.region";
/// See [`crate::config::PeersConfig::zones`].
pub const ZONES: &str = "eureka.client.availability-zones.<region>";
/// See [`crate::config::PeersConfig::prefer_same_zone`].
pub const PREFER_SAME_ZONE: &str = "eureka.client.prefer-same-zone-eureka";
/// See [`crate::config::PeersConfig::dns_lists`].
pub const USE_DNS: &str = "eureka.client.use-dns-for-fetching-service-urls";
/// See [`crate::config::DnsLists::domain`].
pub const DNS_NAME: &str = "eureka.client.eureka-server-d-n-s-name";
/// See [`crate::config::DnsLists::port`].
pub const DNS_PORT: &str = "eureka.client.eureka-server-port";
/// See [`crate::config::DnsLists::context`].
pub const DNS_CONTEXT: &str = "eureka.client.eureka-server-u-r-l-context";
/// See [`crate::config::PeersConfig::dns_hosts`].
pub const PEER_DNS: &str = "eureka.server.peer-dns";
/// See [`crate::config::PeersConfig::my_url`].
pub const MY_URL: &str = "eureka.server.my-url";
/// See [`crate::config::PeersConfig::update_interval`].
pub const PEERS_UPDATE_INTERVAL: &str = "eureka.server.peer-eureka-nodes-update-interval-ms";
/// See [`crate::config::PeersConfig::min_available`].
pub const MIN_AVAILABLE: &str = "eureka.server.min-available-instances-for-peer-replication";
/// See [`crate::config::PeersConfig::connect_timeout`].
pub const CONNECT_TIMEOUT: &str = "eureka.server.peer-node-connect-timeout-ms";
/// See [`crate::config::PeersConfig::read_timeout`].
pub const READ_TIMEOUT: &str = "eureka.server.peer-node-read-timeout-ms";
/// See [`crate::config::PeersConfig::idle_connections`].
pub const TOTAL_CONNECTIONS: &str = "eureka.server.peer-node-total-connections";
/// See [`crate::config::PeersConfig::idle_connections`].
pub const HOST_CONNECTIONS: &str = "eureka.server.peer-node-total-connections-per-host";
/// See [`crate::config::PeersConfig::idle_timeout`].
pub const IDLE_TIMEOUT: &str = "eureka.server.peer-node-connection-idle-timeout-seconds";
/// See [`crate::config::PeersConfig::max_cancels`].
pub const MAX_ELEMENTS: &str = "eureka.server.max-elements-in-peer-replication-pool";
/// See [`crate::config::PeersConfig::max_wait`].
pub const MAX_TIME: &str = "eureka.server.max-time-for-replication";
/// Accepted; a node is known by name and by address, whichever a list has.
pub const USE_IP: &str = "eureka.client.transport.applications-resolver-use-ip";
/// See [`crate::config::PeersConfig::max_batches`].
pub const MAX_THREADS: &str = "eureka.server.max-threads-for-peer-replication";
/// See [`crate::config::PeersConfig::wait_when_empty`].
pub const WAIT_WHEN_EMPTY: &str = "eureka.server.wait-time-in-ms-when-sync-empty";
/// See [`crate::config::PeersConfig::sync_retries`].
pub const SYNC_RETRIES: &str = "eureka.server.registry-sync-retries";
/// See [`crate::config::PeersConfig::sync_retry_wait`].
pub const SYNC_RETRY_WAIT: &str = "eureka.server.registry-sync-retry-wait-ms";
/// See [`crate::config::PeersConfig::register`].
pub const REGISTER: &str = "eureka.client.register-with-eureka";
/// See [`crate::config::PeersConfig::register`].
pub const AUTO_REGISTRATION: &str = "spring.cloud.service-registry.auto-registration.enabled";
/// See [`crate::config::PeersConfig::register`].
pub const CLIENT_ENABLED: &str = "eureka.client.enabled";
/// Accepted; the registry of the peers is always copied at the start.
pub const FETCH_REGISTRY: &str = "eureka.client.fetch-registry";
/// Accepted; all statuses are always copied.
pub const ONLY_UP: &str = "eureka.client.filter-only-up-instances";
/// See [`crate::config::PeersConfig::unregister_on_shutdown`].
pub const UNREGISTER: &str = "eureka.client.should-unregister-on-shutdown";

/// All of them.
pub(super) const ALL: &[&str] = &[
    SERVICE_URL,
    REGION,
    ZONES,
    PREFER_SAME_ZONE,
    USE_DNS,
    DNS_NAME,
    DNS_PORT,
    DNS_CONTEXT,
    PEER_DNS,
    MY_URL,
    PEERS_UPDATE_INTERVAL,
    MIN_AVAILABLE,
    CONNECT_TIMEOUT,
    READ_TIMEOUT,
    TOTAL_CONNECTIONS,
    HOST_CONNECTIONS,
    IDLE_TIMEOUT,
    MAX_ELEMENTS,
    MAX_TIME,
    USE_IP,
    MAX_THREADS,
    WAIT_WHEN_EMPTY,
    SYNC_RETRIES,
    SYNC_RETRY_WAIT,
    REGISTER,
    AUTO_REGISTRATION,
    CLIENT_ENABLED,
    FETCH_REGISTRY,
    ONLY_UP,
    UNREGISTER,
];
