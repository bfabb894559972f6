//! Evict: leases that have ended are removed.
//!
//! In two steps, so that somebody may judge in between: what is overdue is taken as a list, and the
//! leases of that list are removed. A lease that was renewed meanwhile, or replaced by a registration,
//! stays (B-05).

use std::sync::Arc;

use actix::{Context, Handler, Message, MessageResult};

use super::lease::Held;
use super::{LeaseTable, Registry, What};
use crate::clock::{Millis, Moment};
use crate::model::Origin;

/// Asks which leases have ended.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Overdue")]
pub struct TakeOverdue {
    /// Milliseconds on top of every lease, because the sweep itself is late.
    pub grace: Millis,
}

/// What a sweep has to judge.
#[derive(Clone, Debug, Default)]
pub struct Overdue {
    /// Instances whose lease has ended, sorted by application and id.
    pub due: Vec<Arc<Held>>,
    /// Leases held in all.
    pub total: usize,
}

/// Asks the registry to remove these leases, if they are still as they were judged.
#[derive(Clone, Debug, Message)]
#[rtype(result = "usize")]
pub struct EvictExpired {
    /// The leases judged.
    pub leases: Vec<Arc<Held>>,
    /// As in [`TakeOverdue`].
    pub grace: Millis,
}

// === the rules ===

impl LeaseTable {
    pub(super) fn overdue(&self, grace: Millis, now: Moment) -> Overdue {
        let ended = |held: &&Arc<Held>| held.lease.is_expired(now, grace);
        Overdue {
            due: self.iter().filter(ended).cloned().collect(),
            total: self.len(),
        }
    }

    /// Removes one lease if it is the one that was judged and still has ended.
    pub(super) fn evict(&mut self, judged: &Held, grace: Millis, now: Moment) -> Option<Arc<Held>> {
        let key = judged.info.key();
        let present = &self.get(&key)?.held;
        let same = Arc::ptr_eq(&present.lease, &judged.lease);
        if same && present.lease.is_expired(now, grace) {
            self.take_out(&key, now)
        } else {
            None
        }
    }
}

// === the handlers ===

impl Handler<TakeOverdue> for Registry {
    type Result = MessageResult<TakeOverdue>;

    fn handle(&mut self, msg: TakeOverdue, _ctx: &mut Context<Self>) -> Self::Result {
        Self::begin("look for overdue leases", None);
        MessageResult(self.table.overdue(msg.grace, self.clock.now()))
    }
}

impl Handler<EvictExpired> for Registry {
    type Result = usize;

    fn handle(&mut self, msg: EvictExpired, _ctx: &mut Context<Self>) -> usize {
        let evicted = msg.leases.iter().filter(|held| self.evict(held, msg.grace));
        evicted.count()
    }
}

impl Registry {
    fn evict(&mut self, judged: &Held, grace: Millis) -> bool {
        let key = judged.info.key();
        Self::begin("evict", Some(&key));
        let now = self.clock.now();
        let Some(held) = self.table.evict(judged, grace, now) else {
            return false;
        };
        self.recent.cancelled(now.wall, key.clone());
        self.metrics.evicted();
        tracing::info!(instance = ?key, "evicted: its lease ended");
        self.publish_removal(What::Evicted, Origin::Client, &held);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::{InstanceKey, samples};
    use crate::registry::Renew;

    fn at(mono: u64) -> Moment {
        Moment { mono, wall: mono }
    }

    fn table() -> LeaseTable {
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        table.register(samples::instance("A", "i"), Origin::Client, at(0));
        table
    }

    /// server.md scenario 37: a late sweep gives every lease that much more.
    #[test]
    fn only_ended_leases_are_overdue_and_the_grace_counts() {
        let table = table();
        for (now, grace, due) in [
            (90_000, 0, 0),
            (90_001, 0, 1),
            (90_001, 10, 0),
            (90_011, 10, 1),
        ] {
            let overdue = table.overdue(grace, at(now));
            assert_eq!(
                (overdue.due.len(), overdue.total),
                (due, 1),
                "{now} {grace}"
            );
        }
    }

    /// server.md scenario 38, I7, B-05.
    #[test]
    fn a_lease_renewed_or_replaced_after_the_judgement_stays() {
        let judged = |table: &LeaseTable| table.overdue(0, at(90_001)).due.remove(0);

        let mut renewed = table();
        let lease = judged(&renewed);
        let beat = Renew {
            key: InstanceKey::new("A", "i"),
            last_dirty: None,
            override_status: None,
            origin: Origin::Client,
        };
        renewed.renew(&beat, at(90_002));
        assert!(renewed.evict(&lease, 0, at(90_003)).is_none());

        let mut replaced = table();
        let lease = judged(&replaced);
        replaced.register(samples::instance("A", "i"), Origin::Client, at(90_002));
        assert!(
            replaced.evict(&lease, 0, at(200_000)).is_none(),
            "not the lease that was judged"
        );

        let mut silent = table();
        let lease = judged(&silent);
        assert!(silent.evict(&lease, 0, at(90_003)).is_some());
        assert!(silent.evict(&lease, 0, at(90_004)).is_none());
        silent.assert_consistent();
    }
}
