//! A body in parts that are shared with other bodies: it is put together without copying any of them.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

/// A finished body; cloning it costs a reference count.
#[derive(Clone, Debug, Default)]
pub struct Rope {
    parts: Arc<[Bytes]>,
    len: usize,
}

impl Rope {
    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The parts in order; none of them is empty.
    pub fn parts(&self) -> &[Bytes] {
        &self.parts
    }

    /// All of it in one piece; for what cannot take parts.
    pub fn joined(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.len);
        for part in self.parts.iter() {
            all.extend_from_slice(part);
        }
        all
    }
}

impl From<Bytes> for Rope {
    fn from(body: Bytes) -> Self {
        let mut rope = RopeBuilder::default();
        rope.push(body);
        rope.finish()
    }
}

impl From<Vec<u8>> for Rope {
    fn from(body: Vec<u8>) -> Self {
        Bytes::from(body).into()
    }
}

/// Equal if the bytes are, however they are parted.
impl PartialEq for Rope {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.joined() == other.joined()
    }
}

impl Eq for Rope {}

/// A rope in the making. Short texts between the parts are gathered.
#[derive(Debug, Default)]
pub struct RopeBuilder {
    parts: Vec<Bytes>,
    len: usize,
    text: BytesMut,
}

impl RopeBuilder {
    /// Appends a part without copying it.
    pub fn push(&mut self, part: Bytes) {
        self.flush();
        self.len += part.len();
        if !part.is_empty() {
            self.parts.push(part);
        }
    }

    /// Appends a short text by copying it.
    pub fn write(&mut self, text: &[u8]) {
        self.len += text.len();
        self.text.extend_from_slice(text);
    }

    /// The body.
    pub fn finish(mut self) -> Rope {
        self.flush();
        Rope {
            parts: self.parts.into(),
            len: self.len,
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts.push(self.text.split().freeze());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_texts_come_out_in_order_and_are_counted() {
        let mut rope = RopeBuilder::default();
        rope.write(b"a");
        rope.write(b"b");
        rope.push(Bytes::from_static(b"cd"));
        rope.push(Bytes::new());
        rope.push(Bytes::from_static(b"e"));
        rope.write(b"f");
        let rope = rope.finish();
        assert_eq!((rope.len(), rope.is_empty()), (6, false));
        assert_eq!(rope.parts(), ["ab", "cd", "e", "f"]);
        assert_eq!(rope.joined(), b"abcdef");
        assert_eq!(rope, Rope::from(b"abcdef".to_vec()));
        assert_ne!(rope, Rope::from(b"abcdeg".to_vec()));
        assert_eq!(Rope::default(), Rope::from(Bytes::new()));
    }
}
