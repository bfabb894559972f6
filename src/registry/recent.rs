//! The last thousand instances that were registered and that left, for the page `lastn`.

use std::collections::VecDeque;

use actix::{Context, Handler, Message, MessageResult};

use super::Registry;
use crate::model::{EpochMillis, InstanceKey};

/// Entries kept of each kind, as in the reference (server.md §1).
const KEPT: usize = 1000;

/// Asks for both lists.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Recent")]
pub struct TakeRecent;

/// Both lists, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// Deregistered or evicted, also if the instance was not held.
    pub cancelled: Vec<(EpochMillis, InstanceKey)>,
    /// Registered, also again.
    pub registered: Vec<(EpochMillis, InstanceKey)>,
}

/// What happened lately; bounded.
#[derive(Debug, Default)]
pub(super) struct RecentChanges {
    cancelled: VecDeque<(EpochMillis, InstanceKey)>,
    registered: VecDeque<(EpochMillis, InstanceKey)>,
}

impl RecentChanges {
    pub(super) fn cancelled(&mut self, at: EpochMillis, key: InstanceKey) {
        push(&mut self.cancelled, at, key);
    }

    pub(super) fn registered(&mut self, at: EpochMillis, key: InstanceKey) {
        push(&mut self.registered, at, key);
    }
}

fn push(list: &mut VecDeque<(EpochMillis, InstanceKey)>, at: EpochMillis, key: InstanceKey) {
    list.truncate(KEPT - 1);
    list.push_front((at, key));
}

impl Handler<TakeRecent> for Registry {
    type Result = MessageResult<TakeRecent>;

    fn handle(&mut self, _: TakeRecent, _ctx: &mut Context<Self>) -> Self::Result {
        MessageResult(Recent {
            cancelled: self.recent.cancelled.iter().cloned().collect(),
            registered: self.recent.registered.iter().cloned().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// server.md scenario 28.
    #[test]
    fn the_newest_thousand_are_kept_newest_first() {
        let mut recent = RecentChanges::default();
        for n in 0..=1000 {
            recent.registered(n, InstanceKey::new("a", &n.to_string()));
        }
        assert_eq!(recent.registered.len(), 1000);
        assert_eq!(recent.registered[0].0, 1000);
        assert_eq!(recent.registered[999].0, 1);
    }
}
