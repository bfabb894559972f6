//! What is done about a peer's answer to a batch; what it means is decided in `outcome.rs`, and what its items lead
//! to is in `items.rs`.

use actix::{ActorContext, AsyncContext, Context};

use super::draft::Room;
use super::link::{Met, Phase};
use super::outcome::{BatchOutcome, SentBatch, Trouble, TroubleKind, judge_batch};
use super::replicator::{Ourselves, Replicator};
use super::send::{Lane, Load, Sent};
use crate::model::{Action, InstanceKey};
use crate::transport::{Answer, CallFailed};

impl Replicator {
    /// A batch came back.
    pub(super) fn answered(
        &mut self,
        number: u64,
        result: Result<Answer, CallFailed>,
        ctx: &mut Context<Self>,
    ) {
        let Some(sent) = self.in_flight.remove(&number) else {
            return;
        };
        if let Ok(answer) = &result
            && self.is_ourselves(answer)
        {
            return ctx.stop();
        }
        let now = self.parts.clock.now();
        let judged = SentBatch {
            items: sent.items,
            dressed: sent.dressed,
        };
        let outcome = judge_batch(&result, judged, now.wall);
        let seconds = now.mono.saturating_sub(sent.at) as f64 / 1000.0;
        self.parts.metrics.seconds.record(seconds);
        self.parts.metrics.batch(outcome.as_str());
        self.settle(sent, outcome, ctx);
        self.pump(ctx);
        self.show();
    }

    fn is_ourselves(&mut self, answer: &Answer) -> bool {
        let peer = &self.parts.url;
        match self.link.meet(answer.sign.as_ref()) {
            Met::Another => return false,
            Met::OneOfSeveral => {
                tracing::warn!(%peer, "several nodes answer at this address in turn; give each its own");
                return false;
            }
            Met::Ourselves => {}
        }
        tracing::info!(%peer, "this address is our own");
        self.parts.set.do_send(Ourselves(peer.clone()));
        true
    }

    fn settle(&mut self, sent: Sent, outcome: BatchOutcome, ctx: &mut Context<Self>) {
        match outcome {
            BatchOutcome::Answered(answers) => {
                self.succeeded(&sent);
                self.settle_items(sent.loads, answers);
            }
            BatchOutcome::Miscounted => {
                self.succeeded(&sent);
                for (key, _) in sent.loads {
                    self.queue.done(&key);
                }
            }
            BatchOutcome::SendPlainly => self.put_back_all(sent.loads),
            BatchOutcome::SendAlone => self.suspect(sent, true, "refused"),
            BatchOutcome::SendLess => self.too_long(sent),
            BatchOutcome::Wait(trouble) => self.troubled(sent, trouble, ctx),
        }
    }

    fn succeeded(&mut self, sent: &Sent) {
        if self.link.phase() == Phase::Probing {
            // Whoever is there now may take more at once.
            self.room = Room::WHOLE;
        }
        let settled = sent.items > 0 || self.queue.changes() == 0;
        self.link.succeed(settled, self.parts.clock.now());
        self.queue.keep_cancels(self.link.sign().is_some());
        if let Some(trouble) = self.said.take_if(|_| settled) {
            tracing::info!(peer = %self.parts.url, was = trouble.as_str(), "the peer is back");
        }
        self.compare_if_due();
    }

    /// Compares everything with the peer where there is a reason to, as soon as everything is here.
    pub(super) fn compare_if_due(&mut self) {
        if !self.parts.published.is_loading() && self.link.takes_comparison() {
            self.beats.compare_all();
        }
    }

    fn troubled(&mut self, sent: Sent, trouble: Trouble, ctx: &mut Context<Self>) {
        self.say(trouble.kind);
        let was_probe = sent.lane == Lane::Probe;
        if trouble.kind.may_be_an_item() {
            self.suspect(sent, false, trouble.kind.as_str());
        } else {
            self.put_back_all(sent.loads);
        }
        let now = self.parts.clock.now().mono;
        if let Some(pause) = self.link.fail(trouble, was_probe, now) {
            ctx.run_later(pause, Self::pump);
        }
    }

    fn too_long(&mut self, sent: Sent) {
        if sent.items == 1 {
            return self.suspect(sent, true, "too long");
        }
        self.room.items = (sent.items / 2).max(1);
        let (peer, items) = (&self.parts.url, self.room.items);
        tracing::warn!(%peer, items, "batches are too long for this peer: fewer items from now on");
        self.put_back_all(sent.loads);
    }

    /// One of these may be, or is, what the peer cannot take. Also one that happened to be alone gets another chance.
    fn suspect(&mut self, sent: Sent, for_sure: bool, why: &str) {
        let now = self.parts.clock.now().mono;
        for (key, load) in sent.loads {
            let suspects = &mut self.queue.suspects;
            if sent.lane != Lane::Alone {
                suspects.failed_together(&key, for_sure);
                self.put_back(&key, load);
            } else if suspects.failed_alone(&key, for_sure, now) {
                let action = load.first_action();
                self.parts.metrics.items(action, "set_aside", 1);
                self.say_set_aside(&key, action, why);
                self.queue.done(&key);
            } else {
                self.put_back(&key, load);
            }
        }
    }

    fn put_back_all(&mut self, loads: Vec<(InstanceKey, Load)>) {
        for (key, load) in loads {
            self.put_back(&key, load);
        }
    }

    pub(super) fn put_back(&mut self, key: &InstanceKey, load: Load) {
        match load {
            Load::Ops(part) => return self.queue.put_back(key, part),
            Load::Beat(held) => self.beats.put_back(&held),
            Load::Compare(held) => self.beats.compare_again(held),
        }
        self.queue.done(key);
    }

    /// The peer will not take this item; nobody tries again before something new happens to the instance.
    pub(super) fn say_set_aside(&self, key: &InstanceKey, action: Action, why: &str) {
        let (peer, action) = (&self.parts.url, action.as_str());
        tracing::error!(%peer, instance = ?key, action, why, "the peer does not take this; set aside");
    }

    /// Says once what is wrong with the peer.
    fn say(&mut self, kind: TroubleKind) {
        if self.said.replace(kind) == Some(kind) {
            return;
        }
        let (peer, trouble) = (&self.parts.url, kind.as_str());
        match kind {
            TroubleKind::Forbidden => {
                tracing::error!(%peer, "the peer refuses our credentials; it will be told when it takes them");
            }
            TroubleKind::Astray | TroubleKind::Unreadable => {
                tracing::error!(%peer, trouble, "what answers at this address is no Eureka server");
            }
            _ => {
                tracing::warn!(%peer, trouble, "the peer is not there or not well; it will be told later")
            }
        }
    }
}
