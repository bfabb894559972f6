//! The composition root: which actors there are, in which order they start and end, and how the node
//! listens and leaves.
//!
//! The response cache is first, since the registry tells it every change from the first one on. The way
//! out is: not ready, no new connections, open requests finished, all within [`GRACE`].

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix::{Actor, Addr, Arbiter, Context, Recipient};
use actix_web::dev::{Server, ServerHandle};
use actix_web::web::Data;
use tokio::net::TcpSocket;
use uuid::Uuid;

use crate::cache::{Answers, Reader, ResponseCache, TimedCopy};
use crate::clock::Clock;
use crate::config::{Config, PeersConfig};
use crate::eviction::{Eviction, EvictionParts};
use crate::http::{self, Http, Identity, InFlight};
use crate::mailbox::Door;
use crate::metrics::Metrics;
use crate::peers::Gate;
use crate::preservation::Preservation;
use crate::registry::{Published, Registry, RegistryEvent};
use crate::transport::{HttpNetwork, HttpOptions, Network, NodeSign};

/// How long open requests may take once the node is on its way out.
pub const GRACE: Duration = Duration::from_secs(5);
/// Connections that the system holds until they are accepted.
const BACKLOG: u32 = 1024;
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
        let _ = &network;
        let metrics = Metrics::new();
        let published = Published::new(config.registry, metrics.registry.renewals.clone())
            .on_node(identity.number());
        let ground = Ground {
            config,
            clock,
            metrics,
            published: Arc::new(published),
            place,
        };
        let (cache, reader) = ground.cache();
        let preservation = ground.preservation();
        let listeners = vec![cache.clone().recipient(), preservation.clone().recipient()];
        let registry = ground.registry(listeners);
        let eviction = ground.eviction(&registry, &preservation);
        let vital = vec![
            Vital::new("registry", &registry),
            Vital::new("response cache", &cache),
            Vital::new("preservation", &preservation),
            Vital::new("eviction", &eviction),
        ];
        let gate = Arc::new(Gate::shut(ground.metrics.sync_up.clone()));
        // Nothing has to be copied from anywhere: lists are whole from the start.
        gate.open();
        let http = Http {
            in_flight: InFlight::new(ground.config.overload.max_in_flight),
            config: ground.config,
            identity,
            registry: Door::new(registry),
            preservation: Door::new(preservation),
            published: ground.published,
            gate,
            reader,
            metrics: ground.metrics,
            clock: ground.clock,
            stopping: AtomicBool::new(false),
        };
        Self {
            http: Data::new(http),
            vital,
        }
    }

    /// Waits until an actor that the node cannot live without is gone, and names it.
    pub async fn first_gone(&self) -> &'static str {
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        loop {
            tick.tick().await;
            if let Some(gone) = self.vital.iter().find(|actor| !(actor.is_alive)()) {
                return gone.name;
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

    /// Serves requests on `listener`, HTTP/1.1 and HTTP/2 alike, until told to stop.
    pub fn serve(&self, listener: TcpListener) -> io::Result<Server> {
        http::serve(&self.http, listener, GRACE)
    }

    /// Serves until `stop` is ready, and then leaves in good order; or until something fails.
    pub async fn run(
        &self,
        listener: TcpListener,
        stop: impl Future<Output = ()>,
    ) -> io::Result<Ended> {
        let server = self.serve(listener)?;
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
        }
    }

    /// Leaves: not ready any more, then no new connections, then open requests finished.
    pub async fn stop(&self, server: &ServerHandle) {
        self.http.stopping.store(true, Ordering::Release);
        server.stop(true).await;
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

/// What every actor of a node is made from.
struct Ground {
    config: Config,
    clock: Clock,
    metrics: Metrics,
    published: Arc<Published>,
    place: Placement,
}

impl Ground {
    fn cache(&self) -> (Addr<ResponseCache>, Reader) {
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
            Door::new(cache.clone()),
        );
        (cache, reader)
    }

    fn preservation(&self) -> Addr<Preservation> {
        let metrics = self.metrics.preservation.clone();
        let published = self.published.clone();
        Preservation::new(
            self.config.preservation,
            self.clock.clone(),
            metrics,
            published,
        )
        .start()
    }

    fn registry(&self, listeners: Vec<Recipient<RegistryEvent>>) -> Addr<Registry> {
        let metrics = self.metrics.registry.clone();
        let published = self.published.clone();
        let clock = self.clock.clone();
        start(
            Registry::new(clock, metrics, published, listeners),
            self.place,
        )
    }

    fn eviction(
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

/// Opens the port.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// Who this node is, as far as the settings and the machine tell. It listens on this port.
pub fn identity(config: &Config, port: u16, clock: &Clock) -> Identity {
    let instance = &config.instance;
    let machine = || gethostname::gethostname().to_string_lossy().into_owned();
    let ip_addr = instance.ip_addr.clone();
    let ip_addr = ip_addr.unwrap_or_else(|| match config.http.address {
        all if all.is_unspecified() => own_address().to_string(),
        one => one.to_string(),
    });
    let host_name = match instance.prefer_ip {
        true => ip_addr.clone(),
        false => instance.host_name.clone().unwrap_or_else(machine),
    };
    Identity {
        node_id: Uuid::new_v4().to_string(),
        host_name,
        ip_addr,
        port,
        started: clock.now(),
    }
}

/// The way to other nodes; `open` is whether this node serves lists, as it tells them.
pub fn network(config: &PeersConfig, identity: &Identity, open: Arc<AtomicBool>) -> HttpNetwork {
    let id = identity.node_id.clone();
    HttpNetwork::new(HttpOptions {
        connect_timeout: config.connect_timeout,
        read_timeout: config.read_timeout,
        idle_timeout: config.idle_timeout,
        idle_per_host: config.idle_connections,
        ip_addr: identity.ip_addr.clone(),
        sign: Rc::new(move || NodeSign {
            id: id.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            open: open.load(Ordering::Acquire),
        }),
    })
}

/// The address of the interface that the default route uses; no packet is sent to find out.
fn own_address() -> IpAddr {
    let asked = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    asked.map_or(Ipv4Addr::LOCALHOST.into(), |address| address.ip())
}
