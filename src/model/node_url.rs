//! The address of a node's Eureka service: `http://host:8761/eureka/`.

use std::fmt;

/// A service URL in its one form: scheme and host in lower case, port always there, a slash at its end, and the
/// credentials beside it, so that nothing that prints it can show them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeUrl {
    text: String,
    host: String,
    port: u16,
    credentials: Option<(String, String)>,
}

/// A text is no service URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("wanted a URL like http://host:8761/eureka/")]
pub struct UrlRefused;

impl NodeUrl {
    /// Its text, without credentials; ends with a slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, without brackets around an IPv6 address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, also where it is that of the scheme.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// User and password, percent-decoded.
    pub fn credentials(&self) -> Option<(&str, &str)> {
        let (user, password) = self.credentials.as_ref()?;
        Some((user, password))
    }
}

impl fmt::Display for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
