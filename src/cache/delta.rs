//! What changed lately: one entry per instance, the newest (server.md §10).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::clock::Millis;
use crate::model::{InstanceKey, Text};
use crate::registry::Held;

/// The last change of an instance.
#[derive(Debug)]
struct Entry {
    held: Arc<Held>,
    changed: Millis,
    removed: bool,
}

/// Changes of the last minutes.
#[derive(Debug, Default)]
pub(super) struct Delta {
    by_app: BTreeMap<Text, BTreeMap<Text, Entry>>,
    len: usize,
}

impl Delta {
    /// Instances with a change.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Notes a change; it takes the place of an earlier one of the same instance.
    pub(super) fn note(&mut self, key: InstanceKey, held: Arc<Held>, removed: bool, now: Millis) {
        let entry = Entry {
            held,
            changed: now,
            removed,
        };
        let entries = self.by_app.entry(key.app).or_default();
        if entries.insert(key.id, entry).is_none() {
            self.len += 1;
        }
    }

    /// Drops changes that are at least `retention` old; returns whether there were any.
    pub(super) fn prune(&mut self, retention: Millis, now: Millis) -> bool {
        let before = self.len;
        self.by_app.retain(|_, entries| {
            entries.retain(|_, entry| now.saturating_sub(entry.changed) < retention);
            !entries.is_empty()
        });
        self.len = self.by_app.values().map(BTreeMap::len).sum();
        self.len != before
    }

    /// Changes by application, sorted; within an application removals come last, so that a client that
    /// merges in order ends with what is there.
    pub(super) fn apps(&self) -> impl Iterator<Item = (&Text, impl Iterator<Item = &Arc<Held>>)> {
        self.by_app.iter().map(|(app, entries)| {
            let some = |removed| {
                let wanted = move |entry: &&Entry| entry.removed == removed;
                entries.values().filter(wanted).map(|entry| &entry.held)
            };
            (app, some(false).chain(some(true)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    fn note(delta: &mut Delta, app: &str, id: &str, removed: bool, now: Millis) {
        let held = Held::sample(samples::instance(app, id));
        delta.note(InstanceKey::new(app, id), held, removed, now);
    }

    /// server.md scenarios 42–44.
    #[test]
    fn there_is_one_entry_per_instance_with_removals_last_and_old_ones_go() {
        let mut delta = Delta::default();
        note(&mut delta, "A", "1", false, 0);
        note(&mut delta, "A", "1", true, 10);
        note(&mut delta, "A", "2", false, 20);
        note(&mut delta, "B", "1", false, 20);
        assert_eq!(delta.len(), 3);
        let listed: Vec<_> = delta
            .apps()
            .flat_map(|(app, all)| all.map(move |held| format!("{app}/{}", held.info.id())))
            .collect();
        assert_eq!(listed, ["A/2", "A/1", "B/1"]);

        assert!(!delta.prune(180_000, 180_009));
        assert!(delta.prune(180_000, 180_010));
        assert_eq!(delta.len(), 2);
        assert!(delta.prune(180_000, 400_000));
        assert_eq!((delta.len(), delta.apps().count()), (0, 0));
    }
}
