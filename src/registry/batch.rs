//! Apply a batch: what a peer's clients did there, in order, one answer per item (wire.md §9.3).
//!
//! Every item counts as the peer's; none is passed on (I6).

use actix::{Context, Handler, Message, MessageResult};

use super::lease::Reckoning;
use super::register::Newcomer;
use super::{ClearStatus, Registry, Renew, Renewal, SetStatus, UnknownInstance};
use crate::model::{
    By, ChangeStamp, Extra, InstanceInfo, InstanceKey, ItemAnswer, Origin, PeerItem,
    ReplicationItem,
};

/// Asks the registry to carry out a peer's items.
#[derive(Debug, Message)]
#[rtype(result = "Vec<ItemAnswer>")]
pub struct ApplyBatch {
    /// In the order of the peer.
    pub items: Vec<PeerItem>,
    /// Who it is.
    pub by: By,
}

impl Handler<ApplyBatch> for Registry {
    type Result = MessageResult<ApplyBatch>;

    fn handle(&mut self, msg: ApplyBatch, _ctx: &mut Context<Self>) -> Self::Result {
        let by = &msg.by;
        let apply = |item| {
            let action = PeerItem::action(&item);
            let answer = self.apply(item, by);
            self.metrics.replicated(action, answer.status_code());
            answer
        };
        MessageResult(msg.items.into_iter().map(apply).collect())
    }
}

impl Registry {
    pub(super) fn apply(&mut self, item: PeerItem, by: &By) -> ItemAnswer {
        let PeerItem { item, extra } = item;
        self.saw(&extra);
        match item {
            ReplicationItem::Register(info)
                if self.is_over(&info, &extra) || self.adds_nothing(&info, &extra) =>
            {
                ItemAnswer::Done
            }
            ReplicationItem::Register(info) => self.register_from_peer(*info, extra, by),
            ReplicationItem::Heartbeat {
                key,
                last_dirty,
                override_status,
            } => {
                let beat = Renew {
                    key,
                    last_dirty,
                    override_status,
                    origin: Origin::Peer,
                    extra,
                };
                self.answer_beat(&beat, by)
            }
            ReplicationItem::Cancel(key) => {
                known(self.cancel_from_peer(key, extra.stamp, by.clone()))
            }
            ReplicationItem::StatusUpdate {
                key, last_dirty, ..
            }
            | ReplicationItem::DeleteStatusOverride {
                key, last_dirty, ..
            } if let Some(order) = &extra.order => {
                let idle = extra.idle.unwrap_or(0);
                // It is the stamp of the sender's record: another one would pass for a later one with it.
                let last_dirty = last_dirty.filter(|_| self.holds(&key, &extra));
                known(self.adopt_order(&key, order.clone(), idle, last_dirty, by))
            }
            item => self.order_from_peer(item, by),
        }
    }

    fn order_from_peer(&mut self, item: ReplicationItem, by: &By) -> ItemAnswer {
        let by = by.clone();
        match item {
            ReplicationItem::StatusUpdate {
                key,
                status,
                last_dirty,
            } => known(self.set_status(&SetStatus {
                key,
                status,
                last_dirty,
                by,
            })),
            ReplicationItem::DeleteStatusOverride {
                key,
                status,
                last_dirty,
            } => known(self.clear_status(&ClearStatus {
                key,
                status: Some(status),
                last_dirty,
                by,
            })),
            _ => ItemAnswer::Refused,
        }
    }

    /// Whether the record that is held here is the one that a peer of this kind speaks of.
    fn holds(&self, key: &InstanceKey, extra: &Extra) -> bool {
        let entry = self.table.get(key);
        entry.is_some_and(|entry| extra.stamp == Some(entry.held.version.stamp))
    }

    /// Whether a peer of this kind registers what is held here already.
    fn adds_nothing(&self, info: &InstanceInfo, extra: &Extra) -> bool {
        extra.stamp.is_some() && self.renews_only(info, extra)
    }

    /// Whether it is not held here, and its lease has ended where it comes from: it would only come and go.
    fn is_over(&self, info: &InstanceInfo, extra: &Extra) -> bool {
        let reckoning = Reckoning::of(info.lease, self.table.config.accounting);
        let ended = extra.idle.is_some_and(|idle| idle > reckoning.longest());
        ended && self.table.get(&info.key()).is_none()
    }

    /// Registers what a peer holds, unless it was cancelled after that.
    pub(super) fn register_from_peer(
        &mut self,
        info: InstanceInfo,
        extra: Extra,
        by: &By,
    ) -> ItemAnswer {
        let key = info.key();
        let is_held = self.table.get(&key).is_some();
        if !is_held && self.tombstones.refuse(&key, info.last_dirty, extra.stamp) {
            tracing::debug!(instance = ?key, "cancelled a moment ago; a peer's registration is late");
            return self.cancelled_or(&key, &extra, ItemAnswer::Done);
        }
        let newcomer = Newcomer {
            info,
            extra,
            by: by.clone(),
            order_ended: None,
        };
        let Err(reason) = self.register(newcomer) else {
            return ItemAnswer::Done;
        };
        tracing::warn!(instance = ?key, %reason, "a peer's registration refused");
        ItemAnswer::Refused
    }

    fn answer_beat(&mut self, beat: &Renew, by: &By) -> ItemAnswer {
        let now = self.clock.now();
        match self.renew(beat, by.clone()) {
            Renewal::Unknown => self.cancelled_or(&beat.key, &beat.extra, ItemAnswer::Unknown),
            renewal => renewal.into_answer(self.clock.epoch(), now),
        }
    }

    /// A node of this kind that tells of what was cancelled here is told so: it may not have heard.
    fn cancelled_or(&self, key: &InstanceKey, extra: &Extra, answer: ItemAnswer) -> ItemAnswer {
        let cancelled = self.tombstones.cancelled(key);
        let later = |cancelled: &ChangeStamp| extra.stamp.is_some_and(|made| made < *cancelled);
        cancelled
            .filter(later)
            .map_or(answer, ItemAnswer::Cancelled)
    }
}

fn known(result: Result<(), UnknownInstance>) -> ItemAnswer {
    match result {
        Ok(()) => ItemAnswer::Done,
        Err(UnknownInstance(_)) => ItemAnswer::Unknown,
    }
}
