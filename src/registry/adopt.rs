//! Adopt what a peer knows better: it answered that it holds a later copy than ours (409), or that the instance was
//! cancelled (404 with a stamp).
//!
//! What is not held here any more was cancelled meanwhile and stays away. Of a peer of another kind the override comes
//! along, where this node knows nothing newer about it (server.md §13.3, B-13).

use actix::{Context, Handler, Message};

use super::Registry;
use crate::clock::Millis;
use crate::model::{
    By, ChangeStamp, InstanceInfo, InstanceKey, InstanceStatus, Ordered, PeerCopy, Who,
};

/// Asks the registry to take for its own what a peer knows better, where that is later still.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub enum Adopt {
    /// The record as the peer holds it.
    Copy(PeerCopy),
    /// The peer knows that the instance was cancelled.
    Cancel(InstanceKey, ChangeStamp),
}

impl Handler<Adopt> for Registry {
    type Result = ();

    fn handle(&mut self, msg: Adopt, _ctx: &mut Context<Self>) {
        match msg {
            Adopt::Copy(copy) => self.adopt_copy(copy),
            // That it is not held here any more is just as well.
            Adopt::Cancel(key, stamp) => {
                _ = self.cancel_from_peer(key, Some(stamp), By::only(Who::Peer));
            }
        }
    }
}

impl Registry {
    fn adopt_copy(&mut self, copy: PeerCopy) {
        let key = copy.info.key();
        self.begin("adopt", Some(&key));
        if self.table.get(&key).is_none() {
            return;
        }
        if copy.extra.stamp.is_none() {
            self.adopt_override(&key, &copy.info);
        }
        self.take_over(copy);
    }

    fn adopt_override(&mut self, key: &InstanceKey, theirs: &InstanceInfo) {
        let now = self.clock.now();
        let ordered = theirs
            .override_status
            .filter(|status| *status != InstanceStatus::Unknown);
        let held = self.table.get(key).map(|entry| entry.held.clone());
        if let (Some(status), Some(held)) = (ordered, held)
            && held.info.override_status != Some(status)
            && self.knows_no_newer_order(key)
        {
            let order = self.table.order_now(Ordered::Set(status), now);
            // It is held, so this cannot fail; the lease is renewed by what called for it.
            let by = By::only(Who::Peer);
            let _ = self.adopt_order(key, order, Millis::MAX, None, &by);
        }
    }

    /// Whether this node changed no override of the instance lately and has none on its way to any peer.
    pub(super) fn knows_no_newer_order(&self, key: &InstanceKey) -> bool {
        let now = self.clock.now();
        let entry = self.table.get(key);
        entry.is_some_and(|entry| entry.is_quiet(now))
            && !self.published.undelivered_orders.contains(key)
    }
}
