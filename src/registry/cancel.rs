//! Cancel: an instance leaves of its own accord, or a peer says that it did.
//!
//! Its override goes with it. A cancel of an unknown instance is noted in the list of recent ones, as in
//! the reference, and changes nothing (server.md §6).

use std::sync::Arc;

use actix::{Context, Handler, Message};

use super::{Held, Registry, UnknownInstance, What};
use crate::clock::Millis;
use crate::model::{By, ChangeStamp, EpochMillis, InstanceKey, Origin};

/// Asks the registry to let the instance under `key` go.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<(), UnknownInstance>")]
pub struct Cancel {
    /// Which instance.
    pub key: InstanceKey,
    /// Who asks.
    pub by: By,
}

// === the handler ===

impl Handler<Cancel> for Registry {
    type Result = Result<(), UnknownInstance>;

    fn handle(&mut self, msg: Cancel, _ctx: &mut Context<Self>) -> Self::Result {
        self.cancel(msg.key, msg.by, None)
    }
}

impl Registry {
    /// A peer's cancellation. One of this kind tells when it was made: what was registered after that stays.
    pub(super) fn cancel_from_peer(
        &mut self,
        key: InstanceKey,
        stamp: Option<ChangeStamp>,
        by: By,
    ) -> Result<(), UnknownInstance> {
        let held = self.table.get(&key).map(|entry| entry.held.version.stamp);
        if let (Some(held), Some(cancelled)) = (held, stamp)
            && held > cancelled
        {
            tracing::debug!(instance = ?key, "registered again after a peer's cancellation");
            return Ok(());
        }
        // What it is about may be on its way, from another peer or in the list that is being copied.
        if held.is_none() && (stamp.is_some() || self.published.is_loading()) {
            let now = self.clock.now().mono;
            self.bury(key.clone(), None, stamp, now);
        }
        self.cancel(key, by, stamp)
    }

    pub(super) fn cancel(
        &mut self,
        key: InstanceKey,
        by: By,
        stamp: Option<ChangeStamp>,
    ) -> Result<(), UnknownInstance> {
        let origin = by.origin();
        self.begin("cancel", Some(&key));
        let now = self.clock.now();
        self.recent.cancelled(now.wall, key.clone());
        let made = stamp.unwrap_or_else(|| self.table.stamps.next(now.wall));
        let Some(held) = self.table.take_out(&key, made, now) else {
            return Err(UnknownInstance(key));
        };
        // When a peer of another kind did it is not known.
        let cancelled = stamp.or((origin == Origin::Client).then_some(made));
        // Of a peer of another kind nobody knows whether what it says next is late: the reference believes it.
        if cancelled.is_some() || self.published.is_loading() {
            self.bury(key.clone(), Some(held.info.last_dirty), cancelled, now.mono);
        }
        if held.version.order().is_some() {
            self.tombstones.note_order(&key);
        }
        self.metrics.cancelled(origin);
        tracing::info!(instance = ?key, origin = origin.as_str(), "deregistered");
        self.publish_removal(What::Cancelled, by, &held);
        Ok(())
    }

    fn bury(
        &mut self,
        key: InstanceKey,
        last_dirty: Option<EpochMillis>,
        cancelled: Option<ChangeStamp>,
        now: Millis,
    ) {
        self.clear_tombstones();
        self.tombstones.put(key, last_dirty, cancelled, now);
        self.metrics.tombstones.set(self.tombstones.len() as f64);
    }

    /// Takes away the tombstones whose time is over.
    pub(super) fn clear_tombstones(&mut self) {
        // A peer that has not heard of a cancellation may still bring the instance back.
        let waits = |key: &InstanceKey| self.published.undelivered_cancels.contains(key);
        self.tombstones.expire(self.clock.now().mono, waits);
        self.metrics.tombstones.set(self.tombstones.len() as f64);
    }

    /// Publishes that an instance went, and how old its lease became.
    pub(super) fn publish_removal(&mut self, what: What, by: By, held: &Arc<Held>) {
        let age = held.lease.age(self.clock.now());
        self.metrics.lease_age.record(age as f64 / 1000.0);
        self.publish(what, by, Some(held.clone()), held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::InstanceStatus;
    use crate::model::{ActionType, samples};
    use crate::registry::LeaseTable;
    use crate::registry::register::Newcomer;

    #[test]
    fn what_leaves_is_marked_deleted_with_its_last_status_and_its_end() {
        let at = |mono| Moment {
            mono,
            wall: 1_000 + mono,
        };
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        table.register(
            Newcomer::of(samples::instance("A", "i"), Origin::Client),
            at(0),
        );
        let key = InstanceKey::new("a", "i");
        let held = table.take_out(&key, ChangeStamp::FIRST, at(7)).unwrap();
        assert_eq!(held.info.action, ActionType::Deleted);
        assert_eq!(held.info.status, InstanceStatus::Up);
        assert_eq!(held.info.last_updated, 1_007);
        assert_eq!(held.lease.times(1_000).evicted, 1_007);
        assert!(table.take_out(&key, ChangeStamp::FIRST, at(8)).is_none());
        assert_eq!((table.len(), table.applications()), (0, 0));
    }
}
