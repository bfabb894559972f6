//! TLS: what the node shows and whom it trusts, as a server and as one that asks others.

use std::path::PathBuf;

use super::key::Key;
use super::keys;
use super::read::Reader;
use super::security_read::refuse_text;
use crate::model::{
    ClientAuth, ClientTls, KeySource, Pem, Secret, ServerTls, Store, TlsVersion, TrustSource,
};

/// Knobs of TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsConfig {
    /// How the node listens with TLS on its port; default not at all.
    pub server: Option<ServerTls>,
    /// Where it listens without TLS besides; default nowhere.
    pub plain_port: Option<u16>,
    /// How it asks others with TLS; default with nothing to show, and the system's authorities.
    pub client: ClientTls,
}

const WANTED_PATH: &str = "the path of a file; there is no classpath here";
const WANTED_PEM: &str = "PEM, or the path of a file that has it; there is no classpath here";
const WANTED_VERSIONS: &str = "TLSv1.2 and TLSv1.3, or one of them";

/// Cipher suites that are spoken here, by their names in Java.
const CIPHERS: [&str; 9] = [
    "TLS_AES_256_GCM_SHA384",
    "TLS_AES_128_GCM_SHA256",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
];

impl TlsConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let server = server(reader);
        let port = reader.value(keys::PLAIN_PORT, "a number from 0 to 65535", None, |text| {
            text.parse().ok().map(Some)
        });
        if server.is_none() {
            reader.warn_if_set(keys::PLAIN_PORT, "server.port has no TLS itself");
        }
        Self {
            plain_port: port.filter(|_| server.is_some()),
            client: client(reader),
            server,
        }
    }
}

/// The keys that say the same for different owners.
struct Names {
    certificate: Key,
    private_key: Key,
    trust_certificate: Key,
    store: Key,
    store_password: Key,
    alias: Option<Key>,
    key_password: Option<Key>,
    trust_store: Key,
    trust_store_password: Key,
}

fn server(reader: &mut Reader<'_>) -> Option<ServerTls> {
    let enabled = reader.flag(keys::SSL_ENABLED, true);
    reader.only_where(enabled, enabled_server).flatten()
}

fn enabled_server(reader: &mut Reader<'_>) -> Option<ServerTls> {
    let client_auth = client_auth(reader);
    let bundle = reader.name(keys::SSL_BUNDLE);
    let (names, protocols, ciphers) = match &bundle {
        None => (
            own_names(),
            keys::SSL_PROTOCOLS.into(),
            keys::SSL_CIPHERS.into(),
        ),
        Some(bundle) => bundle_names(reader, bundle),
    };
    let source = key_source(reader, &names);
    let trust = trust_source(reader, &names);
    let (versions, ciphers) = (versions(reader, protocols), ciphers_of(reader, ciphers));
    let is_wanted = reader.is_set(keys::SSL_ENABLED)
        || bundle.is_some()
        || trust.is_some()
        || client_auth != ClientAuth::None;
    let Some(key) = source else {
        if is_wanted {
            let wanted = "a certificate, by a key store, PEM or a bundle";
            reader.missing(names.store.clone(), wanted, "TLS");
        }
        return None;
    };
    if client_auth != ClientAuth::None && trust.is_none() {
        let wanted = "certificates of those whose clients are let in";
        reader.missing(names.trust_store, wanted, keys::SSL_CLIENT_AUTH);
    }
    Some(ServerTls {
        key,
        trust,
        client_auth,
        versions,
        ciphers,
    })
}

fn client_auth(reader: &mut Reader<'_>) -> ClientAuth {
    reader.value(
        keys::SSL_CLIENT_AUTH,
        "none, want or need",
        ClientAuth::None,
        |text| match text.to_ascii_lowercase().as_str() {
            "none" => Some(ClientAuth::None),
            "want" => Some(ClientAuth::Want),
            "need" => Some(ClientAuth::Need),
            _ => None,
        },
    )
}

fn own_names() -> Names {
    Names {
        certificate: keys::SSL_CERTIFICATE.into(),
        private_key: keys::SSL_PRIVATE_KEY.into(),
        trust_certificate: keys::SSL_TRUST_CERTIFICATE.into(),
        store: keys::SSL_KEY_STORE.into(),
        store_password: keys::SSL_KEY_STORE_PASSWORD.into(),
        alias: Some(keys::SSL_KEY_ALIAS.into()),
        key_password: Some(keys::SSL_KEY_PASSWORD.into()),
        trust_store: keys::SSL_TRUST_STORE.into(),
        trust_store_password: keys::SSL_TRUST_STORE_PASSWORD.into(),
    }
}

/// The keys of a bundle, and those of its versions and cipher suites. Bundles of both kinds may have one name in
/// Spring; here the one in PEM counts then.
fn bundle_names(reader: &mut Reader<'_>, bundle: &str) -> (Names, Key, Key) {
    let at = |key| Key::at(key, bundle);
    let names = Names {
        certificate: at(keys::PEM_CERTIFICATE),
        private_key: at(keys::PEM_PRIVATE_KEY),
        trust_certificate: at(keys::PEM_TRUST),
        store: at(keys::STORE_LOCATION),
        store_password: at(keys::STORE_PASSWORD),
        alias: Some(at(keys::STORE_ALIAS)),
        key_password: None,
        trust_store: at(keys::STORE_TRUST),
        trust_store_password: at(keys::STORE_TRUST_PASSWORD),
    };
    match reader.is_set(names.certificate.clone()) {
        true => (names, at(keys::PEM_PROTOCOLS), at(keys::PEM_CIPHERS)),
        false => (names, at(keys::STORE_PROTOCOLS), at(keys::STORE_CIPHERS)),
    }
}

fn client(reader: &mut Reader<'_>) -> ClientTls {
    let names = Names {
        certificate: keys::CLIENT_CERTIFICATE.into(),
        private_key: keys::CLIENT_PRIVATE_KEY.into(),
        trust_certificate: keys::CLIENT_TRUST_CERTIFICATE.into(),
        store: keys::CLIENT_KEY_STORE.into(),
        store_password: keys::CLIENT_KEY_STORE_PASSWORD.into(),
        alias: None,
        key_password: Some(keys::CLIENT_KEY_PASSWORD.into()),
        trust_store: keys::CLIENT_TRUST_STORE.into(),
        trust_store_password: keys::CLIENT_TRUST_STORE_PASSWORD.into(),
    };
    // As soon as something is set; Spring wants it said.
    let enabled = reader.flag(keys::CLIENT_TLS_ENABLED, true);
    let tls = reader.only_where(enabled, |reader| ClientTls {
        key: key_source(reader, &names),
        trust: trust_source(reader, &names),
    });
    tls.unwrap_or_default()
}

fn key_source(reader: &mut Reader<'_>, names: &Names) -> Option<KeySource> {
    if let Some(chain) = pem(reader, &names.certificate) {
        let Some(key) = pem(reader, &names.private_key) else {
            if !reader.is_set(names.private_key.clone()) {
                let by = names.certificate.to_string();
                reader.missing(names.private_key.clone(), "the key of the certificate", &by);
            }
            return None;
        };
        return Some(KeySource::Pem { chain, key });
    }
    let store = store(reader, &names.store, &names.store_password)?;
    let key_password = names
        .key_password
        .clone()
        .and_then(|key| Some((reader.found(key.clone())?, key)));
    if let Some((found, key)) = key_password
        && found.text != store.password.reveal()
    {
        reader.refuse(
            key,
            &found,
            "the password of the key store, which its keys have in PKCS#12",
        );
    }
    let alias = names.alias.clone().and_then(|key| reader.name(key));
    Some(KeySource::Store { store, alias })
}

fn trust_source(reader: &mut Reader<'_>, names: &Names) -> Option<TrustSource> {
    if let Some(pem) = pem(reader, &names.trust_certificate) {
        return Some(TrustSource::Pem(pem));
    }
    store(reader, &names.trust_store, &names.trust_store_password).map(TrustSource::Store)
}

fn store(reader: &mut Reader<'_>, file: &Key, password: &Key) -> Option<Store> {
    let file = reader.value(file.clone(), WANTED_PATH, None, |text| path(text).map(Some))?;
    let password = reader.found(password.clone());
    let password = Secret::new(password.map_or(String::new(), |found| found.text));
    Some(Store { file, password })
}

fn pem(reader: &mut Reader<'_>, key: &Key) -> Option<Pem> {
    reader.value(key.clone(), WANTED_PEM, None, |text| {
        if text.starts_with("-----BEGIN ") {
            return Some(Some(Pem::Text(Secret::new(text))));
        }
        path(text).map(|file| Some(Pem::File(file)))
    })
}

/// `file:/a/b`, `file:///a/b` or `a/b`; other places of Spring are inside of a program of Java.
fn path(text: &str) -> Option<PathBuf> {
    let path = match text.strip_prefix("file:") {
        Some(path) if path.starts_with("//") => &path[2..],
        Some(path) => path,
        None => text,
    };
    let is_elsewhere = ["classpath:", "base64:", "http:", "https:"]
        .iter()
        .any(|place| path.starts_with(place));
    (!is_elsewhere && !path.is_empty()).then(|| PathBuf::from(path))
}

fn versions(reader: &mut Reader<'_>, key: Key) -> Vec<TlsVersion> {
    let both = vec![TlsVersion::V1_2, TlsVersion::V1_3];
    let words = reader.list(key.clone());
    if words.is_empty() {
        return both;
    }
    let mut versions = Vec::new();
    for word in words {
        match word.as_str() {
            "TLSv1.2" => versions.push(TlsVersion::V1_2),
            "TLSv1.3" => versions.push(TlsVersion::V1_3),
            old if old.starts_with("TLSv1") || old.starts_with("SSL") => {
                reader.warn(format!("{key}: {old} is not spoken any more"));
            }
            _ => refuse_text(reader, key.clone(), &word, WANTED_VERSIONS),
        }
    }
    if versions.is_empty() {
        let wanted = WANTED_VERSIONS;
        reader.missing(key, wanted, "TLS");
    }
    versions
}

fn ciphers_of(reader: &mut Reader<'_>, key: Key) -> Vec<String> {
    let named = reader.list(key.clone());
    let is_known = |cipher: &String| CIPHERS.contains(&cipher.as_str());
    let (known, unknown): (Vec<_>, Vec<_>) = named.into_iter().partition(is_known);
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        reader.warn(format!("{key}: not spoken here: {unknown}"));
        if known.is_empty() {
            reader.missing(key, "one at least that is spoken here", "TLS");
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigError, Sources};

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn read(arguments: Pairs<'_>) -> Result<Config, Vec<ConfigError>> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Config::read(&Sources::new([], arguments.iter().map(owned)))
    }

    fn tls(arguments: Pairs<'_>) -> TlsConfig {
        let config = read(arguments).unwrap();
        assert!(config.warnings.is_empty(), "{:?}", config.warnings);
        config.tls
    }

    fn file(path: &str) -> Pem {
        Pem::File(path.into())
    }

    fn stored(file: &str, password: &str) -> Store {
        Store {
            file: file.into(),
            password: Secret::new(password),
        }
    }

    const STORE: (&str, &str) = ("server.ssl.key-store", "file:/etc/node.p12");
    const PASSWORD: (&str, &str) = ("server.ssl.key-store-password", "s3cret");

    #[test]
    fn without_a_certificate_there_is_no_tls() {
        assert_eq!(tls(&[]), TlsConfig::default());
        for off in [
            STORE,
            ("server.ssl.key-store", "classpath:keystore.p12"),
            ("server.ssl.enabled-protocols", "FOO"),
            ("server.ssl.client-auth", "perhaps"),
        ] {
            let server = tls(&[("server.ssl.enabled", "false"), off]);
            assert_eq!(server, TlsConfig::default(), "{off:?}");
        }
        let client = tls(&[
            ("eureka.client.tls.enabled", "false"),
            ("eureka.client.tls.key-store", "classpath:client.p12"),
        ]);
        assert_eq!(client, TlsConfig::default());
    }

    #[test]
    fn a_certificate_is_in_a_key_store_or_in_pem_or_in_a_bundle() {
        let pem = KeySource::Pem {
            chain: file("/c.pem"),
            key: Pem::Text(Secret::new("-----BEGIN PRIVATE KEY-----\nx")),
        };
        for (arguments, key, trust) in [
            (
                &[STORE, PASSWORD, ("server.ssl.key-alias", "node")][..],
                KeySource::Store {
                    store: stored("/etc/node.p12", "s3cret"),
                    alias: Some("node".to_string()),
                },
                None,
            ),
            (
                &[
                    ("server.ssl.certificate", "file:///c.pem"),
                    (
                        "server.ssl.certificate-private-key",
                        "-----BEGIN PRIVATE KEY-----\nx",
                    ),
                    ("server.ssl.trust-certificate", "ca.pem"),
                ],
                pem.clone(),
                Some(TrustSource::Pem(file("ca.pem"))),
            ),
            (
                &[
                    ("server.ssl.bundle", "web"),
                    ("spring.ssl.bundle.pem.web.keystore.certificate", "/c.pem"),
                    (
                        "spring.ssl.bundle.pem.web.keystore.private-key",
                        "-----BEGIN PRIVATE KEY-----\nx",
                    ),
                    (
                        "spring.ssl.bundle.pem.web.truststore.certificate",
                        "/ca.pem",
                    ),
                    (
                        "spring.ssl.bundle.pem.other.keystore.certificate",
                        "/other.pem",
                    ),
                ],
                pem,
                Some(TrustSource::Pem(file("/ca.pem"))),
            ),
            (
                &[
                    ("server.ssl.bundle", "web"),
                    ("spring.ssl.bundle.jks.web.keystore.location", "/n.p12"),
                    ("spring.ssl.bundle.jks.web.keystore.password", "p"),
                    ("spring.ssl.bundle.jks.web.truststore.location", "/t.p12"),
                    ("spring.ssl.bundle.jks.web.key.alias", "a"),
                ],
                KeySource::Store {
                    store: stored("/n.p12", "p"),
                    alias: Some("a".to_string()),
                },
                Some(TrustSource::Store(stored("/t.p12", ""))),
            ),
        ] {
            let server = tls(arguments).server.unwrap();
            assert_eq!((server.key, server.trust), (key, trust), "{arguments:?}");
            assert_eq!(server.versions.len(), 2);
        }
    }

    #[test]
    fn what_is_shown_to_others_is_read_alike() {
        let client = tls(&[
            ("eureka.client.tls.enabled", "true"),
            ("eureka.client.tls.key-store", "k.p12"),
            ("eureka.client.tls.key-store-password", "p"),
            ("eureka.client.tls.key-password", "p"),
            ("eureka.client.tls.trust-store", "t.p12"),
        ])
        .client;
        let key = KeySource::Store {
            store: stored("k.p12", "p"),
            alias: None,
        };
        let trust = TrustSource::Store(stored("t.p12", ""));
        assert_eq!((client.key, client.trust), (Some(key), Some(trust)));
        let off = tls(&[
            ("eureka.client.tls.enabled", "false"),
            ("eureka.client.tls.key-store", "k.p12"),
        ]);
        assert_eq!(off, TlsConfig::default());
    }

    #[test]
    fn versions_suites_and_the_other_port_can_be_set() {
        let config = read(&[
            STORE,
            ("server.ssl.enabled-protocols", "TLSv1.1,TLSv1.3"),
            (
                "server.ssl.ciphers",
                "TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_AES_128_CBC_SHA",
            ),
            ("eureka.server.plain-port", "8762"),
        ])
        .unwrap();
        let server = config.tls.server.unwrap();
        assert_eq!(server.versions, [TlsVersion::V1_3]);
        assert_eq!(server.ciphers, ["TLS_AES_128_GCM_SHA256"]);
        assert_eq!(config.tls.plain_port, Some(8762));
        assert_eq!(config.warnings.len(), 2, "{:?}", config.warnings);
        let config = read(&[("eureka.server.plain-port", "8762")]).unwrap();
        assert_eq!((config.tls.plain_port, config.warnings.len()), (None, 1));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (arguments, mistake) in [
            (
                &[("server.ssl.enabled", "true")][..],
                "server.ssl.key-store: wanted a certificate",
            ),
            (
                &[("server.ssl.bundle", "x")],
                "spring.ssl.bundle.jks.x.keystore.location: wanted",
            ),
            (
                &[("server.ssl.key-store", "classpath:n.p12")],
                "server.ssl.key-store: wanted the path",
            ),
            (
                &[("server.ssl.certificate", "c.pem")],
                "server.ssl.certificate-private-key: wanted the key",
            ),
            (
                &[STORE, ("server.ssl.client-auth", "need")],
                "server.ssl.trust-store: wanted certificates",
            ),
            (
                &[STORE, ("server.ssl.client-auth", "perhaps")],
                "server.ssl.client-auth: wanted none",
            ),
            (
                &[STORE, PASSWORD, ("server.ssl.key-password", "other")],
                "server.ssl.key-password: wanted the password of the key store, which its keys have in \
                 PKCS#12, got \"***\"",
            ),
            (
                &[STORE, ("server.ssl.enabled-protocols", "SSLv3")],
                "server.ssl.enabled-protocols: wanted",
            ),
            (
                &[STORE, ("server.ssl.enabled-protocols", "3")],
                "server.ssl.enabled-protocols: wanted",
            ),
            (
                &[STORE, ("server.ssl.ciphers", "X")],
                "server.ssl.ciphers: wanted one at least",
            ),
        ] {
            let lines: Vec<_> = read(arguments)
                .unwrap_err()
                .iter()
                .map(ToString::to_string)
                .collect();
            assert!(
                lines.iter().any(|line| line.starts_with(mistake)),
                "{mistake}: {lines:?}"
            );
        }
    }
}
