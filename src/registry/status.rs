//! Set and clear the status: an operator orders one, and takes the order back (server.md §8.1, §8.2).
//!
//! Both renew the lease, and neither moves `lastDirtyTimestamp` unless the caller brings a newer one. A
//! status that the instance has already is no order (B-11). Clearing without a value leaves UNKNOWN, so
//! that the next heartbeat is answered 404 and the client registers with its own status.

use std::sync::Arc;

use actix::{Context, Handler, Message};

use super::version::is_later_order;
use super::{Held, LeaseTable, Registry, UnknownInstance, Version, What};
use crate::clock::{Millis, Moment};
use crate::model::{
    ActionType, By, EpochMillis, InstanceKey, InstanceStatus, Order, Ordered, Origin,
};

/// Orders a status for an instance.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<(), UnknownInstance>")]
pub struct SetStatus {
    /// Which instance.
    pub key: InstanceKey,
    /// The status ordered; any of the five.
    pub status: InstanceStatus,
    /// Replaces the held stamp if it is newer.
    pub last_dirty: Option<EpochMillis>,
    /// Who orders it.
    pub by: By,
}

/// Takes an order back.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<(), UnknownInstance>")]
pub struct ClearStatus {
    /// Which instance.
    pub key: InstanceKey,
    /// The status after that; UNKNOWN if `None`.
    pub status: Option<InstanceStatus>,
    /// Replaces the held stamp if it is newer.
    pub last_dirty: Option<EpochMillis>,
    /// Who does it.
    pub by: By,
}

/// The instance after a change and before it; `None` if there was nothing to change.
pub(super) type Changed = Option<(Arc<Held>, Arc<Held>)>;

// === the rules ===

impl LeaseTable {
    pub(super) fn set_status(
        &mut self,
        order: &SetStatus,
        now: Moment,
    ) -> Result<Changed, UnknownInstance> {
        let held = self.renew_for_order(&order.key, 0, now)?;
        if held.info.status == order.status {
            return Ok(None);
        }
        let ordered = self.order_now(Ordered::Set(order.status), now);
        Ok(self.order(&held, ordered, order.last_dirty, now))
    }

    pub(super) fn clear_status(
        &mut self,
        order: &ClearStatus,
        now: Moment,
    ) -> Result<Changed, UnknownInstance> {
        let held = self.renew_for_order(&order.key, 0, now)?;
        if held.info.override_status.is_none() {
            return Ok(None);
        }
        let after = order.status.unwrap_or(InstanceStatus::Unknown);
        let ordered = self.order_now(Ordered::Cleared(after), now);
        Ok(self.order(&held, ordered, order.last_dirty, now))
    }

    /// An order that was given at a peer of this kind: the later one counts, and nothing else. The lease was renewed
    /// there `idle` milliseconds ago.
    pub(super) fn adopt_order(
        &mut self,
        key: &InstanceKey,
        order: Arc<Order>,
        idle: Millis,
        last_dirty: Option<EpochMillis>,
        now: Moment,
    ) -> Result<Changed, UnknownInstance> {
        let held = self.renew_for_order(key, idle, now)?;
        match is_later_order(Some(&order), held.version.order()) {
            true => Ok(self.order(&held, order, last_dirty, now)),
            false => Ok(None),
        }
    }

    /// An order that is given here and now.
    pub(super) fn order_now(&mut self, what: Ordered, now: Moment) -> Arc<Order> {
        Arc::new(Order::plain(self.stamps.next(now.wall), what))
    }

    /// The instance with its lease renewed as of `idle` milliseconds ago.
    fn renew_for_order(
        &mut self,
        key: &InstanceKey,
        idle: Millis,
        now: Moment,
    ) -> Result<Arc<Held>, UnknownInstance> {
        let held = self.present(key, now).cloned();
        let held = held.ok_or_else(|| UnknownInstance(key.clone()))?;
        // Nobody else changes the word's generation, so this cannot fail.
        let _ = held.lease.renew_idle(held.generation, idle, now);
        Ok(held)
    }

    /// Puts an order, or its end, in place.
    pub(super) fn order(
        &mut self,
        held: &Arc<Held>,
        order: Arc<Order>,
        last_dirty: Option<EpochMillis>,
        now: Moment,
    ) -> Changed {
        let version = Version {
            order: Some(order),
            ..held.version.clone()
        };
        let (status, override_status) = (version.visible(), version.override_status());
        if status == InstanceStatus::Up {
            held.lease.service_up(now);
        }
        let key = held.info.key();
        self.get_mut(&key)?.override_changed = Some(now.mono);
        let changed = self.change(&key, ActionType::Modified, now, |info, held| {
            info.status = status;
            info.override_status = override_status;
            info.last_dirty = info.last_dirty.max(last_dirty.unwrap_or(0));
            *held = version;
        })?;
        Some((changed, held.clone()))
    }
}

// === the handlers ===

impl Handler<SetStatus> for Registry {
    type Result = Result<(), UnknownInstance>;

    fn handle(&mut self, msg: SetStatus, _ctx: &mut Context<Self>) -> Self::Result {
        self.set_status(&msg)
    }
}

impl Handler<ClearStatus> for Registry {
    type Result = Result<(), UnknownInstance>;

    fn handle(&mut self, msg: ClearStatus, _ctx: &mut Context<Self>) -> Self::Result {
        self.clear_status(&msg)
    }
}

impl Registry {
    pub(super) fn set_status(&mut self, order: &SetStatus) -> Result<(), UnknownInstance> {
        self.begin("set the status of", Some(&order.key));
        let changed = self.table.set_status(order, self.clock.now())?;
        self.publish_order(&order.key, changed, &order.by, "status overridden");
        Ok(())
    }

    pub(super) fn clear_status(&mut self, order: &ClearStatus) -> Result<(), UnknownInstance> {
        self.begin("clear the status of", Some(&order.key));
        let changed = self.table.clear_status(order, self.clock.now())?;
        self.publish_order(&order.key, changed, &order.by, "override removed");
        Ok(())
    }

    pub(super) fn adopt_order(
        &mut self,
        key: &InstanceKey,
        order: Arc<Order>,
        idle: Millis,
        last_dirty: Option<EpochMillis>,
        by: &By,
    ) -> Result<(), UnknownInstance> {
        self.begin("adopt an order for", Some(key));
        let now = self.clock.now();
        let changed = self.table.adopt_order(key, order, idle, last_dirty, now)?;
        self.publish_order(key, changed, by, "a peer's order adopted");
        Ok(())
    }

    /// The lease was renewed, whatever else changed: peers are to renew theirs.
    pub(super) fn note_renewal(&self, key: &InstanceKey, origin: Origin) {
        if origin == Origin::Client
            && let Some(entry) = self.table.get(key)
        {
            self.published.renewed.note(&entry.held);
        }
    }

    pub(super) fn publish_order(
        &mut self,
        key: &InstanceKey,
        changed: Changed,
        by: &By,
        what: &'static str,
    ) {
        let origin = by.origin();
        let Some((held, before)) = changed else {
            return self.note_renewal(key, origin);
        };
        self.metrics.status_changed(origin);
        tracing::info!(instance = ?key, before = %before.info.status, after = %held.info.status, "{what}");
        self.publish(What::Ordered, by.clone(), Some(before), &held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::{InstanceInfo, samples};
    use crate::registry::register::Newcomer;
    use InstanceStatus::{Down, OutOfService, Unknown, Up};

    fn at(mono: u64) -> Moment {
        Moment {
            mono,
            wall: 1_000_000 + mono,
        }
    }

    fn key() -> InstanceKey {
        InstanceKey::new("A", "i")
    }

    fn set(status: InstanceStatus, last_dirty: Option<u64>) -> SetStatus {
        SetStatus {
            key: key(),
            status,
            last_dirty,
            by: Origin::Client.into(),
        }
    }

    fn clear(status: Option<InstanceStatus>) -> ClearStatus {
        ClearStatus {
            key: key(),
            status,
            last_dirty: None,
            by: Origin::Client.into(),
        }
    }

    fn table() -> LeaseTable {
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        table.register(
            Newcomer::of(samples::instance("A", "i"), Origin::Client),
            at(0),
        );
        table
    }

    fn info(table: &LeaseTable) -> Arc<InstanceInfo> {
        table.iter().next().unwrap().info.clone()
    }

    /// server.md scenarios 14 and 21; wire.md rows 40 and 43.
    #[test]
    fn an_order_is_recorded_only_if_it_changes_the_status_and_always_renews() {
        let mut table = table();
        assert!(
            table
                .set_status(&set(Up, None), at(30_000))
                .unwrap()
                .is_none()
        );
        assert_eq!(info(&table).override_status, None);
        assert_eq!(table.iter().next().unwrap().lease.deadline(), 120_000);

        let (held, before) = table
            .set_status(&set(OutOfService, None), at(31_000))
            .unwrap()
            .unwrap();
        assert_eq!((before.info.status, held.info.status), (Up, OutOfService));
        assert_eq!(held.info.override_status, Some(OutOfService));
        assert_eq!(
            (held.info.last_dirty, held.info.last_updated),
            (1000, 1_031_000)
        );
        assert_eq!(held.info.action, ActionType::Modified);
    }

    #[test]
    fn a_stamp_only_ever_rises() {
        for (brought, expected) in [(None, 1000), (Some(999), 1000), (Some(2000), 2000)] {
            let mut table = table();
            table.set_status(&set(Down, brought), at(1)).unwrap();
            assert_eq!(info(&table).last_dirty, expected);
        }
    }

    /// server.md scenarios 18, 19 and 20; wire.md rows 45–47.
    #[test]
    fn clearing_gives_the_status_asked_for_or_unknown_and_without_an_order_nothing() {
        for (order, value, expected) in [
            (Some(OutOfService), None, Unknown),
            (Some(OutOfService), Some(Up), Up),
            (None, Some(Down), Up),
        ] {
            let mut table = table();
            if let Some(order) = order {
                table.set_status(&set(order, None), at(1)).unwrap();
            }
            let changed = table.clear_status(&clear(value), at(2)).unwrap();
            assert_eq!(changed.is_some(), order.is_some());
            assert_eq!(info(&table).status, expected);
            assert_eq!(info(&table).override_status, None);
        }
    }

    #[test]
    fn an_ended_lease_counts_as_gone() {
        let mut table = table();
        assert!(table.set_status(&set(Down, None), at(90_001)).is_err());
        assert!(table.clear_status(&clear(None), at(90_001)).is_err());
        let other = SetStatus {
            key: InstanceKey::new("A", "none"),
            ..set(Down, None)
        };
        let error = table.set_status(&other, at(0)).unwrap_err();
        assert_eq!(error.to_string(), "no lease for A/none");
    }
}
