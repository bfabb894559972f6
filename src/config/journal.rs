//! How much is remembered of what happened.

use super::keys;
use super::read::Reader;
use crate::model::Limit;

/// Knobs of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalConfig {
    /// Events that are kept; default 10 000, which take some 3 MB. Fewer, where their texts are very long: 1 kB each is
    /// reckoned with.
    pub size: usize,
}

impl Default for JournalConfig {
    fn default() -> Self {
        Self { size: 10_000 }
    }
}

impl JournalConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Limit::new(Self::default().size, keys::JOURNAL_SIZE);
        Self {
            size: reader.limit(default).max,
        }
    }
}
