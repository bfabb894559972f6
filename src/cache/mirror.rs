//! The registry as its events tell it: everything that lists are made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::answers::View;
use super::delta::Delta;
use super::views::VipIndex;
use crate::clock::Millis;
use crate::model::{InstanceInfo, InstanceKey, StatusCounts, Text};
use crate::registry::{Held, RegistryEvent};

/// Instances by application and id, with what is derived from them kept change by change.
#[derive(Debug, Default)]
pub struct Mirror {
    pub(super) revision: u64,
    pub(super) apps: BTreeMap<Text, BTreeMap<Text, Arc<Held>>>,
    pub(super) counts: StatusCounts,
    pub(super) delta: Delta,
    vips: VipIndex,
    secure_vips: VipIndex,
}

impl Mirror {
    /// The revision of the last event applied.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Follows one change.
    pub(super) fn apply(&mut self, event: RegistryEvent, now: Millis) {
        let RegistryEvent {
            revision,
            what,
            held,
            ..
        } = event;
        debug_assert_eq!(
            revision,
            self.revision + 1,
            "events come in order, none is lost"
        );
        self.revision = revision;
        let key = held.info.key();
        self.forget(&key);
        if !what.is_removal() {
            self.remember(&key, held.clone());
        }
        self.delta.note(key, held, what.is_removal(), now);
    }

    fn forget(&mut self, key: &InstanceKey) {
        let Some(instances) = self.apps.get_mut(&key.app) else {
            return;
        };
        let Some(held) = instances.remove(&key.id) else {
            return;
        };
        if instances.is_empty() {
            self.apps.remove(&key.app);
        }
        self.counts.remove(held.info.status);
        self.vips.remove(held.info.vips(), key);
        self.secure_vips.remove(held.info.secure_vips(), key);
    }

    fn remember(&mut self, key: &InstanceKey, held: Arc<Held>) {
        let info: &InstanceInfo = &held.info;
        self.counts.add(info.status);
        self.vips.add(info.vips(), key);
        self.secure_vips.add(info.secure_vips(), key);
        let instances = self.apps.entry(key.app.clone()).or_default();
        instances.insert(key.id.clone(), held);
    }

    /// Whether anybody can be on the list: a list of everything, or of a name that somebody has.
    pub(super) fn has(&self, view: &View) -> bool {
        match view {
            View::All | View::Delta => true,
            View::App(app) => self.apps.contains_key(app),
            View::Vip(vip) => self.vips.of(vip).next().is_some(),
            View::Svip(vip) => self.secure_vips.of(vip).next().is_some(),
        }
    }

    /// Instances with this VIP (or secure VIP) by application.
    pub(super) fn with_vip(&self, vip: &str, secure: bool) -> BTreeMap<&Text, Vec<&Arc<Held>>> {
        let index = if secure {
            &self.secure_vips
        } else {
            &self.vips
        };
        let mut found: BTreeMap<&Text, Vec<&Arc<Held>>> = BTreeMap::new();
        for key in index.of(vip) {
            if let Some(held) = self.apps.get(&key.app).and_then(|app| app.get(&key.id)) {
                found.entry(&key.app).or_default().push(held);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstanceStatus, Origin, samples};
    use crate::registry::What;

    fn event(revision: u64, what: What, info: InstanceInfo) -> RegistryEvent {
        RegistryEvent {
            revision,
            origin: Origin::Client,
            what,
            held: Held::sample(info),
        }
    }

    fn with(vips: &str, status: InstanceStatus) -> InstanceInfo {
        InstanceInfo {
            vip_address: Some(vips.into()),
            secure_vip_address: Some("s".into()),
            status,
            ..samples::instance("A", "i")
        }
    }

    /// B-14: every element of both the old and the new list follows.
    #[test]
    fn counts_and_vips_follow_every_change_and_leave_nothing_behind() {
        let mut mirror = Mirror::default();
        let registered = What::Registered { is_new: true };
        mirror.apply(event(1, registered, with("a,b,,", InstanceStatus::Up)), 0);
        assert_eq!(mirror.with_vip("a", false).len(), 1);
        assert_eq!(mirror.with_vip("s", true).len(), 1);
        assert_eq!(mirror.with_vip("A", false).len(), 0);
        assert_eq!(mirror.with_vip("", false).len(), 0);

        mirror.apply(
            event(2, What::StatusChanged, with("b,c", InstanceStatus::Down)),
            0,
        );
        let found = ["a", "b", "c"].map(|vip| mirror.with_vip(vip, false).len());
        assert_eq!(found, [0, 1, 1]);
        let had = ["a", "b", "c", "s"].map(|vip| mirror.has(&View::Vip(vip.into())));
        assert_eq!(had, [false, true, true, false]);
        assert!(mirror.has(&View::Svip("s".into())));
        assert_eq!(mirror.counts.hash_code(), "DOWN_1_");

        mirror.apply(
            event(3, What::Evicted, with("b,c", InstanceStatus::Down)),
            0,
        );
        assert_eq!((mirror.counts.total(), mirror.apps.len()), (0, 0));
        assert_eq!((mirror.vips.len(), mirror.secure_vips.len()), (0, 0));
        assert_eq!((mirror.revision(), mirror.delta.len()), (3, 1));
    }
}
