//! What a node shows to those who connect, and whom it lets in.
//!
//! When files change, connections that come from then on see the new ones. Files that cannot be used then change
//! nothing: the old ones stay in force, and the log says so.

use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};

use super::material::{Material, TlsError, authorities, material};
use super::stamps::Stamps;
use crate::model::{ClientAuth, ServerTls, TlsVersion};

/// What connections are served with at present.
#[derive(Debug)]
pub struct Serving {
    tls: ServerTls,
    current: ArcSwap<ServerConfig>,
    /// The files as they were when they were looked at last.
    looked_at: Mutex<Stamps>,
}

impl Serving {
    /// Reads the files.
    pub fn load(tls: ServerTls) -> Result<Self, TlsError> {
        let looked_at = Mutex::new(Stamps::of_server(&tls));
        let current = ArcSwap::from_pointee(config(&tls)?);
        Ok(Self {
            tls,
            current,
            looked_at,
        })
    }

    /// What the next connection is served with.
    pub fn current(&self) -> Arc<ServerConfig> {
        self.current.load_full()
    }

    /// Reads the files again if they have changed; says whether anything is new.
    pub fn follow(&self) -> Result<bool, TlsError> {
        {
            let Ok(mut looked_at) = self.looked_at.lock() else {
                return Ok(false);
            };
            let now = looked_at.now();
            if *looked_at == now {
                return Ok(false);
            }
            *looked_at = now;
        }
        self.current.store(Arc::new(config(&self.tls)?));
        Ok(true)
    }
}

fn config(tls: &ServerTls) -> Result<ServerConfig, TlsError> {
    let Material { chain, key } = material(&tls.key)?;
    let provider = Arc::new(provider(&tls.ciphers));
    let broken = |error: rustls::Error| TlsError::new("server.ssl", error.to_string());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&versions(&tls.versions))
        .map_err(broken)?;
    let builder = match verifier(tls, provider)? {
        Some(verifier) => builder.with_client_cert_verifier(verifier),
        None => builder.with_no_client_auth(),
    };
    let mut config = builder.with_single_cert(chain, key).map_err(broken)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Who looks at clients' certificates, if they are asked for.
fn verifier(
    tls: &ServerTls,
    provider: Arc<CryptoProvider>,
) -> Result<Option<Arc<dyn ClientCertVerifier>>, TlsError> {
    let source = match (tls.client_auth, &tls.trust) {
        (ClientAuth::None, _) => return Ok(None),
        (_, Some(source)) => source,
        (_, None) => {
            let problem = "asks for certificates, and there is no server.ssl.trust-store or \
                           server.ssl.trust-certificate to say whose";
            return Err(TlsError::new("server.ssl.client-auth", problem));
        }
    };
    let mut roots = RootCertStore::empty();
    for certificate in authorities(source)? {
        let added = roots.add(certificate);
        added.map_err(|error| TlsError::new("a trusted certificate", error.to_string()))?;
    }
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = match tls.client_auth {
        ClientAuth::Need => builder,
        _ => builder.allow_unauthenticated(),
    };
    let verifier = builder.build();
    verifier
        .map(|verifier| Some(verifier as Arc<dyn ClientCertVerifier>))
        .map_err(|error| TlsError::new("server.ssl", error.to_string()))
}

fn versions(versions: &[TlsVersion]) -> Vec<&'static SupportedProtocolVersion> {
    let of = |version: &TlsVersion| match version {
        TlsVersion::V1_2 => &TLS12,
        TlsVersion::V1_3 => &TLS13,
    };
    versions.iter().map(of).collect()
}

/// All that is known here, or what is named of it.
fn provider(ciphers: &[String]) -> CryptoProvider {
    let mut provider = ring::default_provider();
    if !ciphers.is_empty() {
        provider.cipher_suites.retain(|suite| {
            // Java has no `13` in the names of TLS 1.3's.
            let name = format!("{:?}", suite.suite()).replace("TLS13_", "TLS_");
            ciphers.contains(&name)
        });
    }
    provider
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;
    use crate::model::{KeySource, Pem};

    /// A folder of its own, gone with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            let folder = std::env::temp_dir().join(format!("heureka-{}", uuid::Uuid::new_v4()));
            fs::create_dir(&folder).unwrap();
            Self(folder)
        }

        fn write(&self, names: &[&str]) {
            let names: Vec<_> = names.iter().map(ToString::to_string).collect();
            let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
            fs::write(self.0.join("c.pem"), cert.pem()).unwrap();
            fs::write(self.0.join("k.pem"), signing_key.serialize_pem()).unwrap();
        }

        fn tls(&self) -> ServerTls {
            ServerTls {
                key: KeySource::Pem {
                    chain: Pem::File(self.0.join("c.pem")),
                    key: Pem::File(self.0.join("k.pem")),
                },
                trust: None,
                client_auth: ClientAuth::None,
                versions: vec![TlsVersion::V1_2, TlsVersion::V1_3],
                ciphers: Vec::new(),
            }
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn files_that_change_are_read_anew_and_broken_ones_change_nothing() {
        let folder = Folder::new();
        folder.write(&["a"]);
        let serving = Serving::load(folder.tls()).unwrap();
        let first = serving.current();
        assert_eq!(serving.follow(), Ok(false));
        assert!(Arc::ptr_eq(&first, &serving.current()));

        folder.write(&["a", "another-name"]);
        assert_eq!(serving.follow(), Ok(true));
        let second = serving.current();
        assert!(!Arc::ptr_eq(&first, &second));

        fs::write(folder.0.join("k.pem"), "no key").unwrap();
        let error = serving.follow().unwrap_err();
        assert!(error.file.ends_with("k.pem"), "{error}");
        assert!(Arc::ptr_eq(&second, &serving.current()));
        // Said once.
        assert_eq!(serving.follow(), Ok(false));

        folder.write(&["a"]);
        assert_eq!(serving.follow(), Ok(true));
    }

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let folder = Folder::new();
        folder.write(&["a"]);
        let other = Folder::new();
        other.write(&["a"]);
        let mut tls = folder.tls();
        tls.key = KeySource::Pem {
            chain: Pem::File(folder.0.join("c.pem")),
            key: Pem::File(other.0.join("k.pem")),
        };
        assert!(Serving::load(tls).is_err());
    }

    #[test]
    fn only_the_suites_that_are_named_are_spoken() {
        let names = |ciphers: &[&str]| {
            let ciphers: Vec<_> = ciphers.iter().map(ToString::to_string).collect();
            provider(&ciphers).cipher_suites.len()
        };
        assert_eq!(names(&[]), 9);
        assert_eq!(
            names(&[
                "TLS_AES_128_GCM_SHA256",
                "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
            ]),
            2
        );
    }
}
