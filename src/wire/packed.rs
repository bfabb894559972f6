//! Parts of a body that are packed one by one and still make one gzip member (RFC 1952).
//!
//! A part is a run of deflate blocks that ends on a whole byte and is not the last (RFC 1951 §3.2.3, §3.2.4),
//! and looks back at nothing before itself; so parts can be put one after the other, and one that did not
//! change need not be packed again. The check value of the whole follows from those of the parts. Short
//! texts between the parts are stored unpacked. There is never a second member: Java's reader stops after
//! the first.

use bytes::Bytes;
use crc32fast::Hasher;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::rope::{Rope, RopeBuilder};

/// RFC 1952 §2.3: deflate, no flags, no time, the fastest compression, system unknown.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
/// A last block with nothing in it.
const END: [u8; 2] = [3, 0];
/// The longest stored block (RFC 1951 §3.2.4).
const MAX_STORED: usize = 0xffff;

/// A packed part.
#[derive(Clone, Debug)]
pub struct Packed {
    bytes: Bytes,
    /// Bytes unpacked.
    len: usize,
    check: Hasher,
}

impl Packed {
    /// Its packed bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// What was packed.
    pub fn unpack(&self) -> Bytes {
        let mut out = Vec::with_capacity(self.len);
        // What this module packed unpacks, and to that length.
        let _ = Decompress::new(false).decompress_vec(&self.bytes, &mut out, FlushDecompress::Sync);
        debug_assert_eq!(out.len(), self.len);
        out.into()
    }
}

/// Packs parts; keeps its tables from one to the next.
pub struct Packer {
    compress: Compress,
    out: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        Self {
            compress: Compress::new(Compression::fast(), false),
            out: Vec::new(),
        }
    }
}

impl Packer {
    /// Packs a part.
    pub fn pack(&mut self, part: &[u8]) -> Packed {
        self.compress.reset();
        self.out.clear();
        let mut read = 0;
        loop {
            self.out.reserve(part.len() / 4 + 1024);
            let before = self.compress.total_in();
            let rest = &part[read..];
            let status = self
                .compress
                .compress_vec(rest, &mut self.out, FlushCompress::Sync);
            read += (self.compress.total_in() - before) as usize;
            // With room left over, everything has been read and flushed.
            if read == part.len() && self.out.len() < self.out.capacity() {
                break;
            }
            debug_assert!(matches!(status, Ok(Status::Ok)), "{status:?}");
        }
        let mut check = Hasher::new();
        check.update(part);
        Packed {
            bytes: Bytes::copy_from_slice(&self.out),
            len: part.len(),
            check,
        }
    }
}

/// One gzip member in the making.
#[derive(Debug)]
pub struct Member {
    rope: RopeBuilder,
    check: Hasher,
    len: usize,
}

impl Default for Member {
    fn default() -> Self {
        let mut rope = RopeBuilder::default();
        rope.write(&HEADER);
        Self {
            rope,
            check: Hasher::new(),
            len: 0,
        }
    }
}

impl Member {
    /// Appends a packed part.
    pub fn push(&mut self, part: &Packed) {
        self.rope.push(part.bytes.clone());
        self.check.combine(&part.check);
        self.len += part.len;
    }

    /// Appends a short text as it is.
    pub fn write(&mut self, text: &[u8]) {
        for text in text.chunks(MAX_STORED) {
            let len = (text.len() as u16).to_le_bytes();
            self.rope.write(&[0, len[0], len[1], !len[0], !len[1]]);
            self.rope.write(text);
        }
        self.check.update(text);
        self.len += text.len();
    }

    /// The member.
    pub fn finish(mut self) -> Rope {
        self.rope.write(&END);
        self.rope.write(&self.check.finalize().to_le_bytes());
        // RFC 1952 §2.3.1: the length modulo 2^32.
        self.rope.write(&(self.len as u32).to_le_bytes());
        self.rope.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use flate2::bufread::GzDecoder;

    use super::*;

    /// Unpacks one member, a few bytes at a time, and makes sure that nothing follows it.
    fn unpacked(member: &Rope, step: usize) -> Vec<u8> {
        let packed = member.joined();
        let mut decoder = GzDecoder::new(BufReader::with_capacity(step, &packed[..]));
        let mut out = Vec::new();
        decoder.read_to_end(&mut out).unwrap();
        let mut rest = Vec::new();
        decoder.into_inner().read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"", "something follows the member");
        out
    }

    /// Bytes of which little repeats, so that they hardly pack.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn parts_and_texts_of_every_length_make_one_member_with_the_right_check_value() {
        let mut packer = Packer::default();
        let parts = [
            vec![],
            b"x".to_vec(),
            b"<instance/>".repeat(1_000),
            noise(70_000),
        ];
        for first in &parts {
            for second in &parts {
                let mut member = Member::default();
                member.push(&packer.pack(first));
                member.write(second);
                member.push(&packer.pack(second));
                member.write(b",");
                let member = member.finish();
                let expected = [&first[..], second, second, b","].concat();
                for step in [1, 7, 4096] {
                    assert!(unpacked(&member, step) == expected);
                }
            }
        }
    }

    #[test]
    fn an_empty_member_is_valid() {
        assert_eq!(unpacked(&Member::default().finish(), 7), b"");
    }

    #[test]
    fn a_part_unpacks_to_what_it_was() {
        let mut packer = Packer::default();
        for part in [&b""[..], b"a", &noise(100_000), &b"ab".repeat(50_000)] {
            assert!(packer.pack(part).unpack() == part);
        }
    }
}
