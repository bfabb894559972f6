//! What is done about a peer's answers to the items of a batch.
//!
//! An answer may be older than what waits by now: then the peer hears that anyway, and only what still makes sense
//! is done. Where an item has to go again, the later ones of its instance in the same batch go again after it.

use std::sync::Arc;

use super::outcome::{ItemOutcome, judge_item};
use super::replicator::Replicator;
use super::send::Load;
use super::slot::{Op, Part};
use crate::clock::Millis;
use crate::model::{Action, ChangeStamp, InstanceKey, PeerAnswer, PeerCopy};
use crate::registry::{Adopt, Held};

impl Replicator {
    /// Each item of a batch has its answer.
    pub(super) fn settle_items(
        &mut self,
        loads: Vec<(InstanceKey, Load)>,
        answers: Vec<PeerAnswer>,
    ) {
        let mut answers = answers.into_iter();
        for (key, load) in loads {
            match load {
                Load::Ops(part) => self.settle_ops(&key, part, &mut answers),
                Load::Beat(held) => {
                    if let Some(answer) = answers.next() {
                        self.settle_beat(&key, &held, true, answer);
                    }
                }
                Load::Compare(held) => {
                    if let Some(answer) = answers.next() {
                        let is_news = self.is_news(&held);
                        self.settle_beat(&key, &held, is_news, answer);
                    }
                }
            }
        }
    }

    fn settle_ops(
        &mut self,
        key: &InstanceKey,
        part: Part,
        answers: &mut impl Iterator<Item = PeerAnswer>,
    ) {
        let mut again = Vec::new();
        for (op, answer) in part.ops.into_iter().zip(answers) {
            again = self.settle_op(key, op, part.since, answer, again);
        }
        if again.is_empty() {
            return self.queue.done(key);
        }
        let ops = again;
        self.queue.put_back(key, Part { ops, ..part });
    }

    /// `again` is what of the instance has to go again before this.
    fn settle_op(
        &mut self,
        key: &InstanceKey,
        op: Op,
        since: Millis,
        answer: PeerAnswer,
        mut again: Vec<Op>,
    ) -> Vec<Op> {
        let outcome = judge_item(op.action(), op.is_repeated(), &answer);
        let outcome = self.unless_too_often(outcome, key);
        self.parts.metrics.items(op.action(), outcome.as_str(), 1);
        match outcome {
            ItemOutcome::SetAside => self.say_item_aside(key, op.action(), answer.status),
            ItemOutcome::Retry => again.push(op),
            _ if !again.is_empty() => again.push(op),
            ItemOutcome::RegisterAndRepeat => again.extend([Op::Register, op.repeated()]),
            ItemOutcome::TakeTheirs => self.take_theirs(key, answer.copy),
            // No change is answered so.
            ItemOutcome::RegisterThere => {}
            ItemOutcome::Unknown if self.was_cancelled(key, answer.cancelled) => {}
            ItemOutcome::Done | ItemOutcome::Unknown | ItemOutcome::Newer => {
                let now = self.parts.clock.now().mono;
                let lag = now.saturating_sub(since) as f64 / 1000.0;
                self.parts.metrics.lag.record(lag);
                self.queue.suspects.acquit(key);
            }
        }
        again
    }

    /// `is_news` if the peer may not know of the instance.
    fn settle_beat(
        &mut self,
        key: &InstanceKey,
        held: &Arc<Held>,
        is_news: bool,
        answer: PeerAnswer,
    ) {
        let outcome = judge_item(Action::Heartbeat, false, &answer);
        let outcome = self.unless_too_often(outcome, key);
        let metrics = &mut self.parts.metrics;
        metrics.items(Action::Heartbeat, outcome.as_str(), 1);
        self.queue.done(key);
        match outcome {
            ItemOutcome::SetAside => {
                return self.say_item_aside(key, Action::Heartbeat, answer.status);
            }
            ItemOutcome::Retry => return self.beats.put_back(held),
            // What waits for the instance decides, if it says anything about that.
            ItemOutcome::RegisterThere if self.was_cancelled(key, answer.cancelled) => {}
            ItemOutcome::RegisterThere if is_news && self.is_held(key) => {
                let now = self.parts.clock.now().mono;
                self.queue.register_back(key, now);
            }
            ItemOutcome::TakeTheirs => self.take_theirs(key, answer.copy),
            _ => {}
        }
        self.queue.suspects.acquit(key);
    }

    /// Whether anything happened to the instance since the peer was last in touch. What did not, the peer knew, and
    /// if it has not got it any more, it knows why. A peer that was never in touch asks for what it lacks when it
    /// starts, and hears of the rest with the next heartbeats; what a third node said is not for this one to tell.
    fn is_news(&self, held: &Held) -> bool {
        let Some(before) = self.link.in_touch_before() else {
            return false;
        };
        let now = self.parts.clock.now();
        let renewed = held.lease.idle(now) <= now.mono.saturating_sub(before.mono);
        renewed || held.version.made() >= before.wall
    }

    fn unless_too_often(&mut self, outcome: ItemOutcome, key: &InstanceKey) -> ItemOutcome {
        let now = self.parts.clock.now().mono;
        let suspects = &mut self.queue.suspects;
        let aside = match outcome {
            ItemOutcome::Retry => suspects.failed_itself(key, now),
            ItemOutcome::SetAside => suspects.failed_alone(key, true, now),
            _ => false,
        };
        if aside {
            ItemOutcome::SetAside
        } else {
            outcome
        }
    }

    /// The peer holds a newer copy: it counts here as well, unless something newer waits for the peer.
    fn take_theirs(&self, key: &InstanceKey, copy: Option<PeerCopy>) {
        let is_of_key = |copy: &PeerCopy| copy.info.key() == *key;
        if let Some(copy) = copy.filter(is_of_key)
            && self.is_held(key)
            && !self.queue.has_newer(key)
        {
            self.parts.adopt.do_send(Adopt::Copy(copy));
        }
    }

    /// Whether the peer knows of a cancellation that is later than the record here; then it counts here as well.
    fn was_cancelled(&self, key: &InstanceKey, cancelled: Option<ChangeStamp>) -> bool {
        let held = self.parts.published.index.get(key);
        match (held, cancelled) {
            (Some(held), Some(stamp)) if held.version.is_before(stamp) => {
                self.parts.adopt.do_send(Adopt::Cancel(key.clone(), stamp));
                true
            }
            _ => false,
        }
    }

    fn say_item_aside(&self, key: &InstanceKey, action: Action, status: u16) {
        self.say_set_aside(key, action, &format!("answered {status}"));
    }

    fn is_held(&self, key: &InstanceKey) -> bool {
        self.parts.published.index.get(key).is_some()
    }
}
