//! The read-only copy: lists as they were when a timer last looked (server.md §11.2).
//!
//! Only where `use-read-only-response-cache` asks for it. A list is copied when it is first read and
//! replaced by the timer; lists that do not exist are never copied, and the copy is bounded (B-16).

use papaya::HashMap;

use super::answers::Want;
use crate::wire::Rope;

/// Lists in the copy; further ones are read fresh each time.
const MAX_LISTS: usize = 1000;

/// Lists as they were at the last refresh.
#[derive(Debug, Default)]
pub struct TimedCopy {
    lists: HashMap<Want, Rope>,
}

impl TimedCopy {
    /// The list, if it was copied.
    pub(super) fn get(&self, want: &Want) -> Option<Rope> {
        self.lists.pin().get(want).cloned()
    }

    /// Copies a list that was just read, unless it is there already.
    pub(super) fn keep(&self, want: Want, body: Rope) {
        if self.lists.len() < MAX_LISTS {
            self.lists.pin().get_or_insert(want, body);
        }
    }

    /// The lists that are in it.
    pub(super) fn wants(&self) -> Vec<Want> {
        self.lists.pin().keys().cloned().collect()
    }

    /// Replaces a list; what is no more is dropped.
    pub(super) fn replace(&self, want: Want, body: Option<Rope>) {
        let lists = self.lists.pin();
        match body {
            Some(body) => _ = lists.insert(want, body),
            None => _ = lists.remove(&want),
        }
    }
}
