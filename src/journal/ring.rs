//! The last events, bounded in number and in bytes, and how they are found.

use std::collections::VecDeque;
use std::sync::Arc;

use actix::Message;

use super::{Entry, Kind};
use crate::model::EpochMillis;

/// Bytes of texts that an event may have on average before fewer are kept.
const TEXT: usize = 1024;

/// Asks for events, newest first.
#[derive(Clone, Debug, Default, Message)]
#[rtype(result = "Found")]
pub struct FindEntries {
    /// Of this application, in any case.
    pub app: Option<String>,
    /// Of the instance with this id.
    pub id: Option<String>,
    /// Of one of these kinds, if any are named.
    pub kinds: Vec<Kind>,
    /// Not before this.
    pub since: Option<EpochMillis>,
    /// Later ones than that with this number.
    pub after: Option<u64>,
    /// Earlier ones than that with this number.
    pub before: Option<u64>,
    /// How many at most.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The events, newest first.
    pub entries: Vec<Arc<Entry>>,
    /// There are earlier ones that were asked for.
    pub more: bool,
    /// The number of the newest event that there ever was; 0 before the first.
    pub newest: u64,
    /// The number of the oldest that is still known.
    pub oldest: u64,
}

/// The last events.
#[derive(Debug)]
pub(super) struct Ring {
    entries: VecDeque<Arc<Entry>>,
    newest: u64,
    size: usize,
    bytes: usize,
}

impl Ring {
    /// One for so many events.
    pub(super) fn new(size: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            newest: 0,
            size,
            bytes: 0,
        }
    }

    /// Adds the newest event and lets the oldest ones go.
    pub(super) fn push(&mut self, entry: Entry) {
        self.newest += 1;
        self.bytes += entry.bytes();
        let number = self.newest;
        self.entries.push_back(Arc::new(Entry { number, ..entry }));
        while self.entries.len() > self.size || self.bytes > self.size * TEXT {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.bytes -= oldest.bytes();
        }
    }

    /// The events that are asked for.
    pub(super) fn find(&self, asked: &FindEntries) -> Found {
        // Numbers have no gaps, so those that count are found without looking at the others.
        let first = self.newest + 1 - self.entries.len() as u64;
        let end = asked
            .before
            .unwrap_or(u64::MAX)
            .clamp(first, self.newest + 1);
        let begin = asked.after.map_or(first, |after| after.saturating_add(1));
        let range = (begin.clamp(first, end) - first) as usize..(end - first) as usize;
        let mut found = self
            .entries
            .range(range)
            .rev()
            .filter(|entry| asked.is_about(entry));
        Found {
            entries: found.by_ref().take(asked.limit).cloned().collect(),
            more: found.next().is_some(),
            newest: self.newest,
            oldest: first,
        }
    }
}

impl FindEntries {
    fn is_about(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, text: &str| wanted.as_deref().is_none_or(|w| w == text);
        let app = self.app.as_deref();
        app.is_none_or(|app| app.eq_ignore_ascii_case(&entry.key.app))
            && is(&self.id, &entry.key.id)
            && (self.kinds.is_empty() || self.kinds.contains(&entry.kind))
            && self.since.is_none_or(|since| entry.at >= since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{By, InstanceKey, Who};

    fn entry(id: &str, kind: Kind, at: EpochMillis) -> Entry {
        Entry {
            number: 0,
            at,
            key: InstanceKey::new("A", id),
            kind,
            before: None,
            after: None,
            by: By::only(Who::Client),
            order: None,
            since: None,
        }
    }

    fn numbers(ring: &Ring, asked: FindEntries) -> (Vec<u64>, bool) {
        let found = ring.find(&asked);
        let numbers = found.entries.iter().map(|entry| entry.number);
        (numbers.collect(), found.more)
    }

    #[test]
    fn the_last_ones_are_kept_and_found_newest_first() {
        let mut ring = Ring::new(4);
        assert_eq!(
            ring.find(&FindEntries::default()),
            Found {
                oldest: 1,
                ..Found::default()
            }
        );
        for at in 1..=6 {
            let kind = [Kind::Held, Kind::Registered][at as usize % 2];
            ring.push(entry(["x", "y"][usize::from(at > 4)], kind, at * 10));
        }
        let all = FindEntries {
            limit: 9,
            ..FindEntries::default()
        };
        let with = |edit: fn(&mut FindEntries)| {
            let mut asked = all.clone();
            edit(&mut asked);
            asked
        };
        for (asked, numbers_expected, more) in [
            (with(|_| {}), vec![6, 5, 4, 3], false),
            (with(|a| a.limit = 3), vec![6, 5, 4], true),
            (with(|a| (a.before, a.limit) = (Some(5), 1)), vec![4], true),
            (with(|a| a.before = Some(0)), vec![], false),
            (with(|a| a.before = Some(u64::MAX)), vec![6, 5, 4, 3], false),
            (with(|a| a.after = Some(4)), vec![6, 5], false),
            (with(|a| a.after = Some(0)), vec![6, 5, 4, 3], false),
            (with(|a| a.after = Some(u64::MAX)), vec![], false),
            (
                with(|a| (a.after, a.before) = (Some(5), Some(4))),
                vec![],
                false,
            ),
            (
                with(|a| a.app = Some("a".to_string())),
                vec![6, 5, 4, 3],
                false,
            ),
            (with(|a| a.app = Some("b".to_string())), vec![], false),
            (with(|a| a.id = Some("x".to_string())), vec![4, 3], false),
            (with(|a| a.kinds = vec![Kind::Held]), vec![6, 4], false),
            (with(|a| a.since = Some(50)), vec![6, 5], false),
        ] {
            assert_eq!(
                numbers(&ring, asked.clone()),
                (numbers_expected, more),
                "{asked:?}"
            );
        }
        assert_eq!((ring.find(&all).newest, ring.find(&all).oldest), (6, 3));
    }

    #[test]
    fn long_texts_leave_room_for_fewer_and_a_journal_without_room_keeps_nothing() {
        let mut ring = Ring::new(10);
        for at in 0..100 {
            ring.push(entry(&"i".repeat(4 * TEXT), Kind::Held, at));
        }
        assert_eq!(ring.entries.len(), 2);
        let mut none = Ring::new(0);
        none.push(entry("i", Kind::Held, 0));
        let found = none.find(&FindEntries {
            limit: 1,
            ..FindEntries::default()
        });
        assert_eq!((found.entries.len(), found.newest, found.oldest), (0, 1, 2));
    }
}
