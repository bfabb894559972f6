//! What a request comes with: the `Authorization` header. Pure.

use actix_web::http::header::HeaderValue;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::model::Secret;

/// Clients differ about the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The longest header that is looked into, in bytes.
const LONGEST: usize = 4096;

/// A header that can be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Credentials {
    /// `name:password`, and how long the name is in bytes.
    Basic(Secret, usize),
    /// A token.
    Bearer(Secret),
}

impl Credentials {
    /// Reads the header; `None` if it is of no kind that is known here.
    pub(super) fn of(header: &HeaderValue) -> Option<Self> {
        let text = header.to_str().ok().filter(|text| text.len() <= LONGEST)?;
        let (scheme, rest) = text.trim().split_once(' ')?;
        let rest = rest.trim();
        if scheme.eq_ignore_ascii_case("Bearer") {
            return (!rest.is_empty()).then(|| Self::Bearer(Secret::new(rest)));
        }
        if !scheme.eq_ignore_ascii_case("Basic") {
            return None;
        }
        let pair = text_of(BASE64.decode(rest).ok()?);
        let name = pair.find(':')?;
        Some(Self::Basic(Secret::new(pair), name))
    }

    /// What is kept secret of them.
    pub(super) fn into_password(self) -> Secret {
        match self {
            Self::Basic(pair, name) => Secret::new(&pair.reveal()[name + 1..]),
            Self::Bearer(token) => token,
        }
    }
}

/// UTF-8, or ISO-8859-1 as older clients write it.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let bytes = error.as_bytes().iter();
        bytes.map(|byte| char::from(*byte)).collect()
    })
}

/// Whether the header says that it has a token.
pub(super) fn is_bearer(header: &HeaderValue) -> bool {
    let begin = header.as_bytes().trim_ascii_start().get(..6);
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(b"bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_clients_write_it() {
        let basic = |pair: &str| {
            let name = pair.find(':').unwrap();
            Some(Credentials::Basic(Secret::new(pair), name))
        };
        let bearer = |token: &str| Some(Credentials::Bearer(Secret::new(token)));
        let long = format!("Bearer {}", "x".repeat(LONGEST));
        for (header, expected) in [
            ("Basic dTpw", basic("u:p")),
            ("basic  dTpw ", basic("u:p")),
            ("Basic dTpwOnE=", basic("u:p:q")),
            ("Basic dTpwOnE", basic("u:p:q")),
            ("Basic dTo=", basic("u:")),
            ("Basic OnA=", basic(":p")),
            // ü in UTF-8 and in ISO-8859-1
            ("Basic dTrDvA==", basic("u:ü")),
            ("Basic dTr8", basic("u:ü")),
            ("Bearer t-1", bearer("t-1")),
            ("BEARER t-1", bearer("t-1")),
            ("Basic", None),
            ("Basic ", None),
            ("Basic dQ==", None),
            ("Basic ????", None),
            ("Bearer ", None),
            ("Digest username=\"u\"", None),
            ("Negotiate abc", None),
            ("", None),
            (&long, None),
        ] {
            let value = HeaderValue::from_str(header).unwrap();
            assert_eq!(Credentials::of(&value), expected, "{header:.40}");
        }
        let binary = HeaderValue::from_bytes(b"Bearer \xff").unwrap();
        assert_eq!(Credentials::of(&binary), None);
        assert!(is_bearer(&binary));
        assert!(!is_bearer(&HeaderValue::from_static("Basic dTpw")));
    }
}
