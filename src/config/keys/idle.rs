//! Keys that a Java server's files may have and that do nothing here, by the reason.

/// Keys that are accepted with a warning.
pub(in crate::config) struct Idle {
    /// Why they do nothing.
    pub(in crate::config) reason: &'static str,
    /// All of them.
    pub(in crate::config) keys: &'static [&'static str],
}

const AWS: &str = "there is nothing of AWS in this server";
const REGIONS: &str = "other regions are not asked";
const THREADS: &str = "there are no threads to keep";
const ASG: &str = "the status of AWS auto-scaling groups is not replicated";
const ACTUATOR: &str =
    "operators' paths are /actuator/… and /metrics, on the port of everything else";

/// With a warning if they are set.
pub(in crate::config) const IDLE: &[Idle] = &[
    Idle {
        reason: "what a file is, it says itself",
        keys: &[
            "server.ssl.key-store-type",
            "server.ssl.key-store-provider",
            "server.ssl.trust-store-type",
            "server.ssl.trust-store-provider",
            "eureka.client.tls.key-store-type",
            "eureka.client.tls.trust-store-type",
            "spring.ssl.bundle.jks.<name>.keystore.type",
            "spring.ssl.bundle.jks.<name>.truststore.type",
        ],
    },
    Idle {
        reason: "files are always read anew when they change",
        keys: &[
            "spring.ssl.bundle.pem.<name>.reload-on-update",
            "spring.ssl.bundle.jks.<name>.reload-on-update",
        ],
    },
    Idle {
        reason: "server.ssl.enabled-protocols says which versions are spoken",
        keys: &["server.ssl.protocol"],
    },
    Idle {
        reason: "authorities are known by their certificates",
        keys: &["server.ssl.trust-certificate-private-key"],
    },
    Idle {
        reason: "batches are packed for nodes that say they read that, and for no others",
        keys: &["eureka.server.enable-replicated-request-compression"],
    },
    Idle {
        reason: "there is one reader and one writer of JSON and XML",
        keys: &[
            "eureka.server.json-codec-name",
            "eureka.server.xml-codec-name",
        ],
    },
    Idle {
        reason: "who a client says it is is not counted",
        keys: &["eureka.server.log-identity-headers"],
    },
    Idle {
        reason: "nothing here is an experiment",
        keys: &["eureka.server.experimental.<name>"],
    },
    Idle {
        reason: "the node registers itself when it answers; eureka.instance.initial-status says as what",
        keys: &["eureka.instance.instance-enabled-onit"],
    },
    Idle {
        reason: "a node is always one of MyOwn",
        keys: &["eureka.instance.data-center-info.<name>"],
    },
    Idle {
        reason: "all instances are copied, or most would be lost",
        keys: &["eureka.client.registry-refresh-single-vip-address"],
    },
    Idle {
        reason: "there are no plug-ins",
        keys: &["eureka.client.backup-registry-impl"],
    },
    Idle {
        reason: "peers are called directly",
        keys: &[
            "eureka.client.proxy-host",
            "eureka.client.proxy-port",
            "eureka.client.proxy-user-name",
            "eureka.client.proxy-password",
        ],
    },
    Idle {
        reason: "the node starts and tries again until its peers answer",
        keys: &["eureka.client.should-enforce-registration-at-init"],
    },
    Idle {
        reason: "a change of the node's own record goes out at once, and heartbeats as its lease says",
        keys: &[
            "eureka.client.on-demand-update-status-change",
            "eureka.client.instance-info-replication-interval-seconds",
            "eureka.client.initial-instance-info-replication-interval-seconds",
            "eureka.client.registry-fetch-interval-seconds",
        ],
    },
    Idle {
        reason: "calls to peers have eureka.server.peer-node-connect-timeout-ms and \
                 eureka.server.peer-node-read-timeout-ms",
        keys: &[
            "eureka.client.eureka-server-connect-timeout-seconds",
            "eureka.client.eureka-server-read-timeout-seconds",
        ],
    },
    Idle {
        reason: THREADS,
        keys: &[
            "server.tomcat.<name>",
            "server.jetty.<name>",
            "server.undertow.<name>",
            "server.netty.<name>",
        ],
    },
    Idle {
        reason: "lists are packed for whoever asks, and nothing else is",
        keys: &["server.compression.<name>"],
    },
    Idle {
        reason: "HTTP/1.1 and HTTP/2 are always served on one port",
        keys: &["server.http2.enabled"],
    },
    Idle {
        reason: ACTUATOR,
        keys: &[
            "management.server.<name>",
            "management.endpoints.<name>",
            "management.endpoint.<name>",
            "management.metrics.<name>",
            "management.prometheus.<name>",
        ],
    },
    Idle {
        reason: "the log goes to standard output",
        keys: &["logging.file.<name>", "logging.pattern.<name>"],
    },
    Idle {
        reason: "the address is that of the interface to everywhere; eureka.instance.ip-address and \
                 eureka.instance.hostname say another",
        keys: &["spring.cloud.inetutils.<name>"],
    },
    Idle {
        reason: "no configuration server is asked",
        keys: &["spring.cloud.config.<name>"],
    },
    Idle {
        reason: REGIONS,
        keys: &[
            "eureka.server.remote-region-urls-with-name.<region>",
            "eureka.server.remote-region-app-whitelist.<region>",
            "eureka.server.remote-region-registry-fetch-interval",
            "eureka.server.remote-region-connect-timeout-ms",
            "eureka.server.remote-region-read-timeout-ms",
            "eureka.server.remote-region-trust-store",
            "eureka.server.remote-region-trust-store-password",
            "eureka.server.g-zip-content-from-remote-region",
            "eureka.server.disable-delta-for-remote-regions",
            "eureka.server.disable-transparent-fallback-to-other-region",
        ],
    },
    Idle {
        reason: ASG,
        keys: &[
            "eureka.server.max-elements-in-status-replication-pool",
            "eureka.server.max-threads-for-status-replication",
        ],
    },
    Idle {
        reason: AWS,
        keys: &[
            "eureka.server.a-w-s-access-id",
            "eureka.server.a-w-s-secret-key",
            "eureka.server.binding-strategy",
            "eureka.server.e-i-p-bind-rebind-retries",
            "eureka.server.e-i-p-binding-retry-interval-ms",
            "eureka.server.e-i-p-binding-retry-interval-ms-when-unbound",
            "eureka.server.route53-bind-rebind-retries",
            "eureka.server.route53-binding-retry-interval-ms",
            "eureka.server.route53-domain-t-t-l",
            "eureka.server.use-aws-asg-api",
            "eureka.server.a-s-g-query-timeout-ms",
            "eureka.server.a-s-g-update-interval-ms",
            "eureka.server.a-s-g-cache-expiry-timeout-ms",
            "eureka.server.list-auto-scaling-groups-role-name",
            "eureka.server.prime-aws-replica-connections",
            "eureka.instance.default-address-resolution-order",
            "eureka.instance.broadcast-public-ipv4-addr",
        ],
    },
];

/// Without a word: they do nothing in a Java server either, or only to the client that is in it.
pub(in crate::config) const SILENT: &[&str] = &[
    "eureka.server.initial-capacity-of-response-cache",
    "eureka.server.version.filter.debug.response-header",
    "eureka.server.batch-replication",
    "eureka.server.number-of-replication-retries",
    "eureka.server.peer-eureka-status-refresh-time-interval-ms",
    "eureka.server.min-threads-for-peer-replication",
    "eureka.server.max-idle-thread-age-in-minutes-for-peer-replication",
    "eureka.server.min-threads-for-status-replication",
    "eureka.server.max-idle-thread-in-minutes-age-for-status-replication",
    "eureka.server.remote-region-urls",
    "eureka.server.remote-region-fetch-thread-pool-size",
    "eureka.server.remote-region-total-connections",
    "eureka.server.remote-region-total-connections-per-host",
    "eureka.server.remote-region-connection-idle-timeout-seconds",
    "eureka.instance.async-client-initialization",
    "eureka.instance.namespace",
    "eureka.instance.actuator-prefix",
    "eureka.instance.environment",
    "eureka.client.eureka-service-url-poll-interval-seconds",
    "eureka.client.timeout.<name>",
    "eureka.client.eureka-server-total-connections",
    "eureka.client.eureka-server-total-connections-per-host",
    "eureka.client.eureka-connection-idle-timeout-seconds",
    "eureka.client.g-zip-content",
    "eureka.client.disable-delta",
    "eureka.client.log-delta-diff",
    "eureka.client.allow-redirects",
    "eureka.client.fetch-remote-regions-registry",
    "eureka.client.heartbeat-executor-thread-pool-size",
    "eureka.client.heartbeat-executor-exponential-back-off-bound",
    "eureka.client.cache-refresh-executor-thread-pool-size",
    "eureka.client.cache-refresh-executor-exponential-back-off-bound",
    "eureka.client.encoder-name",
    "eureka.client.decoder-name",
    "eureka.client.client-data-accept",
    "eureka.client.dollar-replacement",
    "eureka.client.escape-char-replacement",
    "eureka.client.transport.<name>",
    "eureka.client.healthcheck.enabled",
    "eureka.client.refresh.enable",
    "eureka.client.order",
    "eureka.client.webclient.enabled",
    "eureka.client.jersey.enabled",
    "server.error.<name>",
    "server.servlet.<name>",
    "server.forward-headers-strategy",
    "server.server-header",
];
