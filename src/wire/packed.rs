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
    crc: u32,
    shift: Shift,
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
        let mut hasher = Hasher::new();
        hasher.update(part);
        Packed {
            bytes: Bytes::copy_from_slice(&self.out),
            len: part.len(),
            crc: hasher.finalize(),
            shift: Shift::by(part.len()),
        }
    }
}

/// One gzip member in the making.
#[derive(Debug)]
pub struct Member {
    rope: RopeBuilder,
    crc: u32,
    len: usize,
}

impl Default for Member {
    fn default() -> Self {
        let mut rope = RopeBuilder::default();
        rope.write(&HEADER);
        Self {
            rope,
            crc: 0,
            len: 0,
        }
    }
}

impl Member {
    /// Appends a packed part.
    pub fn push(&mut self, part: &Packed) {
        self.rope.push(part.bytes.clone());
        self.crc = part.shift.apply(self.crc) ^ part.crc;
        self.len += part.len;
    }

    /// Appends a short text as it is.
    pub fn write(&mut self, text: &[u8]) {
        for text in text.chunks(MAX_STORED) {
            let len = (text.len() as u16).to_le_bytes();
            self.rope.write(&[0, len[0], len[1], !len[0], !len[1]]);
            self.rope.write(text);
        }
        let mut hasher = Hasher::new_with_initial(self.crc);
        hasher.update(text);
        self.crc = hasher.finalize();
        self.len += text.len();
    }

    /// The member.
    pub fn finish(mut self) -> Rope {
        self.rope.write(&END);
        self.rope.write(&self.crc.to_le_bytes());
        // RFC 1952 §2.3.1: the length modulo 2^32.
        self.rope.write(&(self.len as u32).to_le_bytes());
        self.rope.finish()
    }
}

/// What so many bytes of zero make of a check value: x^(8·bytes) modulo the polynomial of CRC-32, the bits
/// in reverse. The check value of two texts is that of the first, shifted by the second's length, plus
/// that of the second.
///
/// `crc32fast` combines check values too, but works this out anew each time: half a microsecond a block, and
/// with it the list of 100 000 instances after a change takes twice as long. Here a block keeps it.
#[derive(Clone, Copy, Debug)]
struct Shift(u32);

/// The polynomial without its highest term, in reverse.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// The polynomial 1, in reverse.
const ONE: u32 = 1 << 31;

impl Shift {
    fn by(bytes: usize) -> Self {
        let (mut result, mut power) = (ONE, ONE >> 8);
        let mut rest = bytes;
        while rest > 0 {
            if rest & 1 == 1 {
                result = product(power, result);
            }
            power = product(power, power);
            rest >>= 1;
        }
        Self(result)
    }

    fn apply(self, crc: u32) -> u32 {
        product(self.0, crc)
    }
}

/// The product of two polynomials over GF(2), modulo that of CRC-32.
fn product(a: u32, mut b: u32) -> u32 {
    let mut sum = 0;
    let mut rest = a;
    while rest != 0 {
        if rest & ONE != 0 {
            sum ^= b;
        }
        rest <<= 1;
        b = (b >> 1) ^ (POLYNOMIAL & (b & 1).wrapping_neg());
    }
    sum
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

    #[test]
    fn a_shift_does_what_zeros_do() {
        let crc = crc32fast::hash(b"heureka");
        for len in [0, 1, 2, 255, 256, 50_000] {
            let mut zeros = Hasher::new_with_initial(0);
            zeros.update(&vec![0; len]);
            let mut both = Hasher::new_with_initial(crc);
            both.update(&vec![0; len]);
            let shifted = Shift::by(len).apply(crc) ^ zeros.finalize();
            assert_eq!(shifted, both.finalize(), "{len}");
        }
    }
}
