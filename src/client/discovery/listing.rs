//! What the servers say there is: full lists taken, deltas merged (client.md §7).
//!
//! Instances are kept by application and id. A record that says the same as the one held leaves that one in place, so
//! that what did not change can be seen by its address. The hash code proves that a list is another one, never that it
//! is the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{ActionType, Applications, InstanceInfo, InstanceKey, StatusCounts, Text};

/// An instance that is shared by all who look at it.
pub(super) type Shared = Arc<InstanceInfo>;

/// The instances of one application by their ids. Shared until one of them changes, so that an application that is the
/// same is known by its address, too.
pub(super) type Members = Arc<BTreeMap<Text, Shared>>;

/// All instances, by application and id.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    apps: BTreeMap<Text, Members>,
    counts: StatusCounts,
}

/// What became different, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Instances that are new.
    pub added: usize,
    /// Instances that say something else.
    pub changed: usize,
    /// Instances that are gone.
    pub removed: usize,
}

impl Changes {
    /// Whether nothing became different.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Listing {
    /// A full list; records that `before` has alike are taken from there.
    pub(super) fn of(list: Applications, before: &Self) -> Self {
        let mut listing = Self::default();
        for info in list.apps.into_values().flatten() {
            let known = before.find(&info.app, info.id());
            let shared = match known.filter(|known| ***known == info) {
                Some(known) => known.clone(),
                None => Arc::new(info),
            };
            listing.put(shared);
        }
        listing
    }

    /// The list with a delta merged into it, how that is different, and who is named as gone. Nothing of the list where
    /// it is no different. Instances go one by one, whatever else stands in their application; of several that are
    /// one the last counts.
    pub(super) fn merged(&self, delta: Applications) -> (Option<Self>, Changes, Vec<InstanceKey>) {
        let last: BTreeMap<InstanceKey, InstanceInfo> = delta
            .apps
            .into_values()
            .flatten()
            .map(|info| (info.key(), info))
            .collect();
        let mut merged = None;
        let mut changes = Changes::default();
        let mut gone = Vec::new();
        for (key, info) in last {
            let known = self.find(&key.app, &key.id);
            let is_gone = info.action == ActionType::Deleted;
            match known {
                Some(_) if is_gone => changes.removed += 1,
                Some(known) if **known == info => continue,
                Some(_) => changes.changed += 1,
                None if !is_gone => changes.added += 1,
                None => {}
            }
            if is_gone {
                if known.is_some() {
                    merged.get_or_insert_with(|| self.clone()).remove(&key);
                }
                gone.push(key);
            } else {
                let merged = merged.get_or_insert_with(|| self.clone());
                merged.put(Arc::new(info));
            }
        }
        (merged, changes, gone)
    }

    /// What is different from `before`.
    pub(super) fn since(&self, before: &Self) -> Changes {
        let mut changes = Changes::default();
        for info in self.iter() {
            match before.find(&info.app, info.id()) {
                None => changes.added += 1,
                Some(known) if !Arc::ptr_eq(known, info) => changes.changed += 1,
                Some(_) => {}
            }
        }
        changes.removed = before.missing_in(self).count();
        changes
    }

    /// Those that `other` has not.
    pub(super) fn missing_in<'l>(&'l self, other: &'l Self) -> impl Iterator<Item = &'l Shared> {
        self.iter()
            .filter(|info| other.find(&info.app, info.id()).is_none())
    }

    pub(super) fn find(&self, app: &str, id: &str) -> Option<&Shared> {
        self.apps.get(app)?.get(id)
    }

    pub(super) fn put(&mut self, info: Shared) {
        let status = info.status;
        let app = self.apps.entry(info.app.clone()).or_default();
        let app = Arc::make_mut(app);
        if let Some(old) = app.insert(info.id().clone(), info) {
            self.counts.remove(old.status);
        }
        self.counts.add(status);
    }

    /// Whether it was there.
    pub(super) fn remove(&mut self, key: &InstanceKey) -> bool {
        let Some(app) = self.apps.get_mut(&key.app) else {
            return false;
        };
        if !app.contains_key(&key.id) {
            return false;
        }
        let app = Arc::make_mut(app);
        let Some(old) = app.remove(&key.id) else {
            return false;
        };
        self.counts.remove(old.status);
        if app.is_empty() {
            self.apps.remove(&key.app);
        }
        true
    }

    /// Application by application.
    pub(super) fn apps(&self) -> impl Iterator<Item = (&Text, &Members)> {
        self.apps.iter()
    }

    pub(super) fn members(&self, app: &str) -> Option<&Members> {
        self.apps.get(app)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Shared> {
        self.apps.values().flat_map(|app| app.values())
    }

    pub(super) fn len(&self) -> usize {
        self.counts.total()
    }

    pub(super) fn hash_code(&self) -> String {
        self.counts.hash_code()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{InstanceStatus, samples};

    fn list(infos: impl IntoIterator<Item = InstanceInfo>) -> Applications {
        let mut list = Applications::default();
        for info in infos {
            list.apps.entry(info.app.clone()).or_default().push(info);
        }
        list
    }

    fn with(id: &str, action: ActionType, stamp: u64) -> InstanceInfo {
        InstanceInfo {
            action,
            last_dirty: stamp,
            ..samples::instance("A", id)
        }
    }

    #[test]
    fn a_delta_adds_changes_and_removes_one_by_one() {
        use ActionType::{Added, Deleted, Modified};
        // An unknown application that comes with one that is gone already (client.md §7.3).
        let delta = || list([with("i", Added, 1), with("j", Deleted, 1)]);
        let (listing, changes, _) = Listing::default().merged(delta());
        let listing = listing.unwrap();
        assert_eq!((changes.added, changes.removed, listing.len()), (1, 0, 1));
        // The same news once more is none, and nor is nothing.
        for again in [delta(), Applications::default()] {
            let (same, changes, _) = listing.merged(again);
            assert!(same.is_none() && changes.is_empty());
        }
        // Twice in one delta: the last counts.
        let (modified, changes, _) =
            listing.merged(list([with("i", Added, 1), with("i", Modified, 2)]));
        let listing = modified.unwrap();
        assert_eq!(
            (changes.changed, listing.hash_code().as_str()),
            (1, "UP_1_")
        );
        assert_eq!(listing.find("A", "i").unwrap().last_dirty, 2);
        let delta = list([with("i", Deleted, 2), with("k", Deleted, 2)]);
        let (empty, changes, gone) = listing.merged(delta);
        let empty = empty.unwrap();
        assert_eq!((changes.removed, empty.len(), gone.len()), (1, 0, 2));
        assert_eq!(empty.hash_code(), "");
        assert_eq!(empty.apps().count(), 0);
    }

    #[test]
    fn a_full_list_keeps_what_it_has_alike() {
        let before = Listing::of(list([with("i", ActionType::Added, 1)]), &Listing::default());
        let news = list([
            with("i", ActionType::Added, 1),
            with("j", ActionType::Added, 1),
        ]);
        let now = Listing::of(news, &before);
        let (old, new) = (before.find("A", "i").unwrap(), now.find("A", "i").unwrap());
        assert!(Arc::ptr_eq(old, new));
        let changes = now.since(&before);
        assert_eq!((changes.added, changes.changed, changes.removed), (1, 0, 0));
        assert_eq!(before.since(&now).removed, 1);
    }

    proptest! {
        /// client.md §21 group 4: whatever happens, deltas make the same list as the full one, and the same hash code.
        #[test]
        fn deltas_lead_to_the_full_list(steps in prop::collection::vec((0..4_u8, prop::bool::ANY, 0..4_u8, 0..3_usize), 1..60)) {
            let mut model = BTreeMap::new();
            let mut merged = Listing::default();
            let mut window: Vec<InstanceInfo> = Vec::new();
            for (stamp, (id, is_other, what, overlap)) in steps.into_iter().enumerate() {
                let id = id.to_string();
                // One id in two applications is two instances.
                let app = if is_other { "B" } else { "A" };
                let mut info = samples::instance(app, &id);
                info.last_dirty = stamp as u64;
                info.status = InstanceStatus::ALL[usize::from(what)];
                info.action = match what {
                    0 => ActionType::Deleted,
                    1 => ActionType::Modified,
                    _ => ActionType::Added,
                };
                match info.action {
                    ActionType::Deleted => _ = model.remove(&info.key()),
                    _ => _ = model.insert(info.key(), info.clone()),
                }
                // A delta has one entry for each instance, and what was there before once more.
                window.retain(|known| known.key() != info.key());
                window.push(info);
                let from = window.len().saturating_sub(1 + overlap);
                if let (Some(next), ..) = merged.merged(list(window[from..].to_vec())) {
                    merged = next;
                }
            }
            let full = Listing::of(list(model.into_values()), &Listing::default());
            prop_assert_eq!(merged.hash_code(), full.hash_code());
            let content = |listing: &Listing| listing.iter().cloned().collect::<Vec<_>>();
            prop_assert_eq!(content(&merged), content(&full));
        }
    }
}
