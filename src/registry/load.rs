//! Load: what a peer held is taken over when the node starts, a slice at a time.
//!
//! A record that is held already stays if it is the later one. What was cancelled while the load goes on is not
//! brought back (`tombstones.rs`). A peer of another kind tells no change stamps: its copies count as the earliest
//! that are possible, since a list may be half a minute old, and whatever is heard otherwise is later.

use std::sync::Arc;

use actix::{Context, Handler, Message, MessageResult};

use super::{Held, Registry};
use crate::model::{
    By, ChangeStamp, Extra, InstanceInfo, InstanceKey, Order, Ordered, PeerCopy, Who,
};

/// Asks the registry to take these records over; answers how many it did not hold before.
#[derive(Debug, Message)]
#[rtype(result = "usize")]
pub struct Load {
    /// At most some hundreds, so that others are not kept waiting.
    pub copies: Vec<PeerCopy>,
}

/// Asks for the next instances after `after`, by application and id.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Vec<Arc<Held>>")]
pub struct TakePage {
    /// The last one of the page before; `None` for the first page.
    pub after: Option<InstanceKey>,
    /// How many at most.
    pub limit: usize,
}

/// A record from the list of a peer of another kind.
pub fn copy_from_list(info: InstanceInfo) -> PeerCopy {
    let extra = Extra {
        stamp: Some(ChangeStamp::FIRST),
        said: Some(info.status),
        order: info
            .override_status
            .map(|status| Arc::new(Order::plain(ChangeStamp::FIRST, Ordered::Set(status)))),
        idle: None,
    };
    PeerCopy {
        info: Box::new(info),
        extra,
    }
}

impl Handler<Load> for Registry {
    type Result = usize;

    fn handle(&mut self, msg: Load, _ctx: &mut Context<Self>) -> usize {
        let before = self.table.len();
        for copy in msg.copies {
            self.take_over(copy);
        }
        self.table.len() - before
    }
}

impl Registry {
    /// Takes a peer's record over, if there is anything later in it.
    pub(super) fn take_over(&mut self, copy: PeerCopy) {
        self.saw(&copy.extra);
        if !self.renews_only(&copy.info, &copy.extra) {
            // A record that is refused is in the log; there is nobody to answer.
            self.register_from_peer(*copy.info, copy.extra, &By::only(Who::Peer));
        }
    }

    /// A record that is held and not older stays as it is, and so does its place in the delta; its lease is renewed as
    /// it was at the peer. Says whether that was all.
    pub(super) fn renews_only(&self, info: &InstanceInfo, extra: &Extra) -> bool {
        let held = self.table.get(&info.key()).map(|entry| &entry.held);
        let Some(held) = held.filter(|held| held.has_all_of(info, extra)) else {
            return false;
        };
        if let Some(idle) = extra.idle {
            let now = self.clock.now();
            // Nobody else changes the word's generation, so this cannot fail.
            let _ = held.lease.renew_idle(held.generation, idle, now);
        }
        true
    }
}

impl Held {
    /// Whether a copy has nothing that this does not have; what a peer of another kind answers is later by Eureka's
    /// stamp alone.
    fn has_all_of(&self, info: &InstanceInfo, extra: &Extra) -> bool {
        let mine = (self.info.last_dirty, self.version.stamp);
        let came = (info.last_dirty, extra.stamp.unwrap_or(ChangeStamp::FIRST));
        let order = |order: Option<&Arc<Order>>| order.map(|order| order.stamp);
        came <= mine && order(extra.order.as_ref()) <= order(self.version.order())
    }
}

impl Handler<TakePage> for Registry {
    type Result = MessageResult<TakePage>;

    fn handle(&mut self, msg: TakePage, _ctx: &mut Context<Self>) -> Self::Result {
        let after = self.table.after(msg.after.as_ref());
        MessageResult(after.take(msg.limit).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use InstanceStatus::{OutOfService, Starting, Unknown, Up};

    use super::*;
    use crate::clock::{Clock, Moment};
    use crate::config::{Mode, RegistryConfig};
    use crate::metrics::Metrics;
    use crate::model::{InstanceStatus, Origin, StampClock, samples};
    use crate::registry::register::Newcomer;
    use crate::registry::{LeaseTable, Published};

    fn registry() -> Registry {
        let metrics = Metrics::new().registry;
        let config = RegistryConfig::of(Mode::Modern);
        let published = Arc::new(Published::new(config, metrics.renewals.clone()));
        Registry::new(
            Clock::starting_at(1_000_000),
            metrics,
            published,
            Vec::new(),
        )
    }

    fn held(registry: &Registry, id: &str) -> Arc<Held> {
        let key = InstanceKey::new("A", id);
        registry.table.get(&key).unwrap().held.clone()
    }

    fn listed(status: InstanceStatus, order: Option<InstanceStatus>) -> PeerCopy {
        copy_from_list(InstanceInfo {
            status,
            override_status: order,
            ..samples::instance("A", "i")
        })
    }

    #[tokio::test]
    async fn all_statuses_come_over_with_their_overrides() {
        for (status, order, clears_to) in [
            (Up, None, Up),
            (OutOfService, Some(OutOfService), OutOfService),
            (Starting, None, Starting),
            (Starting, Some(OutOfService), Starting),
            (Unknown, None, Unknown),
        ] {
            let mut registry = registry();
            registry.take_over(listed(status, order));
            let held = held(&registry, "i");
            let seen = (held.info.status, held.info.override_status);
            assert_eq!(seen, (status, order));
            assert_eq!(held.version.said, clears_to);
        }
    }

    #[tokio::test]
    async fn what_is_held_and_not_older_stays_untouched() {
        let mut registry = registry();
        let info = samples::instance("A", "i");
        registry
            .register(Newcomer::of(info.clone(), Origin::Client))
            .unwrap();
        let before = held(&registry, "i");
        registry.take_over(listed(Starting, None));
        assert!(Arc::ptr_eq(&held(&registry, "i"), &before));

        let newer = InstanceInfo {
            last_dirty: info.last_dirty + 1,
            ..info
        };
        registry.take_over(copy_from_list(newer.clone()));
        assert_eq!(held(&registry, "i").info.last_dirty, newer.last_dirty);
    }

    #[tokio::test]
    async fn a_copy_of_a_peer_of_this_kind_is_as_old_here_as_there() {
        let mut registry = registry();
        let stamp = StampClock::of(7).next(2_000_000);
        let copy = PeerCopy {
            info: Box::new(samples::instance("A", "i")),
            extra: Extra {
                stamp: Some(stamp),
                idle: Some(60_000),
                ..Extra::NONE
            },
        };
        registry.take_over(copy);
        let held = held(&registry, "i");
        assert_eq!(held.version.stamp, stamp);
        assert_eq!(held.lease.deadline(), 90_000 - 60_000);
        // What happens here now is later than what was told.
        assert!(registry.table.stamps.next(1) > stamp);
    }

    #[test]
    fn pages_go_through_everything_once_in_order() {
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        let now = Moment { mono: 0, wall: 0 };
        for (app, id) in [("B", "1"), ("A", "2"), ("A", "1"), ("C", "x"), ("B", "0")] {
            table.register(
                Newcomer::of(samples::instance(app, id), Origin::Client),
                now,
            );
        }
        let mut after = None;
        let mut seen = Vec::new();
        loop {
            let page: Vec<_> = table.after(after.as_ref()).take(2).cloned().collect();
            let Some(last) = page.last() else { break };
            after = Some(last.info.key());
            seen.extend(page.iter().map(|held| held.info.key().to_string()));
        }
        assert_eq!(seen, ["A/1", "A/2", "B/0", "B/1", "C/x"]);
        // What went meanwhile does not stop it.
        let gone = InstanceKey::new("B", "00");
        assert_eq!(table.after(Some(&gone)).count(), 2);
        assert_eq!(table.after(Some(&InstanceKey::new("AA", ""))).count(), 3);
    }
}
