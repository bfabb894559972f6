//! Which instances share a virtual host name: an index, so that a read does not search everything.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{InstanceKey, Text};

/// Instances by one element of their VIP list. Elements are compared exactly: no case folding, no
/// trimming (wire.md §3.9).
#[derive(Debug, Default)]
pub(super) struct VipIndex {
    by_vip: BTreeMap<Text, BTreeSet<InstanceKey>>,
}

impl VipIndex {
    pub(super) fn add<'v>(&mut self, vips: impl Iterator<Item = &'v str>, key: &InstanceKey) {
        for vip in vips.filter(|vip| !vip.is_empty()) {
            match self.by_vip.get_mut(vip) {
                Some(keys) => _ = keys.insert(key.clone()),
                None => {
                    _ = self
                        .by_vip
                        .insert(vip.into(), BTreeSet::from([key.clone()]))
                }
            }
        }
    }

    pub(super) fn remove<'v>(&mut self, vips: impl Iterator<Item = &'v str>, key: &InstanceKey) {
        for vip in vips {
            if let Some(keys) = self.by_vip.get_mut(vip) {
                keys.remove(key);
                if keys.is_empty() {
                    self.by_vip.remove(vip);
                }
            }
        }
    }

    /// Instances with this element, sorted by application and id.
    pub(super) fn of(&self, vip: &str) -> impl Iterator<Item = &InstanceKey> {
        self.by_vip.get(vip).into_iter().flatten()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_vip.len()
    }
}
