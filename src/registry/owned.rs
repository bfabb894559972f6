//! Orders with an owner: an operator orders a status, says why and until when, and takes the order back.
//!
//! Other than Eureka's own calls (`status.rs`) an operator's order counts whatever the status is at present: it is about
//! what comes, too. Taking it back, or its end, leaves what the instance says of itself, so that nobody has to register
//! anew. Neither renews the lease: an operator is no sign of life.

use std::sync::Arc;

use actix::{Context, Handler, Message};

use super::status::Changed;
use super::{LeaseTable, Registry, UnknownInstance};
use crate::clock::Moment;
use crate::model::{By, EpochMillis, InstanceKey, InstanceStatus, Order, Ordered, Owner};

/// Orders a status for an instance.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<(), UnknownInstance>")]
pub struct Override {
    /// Which instance.
    pub key: InstanceKey,
    /// The status ordered.
    pub status: InstanceStatus,
    /// When the order ends by itself.
    pub until: Option<EpochMillis>,
    /// Whose it is, and why.
    pub owner: Owner,
    /// Who orders it.
    pub by: By,
}

/// Takes an order back; without one there is nothing to do.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<(), UnknownInstance>")]
pub struct EndOverride {
    /// Which instance.
    pub key: InstanceKey,
    /// Who takes it back, and why.
    pub owner: Owner,
    /// Who it is.
    pub by: By,
}

// === the rules ===

impl LeaseTable {
    pub(super) fn order_owned(
        &mut self,
        order: &Override,
        now: Moment,
    ) -> Result<Changed, UnknownInstance> {
        let what = Ordered::Set(order.status);
        self.give(&order.key, what, order.until, &order.owner, now)
    }

    pub(super) fn end_order(
        &mut self,
        end: &EndOverride,
        now: Moment,
    ) -> Result<Changed, UnknownInstance> {
        let held = self.present(&end.key, now);
        if held.is_some_and(|held| held.info.override_status.is_none()) {
            return Ok(None);
        }
        self.give(&end.key, Ordered::Ended, None, &end.owner, now)
    }

    fn give(
        &mut self,
        key: &InstanceKey,
        what: Ordered,
        until: Option<EpochMillis>,
        owner: &Owner,
        now: Moment,
    ) -> Result<Changed, UnknownInstance> {
        let held = self.present(key, now).cloned();
        let held = held.ok_or_else(|| UnknownInstance(key.clone()))?;
        let order = Order {
            stamp: self.stamps.next(now.wall),
            what,
            until,
            owner: Some(owner.clone()),
        };
        Ok(self.order(&held, Arc::new(order), None, now))
    }
}

// === the handlers ===

impl Handler<Override> for Registry {
    type Result = Result<(), UnknownInstance>;

    fn handle(&mut self, msg: Override, _ctx: &mut Context<Self>) -> Self::Result {
        self.order_owned(&msg)
    }
}

impl Handler<EndOverride> for Registry {
    type Result = Result<(), UnknownInstance>;

    fn handle(&mut self, msg: EndOverride, _ctx: &mut Context<Self>) -> Self::Result {
        self.end_order(&msg)
    }
}

impl Registry {
    pub(super) fn order_owned(&mut self, order: &Override) -> Result<(), UnknownInstance> {
        self.begin("override the status of", Some(&order.key));
        let changed = self.table.order_owned(order, self.clock.now())?;
        self.publish_order(&order.key, changed, &order.by, "status overridden");
        Ok(())
    }

    pub(super) fn end_order(&mut self, end: &EndOverride) -> Result<(), UnknownInstance> {
        self.begin("end the override of", Some(&end.key));
        let changed = self.table.end_order(end, self.clock.now())?;
        if changed.is_some() {
            self.publish_order(&end.key, changed, &end.by, "override removed");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::register::Newcomer;
    use super::*;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::{InstanceInfo, Origin, Who, samples};

    fn at(mono: u64) -> Moment {
        let wall = 1_000_000 + mono;
        Moment { mono, wall }
    }

    fn owner() -> Owner {
        Owner {
            name: "ops".into(),
            reason: Some("disk".into()),
        }
    }

    fn order(status: InstanceStatus) -> Override {
        Override {
            key: InstanceKey::new("A", "i"),
            status,
            until: Some(2_000_000),
            owner: owner(),
            by: By::only(Who::Operator),
        }
    }

    fn end() -> EndOverride {
        EndOverride {
            key: InstanceKey::new("A", "i"),
            owner: owner(),
            by: By::only(Who::Operator),
        }
    }

    fn said(status: InstanceStatus, last_dirty: u64) -> Newcomer {
        let info = InstanceInfo {
            status,
            last_dirty,
            ..samples::instance("A", "i")
        };
        Newcomer::of(info, Origin::Client)
    }

    /// The status and the override that readers see.
    fn seen(table: &LeaseTable) -> (InstanceStatus, Option<InstanceStatus>) {
        let info = &table.iter().next().unwrap().info;
        (info.status, info.override_status)
    }

    #[test]
    fn an_order_counts_at_once_whatever_the_status_is_and_its_end_leaves_what_the_instance_says() {
        use InstanceStatus::{Down, OutOfService, Starting, Up};
        for (first, ordered, later, with_order, after) in [
            (Up, OutOfService, None, OutOfService, Up),
            (Up, OutOfService, Some(Up), OutOfService, Up),
            (Up, OutOfService, Some(Down), Down, Down),
            (Up, Up, Some(OutOfService), Up, OutOfService),
            (Starting, Up, None, Up, Starting),
        ] {
            let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
            table.register(said(first, 1), at(0));
            let deadline = table.iter().next().unwrap().lease.deadline();
            let changed = table.order_owned(&order(ordered), at(1)).unwrap();
            assert!(changed.is_some());
            assert_eq!(seen(&table), (ordered, Some(ordered)));
            assert_eq!(table.iter().next().unwrap().lease.deadline(), deadline);
            if let Some(status) = later {
                table.register(said(status, 2), at(2));
            }
            let case = format!("{first} {ordered} {later:?}");
            assert_eq!(seen(&table), (with_order, Some(ordered)), "{case}");
            assert!(table.end_order(&end(), at(3)).unwrap().is_some());
            assert_eq!(seen(&table), (after, None), "{case}");
            assert!(table.end_order(&end(), at(4)).unwrap().is_none(), "{case}");
        }
    }

    #[test]
    fn what_is_not_there_takes_no_orders() {
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        let unknown = UnknownInstance(InstanceKey::new("A", "i"));
        let ordered = table.order_owned(&order(InstanceStatus::Down), at(0));
        assert_eq!(ordered.unwrap_err(), unknown);
        assert_eq!(table.end_order(&end(), at(0)).unwrap_err(), unknown);
        table.register(said(InstanceStatus::Up, 1), at(0));
        let late = at(90_001);
        let ordered = table.order_owned(&order(InstanceStatus::Down), late);
        assert_eq!(ordered.unwrap_err(), unknown);
    }
}
