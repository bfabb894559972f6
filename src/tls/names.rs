//! What a certificate calls its holder: the common name of its subject, the whole subject, and its alternative names.

use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// All names of a certificate, in the form in which one writes them. None of one that cannot be read.
pub fn names(der: &[u8]) -> Vec<String> {
    let Ok((_, certificate)) = X509Certificate::from_der(der) else {
        return Vec::new();
    };
    let subject = certificate.subject();
    let common = subject
        .iter_common_name()
        .filter_map(|name| name.as_str().ok());
    let mut names: Vec<String> = common.map(String::from).collect();
    names.push(subject.to_string());
    let alternative = certificate.subject_alternative_name().ok().flatten();
    let others = alternative
        .iter()
        .flat_map(|extension| &extension.value.general_names);
    names.extend(others.filter_map(|name| match name {
        GeneralName::DNSName(name) | GeneralName::RFC822Name(name) | GeneralName::URI(name) => {
            Some((*name).to_string())
        }
        _ => None,
    }));
    names
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair, SanType};

    use super::*;

    #[test]
    fn a_certificate_is_known_by_its_subject_and_its_alternative_names() {
        let mut params = CertificateParams::new(vec!["node-1.example".to_string()]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "node-1");
        params
            .distinguished_name
            .push(DnType::OrganizationName, "Shop");
        let uri = "spiffe://shop/node-1".try_into().unwrap();
        params.subject_alt_names.push(SanType::URI(uri));
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let names = names(certificate.der());
        let expected = [
            "node-1",
            "CN=node-1, O=Shop",
            "node-1.example",
            "spiffe://shop/node-1",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_is_no_certificate_has_no_names() {
        assert!(names(b"").is_empty());
        assert!(names(&[0x30, 0x03, 0x02, 0x01, 0x00]).is_empty());
    }
}
