//! Netflix' names of keys, where they are not the canonical name with another prefix (config.md §1–3).
//!
//! `eureka.peerNodeReadTimeoutMs` is `eureka.server.peer-node-read-timeout-ms`: names like that are found without a
//! table. In these, a `<…>` stands for the same in both.

use crate::config::keys;

/// Netflix' name, and the canonical one.
pub(super) const NAMES: &[(&str, &str)] = &[
    (
        "eureka.serviceUrl.default",
        "eureka.client.service-url.defaultZone",
    ),
    ("eureka.serviceUrl.<zone>", keys::SERVICE_URL),
    ("eureka.<region>.availabilityZones", keys::ZONES),
    ("eureka.metadata.<key>", keys::METADATA),
    ("eureka.name", keys::APP_NAME),
    ("eureka.appGroup", keys::APP_GROUP),
    ("eureka.port", keys::NON_SECURE_PORT),
    ("eureka.port.enabled", keys::NON_SECURE_PORT_ENABLED),
    ("eureka.securePort.enabled", keys::SECURE_PORT_ENABLED),
    ("eureka.lease.renewalInterval", keys::RENEWAL_INTERVAL),
    ("eureka.lease.duration", keys::LEASE_DURATION),
    ("eureka.vipAddress", keys::VIP),
    ("eureka.secureVipAddress", keys::SECURE_VIP),
    ("eureka.region", keys::REGION),
    ("eureka.preferSameZone", keys::PREFER_SAME_ZONE),
    ("eureka.shouldUseDns", keys::USE_DNS),
    ("eureka.eurekaServer.domainName", keys::DNS_NAME),
    ("eureka.eurekaServer.port", keys::DNS_PORT),
    ("eureka.eurekaServer.context", keys::DNS_CONTEXT),
    ("eureka.domainName", keys::DNS_NAME),
    ("eureka.context", keys::DNS_CONTEXT),
    ("eureka.registration.enabled", keys::REGISTER),
    ("eureka.shouldFetchRegistry", keys::FETCH_REGISTRY),
    ("eureka.shouldFilterOnlyUpInstances", keys::ONLY_UP),
    ("eureka.shouldUnregisterOnShutdown", keys::UNREGISTER),
    (
        "eureka.shouldUseReadOnlyResponseCache",
        keys::USE_READ_ONLY_CACHE,
    ),
    ("eureka.numberRegistrySyncRetries", keys::SYNC_RETRIES),
    (
        "eureka.shouldBatchReplication",
        "eureka.server.batch-replication",
    ),
    (
        "eureka.auth.shouldLogIdentityHeaders",
        "eureka.server.log-identity-headers",
    ),
    (
        "eureka.experimental.<name>",
        "eureka.server.experimental.<name>",
    ),
    ("eureka.transport.<name>", "eureka.client.transport.<name>"),
    (
        "eureka.maxIdleThreadAgeInMinutesForStatusReplication",
        "eureka.server.max-idle-thread-in-minutes-age-for-status-replication",
    ),
    (
        "eureka.remoteRegionUrlsWithName",
        "eureka.server.remote-region-urls-with-name.all",
    ),
    (
        "eureka.remoteRegion.<region>.appWhiteList",
        "eureka.server.remote-region-app-whitelist.<region>",
    ),
    (
        "eureka.remoteRegion.registryFetchIntervalInSeconds",
        "eureka.server.remote-region-registry-fetch-interval",
    ),
    (
        "eureka.remoteRegion.fetchThreadPoolSize",
        "eureka.server.remote-region-fetch-thread-pool-size",
    ),
    (
        "eureka.remoteRegion.gzipContent",
        "eureka.server.g-zip-content-from-remote-region",
    ),
    (
        "eureka.remoteRegion.trustStoreFileName",
        "eureka.server.remote-region-trust-store",
    ),
    (
        "eureka.remoteRegion.trustStorePassword",
        "eureka.server.remote-region-trust-store-password",
    ),
    (
        "eureka.remoteRegion.disable.transparent.fallback",
        "eureka.server.disable-transparent-fallback-to-other-region",
    ),
    (
        "eureka.awsBindingStrategy",
        "eureka.server.binding-strategy",
    ),
    (
        "eureka.eipBindRebindRetryIntervalMs",
        "eureka.server.e-i-p-binding-retry-interval-ms",
    ),
    (
        "eureka.eipBindRebindRetryIntervalMsWhenUnbound",
        "eureka.server.e-i-p-binding-retry-interval-ms-when-unbound",
    ),
    (
        "eureka.route53BindRebindRetryIntervalMs",
        "eureka.server.route53-binding-retry-interval-ms",
    ),
    ("eureka.shouldUseAwsAsgApi", "eureka.server.use-aws-asg-api"),
    (
        "eureka.traffic.enabled",
        "eureka.instance.instance-enabled-onit",
    ),
    (
        "eureka.broadcastPublicIpv4",
        "eureka.instance.broadcast-public-ipv4-addr",
    ),
    (
        "eureka.client.refresh.interval",
        "eureka.client.registry-fetch-interval-seconds",
    ),
    (
        "eureka.serviceUrlPollIntervalMs",
        "eureka.client.eureka-service-url-poll-interval-seconds",
    ),
    (
        "eureka.shouldOnDemandUpdateStatusChange",
        "eureka.client.on-demand-update-status-change",
    ),
    (
        "eureka.appinfo.replicate.interval",
        "eureka.client.instance-info-replication-interval-seconds",
    ),
    (
        "eureka.appinfo.initial.replicate.time",
        "eureka.client.initial-instance-info-replication-interval-seconds",
    ),
    (
        "eureka.eurekaServer.connectTimeout",
        "eureka.client.eureka-server-connect-timeout-seconds",
    ),
    (
        "eureka.eurekaServer.readTimeout",
        "eureka.client.eureka-server-read-timeout-seconds",
    ),
    (
        "eureka.eurekaServer.maxTotalConnections",
        "eureka.client.eureka-server-total-connections",
    ),
    (
        "eureka.eurekaServer.maxConnectionsPerHost",
        "eureka.client.eureka-server-total-connections-per-host",
    ),
    (
        "eureka.eurekaserver.connectionIdleTimeoutInSeconds",
        "eureka.client.eureka-connection-idle-timeout-seconds",
    ),
    ("eureka.eurekaServer.proxyHost", "eureka.client.proxy-host"),
    ("eureka.eurekaServer.proxyPort", "eureka.client.proxy-port"),
    (
        "eureka.eurekaServer.proxyUserName",
        "eureka.client.proxy-user-name",
    ),
    (
        "eureka.eurekaServer.proxyPassword",
        "eureka.client.proxy-password",
    ),
    (
        "eureka.eurekaServer.gzipContent",
        "eureka.client.g-zip-content",
    ),
    ("eureka.printDeltaFullDiff", "eureka.client.log-delta-diff"),
    (
        "eureka.client.heartbeat.threadPoolSize",
        "eureka.client.heartbeat-executor-thread-pool-size",
    ),
    (
        "eureka.client.heartbeat.exponentialBackOffBound",
        "eureka.client.heartbeat-executor-exponential-back-off-bound",
    ),
    (
        "eureka.client.cacheRefresh.threadPoolSize",
        "eureka.client.cache-refresh-executor-thread-pool-size",
    ),
    (
        "eureka.client.cacheRefresh.exponentialBackOffBound",
        "eureka.client.cache-refresh-executor-exponential-back-off-bound",
    ),
    (
        "eureka.shouldEnforceRegistrationAtInit",
        "eureka.client.should-enforce-registration-at-init",
    ),
    (
        "eureka.shouldEnforceFetchRegistryAtInit",
        "eureka.client.should-enforce-registration-at-init",
    ),
    (
        "eureka.backupregistry",
        "eureka.client.backup-registry-impl",
    ),
];
