//! The actor that knows who the peers are: it hears the registry's events, keeps the list of addresses up to date,
//! and starts, feeds and stops a replicator for each.
//!
//! It is started before the registry, whose first change it must hear, and begins to work with [`Begin`]. A peer
//! that stays on the list is never disturbed; one that leaves it loses what waits for it. A list that could not be
//! looked up changes nothing (B-25); the look-up tells that from one without anybody.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix::prelude::Request;
use actix::{
    Actor, ActorFutureExt, Addr, AsyncContext, Context, Handler, Message, Recipient,
    ResponseFuture, SpawnHandle, WrapFuture,
};

use super::Lookup;
use super::change::{Change, Changed};
use super::flush::Flush;
use super::replicator::{Leave, Ourselves, Replicator, ReplicatorParts};
use super::state::{Describe, PeerState, TakePeers};
use crate::clock::Clock;
use crate::config::PeersConfig;
use crate::metrics::PeersMetrics;
use crate::model::NodeUrl;
use crate::registry::{Adopt, Published, RegistryEvent};
use crate::transport::Network;

/// How often it is looked whether a replicator died.
const WATCH: Duration = Duration::from_secs(1);

/// What the set of peers is made from.
#[expect(missing_docs, reason = "named after their types")]
pub struct PeersParts {
    pub config: PeersConfig,
    pub clock: Clock,
    pub published: Arc<Published>,
    pub metrics: PeersMetrics,
    pub network: Rc<dyn Network>,
    pub lookup: Lookup,
    /// Pause between two times that addresses are looked for, as the settings are just then.
    pub lookup_every: Box<dyn Fn() -> Duration>,
    /// This node's id, as it is in its sign.
    pub own_id: String,
    /// What chance comes from.
    pub seed: u64,
}

/// Begin to look for peers and to tell them; to be sent once, when there is a registry.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Begin {
    /// Who takes a peer's newer copies.
    pub adopt: Recipient<Adopt>,
}

/// Look for the peers now: who they are was set anew. A node that has not begun with any does not.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Look;

/// A node called this one, so it is there: whoever waits to try it again need not. To be sent for every call with a
/// sign.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Heard {
    /// Its id.
    pub id: String,
}

/// The set of peers.
pub struct Peers {
    parts: PeersParts,
    adopt: Option<Recipient<Adopt>>,
    list: BTreeSet<NodeUrl>,
    running: BTreeMap<NodeUrl, Addr<Replicator>>,
    /// The next time that addresses are looked for.
    next: Option<SpawnHandle>,
    /// Addresses on the list that turned out to be our own.
    own: BTreeSet<NodeUrl>,
    started: u64,
    /// What the log says about the list at present.
    said: Option<String>,
}

impl Peers {
    /// Knows nobody, and does nothing before [`Begin`].
    pub fn new(parts: PeersParts) -> Self {
        Self {
            parts,
            adopt: None,
            list: BTreeSet::new(),
            running: BTreeMap::new(),
            next: None,
            own: BTreeSet::new(),
            started: 0,
            said: None,
        }
    }

    fn look(&mut self, ctx: &mut Context<Self>) {
        let found = (self.parts.lookup)().into_actor(self);
        ctx.spawn(found.map(|found, peers, ctx| {
            peers.found(found, ctx);
            let next = ctx.run_later((peers.parts.lookup_every)(), Self::look);
            if let Some(other) = peers.next.replace(next) {
                ctx.cancel_future(other);
            }
        }));
    }

    fn found(&mut self, found: Result<Vec<NodeUrl>, String>, ctx: &mut Context<Self>) {
        match found {
            Ok(urls) => self.set(urls, ctx),
            Err(why) => self.say(format!("the peers' addresses cannot be found now: {why}")),
        }
    }

    fn set(&mut self, urls: Vec<NodeUrl>, ctx: &mut Context<Self>) {
        let list: BTreeSet<NodeUrl> = urls.into_iter().collect();
        self.said = None;
        if list == self.list {
            return;
        }
        self.own.clear();
        self.list = list;
        let gone: Vec<NodeUrl> = self.running.keys().cloned().collect();
        for url in gone {
            if !self.list.contains(&url)
                && let Some(replicator) = self.running.remove(&url)
            {
                tracing::info!(peer = %url, "not a peer any more");
                replicator.do_send(Leave);
            }
        }
        self.start_missing(ctx);
    }

    fn start_missing(&mut self, ctx: &mut Context<Self>) {
        let missing = |url: &&NodeUrl| !self.running.contains_key(url) && !self.own.contains(url);
        let missing: Vec<NodeUrl> = self.list.iter().filter(missing).cloned().collect();
        for url in missing {
            if let Some(replicator) = self.replicator(&url, ctx) {
                self.running.insert(url, replicator.start());
            }
        }
    }

    fn replicator(&mut self, url: &NodeUrl, ctx: &mut Context<Self>) -> Option<Replicator> {
        let parts = &self.parts;
        self.started += 1;
        Some(Replicator::new(ReplicatorParts {
            url: url.clone(),
            node: parts.network.node(url),
            config: parts.config.clone(),
            clock: parts.clock.clone(),
            published: parts.published.clone(),
            metrics: parts.metrics.of(url.as_str()),
            adopt: self.adopt.clone()?,
            set: ctx.address().recipient(),
            own_id: parts.own_id.clone(),
            seed: parts.seed.wrapping_add(self.started),
        }))
    }

    /// Replaces replicators that died (B-26).
    fn watch(&mut self, ctx: &mut Context<Self>) {
        let before = self.running.len();
        self.running.retain(|_, replicator| replicator.connected());
        if self.running.len() < before {
            tracing::error!("a replicator died and is replaced");
            self.start_missing(ctx);
        }
    }

    fn pass_on(&self, change: &Change) {
        let cancels = &self.parts.published.undelivered_cancels;
        if change.what == Changed::Back && !cancels.contains(&change.key) {
            return;
        }
        for replicator in self.running.values() {
            replicator.do_send(change.clone());
        }
    }

    fn say(&mut self, what: String) {
        if self.said.as_ref() != Some(&what) {
            tracing::warn!("{what}");
            self.said = Some(what);
        }
    }
}

impl Actor for Peers {
    type Context = Context<Self>;
}

impl Handler<Begin> for Peers {
    type Result = ();

    fn handle(&mut self, msg: Begin, ctx: &mut Context<Self>) {
        self.adopt = Some(msg.adopt);
        self.look(ctx);
        ctx.run_interval(WATCH, Self::watch);
    }
}

impl Handler<Look> for Peers {
    type Result = ();

    fn handle(&mut self, _: Look, ctx: &mut Context<Self>) {
        if self.adopt.is_some() {
            self.look(ctx);
        }
    }
}

impl Handler<RegistryEvent> for Peers {
    type Result = ();

    fn handle(&mut self, event: RegistryEvent, _ctx: &mut Context<Self>) {
        let now = self.parts.clock.now().mono;
        if let Some(change) = Change::of(&event, now) {
            self.pass_on(&change);
        }
    }
}

impl Handler<Ourselves> for Peers {
    type Result = ();

    fn handle(&mut self, Ourselves(url): Ourselves, _ctx: &mut Context<Self>) {
        self.running.remove(&url);
        self.own.insert(url);
    }
}

impl Handler<Heard> for Peers {
    type Result = ();

    fn handle(&mut self, heard: Heard, _ctx: &mut Context<Self>) {
        for replicator in self.running.values() {
            // One that is so busy needs not be told that its peer is there.
            let _ = replicator.try_send(heard.clone());
        }
    }
}

impl Handler<TakePeers> for Peers {
    type Result = ResponseFuture<Vec<PeerState>>;

    fn handle(&mut self, _: TakePeers, _ctx: &mut Context<Self>) -> Self::Result {
        let asked: Vec<_> = self.running.values().map(|r| r.send(Describe)).collect();
        let own = self.own.iter().cloned();
        Box::pin(states(asked, own.map(PeerState::ourselves).collect()))
    }
}

async fn states(
    asked: Vec<Request<Replicator, Describe>>,
    mut states: Vec<PeerState>,
) -> Vec<PeerState> {
    for answer in asked {
        // One that ended meanwhile is left out.
        states.extend(answer.await);
    }
    states.sort_by(|a, b| a.url.cmp(&b.url));
    states
}

impl Handler<Flush> for Peers {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Flush, _ctx: &mut Context<Self>) -> Self::Result {
        let asked: Vec<_> = self.running.values().map(|r| r.send(Flush)).collect();
        Box::pin(async move {
            for answer in asked {
                // One that ended has nothing to deliver.
                let _ = answer.await;
            }
        })
    }
}
