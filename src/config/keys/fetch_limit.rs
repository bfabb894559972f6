//! Keys of Eureka's own limiter of reads (config.md §1.3).

/// See [`crate::config::FetchLimitConfig::refuses`].
pub const LIMIT_ENABLED: &str = "eureka.server.rate-limiter-enabled";
/// See [`crate::config::FetchLimitConfig::burst`].
pub const LIMIT_BURST: &str = "eureka.server.rate-limiter-burst-size";
/// See [`crate::config::FetchLimitConfig::fetch_rate`].
pub const LIMIT_FETCH: &str = "eureka.server.rate-limiter-registry-fetch-average-rate";
/// See [`crate::config::FetchLimitConfig::full_rate`].
pub const LIMIT_FULL: &str = "eureka.server.rate-limiter-full-fetch-average-rate";
/// See [`crate::config::FetchLimitConfig::throttle_standard`].
pub const LIMIT_STANDARD: &str = "eureka.server.rate-limiter-throttle-standard-clients";
/// See [`crate::config::FetchLimitConfig::privileged`].
pub const LIMIT_PRIVILEGED: &str = "eureka.server.rate-limiter-privileged-clients";

pub(super) const ALL: &[&str] = &[
    LIMIT_ENABLED,
    LIMIT_BURST,
    LIMIT_FETCH,
    LIMIT_FULL,
    LIMIT_STANDARD,
    LIMIT_PRIVILEGED,
];
