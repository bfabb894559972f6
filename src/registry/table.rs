//! What is held: applications, their instances, and the words of their leases.
//!
//! The rules of each verb are in its own file; here are only the lookups and the ways in which the table
//! changes. Everything is sorted, so that lists come out the same way every time.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use super::lease::{Began, Hold, Reckoning};
use super::newcomers::Newcomers;
use super::slots::{Slots, Swept, View};
use super::word::{State, Word};
use super::{Held, Lease, Version};
use crate::clock::{Millis, Moment};
use crate::config::RegistryConfig;
use crate::model::{ActionType, ChangeStamp, InstanceInfo, InstanceKey, StampClock, Text};

/// One instance in the table.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) held: Arc<Held>,
    /// When this node last changed the override, by whomever it was told to (B-13).
    pub(super) override_changed: Option<Millis>,
}

/// One application.
#[derive(Debug)]
struct App {
    /// Its number, for what is kept beside the words of leases.
    number: u32,
    instances: BTreeMap<Text, Entry>,
}

/// All instances, by application and id.
#[derive(Debug)]
pub struct LeaseTable {
    pub(super) config: RegistryConfig,
    /// What gives every change its stamp.
    pub(super) stamps: StampClock,
    /// Whether an ended lease counts as gone, even before it is removed (server.md §8.1).
    pub(super) hides_ended: bool,
    apps: BTreeMap<Text, App>,
    len: usize,
    slots: Slots,
    newcomers: Newcomers,
    /// Numbers of applications that are gone, and the first that was never used.
    free_numbers: Vec<u32>,
    next_number: u32,
}

impl LeaseTable {
    /// An empty table with its rules.
    pub fn new(config: RegistryConfig) -> Self {
        Self {
            config,
            stamps: StampClock::of(0),
            hides_ended: true,
            apps: BTreeMap::new(),
            len: 0,
            slots: Slots::default(),
            newcomers: Newcomers::default(),
            free_numbers: Vec::new(),
            next_number: 0,
        }
    }

    /// The same on the node with this number.
    pub(super) fn on_node(self, node: u64) -> Self {
        Self {
            stamps: StampClock::of(node),
            ..self
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

    /// Instances of an application.
    pub(super) fn instances_of(&self, app: &Text) -> usize {
        self.apps.get(app).map_or(0, |app| app.instances.len())
    }

    /// The same, one by one, sorted by id.
    pub(super) fn all_of(&self, app: &Text) -> impl Iterator<Item = &Arc<Held>> {
        let app = self.apps.get(app);
        let entries = app.into_iter().flat_map(|app| app.instances.values());
        entries.map(|entry| &entry.held)
    }

    /// All instances, sorted by application and id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Held>> {
        self.entries().map(|entry| &entry.held)
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.apps.values().flat_map(|app| app.instances.values())
    }

    /// The instances after `key`, whether that is held or not; all of them without one.
    pub(super) fn after(&self, key: Option<&InstanceKey>) -> impl Iterator<Item = &Arc<Held>> {
        let app = key.map_or(Bound::Unbounded, |key| Bound::Included(&key.app));
        let apps = self.apps.range::<Text, _>((app, Bound::Unbounded));
        let entries = apps.flat_map(move |(name, app)| {
            let id = match key {
                Some(key) if key.app == *name => Bound::Excluded(&key.id),
                _ => Bound::Unbounded,
            };
            app.instances.range::<Text, _>((id, Bound::Unbounded))
        });
        entries.map(|(_, entry)| &entry.held)
    }

    /// The instance under `key`, expired or not.
    pub(super) fn get(&self, key: &InstanceKey) -> Option<&Entry> {
        self.apps.get(&key.app)?.instances.get(&key.id)
    }

    pub(super) fn get_mut(&mut self, key: &InstanceKey) -> Option<&mut Entry> {
        self.apps.get_mut(&key.app)?.instances.get_mut(&key.id)
    }

    /// Whether the instance counts as there: its lease lives, or is kept.
    fn counts(&self, held: &Held, now: Moment) -> bool {
        !self.hides_ended || !held.lease.is_expired(now, 0) || held.lease.hold(now).is_some()
    }

    /// The instance under `key`, if it counts as there.
    pub(super) fn present(&self, key: &InstanceKey, now: Moment) -> Option<&Arc<Held>> {
        let held = &self.get(key)?.held;
        self.counts(held, now).then_some(held)
    }

    /// The first instance with this id, in the order of the applications.
    pub(super) fn find_by_id(&self, id: &str, now: Moment) -> Option<&Arc<Held>> {
        let entries = self.apps.values().filter_map(|app| app.instances.get(id));
        entries
            .map(|entry| &entry.held)
            .find(|held| self.counts(held, now))
    }

    /// Puts a record on file with a lease of its own; the lease before it is replaced.
    pub(super) fn put(
        &mut self,
        key: &InstanceKey,
        info: InstanceInfo,
        version: Version,
        began: Began,
        now: Moment,
    ) -> Arc<Held> {
        let reckoning = Reckoning::of(info.lease, self.config.accounting);
        let lease = Lease::new(self.slots.take(), reckoning, began, now);
        let before = self
            .get(key)
            .map(|entry| (entry.held.clone(), entry.override_changed));
        if let Some((held, _)) = &before {
            lease.keep_service_up(&held.lease);
        }
        let held = Arc::new(Held::new(Arc::new(info), Arc::new(lease), version));
        let number = self.app_number(&key.app);
        self.slots.occupy(&held, reckoning, number);
        let entry = Entry {
            held: held.clone(),
            override_changed: before.as_ref().and_then(|(_, changed)| *changed),
        };
        if let Some(app) = self.apps.get_mut(&key.app) {
            app.instances.insert(key.id.clone(), entry);
        }
        match before {
            Some((before, _)) => self.end(&before, State::Replaced, now),
            None => {
                self.len += 1;
                if let Some(came) = began.at(now) {
                    self.newcomers.came(number, came);
                }
            }
        }
        held
    }

    /// The number of an application, which is there afterwards.
    fn app_number(&mut self, name: &Text) -> u32 {
        if let Some(app) = self.apps.get(name) {
            return app.number;
        }
        let number = self.free_numbers.pop().unwrap_or_else(|| {
            self.next_number += 1;
            self.next_number - 1
        });
        self.newcomers.open(number);
        let app = App {
            number,
            instances: BTreeMap::new(),
        };
        self.apps.insert(name.clone(), app);
        number
    }

    fn end(&mut self, held: &Held, state: State, now: Moment) {
        held.lease.end(state, now);
        self.slots.release(held.lease.slot());
    }

    /// Takes an instance off the table and ends its lease; returns it as it leaves, with the stamp of its end.
    pub(super) fn take_out(
        &mut self,
        key: &InstanceKey,
        stamp: ChangeStamp,
        now: Moment,
    ) -> Option<Arc<Held>> {
        let entry = self.remove(key)?;
        self.end(&entry.held, State::Removed, now);
        Some(gone(&entry.held, stamp, now))
    }

    /// The same, if the lease still has the word that was judged.
    pub(super) fn take_out_if(
        &mut self,
        judged: &Held,
        word: Word,
        now: Moment,
    ) -> Option<Arc<Held>> {
        let key = judged.info.key();
        let present = self.get(&key)?.held.clone();
        let same = Arc::ptr_eq(&present.lease, &judged.lease);
        if !same || !present.lease.end_if(word, State::Removed, now) {
            return None;
        }
        self.remove(&key)?;
        self.slots.release(present.lease.slot());
        Some(gone(&present, present.version.stamp, now))
    }

    fn remove(&mut self, key: &InstanceKey) -> Option<Entry> {
        let app = self.apps.get_mut(&key.app)?;
        let entry = app.instances.remove(&key.id)?;
        self.len -= 1;
        if app.instances.is_empty() {
            self.free_numbers.push(app.number);
            self.apps.remove(&key.app);
        }
        Some(entry)
    }

    /// Puts a changed record in place, marks what kind of change it was and when, and keeps the lease.
    pub(super) fn change(
        &mut self,
        key: &InstanceKey,
        action: ActionType,
        now: Moment,
        edit: impl FnOnce(&mut InstanceInfo, &mut Version),
    ) -> Option<Arc<Held>> {
        let entry = self.get_mut(key)?;
        let mut info = (*entry.held.info).clone();
        let mut version = entry.held.version.clone();
        edit(&mut info, &mut version);
        info.action = action;
        info.last_updated = now.wall;
        let lease = entry.held.lease.clone();
        lease.begin_generation();
        let held = Arc::new(Held::new(Arc::new(info), lease, version));
        entry.held = held.clone();
        self.slots.update(&held);
        Some(held)
    }

    /// Looks at every lease once. Held ones are due only if they were held before `held_before`.
    pub(super) fn sweep(&mut self, grace: Millis, held_before: Millis, now: Moment) -> Swept {
        let view = View {
            now: now.mono,
            grace,
            held_before,
        };
        self.slots.sweep(view, &mut self.newcomers)
    }

    /// Marks a lease as held, if its word is still the one that was judged.
    /// Says whether it was not before.
    pub(super) fn hold(&mut self, judged: &Held, word: Word, hold: Hold, now: Moment) -> bool {
        let begins = judged.lease.word() == word && judged.lease.hold(now).is_none();
        if begins {
            self.slots.begin_hold(judged, hold);
        }
        begins
    }
}

/// An instance as it leaves: marked as deleted, with its last status.
fn gone(held: &Held, stamp: ChangeStamp, now: Moment) -> Arc<Held> {
    let mut info = (*held.info).clone();
    info.action = ActionType::Deleted;
    info.last_updated = now.wall;
    Arc::new(Held::new(
        Arc::new(info),
        held.lease.clone(),
        Version {
            stamp,
            ..held.version.clone()
        },
    ))
}

#[cfg(any(test, fuzzing))]
impl LeaseTable {
    /// Checks that what is counted is what is there.
    pub(super) fn assert_consistent(&self) {
        assert_eq!(self.len, self.entries().count());
        for (name, app) in &self.apps {
            assert!(!app.instances.is_empty(), "{name} has no instance");
            for (id, entry) in &app.instances {
                let key = entry.held.info.key();
                assert_eq!((&key.app, &key.id), (name, id));
                assert_eq!(entry.held.generation, entry.held.lease.word().generation());
            }
        }
        let numbers = self.apps.len() + self.free_numbers.len();
        assert_eq!(numbers, self.next_number as usize);
    }
}
