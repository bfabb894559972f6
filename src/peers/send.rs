//! When which batch goes out: changes at once, heartbeats in what room is left, a comparison in what is left then.
//!
//! Of batches that are not full at most one is on its way, so that what happens meanwhile travels together; full
//! ones may follow each other up to a number. Suspects go one by one, before others.

use std::sync::Arc;
use std::time::Duration;

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use super::draft::{Draft, Room};
use super::link::Phase;
use super::queue::{Handed, Pass};
use super::replicator::Replicator;
use super::slot::{Op, Part};
use crate::clock::{Millis, Moment};
use crate::model::{Action, InstanceKey};
use crate::registry::Held;
use crate::transport::Call;

/// A peer that nothing was sent to for so long is asked whether it is still there.
const QUIET: Millis = 10_000;
/// Pause until a change can be looked up: the registry tells it just before.
const NOT_YET: Duration = Duration::from_millis(1);

/// A batch on its way.
pub struct Sent {
    /// What is in it, in the order of its items.
    pub loads: Vec<(InstanceKey, Load)>,
    /// What kind of batch it is.
    pub lane: Lane,
    /// Items in it.
    pub items: usize,
    /// Whether it is as long as it may be.
    pub full: bool,
    /// Whether there is something in or about it that only nodes of this kind read.
    pub dressed: bool,
    /// When it went out.
    pub at: Millis,
}

/// What of an instance is in a batch.
pub enum Load {
    /// Changes, an item each.
    Ops(Part),
    /// A heartbeat of a client here.
    Beat(Arc<Held>),
    /// A heartbeat that compares.
    Compare(Arc<Held>),
}

impl Sent {
    /// When the oldest change in it came.
    pub fn oldest(&self) -> Option<Millis> {
        let since = self.loads.iter().map(|(_, load)| match load {
            Load::Ops(part) => Some(part.since),
            Load::Beat(_) | Load::Compare(_) => None,
        });
        since.flatten().min()
    }
}

impl Load {
    /// What its first item asks for.
    pub fn first_action(&self) -> Action {
        match self {
            Self::Ops(part) => part.ops.first().map_or(Action::Register, Op::action),
            Self::Beat(_) | Self::Compare(_) => Action::Heartbeat,
        }
    }
}

/// Kinds of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// An empty one, to ask who is there.
    Probe,
    /// One item of a suspect.
    Alone,
    /// Everything else; whether a comparison is in it.
    Shared {
        /// Part of a comparison.
        compares: bool,
    },
}

impl Replicator {
    /// Sends what may go now.
    pub(super) fn pump(&mut self, ctx: &mut Context<Self>) {
        let now = self.parts.clock.now();
        match self.link.phase() {
            Phase::Waiting(until) if now.mono < until => {}
            Phase::Waiting(_) => {
                self.link.probe();
                self.send_empty(ctx);
            }
            Phase::Probing => {}
            Phase::Open => {
                while let Some((sent, call)) = self.next_batch(now) {
                    self.send(sent, call, ctx);
                }
                let invisible = self.newest > self.parts.published.revision();
                if self.queue.ready() > 0 && invisible && !self.looks_again {
                    self.looks_again = true;
                    ctx.run_later(NOT_YET, Self::look_again);
                }
            }
        }
        self.answer_flushes();
    }

    fn look_again(&mut self, ctx: &mut Context<Self>) {
        self.looks_again = false;
        self.pump(ctx);
    }

    /// Asks a peer that nothing was sent to for long whether it is still there.
    pub(super) fn ping(&mut self, ctx: &mut Context<Self>) {
        let quiet = self.parts.clock.now().mono.saturating_sub(self.last_sent) >= QUIET;
        if quiet && self.link.phase() == Phase::Open && self.in_flight.is_empty() {
            self.send_empty(ctx);
        }
    }

    fn send_empty(&mut self, ctx: &mut Context<Self>) {
        let now = self.parts.clock.now().mono;
        let (sent, call) = sent(self.draft(Room::WHOLE), Vec::new(), Lane::Probe, now);
        self.send(sent, call, ctx);
    }

    fn send(&mut self, sent: Sent, call: Call, ctx: &mut Context<Self>) {
        self.sent += 1;
        self.last_sent = sent.at;
        let metrics = &self.parts.metrics;
        if let Call::Batch { body, .. } = &call {
            metrics.bytes.increment(body.len() as u64);
        }
        if sent.items > 0 {
            metrics.batch_size.record(sent.items as f64);
        }
        let number = self.sent;
        self.in_flight.insert(number, sent);
        let answer = self.parts.node.call(call).into_actor(self);
        ctx.spawn(answer.map(move |result, replicator, ctx| {
            replicator.answered(number, result, ctx);
        }));
    }

    fn draft(&self, room: Room) -> Draft {
        let ours = self.link.sign().is_some();
        let parts = &self.parts;
        Draft::new(room, ours, parts.published.clone(), parts.clock.clone())
    }

    fn next_batch(&mut self, now: Moment) -> Option<(Sent, Call)> {
        if self.in_flight.len() >= self.parts.config.max_batches {
            return None;
        }
        let small_one_away = self.in_flight.values().any(|sent| !sent.full);
        if small_one_away {
            let waiting = self.queue.ready() + self.beats.waiting();
            let fills = waiting >= self.room.items;
            return fills.then(|| self.shared_batch(now)).flatten();
        }
        self.lone_batch(now).or_else(|| self.shared_batch(now))
    }

    fn shared_batch(&mut self, now: Moment) -> Option<(Sent, Call)> {
        let mut draft = self.draft(self.room);
        let mut loads = self.hand_out(Pass::Together, &mut draft, now);
        let beats = self.beats.add_renewed(&mut draft, &mut self.queue, now);
        loads.extend(beats.into_iter().map(|(key, held)| (key, Load::Beat(held))));
        let before = loads.len();
        // Nobody is in a hurry to compare: one batch at a time.
        if !self.in_flight.values().any(|sent| sent.lane.compares()) {
            let beats = self.beats.add_comparison(&mut draft, &mut self.queue, now);
            let beats = beats.into_iter();
            loads.extend(beats.map(|(key, held)| (key, Load::Compare(held))));
        }
        let compares = loads.len() > before;
        let lane = Lane::Shared { compares };
        (!loads.is_empty()).then(|| sent(draft, loads, lane, now.mono))
    }

    fn lone_batch(&mut self, now: Moment) -> Option<(Sent, Call)> {
        let mut draft = self.draft(Room::ONE);
        let mut loads = match self.queue.suspects.is_empty() {
            true => Vec::new(),
            false => self.hand_out(Pass::Alone, &mut draft, now),
        };
        if loads.is_empty() {
            let beats = self.beats.add_lone(&mut draft, &mut self.queue, now);
            loads.extend(beats.into_iter().map(|(key, held)| (key, Load::Beat(held))));
        }
        (!loads.is_empty()).then(|| sent(draft, loads, Lane::Alone, now.mono))
    }

    fn hand_out(&mut self, pass: Pass, draft: &mut Draft, now: Moment) -> Vec<(InstanceKey, Load)> {
        let visible = self.parts.published.revision();
        let Handed {
            parts,
            needless,
            expired,
        } = self
            .queue
            .hand_out(pass, now.mono, visible, |key, op| draft.op(key, op));
        let metrics = &mut self.parts.metrics;
        metrics.items(Action::Register, "needless", needless);
        for action in expired {
            metrics.items(action, "expired", 1);
        }
        let loads = parts.into_iter();
        loads.map(|(key, part)| (key, Load::Ops(part))).collect()
    }
}

impl Lane {
    fn compares(self) -> bool {
        self == Self::Shared { compares: true }
    }
}

fn sent(draft: Draft, loads: Vec<(InstanceKey, Load)>, lane: Lane, at: Millis) -> (Sent, Call) {
    let written = draft.finish();
    let sent = Sent {
        loads,
        lane,
        items: written.items,
        full: written.full && lane != Lane::Alone,
        dressed: written.dressed,
        at,
    };
    (sent, written.call)
}
