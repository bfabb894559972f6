//! Apply a batch: what a peer's clients did there, in order, one answer per item (wire.md §9.3).
//!
//! Every item counts as the peer's; none is passed on (I6).

use actix::{Context, Handler, Message, MessageResult};

use super::{ClearStatus, Registry, Renew, SetStatus, UnknownInstance};
use crate::model::{InstanceInfo, ItemAnswer, Origin, PeerItem, ReplicationItem};

/// Asks the registry to carry out a peer's items.
#[derive(Debug, Message)]
#[rtype(result = "Vec<ItemAnswer>")]
pub struct ApplyBatch {
    /// In the order of the peer.
    pub items: Vec<PeerItem>,
}

impl Handler<ApplyBatch> for Registry {
    type Result = MessageResult<ApplyBatch>;

    fn handle(&mut self, msg: ApplyBatch, _ctx: &mut Context<Self>) -> Self::Result {
        let apply = |item| {
            let action = PeerItem::action(&item);
            let answer = self.apply(item);
            self.metrics.replicated(action, answer.status_code());
            answer
        };
        MessageResult(msg.items.into_iter().map(apply).collect())
    }
}

impl Registry {
    pub(super) fn apply(&mut self, item: PeerItem) -> ItemAnswer {
        let origin = Origin::Peer;
        match item.item {
            ReplicationItem::Register(info) => self.register_from_peer(*info),
            ReplicationItem::Heartbeat {
                key,
                last_dirty,
                override_status,
            } => self.answer_beat(&Renew {
                key,
                last_dirty,
                override_status,
                origin,
            }),
            ReplicationItem::Cancel(key) => known(self.cancel(key, origin)),
            ReplicationItem::StatusUpdate {
                key,
                status,
                last_dirty,
            } => known(self.set_status(&SetStatus {
                key,
                status,
                last_dirty,
                origin,
            })),
            ReplicationItem::DeleteStatusOverride {
                key,
                status,
                last_dirty,
            } => known(self.clear_status(&ClearStatus {
                key,
                status: Some(status),
                last_dirty,
                origin,
            })),
        }
    }

    fn register_from_peer(&mut self, info: InstanceInfo) -> ItemAnswer {
        let key = info.key();
        let Err(reason) = self.register(info, Origin::Peer) else {
            return ItemAnswer::Done;
        };
        tracing::warn!(instance = ?key, %reason, "a peer's registration refused");
        ItemAnswer::Refused
    }

    fn answer_beat(&mut self, beat: &Renew) -> ItemAnswer {
        self.renew(beat)
            .into_answer(self.clock.epoch(), self.clock.now())
    }
}

fn known(result: Result<(), UnknownInstance>) -> ItemAnswer {
    match result {
        Ok(()) => ItemAnswer::Done,
        Err(UnknownInstance(_)) => ItemAnswer::Unknown,
    }
}
