//! From files to certificates and keys. What cannot be used is told with the file and what is wrong with it.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::pkcs12;
use crate::model::{KeySource, Pem, Secret, TrustSource};

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct TlsError {
    /// Which file.
    pub file: String,
    /// What is wrong, in words.
    pub problem: String,
}

impl TlsError {
    pub(super) fn new(file: impl ToString, problem: impl Into<String>) -> Self {
        Self {
            file: file.to_string(),
            problem: problem.into(),
        }
    }
}

/// A certificate with those that lead to its authority, and its key.
#[derive(Debug)]
pub struct Material {
    /// The own one first.
    pub chain: Vec<CertificateDer<'static>>,
    /// The key.
    pub key: PrivateKeyDer<'static>,
}

impl Material {
    /// All of it in PEM, for libraries that want that.
    pub fn to_pem(&self) -> Secret {
        let label = match &self.key {
            PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
            PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
            _ => "PRIVATE KEY",
        };
        let mut pem = encapsulated(label, self.key.secret_der());
        for certificate in &self.chain {
            pem.push_str(&encapsulated("CERTIFICATE", certificate));
        }
        Secret::new(pem)
    }
}

fn encapsulated(label: &str, der: &[u8]) -> String {
    let base64 = STANDARD.encode(der);
    let lines = base64.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let lines: Vec<_> = lines.collect();
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        lines.join("\n")
    )
}

/// Reads a certificate and its key.
pub fn material(source: &KeySource) -> Result<Material, TlsError> {
    match source {
        KeySource::Store { store, alias } => pkcs12::material(store, alias.as_deref()),
        KeySource::Pem { chain, key } => Ok(Material {
            chain: certificates(chain)?,
            key: private_key(key)?,
        }),
    }
}

/// Reads certificates of authorities; there is one at least.
pub fn authorities(source: &TrustSource) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    match source {
        TrustSource::Pem(pem) => certificates(pem),
        TrustSource::Store(store) => pkcs12::authorities(store),
    }
}

fn certificates(pem: &Pem) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = bytes(pem)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match certificates {
        Ok(certificates) if certificates.is_empty() => {
            Err(TlsError::new(pem, "there is no certificate in it"))
        }
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(TlsError::new(pem, format!("it is no PEM: {error}"))),
    }
}

fn private_key(pem: &Pem) -> Result<PrivateKeyDer<'static>, TlsError> {
    let text = bytes(pem)?;
    let encrypted = b"-----BEGIN ENCRYPTED PRIVATE KEY-----";
    if text.windows(encrypted.len()).any(|part| part == encrypted) {
        let problem = "its key is encrypted, which is read from PKCS#12 only";
        return Err(TlsError::new(pem, problem));
    }
    PrivateKeyDer::from_pem_slice(&text)
        .map_err(|_| TlsError::new(pem, "there is no private key in it"))
}

fn bytes(pem: &Pem) -> Result<Vec<u8>, TlsError> {
    match pem {
        Pem::File(file) => read(file),
        Pem::Text(text) => Ok(text.reveal().as_bytes().to_vec()),
    }
}

pub(super) fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(file).map_err(|error| TlsError::new(file.display(), error.to_string()))
}
