//! What is held: applications, their instances, and how many of them there are.
//!
//! The rules of each verb are in its own file; here are only the lookups and the two ways in which the
//! table changes. Everything is sorted, so that lists come out the same way every time.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lease::Held;
use crate::clock::{Millis, Moment};
use crate::config::RegistryConfig;
use crate::model::{ActionType, InstanceInfo, InstanceKey, Text};

/// One instance in the table.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) held: Arc<Held>,
    /// When this node last changed the override, by whomever it was told to (B-13).
    pub(super) override_changed: Option<Millis>,
}

/// All instances, by application and id.
#[derive(Debug)]
pub struct LeaseTable {
    pub(super) config: RegistryConfig,
    apps: BTreeMap<Text, BTreeMap<Text, Entry>>,
    len: usize,
}

impl LeaseTable {
    /// An empty table with its rules.
    pub fn new(config: RegistryConfig) -> Self {
        Self {
            config,
            apps: BTreeMap::new(),
            len: 0,
        }
    }

    /// Instances held.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Applications with at least one instance.
    pub fn applications(&self) -> usize {
        self.apps.len()
    }

    /// All instances, sorted by application and id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Held>> {
        self.entries().map(|entry| &entry.held)
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.apps.values().flat_map(BTreeMap::values)
    }

    /// The instance under `key`, expired or not.
    pub(super) fn get(&self, key: &InstanceKey) -> Option<&Entry> {
        self.apps.get(&key.app)?.get(&key.id)
    }

    pub(super) fn get_mut(&mut self, key: &InstanceKey) -> Option<&mut Entry> {
        self.apps.get_mut(&key.app)?.get_mut(&key.id)
    }

    /// The instance under `key` unless its lease has ended: changes of status and metadata treat an
    /// ended lease as gone (server.md §8.1).
    pub(super) fn present(&mut self, key: &InstanceKey, now: Moment) -> Option<&mut Entry> {
        self.get_mut(key)
            .filter(|entry| !entry.held.lease.is_expired(now, 0))
    }

    /// The first instance with this id, in the order of the applications.
    pub(super) fn find_by_id(&self, id: &str, now: Moment) -> Option<&Arc<Held>> {
        let mut found = self.apps.values().filter_map(|instances| instances.get(id));
        found
            .find(|entry| !entry.held.lease.is_expired(now, 0))
            .map(|entry| &entry.held)
    }

    pub(super) fn insert(&mut self, key: &InstanceKey, entry: Entry) {
        let instances = self.apps.entry(key.app.clone()).or_default();
        if instances.insert(key.id.clone(), entry).is_none() {
            self.len += 1;
        }
    }

    pub(super) fn remove(&mut self, key: &InstanceKey) -> Option<Entry> {
        let instances = self.apps.get_mut(&key.app)?;
        let entry = instances.remove(&key.id)?;
        self.len -= 1;
        if instances.is_empty() {
            self.apps.remove(&key.app);
        }
        Some(entry)
    }
}

impl Entry {
    /// Puts a changed record in place, marks what kind of change it was and when, and keeps the lease.
    pub(super) fn change(
        &mut self,
        action: ActionType,
        now: Moment,
        edit: impl FnOnce(&mut InstanceInfo),
    ) -> Arc<Held> {
        let mut info = (*self.held.info).clone();
        edit(&mut info);
        info.action = action;
        info.last_updated = now.wall;
        self.held = Arc::new(Held {
            info: Arc::new(info),
            lease: self.held.lease.clone(),
        });
        self.held.clone()
    }
}

#[cfg(test)]
impl LeaseTable {
    /// Checks that what is counted is what is there.
    pub(super) fn assert_consistent(&self) {
        assert_eq!(self.len, self.entries().count());
        for (app, instances) in &self.apps {
            assert!(!instances.is_empty(), "{app} has no instance");
            for (id, entry) in instances {
                let key = entry.held.info.key();
                assert_eq!((&key.app, &key.id), (app, id));
            }
        }
    }
}
