//! How things stand with a peer, for people and metrics.

use std::time::Duration;

use actix::{Context, Handler, Message, MessageResult};

use super::replicator::Replicator;
use crate::model::{EpochMillis, NodeUrl};
use crate::transport::NodeSign;

/// Asks how things stand with every peer; the answers are in the order of their addresses.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Vec<PeerState>")]
pub struct TakePeers;

/// Asks how things stand with one.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "PeerState")]
pub struct Describe;

/// How things stand with one peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerState {
    /// Where it is.
    pub url: NodeUrl,
    /// Whether it takes what it is sent.
    pub up: bool,
    /// When it last took a batch.
    pub last_contact: Option<EpochMillis>,
    /// Instances with changes that it has not got yet.
    pub queue_length: usize,
    /// Age of the oldest of these changes.
    pub oldest: Option<Duration>,
    /// Who answers there, if that is a node of this kind.
    pub sign: Option<NodeSign>,
    /// The pause between attempts to reach it; `None` while all is well.
    pub pause: Option<Duration>,
    /// Whether it is this node itself: then nothing is sent there.
    pub ourselves: bool,
}

impl PeerState {
    /// An address that turned out to be this node's own.
    pub(super) fn ourselves(url: NodeUrl) -> Self {
        Self {
            url,
            up: false,
            last_contact: None,
            queue_length: 0,
            oldest: None,
            sign: None,
            pause: None,
            ourselves: true,
        }
    }
}

impl Replicator {
    fn state(&self) -> PeerState {
        let pause = self.link.pause();
        PeerState {
            url: self.parts.url.clone(),
            up: self.link.is_up(),
            last_contact: self.link.last_contact().map(|at| at.wall),
            queue_length: self.queue.changes(),
            oldest: self.oldest(),
            sign: self.link.sign().cloned(),
            pause: (!pause.is_zero()).then_some(pause),
            ourselves: false,
        }
    }

    /// Age of the oldest change that the peer has not got.
    fn oldest(&self) -> Option<Duration> {
        let away = self.in_flight.values().filter_map(|sent| sent.oldest());
        let oldest = away.chain(self.queue.oldest()).min()?;
        let now = self.parts.clock.now().mono;
        Some(Duration::from_millis(now.saturating_sub(oldest)))
    }

    /// Shows it all to metrics.
    pub(super) fn show(&self) {
        let (state, metrics) = (self.state(), &self.parts.metrics);
        metrics.up.set(f64::from(u8::from(state.up)));
        metrics.queue_length.set(state.queue_length as f64);
        let oldest = state.oldest.unwrap_or_default();
        metrics.oldest.set(oldest.as_secs_f64());
        let pause = state.pause.unwrap_or_default();
        metrics.backoff.set(pause.as_secs_f64());
        if let Some(last_contact) = state.last_contact {
            metrics.last_contact.set(last_contact as f64 / 1000.0);
        }
    }
}

impl Handler<Describe> for Replicator {
    type Result = MessageResult<Describe>;

    fn handle(&mut self, _: Describe, _ctx: &mut Context<Self>) -> Self::Result {
        MessageResult(self.state())
    }
}
