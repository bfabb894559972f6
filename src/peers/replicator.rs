//! The actor for one peer: its queue, its link and its timers. When which batch goes out is in `send.rs`, what its
//! answer leads to in `answer.rs`.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorContext, AsyncContext, Context, Handler, Message, Recipient};
use tokio::sync::oneshot;

use super::beats::Beats;
use super::change::{Change, Changed};
use super::draft::Room;
use super::link::Link;
use super::outcome::TroubleKind;
use super::queue::Queue;
use super::send::Sent;
use super::set::Heard;
use super::slot::Op;
use crate::clock::{Clock, Millis};
use crate::config::PeersConfig;
use crate::metrics::PeerMetrics;
use crate::model::{Action, NodeUrl};
use crate::registry::{Adopt, Published};
use crate::transport::NodeApi;

/// Heartbeats go this far apart.
const BEATS: Duration = Duration::from_millis(500);
/// Where they fill batches, they are looked for this many times as often.
const BUSY: u32 = 5;

/// What a replicator is made from.
#[expect(missing_docs, reason = "named after their types")]
pub struct ReplicatorParts {
    pub url: NodeUrl,
    pub node: Rc<dyn NodeApi>,
    pub config: PeersConfig,
    pub clock: Clock,
    pub published: Arc<Published>,
    pub metrics: PeerMetrics,
    /// Who takes a peer's newer copies.
    pub adopt: Recipient<Adopt>,
    /// Who is told that the address is this node's own.
    pub set: Recipient<Ourselves>,
    /// This node's id.
    pub own_id: String,
    /// What chance comes from.
    pub seed: u64,
}

/// There is no other node at this address.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[rtype(result = "()")]
pub struct Ourselves(pub NodeUrl);

/// The peer is not one any more.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Leave;

/// Tells one peer what happens here.
pub struct Replicator {
    pub(super) parts: ReplicatorParts,
    pub(super) link: Link,
    pub(super) queue: Queue,
    pub(super) beats: Beats,
    pub(super) room: Room,
    /// Batches on their way, by their number.
    pub(super) in_flight: BTreeMap<u64, Sent>,
    pub(super) sent: u64,
    pub(super) last_sent: Millis,
    /// The latest revision that something waits for.
    pub(super) newest: u64,
    /// It will look soon whether the last changes can be looked up by now.
    pub(super) looks_again: bool,
    /// What the log says about the peer at present.
    pub(super) said: Option<TroubleKind>,
    pub(super) flushes: Vec<oneshot::Sender<()>>,
    /// Whether the peer was tried once more for a flush.
    pub(super) last_chance: bool,
}

impl Replicator {
    /// Nothing waits, and nobody has been met.
    pub fn new(parts: ReplicatorParts) -> Self {
        Self {
            link: Link::new(parts.own_id.clone(), parts.seed),
            queue: Queue::new(parts.config.max_cancels)
                .forgetting_after(parts.config.max_wait.map(|wait| wait.as_millis() as Millis)),
            beats: Beats::new(parts.published.clone()),
            room: Room::WHOLE,
            in_flight: BTreeMap::new(),
            sent: 0,
            last_sent: 0,
            newest: 0,
            looks_again: false,
            said: None,
            flushes: Vec::new(),
            last_chance: false,
            parts,
        }
    }

    fn tick(&mut self, ctx: &mut Context<Self>) {
        let busy = self.beats.waiting() >= self.room.items;
        self.beats.make_due();
        self.beats.forget_gone();
        self.compare_if_due();
        self.pump(ctx);
        self.ping(ctx);
        self.show();
        if busy {
            for part in 1..BUSY {
                ctx.run_later(BEATS / BUSY * part, Self::pump);
            }
        }
        ctx.run_later(BEATS, Self::tick);
    }

    fn note(&mut self, change: Change) {
        let now = self.parts.clock.now().mono;
        let Change {
            key,
            revision,
            what,
        } = change;
        let op = match what {
            Changed::Gone => return self.queue.gone(&key),
            Changed::Back => return self.queue.back(&key),
            Changed::Registered => Op::Register,
            Changed::Ordered(what) => Op::Order {
                what,
                repeated: false,
                wait: self.parts.published.undelivered_orders.wait(&key),
            },
            Changed::Cancelled { stamp, keep_until } => Op::Cancel {
                stamp,
                keep_until,
                note: self.parts.published.undelivered_cancels.wait(&key),
            },
        };
        self.newest = self.newest.max(revision);
        let overflow = self.queue.push(&key, op, revision, now);
        let metrics = &mut self.parts.metrics;
        metrics.items(Action::Cancel, "overflow", overflow as u64);
    }
}

impl Actor for Replicator {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        tracing::info!(peer = %self.parts.url, "replicating to this peer");
        if !self.beats.has_slot() {
            tracing::error!(peer = %self.parts.url, "too many peers: this one hears no heartbeats");
        }
        self.show();
        self.pump(ctx);
        ctx.run_later(BEATS, Self::tick);
    }
}

impl Handler<Change> for Replicator {
    type Result = ();

    fn handle(&mut self, change: Change, ctx: &mut Context<Self>) {
        self.note(change);
        self.pump(ctx);
    }
}

impl Handler<Leave> for Replicator {
    type Result = ();

    fn handle(&mut self, _: Leave, ctx: &mut Context<Self>) {
        ctx.stop();
    }
}

impl Handler<Heard> for Replicator {
    type Result = ();

    fn handle(&mut self, heard: Heard, ctx: &mut Context<Self>) {
        let now = self.parts.clock.now();
        if let Some(pause) = self.link.hear(&heard.id, now) {
            ctx.run_later(pause, Self::pump);
        }
    }
}
