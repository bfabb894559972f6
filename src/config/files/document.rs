//! A document: names and values with their lines.

/// The longest text that is read as settings, in bytes. Real ones have a few thousand.
pub(super) const LONGEST: u64 = 4 << 20;
/// The most values that one file may have, with all its aliases written out.
pub(super) const MOST_VALUES: usize = 100_000;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::config) struct Line {
    /// As it is written, the names of the maps that it is in before it.
    pub(in crate::config) name: String,
    /// As text.
    pub(in crate::config) text: String,
    /// Counted from 1.
    pub(in crate::config) number: usize,
}

/// What stands between two `---`, in the order in which it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct Document {
    pub(in crate::config) lines: Vec<Line>,
}

/// What may be wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::config) enum FileError {
    /// It is not written as its kind has to be.
    #[error("line {line}: {problem}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// In words.
        problem: String,
    },
    /// A name stands twice in one map.
    #[error("line {line}: {name} stands here a second time")]
    Twice {
        /// Counted from 1.
        line: usize,
        /// The name in full.
        name: String,
    },
    /// More than anybody writes.
    #[error("more than {MOST_VALUES} values, or maps within more than 100 maps")]
    TooMuch,
}
