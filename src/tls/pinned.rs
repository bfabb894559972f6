//! A client that trusts one node only, by its certificate: for commands that ask the node of their own settings.
//!
//! The address is this machine's own, which no certificate names, and its authority need not be known here. The node
//! proves that it has the key of the certificate that the settings name, which nobody else can.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};

use super::material::{TlsError, material};
use crate::model::{KeySource, ServerTls};

/// What asks the node with these settings. Where it wants a certificate, `shown` is shown, or else its own.
pub fn pinned(node: &ServerTls, shown: Option<&KeySource>) -> Result<ClientConfig, TlsError> {
    let own = material(&node.key)?;
    let shown = shown.map_or_else(|| material(&node.key), material)?;
    let provider = Arc::new(ring::default_provider());
    let pinned = Pinned {
        certificate: own.chain.first().cloned(),
        provider: provider.clone(),
    };
    let problem = |error: Error| TlsError::new("certificate", error.to_string());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(problem)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(pinned))
        .with_client_auth_cert(shown.chain, shown.key)
        .map_err(problem)
}

#[derive(Debug)]
struct Pinned {
    certificate: Option<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        came: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.certificate {
            Some(certificate) if certificate == came => Ok(ServerCertVerified::assertion()),
            _ => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
