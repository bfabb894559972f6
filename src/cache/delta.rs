//! What changed lately: one entry per instance, the newest (server.md §10).

use std::collections::VecDeque;
use std::sync::Arc;

use super::block::{Block, Place};
use super::blocks::Blocks;
use crate::clock::Millis;
use crate::registry::Held;
use crate::wire::Form;

/// Changes of the last minutes, in blocks as everything else; removals come last within an application, so
/// that a client that merges in order ends with what is there.
#[derive(Debug, Default)]
pub(super) struct Delta {
    blocks: Blocks,
    /// When each change came, oldest first. A change that a later one of its instance replaced is skipped.
    queue: VecDeque<(Millis, Arc<Held>)>,
}

impl Delta {
    /// Instances with a change.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn blocks(&self) -> &[Arc<Block>] {
        self.blocks.blocks()
    }

    /// Notes a change; it takes the place of an earlier one of the same instance.
    pub(super) fn note(&mut self, held: Arc<Held>, now: Millis) {
        let place = Place::of(&held.info);
        self.blocks.remove(Place {
            removed: !place.removed,
            ..place
        });
        self.queue.push_back((now, held.clone()));
        self.blocks.put(held);
        // An instance that changes all the time must not fill the queue.
        if self.queue.len() > 2 * self.blocks.len() + 64 {
            let blocks = &self.blocks;
            self.queue.retain(|(_, held)| is_newest(blocks, held));
        }
    }

    /// Drops changes that are at least `retention` old; returns whether there were any.
    pub(super) fn prune(&mut self, retention: Millis, now: Millis) -> bool {
        let before = self.len();
        while let Some((changed, held)) = self.queue.front() {
            if now.saturating_sub(*changed) < retention {
                break;
            }
            if is_newest(&self.blocks, held) {
                self.blocks.remove(Place::of(&held.info));
            }
            self.queue.pop_front();
        }
        self.len() != before
    }

    /// See [`Blocks::renew_some`].
    pub(super) fn renew_some(&mut self, round: usize, rounds: usize) -> bool {
        self.blocks.renew_some(round, rounds)
    }

    /// See [`Blocks::forget`].
    pub(super) fn forget(&mut self, form: Form, gzip: bool) {
        self.blocks.forget(form, gzip);
    }
}

/// Whether no later change took its place.
fn is_newest(blocks: &Blocks, held: &Arc<Held>) -> bool {
    let there = blocks.get(Place::of(&held.info));
    there.is_some_and(|there| Arc::ptr_eq(there, held))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActionType, InstanceInfo, samples};

    fn note(delta: &mut Delta, app: &str, id: &str, removed: bool, now: Millis) {
        let action = match removed {
            true => ActionType::Deleted,
            false => ActionType::Added,
        };
        let held = Held::sample(InstanceInfo {
            action,
            ..samples::instance(app, id)
        });
        delta.note(held, now);
    }

    fn listed(delta: &Delta) -> Vec<String> {
        let all = delta.blocks().iter().flat_map(|block| block.held());
        all.map(|held| held.info.key().to_string()).collect()
    }

    /// server.md scenarios 42–44.
    #[test]
    fn there_is_one_entry_per_instance_with_removals_last_and_old_ones_go() {
        let mut delta = Delta::default();
        note(&mut delta, "A", "1", false, 0);
        note(&mut delta, "A", "1", true, 10);
        note(&mut delta, "A", "2", false, 20);
        note(&mut delta, "B", "1", false, 20);
        assert_eq!(listed(&delta), ["A/2", "A/1", "B/1"]);

        assert!(!delta.prune(180_000, 180_009));
        assert!(delta.prune(180_000, 180_010));
        assert_eq!(listed(&delta), ["A/2", "B/1"]);
        note(&mut delta, "A", "2", false, 180_011);
        assert!(delta.prune(180_000, 190_000));
        assert_eq!(listed(&delta), ["A/2"]);
        assert!(delta.prune(180_000, 400_000));
        assert_eq!((delta.len(), delta.queue.len()), (0, 0));
    }

    #[test]
    fn an_instance_that_changes_all_the_time_takes_no_more_room() {
        let mut delta = Delta::default();
        for now in 0..10_000 {
            note(&mut delta, "A", "1", now % 2 == 0, now);
            assert!(delta.queue.len() <= 66, "{}", delta.queue.len());
        }
        assert_eq!(delta.len(), 1);
        assert!(!delta.prune(180_000, 189_998));
        assert!(delta.prune(180_000, 189_999));
    }
}
