//! Content codings of requests. What a request unpacks to is bounded before it is unpacked; answers are
//! packed in `packed.rs`. Requests of our own are packed here too.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::GzEncoder;

/// A content coding that a request may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// As it is.
    Identity,
    /// RFC 1952, any number of members.
    Gzip,
    /// RFC 1950, or the bare RFC 1951 stream that some clients send under this name.
    Deflate,
}

impl Coding {
    /// Reads a `Content-Encoding`; `None` if it is none of ours.
    pub fn from_header(value: &str) -> Option<Self> {
        match value.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Some(Self::Identity),
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            _ => None,
        }
    }
}

/// Why a request body could not be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// It would be longer than allowed.
    #[error("the body unpacks to more than {0} bytes")]
    TooLong(usize),
    /// It is not what `Content-Encoding` says.
    #[error("the body is not {0}")]
    NotPacked(&'static str),
}

/// Packs a body as one gzip member, quickly rather than small.
pub fn pack(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body)?;
    encoder.finish()
}

/// Unpacks a body to at most `limit` bytes.
pub fn unpack(coding: Coding, body: &[u8], limit: usize) -> Result<Vec<u8>, UnpackError> {
    match coding {
        Coding::Identity => Ok(body.to_vec()),
        Coding::Gzip => read_all(MultiGzDecoder::new(body), "gzip", limit),
        Coding::Deflate if is_zlib(body) => read_all(ZlibDecoder::new(body), "deflate", limit),
        Coding::Deflate => read_all(DeflateDecoder::new(body), "deflate", limit),
    }
}

/// The two bytes that begin a zlib stream (RFC 1950 §2.2).
fn is_zlib(body: &[u8]) -> bool {
    match body {
        [first, second, ..] => {
            first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0
        }
        _ => false,
    }
}

fn read_all(reader: impl Read, coding: &'static str, limit: usize) -> Result<Vec<u8>, UnpackError> {
    let mut out = Vec::new();
    let mut bounded = reader.take(limit as u64 + 1);
    match bounded.read_to_end(&mut out) {
        Ok(length) if length > limit => Err(UnpackError::TooLong(limit)),
        Ok(_) => Ok(out),
        Err(_) => Err(UnpackError::NotPacked(coding)),
    }
}

#[cfg(test)]
mod tests {
    use flate2::write::{DeflateEncoder, ZlibEncoder};

    use super::*;

    fn pack(body: &[u8]) -> Vec<u8> {
        super::pack(body).unwrap()
    }

    #[test]
    fn what_is_packed_is_unpacked_in_every_coding() {
        let body = b"{\"instance\":{}}".repeat(100);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&body).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(&body).unwrap();
        for (header, packed) in [
            ("gzip", pack(&body)),
            ("X-GZIP", pack(&body)),
            ("deflate", zlib.finish().unwrap()),
            (" deflate ", raw.finish().unwrap()),
            ("identity", body.clone()),
            ("", body.clone()),
        ] {
            let coding = Coding::from_header(header).unwrap();
            assert_eq!(
                unpack(coding, &packed, body.len()).unwrap(),
                body,
                "{header}"
            );
        }
        assert_eq!(Coding::from_header("br"), None);
    }

    #[test]
    fn a_bomb_ends_at_the_limit_and_rubbish_is_named() {
        let bomb = pack(&vec![b' '; 1 << 20]);
        assert_eq!(
            unpack(Coding::Gzip, &bomb, 1000),
            Err(UnpackError::TooLong(1000))
        );
        let rubbish = unpack(Coding::Gzip, b"{}", 1000);
        assert_eq!(rubbish, Err(UnpackError::NotPacked("gzip")));
        let cut = &pack(b"hello hello hello")[..12];
        assert_eq!(
            unpack(Coding::Gzip, cut, 1000),
            Err(UnpackError::NotPacked("gzip"))
        );
    }
}
