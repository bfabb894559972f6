//! Keys of TLS, in Spring's names.

/// See [`crate::config::TlsConfig::server`].
pub const SSL_ENABLED: &str = "server.ssl.enabled";
/// See [`crate::model::ServerTls::client_auth`].
pub const SSL_CLIENT_AUTH: &str = "server.ssl.client-auth";
/// See [`crate::model::ServerTls::versions`].
pub const SSL_PROTOCOLS: &str = "server.ssl.enabled-protocols";
/// See [`crate::model::ServerTls::ciphers`].
pub const SSL_CIPHERS: &str = "server.ssl.ciphers";
/// See [`crate::model::KeySource`].
pub const SSL_CERTIFICATE: &str = "server.ssl.certificate";
/// See [`crate::model::KeySource`].
pub const SSL_PRIVATE_KEY: &str = "server.ssl.certificate-private-key";
/// See [`crate::model::TrustSource`].
pub const SSL_TRUST_CERTIFICATE: &str = "server.ssl.trust-certificate";
/// See [`crate::model::Store`].
pub const SSL_KEY_STORE: &str = "server.ssl.key-store";
/// See [`crate::model::Store`].
pub const SSL_KEY_STORE_PASSWORD: &str = "server.ssl.key-store-password";
/// See [`crate::model::KeySource`].
pub const SSL_KEY_ALIAS: &str = "server.ssl.key-alias";
/// Must be that of the key store, if it is set.
pub const SSL_KEY_PASSWORD: &str = "server.ssl.key-password";
/// See [`crate::model::TrustSource`].
pub const SSL_TRUST_STORE: &str = "server.ssl.trust-store";
/// See [`crate::model::Store`].
pub const SSL_TRUST_STORE_PASSWORD: &str = "server.ssl.trust-store-password";
/// A bundle in place of all of these.
pub const SSL_BUNDLE: &str = "server.ssl.bundle";
/// See [`crate::config::TlsConfig::plain_port`].
pub const PLAIN_PORT: &str = "eureka.server.plain-port";

/// See [`crate::model::KeySource`].
pub const PEM_CERTIFICATE: &str = "spring.ssl.bundle.pem.<name>.keystore.certificate";
/// See [`crate::model::KeySource`].
pub const PEM_PRIVATE_KEY: &str = "spring.ssl.bundle.pem.<name>.keystore.private-key";
/// See [`crate::model::TrustSource`].
pub const PEM_TRUST: &str = "spring.ssl.bundle.pem.<name>.truststore.certificate";
/// See [`crate::model::ServerTls::ciphers`].
pub const PEM_CIPHERS: &str = "spring.ssl.bundle.pem.<name>.options.ciphers";
/// See [`crate::model::ServerTls::versions`].
pub const PEM_PROTOCOLS: &str = "spring.ssl.bundle.pem.<name>.options.enabled-protocols";
/// See [`crate::model::Store`].
pub const STORE_LOCATION: &str = "spring.ssl.bundle.jks.<name>.keystore.location";
/// See [`crate::model::Store`].
pub const STORE_PASSWORD: &str = "spring.ssl.bundle.jks.<name>.keystore.password";
/// See [`crate::model::KeySource`].
pub const STORE_ALIAS: &str = "spring.ssl.bundle.jks.<name>.key.alias";
/// See [`crate::model::TrustSource`].
pub const STORE_TRUST: &str = "spring.ssl.bundle.jks.<name>.truststore.location";
/// See [`crate::model::Store`].
pub const STORE_TRUST_PASSWORD: &str = "spring.ssl.bundle.jks.<name>.truststore.password";
/// See [`crate::model::ServerTls::ciphers`].
pub const STORE_CIPHERS: &str = "spring.ssl.bundle.jks.<name>.options.ciphers";
/// See [`crate::model::ServerTls::versions`].
pub const STORE_PROTOCOLS: &str = "spring.ssl.bundle.jks.<name>.options.enabled-protocols";

/// See [`crate::config::TlsConfig::client`].
pub const CLIENT_TLS_ENABLED: &str = "eureka.client.tls.enabled";
/// See [`crate::model::Store`].
pub const CLIENT_KEY_STORE: &str = "eureka.client.tls.key-store";
/// See [`crate::model::Store`].
pub const CLIENT_KEY_STORE_PASSWORD: &str = "eureka.client.tls.key-store-password";
/// Must be that of the key store, if it is set.
pub const CLIENT_KEY_PASSWORD: &str = "eureka.client.tls.key-password";
/// See [`crate::model::TrustSource`].
pub const CLIENT_TRUST_STORE: &str = "eureka.client.tls.trust-store";
/// See [`crate::model::Store`].
pub const CLIENT_TRUST_STORE_PASSWORD: &str = "eureka.client.tls.trust-store-password";
/// See [`crate::model::KeySource`].
pub const CLIENT_CERTIFICATE: &str = "eureka.client.tls.certificate";
/// See [`crate::model::KeySource`].
pub const CLIENT_PRIVATE_KEY: &str = "eureka.client.tls.certificate-private-key";
/// See [`crate::model::TrustSource`].
pub const CLIENT_TRUST_CERTIFICATE: &str = "eureka.client.tls.trust-certificate";

pub(super) const ALL: &[&str] = &[
    SSL_ENABLED,
    SSL_CLIENT_AUTH,
    SSL_PROTOCOLS,
    SSL_CIPHERS,
    SSL_CERTIFICATE,
    SSL_PRIVATE_KEY,
    SSL_TRUST_CERTIFICATE,
    SSL_KEY_STORE,
    SSL_KEY_STORE_PASSWORD,
    SSL_KEY_ALIAS,
    SSL_KEY_PASSWORD,
    SSL_TRUST_STORE,
    SSL_TRUST_STORE_PASSWORD,
    SSL_BUNDLE,
    PLAIN_PORT,
    PEM_CERTIFICATE,
    PEM_PRIVATE_KEY,
    PEM_TRUST,
    PEM_CIPHERS,
    PEM_PROTOCOLS,
    STORE_LOCATION,
    STORE_PASSWORD,
    STORE_ALIAS,
    STORE_TRUST,
    STORE_TRUST_PASSWORD,
    STORE_CIPHERS,
    STORE_PROTOCOLS,
    CLIENT_TLS_ENABLED,
    CLIENT_KEY_STORE,
    CLIENT_KEY_STORE_PASSWORD,
    CLIENT_KEY_PASSWORD,
    CLIENT_TRUST_STORE,
    CLIENT_TRUST_STORE_PASSWORD,
    CLIENT_CERTIFICATE,
    CLIENT_PRIVATE_KEY,
    CLIENT_TRUST_CERTIFICATE,
];
