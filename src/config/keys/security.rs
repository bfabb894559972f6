//! Keys of who may do what.

/// See [`crate::config::SecurityConfig::users`].
pub const SPRING_USER: &str = "spring.security.user.name";
/// See [`crate::config::SecurityConfig::users`].
pub const SPRING_PASSWORD: &str = "spring.security.user.password";
/// Accepted: the user of Spring may do everything.
pub const SPRING_ROLES: &str = "spring.security.user.roles";
/// See [`crate::config::User::name`].
pub const USERS_NAME: &str = "eureka.server.security.users.<name>.name";
/// See [`crate::config::User::password`].
pub const USERS_PASSWORD: &str = "eureka.server.security.users.<name>.password";
/// See [`crate::config::User::grant`].
pub const USERS_ROLES: &str = "eureka.server.security.users.<name>.roles";
/// See [`crate::model::Grant::applications`].
pub const USERS_APPLICATIONS: &str = "eureka.server.security.users.<name>.applications";
/// See [`crate::config::Token::token`].
pub const TOKENS_TOKEN: &str = "eureka.server.security.tokens.<name>.token";
/// See [`crate::config::Token::grant`].
pub const TOKENS_ROLES: &str = "eureka.server.security.tokens.<name>.roles";
/// See [`crate::model::Grant::applications`].
pub const TOKENS_APPLICATIONS: &str = "eureka.server.security.tokens.<name>.applications";
/// See [`crate::config::Token::expires`].
pub const TOKENS_EXPIRES: &str = "eureka.server.security.tokens.<name>.expires";
/// See [`crate::config::Certificate::subject`].
pub const CERTIFICATES_SUBJECT: &str = "eureka.server.security.certificates.<name>.subject";
/// See [`crate::config::Certificate::grant`].
pub const CERTIFICATES_ROLES: &str = "eureka.server.security.certificates.<name>.roles";
/// See [`crate::model::Grant::applications`].
pub const CERTIFICATES_APPLICATIONS: &str =
    "eureka.server.security.certificates.<name>.applications";
/// See [`crate::config::SecurityConfig::anonymous_read`].
pub const ANONYMOUS_READ: &str = "eureka.server.security.anonymous-read";
/// See [`crate::config::SecurityConfig::open_metrics`].
pub const OPEN_METRICS: &str = "eureka.server.security.open-metrics";

pub(super) const ALL: &[&str] = &[
    SPRING_USER,
    SPRING_PASSWORD,
    SPRING_ROLES,
    USERS_NAME,
    USERS_PASSWORD,
    USERS_ROLES,
    USERS_APPLICATIONS,
    TOKENS_TOKEN,
    TOKENS_ROLES,
    TOKENS_APPLICATIONS,
    TOKENS_EXPIRES,
    CERTIFICATES_SUBJECT,
    CERTIFICATES_ROLES,
    CERTIFICATES_APPLICATIONS,
    ANONYMOUS_READ,
    OPEN_METRICS,
];
