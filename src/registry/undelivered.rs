//! Which instances have an order about their status, or a cancellation, that some peer has not got yet.
//!
//! Such a peer does not know better: the registry does not believe it when it repeats the old status (B-13), nor when
//! it brings back what was cancelled. A note is a value that whoever queues the change keeps: as long as it lives the
//! instance is in here, and however it ends, delivered, replaced, dropped or lost with its queue, the instance is out
//! again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::InstanceKey;

/// Instances with a change on its way, and how many peers have not got it.
#[derive(Debug, Default)]
pub struct Undelivered {
    /// Instances in `waits`, so that the usual answer costs no lock.
    instances: AtomicUsize,
    waits: Mutex<HashMap<InstanceKey, u32>>,
}

impl Undelivered {
    /// A change of `key` waits for a peer, until the answer is dropped.
    pub fn wait(self: &Arc<Self>, key: &InstanceKey) -> UndeliveredNote {
        self.add(key);
        UndeliveredNote {
            waiting: self.clone(),
            key: key.clone(),
        }
    }

    /// Whether a change of `key` waits for any peer.
    pub fn contains(&self, key: &InstanceKey) -> bool {
        self.instances.load(Ordering::Acquire) > 0 && self.lock().contains_key(key)
    }

    fn add(&self, key: &InstanceKey) {
        let mut waits = self.lock();
        *waits.entry(key.clone()).or_default() += 1;
        self.instances.store(waits.len(), Ordering::Release);
    }

    fn remove(&self, key: &InstanceKey) {
        let mut waits = self.lock();
        if let Some(count) = waits.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                waits.remove(key);
            }
        }
        self.instances.store(waits.len(), Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<InstanceKey, u32>> {
        // A panic elsewhere leaves the map whole.
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A change that waits for a peer.
#[derive(Debug)]
pub struct UndeliveredNote {
    waiting: Arc<Undelivered>,
    key: InstanceKey,
}

impl Drop for UndeliveredNote {
    fn drop(&mut self) {
        self.waiting.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_in_it_as_long_as_a_change_waits_for_any_peer() {
        let waiting = Arc::new(Undelivered::default());
        let (a, b) = (InstanceKey::new("A", "1"), InstanceKey::new("B", "1"));
        let first = waiting.wait(&a);
        let second = waiting.wait(&a);
        assert!(waiting.contains(&a) && !waiting.contains(&b));
        drop(first);
        assert!(waiting.contains(&a));
        drop(second);
        assert!(!waiting.contains(&a));
    }
}
