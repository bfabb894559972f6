//! Where certificates and keys are, and who must show some.

use std::fmt;
use std::path::PathBuf;

use super::Secret;

/// Something in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pem {
    /// In a file.
    File(PathBuf),
    /// In the settings themselves.
    Text(Secret),
}

/// A PKCS#12 file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Where it is.
    pub file: PathBuf,
    /// What opens it; may be empty.
    pub password: Secret,
}

/// A certificate, those that lead to its authority, and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In PEM.
    Pem {
        /// The certificates, the own one first.
        chain: Pem,
        /// The key, not encrypted.
        key: Pem,
    },
    /// In a PKCS#12 file.
    Store {
        /// Which one.
        store: Store,
        /// Which of its keys; the first one if not said. Case does not matter.
        alias: Option<String>,
    },
}

/// Certificates of authorities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustSource {
    /// In PEM.
    Pem(Pem),
    /// In a PKCS#12 file.
    Store(Store),
}

/// Whether whoever connects shows a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientAuth {
    /// Nobody is asked.
    #[default]
    None,
    /// Everybody is asked; who has none is let in.
    Want,
    /// Everybody must have one.
    Need,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the versions")]
pub enum TlsVersion {
    V1_2,
    V1_3,
}

/// How a node listens with TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTls {
    /// What it shows.
    pub key: KeySource,
    /// Whose certificates it takes.
    pub trust: Option<TrustSource>,
    /// Whether it asks for them.
    pub client_auth: ClientAuth,
    /// Versions that are spoken; both by default.
    pub versions: Vec<TlsVersion>,
    /// Cipher suites by their names in Java, all that are known here where none are named.
    pub ciphers: Vec<String>,
}

/// How a node asks others with TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientTls {
    /// What it shows, if it is asked.
    pub key: Option<KeySource>,
    /// Whose certificates it takes; the system's authorities' where none are set.
    pub trust: Option<TrustSource>,
}

impl fmt::Display for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Text(_) => f.write_str("the PEM text in the settings"),
        }
    }
}
