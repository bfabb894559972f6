//! The composition root: which actors there are, in which order they start and end, and how the node
//! listens and leaves.
//!
//! The response cache is first, since the registry tells it every change from the first one on. The way
//! out is: not ready, no new connections, open requests finished, all within its grace
//! ([`crate::config::HttpConfig::grace`]).

mod certificates;
mod ground;
mod machine;
mod ports;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::{Actor, Addr, Context};
use actix_web::dev::{Server, ServerHandle};
use actix_web::web::Data;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::cache::{self, ResponseCache};
use crate::clock::Clock;
use crate::config::{Config, PeersConfig};
use crate::http::{self, Http, Identity, Ports};
use crate::metrics::Metrics;
use crate::peers::{Begin, Flush, Gate, Look, OwnInstance, Peers, SharedPeersConfig};
use crate::preservation::{self, Preservation};
use crate::registry::{self, Published, Registry};
use crate::transport::Network;
use ground::Ground;

pub use machine::{facts, identity, listen, network};

/// What is kept of the grace for what the last requests changed.
const FLUSH: Duration = Duration::from_secs(1);
/// What is kept of the grace for the end itself.
const MARGIN: Duration = Duration::from_millis(500);
/// Pause between two upkeeps of metrics and clock.
const UPKEEP: Duration = Duration::from_secs(5);

/// Where actors run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Registry and cache on threads of their own.
    OwnThreads,
    /// Everything on the present one; for tests, whose paused time reaches no other.
    Here,
}

/// The parts of a node, without anything that listens.
pub struct Node {
    /// What handlers share.
    pub http: Data<Http>,
    vital: Vec<Vital>,
    cluster: Cluster,
    registry: Addr<Registry>,
    preservation: Addr<Preservation>,
    cache: Addr<ResponseCache>,
}

/// An actor the node cannot live without.
struct Vital {
    name: &'static str,
    is_alive: Box<dyn Fn() -> bool>,
}

impl Vital {
    fn new<A: Actor<Context = Context<A>>>(name: &'static str, addr: &Addr<A>) -> Self {
        let addr = addr.clone();
        Self {
            name,
            is_alive: Box::new(move || addr.connected()),
        }
    }
}

impl Node {
    /// Starts the actors of a node. Those who follow the registry come first: they must see its first
    /// change.
    pub fn assemble(
        config: Config,
        clock: Clock,
        identity: Identity,
        place: Placement,
        network: Rc<dyn Network>,
    ) -> Self {
        let mut metrics = Metrics::new();
        metrics.registry.instances.hidden = !config.http.instance_gauges;
        let published = Published::new(config.registry, metrics.registry.renewals.clone())
            .on_node(identity.number());
        let gate = Gate::shut(metrics.sync_up.clone(), identity.open.clone());
        Self::on(Ground {
            lists: Rc::new(RefCell::new(config.peers.clone())),
            config,
            clock,
            identity,
            metrics,
            published: Arc::new(published),
            gate: Arc::new(gate),
            network,
            place,
        })
    }

    fn on(ground: Ground) -> Self {
        let (cache, reader) = ground.cache();
        let preservation = ground.preservation();
        let peers = ground.peers();
        let journal = ground.journal();
        let listeners = vec![
            cache.clone().recipient(),
            preservation.clone().recipient(),
            peers.clone().recipient(),
            journal.clone().recipient(),
        ];
        let registry = ground.registry(listeners, journal.clone().recipient());
        let eviction = ground.eviction(&registry, &preservation);
        let vital = vec![
            Vital::new("registry", &registry),
            Vital::new("response cache", &cache),
            Vital::new("preservation", &preservation),
            Vital::new("eviction", &eviction),
            Vital::new("set of peers", &peers),
            Vital::new("journal", &journal),
        ];
        let cluster = Cluster::join(&ground, &registry, peers.clone());
        let (owner, judge) = (registry.clone(), preservation.clone());
        let http = ground.into_http(registry, preservation, peers, journal, reader);
        Self {
            http: Data::new(http),
            vital,
            cluster,
            registry: owner,
            preservation: judge,
            cache,
        }
    }

    /// Takes from new settings what may change while the node runs ([`crate::config::Setting::live`]).
    pub fn apply(&self, config: &Config) {
        self.http.live.set(config);
        self.registry
            .do_send(registry::Reconfigure(config.registry));
        self.preservation
            .do_send(preservation::Reconfigure(config.preservation));
        self.cache.do_send(cache::Reconfigure(config.cache));
        self.cluster.follow(&config.peers);
    }

    /// Waits until an actor that the node cannot live without is gone, and names it.
    pub async fn first_gone(&self) -> &'static str {
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        loop {
            tick.tick().await;
            if let Some(gone) = self.vital.iter().find(|actor| !(actor.is_alive)()) {
                return gone.name;
            }
            if self.cluster.has_failed(&self.http.gate) {
                return "copy at the start";
            }
        }
    }

    /// Folds metrics and follows the wall clock, for ever.
    pub async fn upkeep(&self) {
        let mut tick = tokio::time::interval(UPKEEP);
        loop {
            tick.tick().await;
            self.http.metrics.upkeep();
            if let Some(step) = self.http.clock.follow_system() {
                tracing::warn!(
                    step_ms = step,
                    "the system's clock was set; leases are not affected"
                );
            }
        }
    }

    /// Serves requests, HTTP/1.1 and HTTP/2 alike, until told to stop.
    pub fn serve(&self, ports: impl Into<Ports>) -> io::Result<Server> {
        http::serve(&self.http, ports.into(), self.http.config.http.grace)
    }

    /// Serves until `stop` is ready, and then leaves in good order; or until something fails.
    pub async fn run(
        &self,
        ports: impl Into<Ports>,
        stop: impl Future<Output = ()>,
    ) -> io::Result<Ended> {
        let ports = ports.into();
        let certificates = ports.secure.as_ref().map(|(_, tls)| tls.clone());
        let server = self.serve(ports)?;
        let handle = server.handle();
        let serving = tokio::task::spawn_local(server);
        tokio::select! {
            () = stop => {
                self.stop(&handle).await;
                Ok(Ended::Stopped)
            }
            gone = self.first_gone() => Ok(Ended::Lost(gone)),
            _ = serving => Ok(Ended::Lost("server")),
            () = self.upkeep() => Ok(Ended::Lost("upkeep")),
            () = certificates::follow(certificates) => Ok(Ended::Lost("certificates")),
        }
    }

    /// Leaves: not ready any more, then no new connections, then open requests finished; and what clients did here
    /// goes to the peers that can be reached. All within the grace that the settings give.
    pub async fn stop(&self, server: &ServerHandle) {
        let grace = self.http.config.http.grace.saturating_sub(MARGIN);
        let now = Instant::now();
        let (end, enough) = (now + grace, now + grace.saturating_sub(FLUSH));
        self.http.stopping.store(true, Ordering::Release);
        let finished = async {
            tokio::join!(self.cluster.leave(enough), server.stop(true));
        };
        // What the last requests changed goes out, too.
        let _ = timeout_at(enough, finished).await;
        self.cluster.flush(end).await;
    }

    /// The part of the way out that concerns the peers, for a node without a server.
    pub async fn leave_cluster(&self) {
        self.http.stopping.store(true, Ordering::Release);
        let grace = self.http.config.http.grace.saturating_sub(MARGIN);
        self.cluster.leave(Instant::now() + grace).await;
    }
}

/// What a node does among its peers.
struct Cluster {
    peers: Addr<Peers>,
    /// Who the peers are, shared with whoever looks for them.
    lists: SharedPeersConfig,
    has_begun: bool,
    own: Option<OwnInstance>,
    copying: Option<JoinHandle<()>>,
    registered: Option<JoinHandle<()>>,
}

impl Cluster {
    /// Begins to tell peers, copies what they hold, and registers the node itself.
    fn join(ground: &Ground, registry: &Addr<Registry>, peers: Addr<Peers>) -> Self {
        if ground.config.peers.are_listed() {
            // From the first call on: a node that is being filled has nothing to compare yet.
            ground.published.set_loading(true);
            peers.do_send(Begin {
                adopt: registry.clone().recipient(),
            });
        } else {
            // Nothing has to be copied from anywhere: lists are whole from the start.
            ground.gate.open();
        }
        let own = ground.own_instance(registry);
        let sync_up = ground.sync_up(registry);
        let copying = (!ground.gate.is_open()).then(|| actix::spawn(sync_up.run()));
        let registered = own.clone().map(|own| actix::spawn(own.run()));
        let leaves = ground.config.peers.unregister_on_shutdown;
        Self {
            peers,
            lists: ground.lists.clone(),
            has_begun: ground.config.peers.are_listed(),
            own: own.filter(|_| leaves),
            copying,
            registered,
        }
    }

    /// Takes other lists of peers. A node that has begun alone has copied from nobody, and needs a restart for that.
    fn follow(&self, config: &PeersConfig) {
        if !self.has_begun && config.are_listed() {
            tracing::warn!("this node started without peers; it finds these after a restart");
            return;
        }
        *self.lists.borrow_mut() = config.clone();
        self.peers.do_send(Look);
    }

    /// Whether the copy at the start ended without having opened the gate: nobody else will.
    fn has_failed(&self, gate: &Gate) -> bool {
        let copying = self.copying.as_ref();
        copying.is_some_and(JoinHandle::is_finished) && !gate.is_open()
    }

    /// Takes the node out of the registry, and tells the peers all that they have not heard.
    async fn leave(&self, end: Instant) {
        self.abort();
        if let Some(own) = &self.own {
            own.leave().await;
        }
        self.flush(end).await;
    }

    fn abort(&self) {
        let tasks = self.copying.iter().chain(&self.registered);
        tasks.for_each(JoinHandle::abort);
    }

    async fn flush(&self, end: Instant) {
        let flush = self.peers.send(Flush);
        if timeout_at(end, flush).await.is_err() {
            tracing::warn!("not every peer heard everything before the end");
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.abort();
    }
}

/// How a node's run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was told to stop.
    Stopped,
    /// This part is gone, and with it the node.
    Lost(&'static str),
}
