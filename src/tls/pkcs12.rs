//! Certificates and keys from PKCS#12, as Java's keytool and OpenSSL write it.

use p12_keystore::error::Error;
use p12_keystore::{CertificateBag, Pkcs12Archive, PrivateKeyBag};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::material::{Material, TlsError, read};
use crate::model::Store;

/// Java's own kind of key store.
const JKS: [u8; 4] = [0xfe, 0xed, 0xfe, 0xed];
/// A chain is never so long; one that leads in a circle would be.
const LONGEST_CHAIN: usize = 10;

/// The key of this name, or the first one, with its certificates.
pub(super) fn material(store: &Store, alias: Option<&str>) -> Result<Material, TlsError> {
    let archive = open(store)?;
    let file = store.file.display();
    let key = match alias {
        None => archive.keys.first(),
        Some(alias) => archive.keys.iter().find(|key| is_called(key, alias)),
    };
    let Some(key) = key else {
        let known: Vec<_> = archive
            .keys
            .iter()
            .filter_map(|key| key.friendly_name.as_deref())
            .collect();
        return Err(TlsError::new(
            file,
            match alias {
                None => "there is no private key in it".to_string(),
                Some(alias) => format!("it has no key {alias:?}, only {known:?}"),
            },
        ));
    };
    let chain = chain(key, &archive.certs);
    if chain.is_empty() {
        return Err(TlsError::new(
            file,
            "there is no certificate for its key in it",
        ));
    }
    let key = PrivatePkcs8KeyDer::from(key.key.as_der().to_vec());
    Ok(Material {
        chain,
        key: key.into(),
    })
}

/// All certificates that have no key.
pub(super) fn authorities(store: &Store) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let archive = open(store)?;
    let without_key = archive
        .certs
        .iter()
        .filter(|bag| bag.local_key_id.is_none());
    let found: Vec<_> = without_key.map(der).collect();
    if found.is_empty() {
        let problem = "there is no certificate of an authority in it";
        return Err(TlsError::new(store.file.display(), problem));
    }
    Ok(found)
}

fn open(store: &Store) -> Result<Pkcs12Archive, TlsError> {
    let bytes = read(&store.file)?;
    let problem = |text: String| TlsError::new(store.file.display(), text);
    if bytes.starts_with(&JKS) {
        let text = "it is a JKS key store; make PKCS#12 of it by `keytool -importkeystore -deststoretype pkcs12`";
        return Err(problem(text.to_string()));
    }
    Pkcs12Archive::from_pkcs12(&bytes, store.password.reveal()).map_err(|error| {
        problem(match error {
            Error::MacError(_) => "the password is not that of this key store".to_string(),
            error => format!("it is no PKCS#12 that can be read: {error}"),
        })
    })
}

fn is_called(key: &PrivateKeyBag, alias: &str) -> bool {
    let name = key.friendly_name.as_deref();
    // As in Java, which writes names in lower case.
    name.is_some_and(|name| name.to_lowercase() == alias.to_lowercase())
}

/// The certificate of a key, and those that lead to its authority.
fn chain(key: &PrivateKeyBag, bags: &[CertificateBag]) -> Vec<CertificateDer<'static>> {
    let id = key.local_key_id.as_ref().map(|id| id.0.as_slice());
    let is_its = |bag: &&CertificateBag| id.is_some() && bag.local_key_id.as_deref() == id;
    // Where there is one key and one certificate they belong together, whatever they are called.
    let only = || bags.first().filter(|_| bags.len() == 1);
    let mut next = bags.iter().find(is_its).or_else(only);
    let mut chain = Vec::new();
    while let Some(bag) = next {
        chain.push(der(bag));
        let is_root = bag.cert.subject() == bag.cert.issuer();
        let mut others = bags.iter().filter(|other| !other.trusted);
        next = others.find(|other| other.cert.subject() == bag.cert.issuer());
        if is_root || chain.len() == LONGEST_CHAIN {
            break;
        }
    }
    chain
}

fn der(bag: &CertificateBag) -> CertificateDer<'static> {
    bag.cert.as_der().to_vec().into()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::model::Secret;

    fn stored(file: &str, password: &str) -> Store {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tls");
        Store {
            file: folder.join(file),
            password: Secret::new(password),
        }
    }

    #[test]
    fn key_stores_of_java_and_openssl_are_read() {
        for (file, alias, subject) in [
            ("keytool.p12", None, "CN=node-1"),
            ("keytool.p12", Some("Node"), "CN=node-1"),
            ("openssl.p12", None, "CN=node-2"),
            ("openssl.p12", Some("two"), "CN=node-2"),
            ("legacy.p12", None, "CN=node-2"),
        ] {
            let material = material(&stored(file, "s3cret"), alias).unwrap();
            assert_eq!(material.chain.len(), 1);
            let own = p12_keystore::Certificate::from_der(&material.chain[0]).unwrap();
            assert!(own.subject().contains(subject), "{file}: {}", own.subject());
        }
        assert_eq!(
            authorities(&stored("trust.p12", "s3cret")).unwrap().len(),
            1
        );
    }

    #[test]
    fn what_is_wrong_with_a_key_store_is_said() {
        for (file, password, alias, problem) in [
            (
                "keytool.p12",
                "wrong",
                None,
                "the password is not that of this key store",
            ),
            (
                "keytool.p12",
                "",
                None,
                "the password is not that of this key store",
            ),
            (
                "keytool.p12",
                "s3cret",
                Some("other"),
                "it has no key \"other\", only [\"node\"]",
            ),
            ("trust.p12", "s3cret", None, "there is no private key in it"),
            (
                "java.jks",
                "s3cret",
                None,
                "it is a JKS key store; make PKCS#12 of it",
            ),
            (
                "README.md",
                "s3cret",
                None,
                "it is no PKCS#12 that can be read",
            ),
            ("none.p12", "s3cret", None, "No such file"),
        ] {
            let error = material(&stored(file, password), alias).unwrap_err();
            assert!(error.file.ends_with(file), "{error}");
            assert!(error.problem.starts_with(problem), "{error}");
            assert!(!error.to_string().contains("s3cret"));
        }
        let error = authorities(&stored("keytool.p12", "s3cret")).unwrap_err();
        assert!(
            error
                .problem
                .starts_with("there is no certificate of an authority")
        );
    }
}
