//! Which instances have an order about their status that some peer has not got yet.
//!
//! A peer that repeats the old status of such an instance only does not know better, so the registry does not
//! believe it (B-13). A wait is a value that whoever queues the order keeps: as long as it lives the instance is
//! in here, and however it ends, delivered, replaced, dropped or lost with its queue, the instance is out again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::InstanceKey;

/// Instances with orders on their way, and how many peers have not got them.
#[derive(Debug, Default)]
pub struct OrdersWaiting {
    /// Instances in `waits`, so that the usual answer costs no lock.
    instances: AtomicUsize,
    waits: Mutex<HashMap<InstanceKey, u32>>,
}

impl OrdersWaiting {
    /// An order for `key` waits for a peer, until the answer is dropped.
    pub fn wait(self: &Arc<Self>, key: &InstanceKey) -> OrderWait {
        self.add(key);
        OrderWait {
            waiting: self.clone(),
            key: key.clone(),
        }
    }

    /// Whether an order for `key` waits for any peer.
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

/// An order that waits for a peer.
#[derive(Debug)]
pub struct OrderWait {
    waiting: Arc<OrdersWaiting>,
    key: InstanceKey,
}

impl Drop for OrderWait {
    fn drop(&mut self) {
        self.waiting.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_in_it_as_long_as_an_order_waits_for_any_peer() {
        let waiting = Arc::new(OrdersWaiting::default());
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
