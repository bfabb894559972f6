//! Where everybody may look an instance up without asking the registry.
//!
//! The registry alone writes, after its event is out and before the revision moves; readers never wait.

use std::sync::Arc;

use foldhash::fast::RandomState;
use papaya::HashMap;

use super::Held;
use crate::model::InstanceKey;

/// All held instances by application and id.
#[derive(Debug, Default)]
pub struct Index {
    held: HashMap<InstanceKey, Arc<Held>, RandomState>,
}

impl Index {
    /// The instance under `key`, if it is held.
    pub fn get(&self, key: &InstanceKey) -> Option<Arc<Held>> {
        self.held.pin().get(key).cloned()
    }

    /// Instances held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn insert(&self, key: InstanceKey, held: Arc<Held>) {
        self.held.pin().insert(key, held);
    }

    pub(super) fn remove(&self, key: &InstanceKey) {
        self.held.pin().remove(key);
    }
}
