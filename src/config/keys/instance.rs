//! Keys of the node as an instance of its own kind (config.md §2).

/// See [`crate::config::InstanceConfig::app`].
pub const APPLICATION_NAME: &str = "spring.application.name";
/// See [`crate::config::InstanceConfig::app`].
pub const APP_NAME: &str = "eureka.instance.appname";
/// See [`crate::config::InstanceConfig::app_group`].
pub const APP_GROUP: &str = "eureka.instance.app-group-name";
/// See [`crate::config::InstanceConfig::asg`].
pub const ASG_NAME: &str = "eureka.instance.a-s-g-name";
/// See [`crate::config::InstanceConfig::instance_id`].
pub const INSTANCE_ID: &str = "eureka.instance.instance-id";
/// See [`crate::config::InstanceConfig::host_name`].
pub const HOST_NAME: &str = "eureka.instance.hostname";
/// See [`crate::config::InstanceConfig::ip_addr`].
pub const IP_ADDRESS: &str = "eureka.instance.ip-address";
/// See [`crate::config::InstanceConfig::prefer_ip`].
pub const PREFER_IP: &str = "eureka.instance.prefer-ip-address";
/// See [`crate::config::InstanceConfig::port`].
pub const NON_SECURE_PORT: &str = "eureka.instance.non-secure-port";
/// See [`crate::config::InstanceConfig::port_enabled`].
pub const NON_SECURE_PORT_ENABLED: &str = "eureka.instance.non-secure-port-enabled";
/// See [`crate::config::InstanceConfig::secure_port`].
pub const SECURE_PORT: &str = "eureka.instance.secure-port";
/// See [`crate::config::InstanceConfig::secure_port`].
pub const SECURE_PORT_ENABLED: &str = "eureka.instance.secure-port-enabled";
/// See [`crate::config::InstanceConfig::lease`].
pub const RENEWAL_INTERVAL: &str = "eureka.instance.lease-renewal-interval-in-seconds";
/// See [`crate::config::InstanceConfig::lease`].
pub const LEASE_DURATION: &str = "eureka.instance.lease-expiration-duration-in-seconds";
/// See [`crate::config::InstanceConfig::vip`].
pub const VIP: &str = "eureka.instance.virtual-host-name";
/// See [`crate::config::InstanceConfig::secure_vip`].
pub const SECURE_VIP: &str = "eureka.instance.secure-virtual-host-name";
/// See [`crate::config::InstanceConfig::metadata`].
pub const METADATA: &str = "eureka.instance.metadata-map.<key>";
/// See [`crate::config::InstanceConfig::status`].
pub const INITIAL_STATUS: &str = "eureka.instance.initial-status";
/// See [`crate::config::Links::home_page`].
pub const HOME_PAGE_URL: &str = "eureka.instance.home-page-url";
/// See [`crate::config::Links::home_page`].
pub const HOME_PAGE_PATH: &str = "eureka.instance.home-page-url-path";
/// See [`crate::config::Links::status_page`].
pub const STATUS_PAGE_URL: &str = "eureka.instance.status-page-url";
/// See [`crate::config::Links::status_page`].
pub const STATUS_PAGE_PATH: &str = "eureka.instance.status-page-url-path";
/// See [`crate::config::Links::health_check`].
pub const HEALTH_CHECK_URL: &str = "eureka.instance.health-check-url";
/// See [`crate::config::Links::health_check`].
pub const HEALTH_CHECK_PATH: &str = "eureka.instance.health-check-url-path";
/// See [`crate::config::Links::secure_health_check`].
pub const SECURE_HEALTH_CHECK_URL: &str = "eureka.instance.secure-health-check-url";

/// All of them.
pub(super) const ALL: &[&str] = &[
    APPLICATION_NAME,
    APP_NAME,
    APP_GROUP,
    ASG_NAME,
    INSTANCE_ID,
    HOST_NAME,
    IP_ADDRESS,
    PREFER_IP,
    NON_SECURE_PORT,
    NON_SECURE_PORT_ENABLED,
    SECURE_PORT,
    SECURE_PORT_ENABLED,
    RENEWAL_INTERVAL,
    LEASE_DURATION,
    VIP,
    SECURE_VIP,
    METADATA,
    INITIAL_STATUS,
    HOME_PAGE_URL,
    HOME_PAGE_PATH,
    STATUS_PAGE_URL,
    STATUS_PAGE_PATH,
    HEALTH_CHECK_URL,
    HEALTH_CHECK_PATH,
    SECURE_HEALTH_CHECK_URL,
];
