//! Group 12: servers over TLS whose certificate only the program knows, and that want one of the client.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;

use bytes::Bytes;
use heureka::client::{Builder, EurekaClient, Event, Instance, StartError};
use http_body_util::Empty;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::waiting::LONGEST;

/// An authority that nobody knows.
struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        Self {
            certificate,
            issuer: Issuer::new(params, key),
        }
    }

    fn certify(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_string()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A server of this name, which serves only clients that the authority knows; its port.
    async fn serve(&self, name: &str) -> u16 {
        let (certificate, key) = self.certify(name);
        let provider = Arc::new(ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone()).unwrap();
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone());
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    let service = service_fn(|_| async { Ok::<_, Infallible>(done()) });
                    let http = hyper::server::conn::http1::Builder::new();
                    _ = http.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        port
    }

    /// The authority as a client gets it.
    fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// A certificate and its key as a client gets them.
    fn identity(&self) -> String {
        let (certificate, key) = self.certify("client");
        format!("{}{}", certificate.pem(), key.serialize_pem())
    }
}

fn done() -> Response<Empty<Bytes>> {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn client(port: u16) -> Builder {
    EurekaClient::builder()
        .server(format!("https://localhost:{port}/eureka/"))
        .fetch_registry(false)
        .register(Instance::new("orders").host_name("h").ip_addr("10.0.0.7"))
}

#[tokio::test]
async fn an_own_authority_and_a_client_certificate_do() {
    let authority = Authority::new();
    let port = authority.serve("localhost").await;
    let client = client(port)
        .root_certificates(authority.pem())
        .client_certificate(authority.identity());
    let client = client.start().await.unwrap();
    assert!(client.wait_registered(LONGEST).await);
    client.shutdown().await;
}

#[tokio::test]
async fn an_unknown_authority_a_wrong_name_and_no_certificate_do_not() {
    let authority = Authority::new();
    let port = authority.serve("localhost").await;
    let elsewhere = authority.serve("elsewhere").await;
    let identity = || authority.identity();
    let stranger = Authority::new();
    // The server's is refused here, and why is told; one's own is refused there.
    for (reason, builder) in [
        (
            Some("UnknownIssuer"),
            client(port).client_certificate(identity()),
        ),
        (None, client(port).root_certificates(authority.pem())),
        (
            None,
            client(port)
                .root_certificates(authority.pem())
                .client_certificate(stranger.identity()),
        ),
        (
            Some("not valid for name"),
            client(elsewhere)
                .root_certificates(authority.pem())
                .client_certificate(identity()),
        ),
    ] {
        let client = builder.start().await.unwrap();
        let event = tokio::time::timeout(LONGEST, client.events().recv()).await;
        let Ok(Event::RegistrationFailed(error)) = event.unwrap() else {
            panic!("{reason:?}");
        };
        let error = error.to_string();
        let told = error.contains("invalid peer certificate");
        assert_eq!(told, reason.is_some(), "{error}");
        assert!(error.contains(reason.unwrap_or_default()), "{error}");
        client.shutdown().await;
    }
}

#[tokio::test]
async fn what_is_no_certificate_is_told_at_the_start() {
    for builder in [
        client(1).root_certificates("nothing"),
        client(1).client_certificate("nothing"),
        client(1).proxy("::"),
    ] {
        let error = builder.start().await.unwrap_err();
        assert!(matches!(error, StartError::BadSetting { .. }), "{error:?}");
    }
}
