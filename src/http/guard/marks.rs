//! Credentials by their keyed hash. The key is made at the start and never leaves the process, so nobody can find
//! a text that has the mark of another one, and comparing marks tells nothing about the texts.
//!
//! The hash is SipHash-2-4 with its 128 bits: a pseudorandom function as an HMAC is, but made for texts as short as these,
//! since every request pays for one.

use std::sync::Arc;

use foldhash::fast::RandomState;
use papaya::HashMap;
use siphasher::sip128::SipHasher24;

/// A text, as it is remembered.
pub(super) type Mark = [u8; 16];

/// What makes marks.
#[derive(Clone)]
pub(super) struct Marker(SipHasher24);

impl Marker {
    pub(super) fn new() -> Self {
        let key: [u8; 16] = rand::random();
        Self(SipHasher24::new_with_key(&key))
    }

    pub(super) fn mark(&self, text: &[u8]) -> Mark {
        self.0.hash(text).as_bytes()
    }
}

/// What is known of some marks. When it is full it forgets them all, and what was forgotten is found out anew.
pub(super) struct Remembered<T> {
    most: usize,
    marks: HashMap<Mark, Arc<T>, RandomState>,
}

impl<T> Remembered<T> {
    /// For `most` marks.
    pub(super) fn new(most: usize) -> Self {
        let marks = HashMap::with_hasher(RandomState::default());
        Self { most, marks }
    }

    /// What `look` makes of what is remembered, if anything is.
    pub(super) fn with<R>(&self, mark: &Mark, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.marks.pin().get(mark).map(|what| look(what))
    }

    pub(super) fn has(&self, mark: &Mark) -> bool {
        self.marks.pin().contains_key(mark)
    }

    /// Shows everything that is remembered.
    pub(super) fn each(&self, mut show: impl FnMut(&Mark, &Arc<T>)) {
        for (mark, what) in &self.marks.pin() {
            show(mark, what);
        }
    }

    pub(super) fn insert(&self, mark: Mark, what: Arc<T>) {
        let marks = self.marks.pin();
        if marks.len() >= self.most {
            marks.clear();
        }
        marks.insert(mark, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_marks_under_one_key_only() {
        let (one, other) = (Marker::new(), Marker::new());
        assert_eq!(one.mark(b"a"), one.mark(b"a"));
        assert_ne!(one.mark(b"a"), one.mark(b"b"));
        assert_ne!(one.mark(b"a"), other.mark(b"a"));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let remembered = Remembered::new(3);
        let mark = |n: u8| [n; 16];
        for n in 0..3 {
            remembered.insert(mark(n), Arc::new(n));
        }
        assert_eq!(remembered.with(&mark(0), |n| *n), Some(0));
        remembered.insert(mark(3), Arc::new(3));
        assert!(!remembered.has(&mark(0)));
        assert_eq!(remembered.with(&mark(3), |n| *n), Some(3));
    }
}
