//! The ground that a node's actors stand on, and how each of them is made.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actix::{Actor, Addr, Arbiter, Context, Recipient};

use super::Placement;
use crate::cache::{Answers, Reader, ResponseCache, TimedCopy};
use crate::clock::Clock;
use crate::config::{Config, Own};
use crate::eviction::{Eviction, EvictionParts};
use crate::http::{Http, Identity, InFlight, Live, Pages};
use crate::journal::Journal;
use crate::mailbox::Door;
use crate::metrics::Metrics;
use crate::peers::{
    Gate, Lookup, Me, OwnInstance, Peers, PeersParts, SharedPeersConfig, SyncUp, lookup,
    refresh_interval,
};
use crate::preservation::Preservation;
use crate::registry::{LeaseEvent, Published, Registry, RegistryEvent};
use crate::transport::Network;

/// What every actor of a node is made from.
pub(super) struct Ground {
    pub(super) config: Config,
    /// Who the peers are, which may change.
    pub(super) lists: SharedPeersConfig,
    pub(super) clock: Clock,
    pub(super) identity: Identity,
    pub(super) metrics: Metrics,
    pub(super) published: Arc<Published>,
    pub(super) gate: Arc<Gate>,
    pub(super) network: Rc<dyn Network>,
    pub(super) place: Placement,
}

impl Ground {
    pub(super) fn cache(&self) -> (Addr<ResponseCache>, Reader) {
        let answers = Arc::new(Answers::default());
        let copy = self
            .config
            .cache
            .timed_copy
            .map(|_| Arc::new(TimedCopy::default()));
        let cache = ResponseCache::new(
            self.config.cache,
            self.clock.clone(),
            self.metrics.cache.clone(),
            answers.clone(),
            copy.clone(),
        );
        let cache = start(cache, self.place);
        let reader = Reader::new(
            self.published.clone(),
            answers,
            copy,
            Door::new(cache.clone(), self.metrics.actors.message_seconds("cache")),
        );
        (cache, reader)
    }

    pub(super) fn preservation(&self) -> Addr<Preservation> {
        let metrics = self.metrics.preservation.clone();
        let published = self.published.clone();
        Preservation::new(
            self.config.preservation,
            self.clock.clone(),
            metrics,
            published,
            self.identity.open.clone(),
        )
        .start()
    }

    /// What handlers share, once all actors have what they need.
    pub(super) fn into_http(
        self,
        registry: Addr<Registry>,
        preservation: Addr<Preservation>,
        peers: Addr<Peers>,
        journal: Addr<Journal>,
        reader: Reader,
    ) -> Http {
        let seconds = |actor| self.metrics.actors.message_seconds(actor);
        Http {
            live: Live::of(&self.config, self.metrics.access.clone()),
            registry: Door::new(registry, seconds("registry")),
            preservation: Door::new(preservation, seconds("preservation")),
            peers: Door::new(peers, seconds("peers")),
            journal: Door::new(journal, seconds("journal")),
            in_flight: InFlight::new(self.config.overload.max_in_flight),
            config: self.config,
            identity: self.identity,
            published: self.published,
            gate: self.gate,
            reader,
            metrics: self.metrics,
            clock: self.clock,
            stopping: AtomicBool::new(false),
            pages: Pages::default(),
        }
    }

    pub(super) fn journal(&self) -> Addr<Journal> {
        Journal::new(self.config.journal.size, self.clock.clone()).start()
    }

    pub(super) fn registry(
        &self,
        listeners: Vec<Recipient<RegistryEvent>>,
        of_leases: Recipient<LeaseEvent>,
    ) -> Addr<Registry> {
        let metrics = self.metrics.registry.clone();
        let published = self.published.clone();
        let clock = self.clock.clone();
        start(
            Registry::new(clock, metrics, published, listeners).telling(of_leases),
            self.place,
        )
    }

    pub(super) fn eviction(
        &self,
        registry: &Addr<Registry>,
        preservation: &Addr<Preservation>,
    ) -> Addr<Eviction> {
        let parts = EvictionParts {
            clock: self.clock.clone(),
            published: self.published.clone(),
            registry: registry.clone(),
            preservation: preservation.clone(),
        };
        Eviction::new(self.config.eviction, parts).start()
    }

    fn lookup(&self) -> Lookup {
        let Identity {
            host_name,
            ip_addr,
            port,
            ..
        } = &self.identity;
        let me = Me::new(&self.config, host_name, ip_addr, *port);
        lookup(self.lists.clone(), me, self.network.clone())
    }

    fn lookup_every(&self) -> Box<dyn Fn() -> Duration> {
        let lists = self.lists.clone();
        Box::new(move || refresh_interval(&lists.borrow()))
    }

    pub(super) fn peers(&self) -> Addr<Peers> {
        Peers::new(PeersParts {
            config: self.config.peers.clone(),
            clock: self.clock.clone(),
            published: self.published.clone(),
            metrics: self.metrics.peers.clone(),
            network: self.network.clone(),
            lookup: self.lookup(),
            lookup_every: self.lookup_every(),
            own_id: self.identity.node_id.clone(),
            seed: self.identity.number(),
        })
        .start()
    }

    /// What copies from peers at the start.
    pub(super) fn sync_up(&self, registry: &Addr<Registry>) -> SyncUp {
        SyncUp {
            config: self.lists.clone(),
            mode: self.config.mode,
            open_count: self.config.preservation.open_count,
            lookup: self.lookup(),
            network: self.network.clone(),
            node_id: self.identity.node_id.clone(),
            registry: registry.clone(),
            published: self.published.clone(),
            gate: self.gate.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.sync_up.clone(),
        }
    }

    /// The node's own registration, if it is to have one: where there are peers, unless the settings say otherwise.
    pub(super) fn own_instance(&self, registry: &Addr<Registry>) -> Option<OwnInstance> {
        let peers = &self.config.peers;
        let wanted = peers.register.unwrap_or(peers.are_listed());
        wanted.then(|| OwnInstance {
            info: self.config.instance.record(Own {
                host_name: &self.identity.host_name,
                ip_addr: &self.identity.ip_addr,
                port: self.identity.port,
                context_path: &self.config.http.context_path,
                started: self.identity.started.wall,
            }),
            registry: registry.clone(),
            published: self.published.clone(),
            gate: self.gate.clone(),
            clock: self.clock.clone(),
        })
    }
}

fn start<A>(actor: A, place: Placement) -> Addr<A>
where
    A: Actor<Context = Context<A>> + Send,
{
    match place {
        Placement::OwnThreads => A::start_in_arbiter(&Arbiter::new().handle(), |_| actor),
        Placement::Here => actor.start(),
    }
}
