//! A node with a real registry, and peers that record what they are sent and answer as they are told.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, Addr};
use bytes::Bytes;

use crate::clock::Clock;
use crate::config::{Mode, PeersConfig, RegistryConfig};
use crate::metrics::Metrics;
use crate::model::{
    ContentLimits, Extra, InstanceInfo, InstanceKey, InstanceStatus, NodeUrl, Origin, PeerItem,
    samples,
};
use crate::peers::{Begin, PeerState, Peers, PeersParts, TakePeers};
use crate::registry::{Beat, Cancel, ClearStatus, Published, Register, Registry, SetStatus};
use crate::transport::{Answer, Awaited, Call, CallFailed, Network, NodeApi, NodeSign};
use crate::wire::gzip::{self, Coding};
use crate::wire::replication::read_batch;

/// What a peer does with one call.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Each item is answered with this status, and 200 those beyond the list.
    Items(Vec<u16>),
    /// The whole batch is.
    Status(u16),
    /// This body, with 200.
    Body(String),
    /// No answer.
    Fail(CallFailed),
    /// The same, after so many milliseconds.
    After(u64, Box<Reply>),
    /// What answers breaks the replicator.
    Panic,
}

impl Reply {
    /// All is well, but not before so many milliseconds.
    pub fn slow(millis: u64) -> Self {
        Self::After(millis, Box::new(Self::Items(Vec::new())))
    }

    /// Nobody is there.
    pub fn unreachable() -> Self {
        Self::Fail(CallFailed::Unreachable("refused".to_string()))
    }
}

/// A peer.
pub struct FakePeer {
    /// Bodies of the batches that came, unpacked; empty ones too.
    bodies: RefCell<Vec<String>>,
    /// Whether each was packed.
    pub packed: RefCell<Vec<bool>>,
    /// When each came.
    pub times: RefCell<Vec<u64>>,
    /// Calls so far.
    pub calls: Cell<usize>,
    /// What to do with the next batches that have items; after that all is well.
    pub replies: RefCell<VecDeque<Reply>>,
    /// What to do with every batch until told otherwise, before `replies`.
    pub always: RefCell<Option<Reply>>,
    /// What to do with a batch that has this text in it.
    pub poison: RefCell<Option<(String, Reply)>>,
    pub sign: RefCell<Option<NodeSign>>,
    clock: Clock,
}

pub fn sign(id: &str, open: bool) -> NodeSign {
    NodeSign {
        id: id.to_string(),
        version: "1".to_string(),
        open,
    }
}

impl FakePeer {
    fn new(clock: Clock) -> Self {
        Self {
            bodies: RefCell::default(),
            packed: RefCell::default(),
            times: RefCell::default(),
            replies: RefCell::default(),
            always: RefCell::default(),
            poison: RefCell::default(),
            sign: RefCell::default(),
            calls: Cell::new(0),
            clock,
        }
    }

    pub fn then(&self, reply: Reply) {
        self.replies.borrow_mut().push_back(reply);
    }

    pub fn always(&self, reply: Option<Reply>) {
        *self.always.borrow_mut() = reply;
    }

    /// Batches with items so far, each as its items in short: `R a`, `H a`, `C a`, `S a OUT_OF_SERVICE`, `D a UP`.
    pub fn batches(&self) -> Vec<Vec<String>> {
        let bodies = self.bodies.borrow();
        let read = bodies.iter().map(|body| items(body));
        read.map(|items| items.iter().map(in_short).collect::<Vec<_>>())
            .filter(|items| !items.is_empty())
            .collect()
    }

    /// All items so far, in order.
    pub fn items(&self) -> Vec<String> {
        self.batches().concat()
    }

    /// The bodies so far, empty batches among them.
    pub fn bodies(&self) -> Vec<String> {
        self.bodies.borrow().clone()
    }

    /// Forgets what came so far.
    pub fn forget(&self) {
        self.bodies.borrow_mut().clear();
        self.packed.borrow_mut().clear();
        self.times.borrow_mut().clear();
        self.calls.set(0);
    }

    fn reply(&self, body: &str) -> Reply {
        let poison = self.poison.borrow().clone();
        if let Some((text, reply)) = poison
            && body.contains(&text)
        {
            return reply;
        }
        if let Some(always) = &*self.always.borrow() {
            return always.clone();
        }
        let planned = match items(body).is_empty() {
            true => None,
            false => self.replies.borrow_mut().pop_front(),
        };
        planned.unwrap_or(Reply::Items(Vec::new()))
    }

    fn answer_as(&self, reply: Reply, body: &str) -> Result<Answer, CallFailed> {
        let mut statuses = vec![200; items(body).len()];
        match reply {
            Reply::Fail(failed) => Err(failed),
            Reply::Status(status) => Ok(self.answer(status, String::new())),
            Reply::Body(body) => Ok(self.answer(200, body)),
            Reply::Items(told) => {
                for (status, told) in statuses.iter_mut().zip(told) {
                    *status = told;
                }
                Ok(self.answer(200, answers(&statuses)))
            }
            Reply::Panic => panic!("told to"),
            Reply::After(..) => unreachable!("waited for already"),
        }
    }

    fn answer(&self, status: u16, body: String) -> Answer {
        Answer {
            status,
            body: Bytes::from(body),
            sign: self.sign.borrow().clone(),
            retry_after: None,
        }
    }
}

fn items(body: &str) -> Vec<PeerItem> {
    let read = read_batch(body, 0, &ContentLimits::NONE).unwrap();
    read.into_iter().map(Result::unwrap).collect()
}

fn in_short(item: &PeerItem) -> String {
    use crate::model::ReplicationItem::*;
    let id = item.key().id;
    match &item.item {
        Register(_) => format!("R {id}"),
        Heartbeat { .. } => format!("H {id}"),
        Cancel(_) => format!("C {id}"),
        StatusUpdate { status, .. } => format!("S {id} {}", status.as_str()),
        DeleteStatusOverride { status, .. } => format!("D {id} {}", status.as_str()),
    }
}

pub fn answers(statuses: &[u16]) -> String {
    let answer = |status: &u16| format!("{{\"statusCode\":{status}}}");
    let answers: Vec<String> = statuses.iter().map(answer).collect();
    format!("{{\"responseList\":[{}]}}", answers.join(","))
}

impl NodeApi for Shared {
    fn call(&self, call: Call) -> Awaited<Result<Answer, CallFailed>> {
        let peer = self.0.clone();
        let Call::Batch { body, packed } = call else {
            panic!("replication only sends batches");
        };
        let coding = if packed {
            Coding::Gzip
        } else {
            Coding::Identity
        };
        let body = String::from_utf8(gzip::unpack(coding, &body, 100_000_000).unwrap()).unwrap();
        peer.calls.set(peer.calls.get() + 1);
        peer.bodies.borrow_mut().push(body.clone());
        peer.packed.borrow_mut().push(packed);
        peer.times.borrow_mut().push(peer.clock.now().mono);
        Box::pin(async move {
            let mut reply = peer.reply(&body);
            while let Reply::After(millis, then) = reply {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                reply = *then;
            }
            peer.answer_as(reply, &body)
        })
    }
}

struct Shared(Rc<FakePeer>);

struct FakeNetwork(Rc<RefCell<BTreeMap<String, Rc<FakePeer>>>>, Clock);

impl Network for FakeNetwork {
    fn node(&self, url: &NodeUrl) -> Rc<dyn NodeApi> {
        let mut peers = self.0.borrow_mut();
        let peer = peers.entry(url.host().to_string());
        let peer = peer.or_insert_with(|| Rc::new(FakePeer::new(self.1.clone())));
        Rc::new(Shared(peer.clone()))
    }

    fn addresses(&self, _host: &str) -> Awaited<io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn texts(&self, _name: &str) -> Awaited<io::Result<Vec<String>>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// A node and its peers.
pub struct World {
    pub clock: Clock,
    pub metrics: Metrics,
    pub published: Arc<Published>,
    pub registry: Addr<Registry>,
    pub peers: Addr<Peers>,
    /// Hosts that the list of peers has.
    pub list: Rc<RefCell<Result<Vec<String>, String>>>,
    fakes: Rc<RefCell<BTreeMap<String, Rc<FakePeer>>>>,
}

/// The node's own id.
pub const OWN: &str = "own";

impl World {
    /// A node with these peers, all well and none of our kind, met already.
    pub async fn with(hosts: &[&str]) -> Self {
        Self::configured(hosts, |_| {}).await
    }

    pub async fn configured(hosts: &[&str], configure: impl FnOnce(&mut PeersConfig)) -> Self {
        Self::prepared(hosts, configure, |_| {}).await
    }

    /// `prepare` sees each peer before it is met.
    pub async fn prepared(
        hosts: &[&str],
        configure: impl FnOnce(&mut PeersConfig),
        prepare: impl Fn(&FakePeer),
    ) -> Self {
        let clock = Clock::starting_at(1_000_000);
        let metrics = Metrics::new();
        let config = RegistryConfig::of(Mode::Modern);
        let published = Arc::new(Published::new(config, metrics.registry.renewals.clone()));
        let list = hosts.iter().map(|host| host.to_string()).collect();
        let list = Rc::new(RefCell::new(Ok(list)));
        let mut config = PeersConfig::of(Mode::Modern);
        configure(&mut config);
        let fakes = Rc::new(RefCell::new(BTreeMap::new()));
        for host in hosts {
            let fake = FakePeer::new(clock.clone());
            prepare(&fake);
            fakes.borrow_mut().insert(host.to_string(), Rc::new(fake));
        }
        let peers = Peers::new(PeersParts {
            config,
            clock: clock.clone(),
            published: published.clone(),
            metrics: metrics.peers.clone(),
            network: Rc::new(FakeNetwork(fakes.clone(), clock.clone())),
            lookup: lookup(list.clone()),
            lookup_every: Duration::from_secs(10),
            own_id: OWN.to_string(),
            seed: 1,
        });
        let peers = peers.start();
        let listeners = vec![peers.clone().recipient()];
        let registry = metrics.registry.clone();
        let registry = Registry::new(clock.clone(), registry, published.clone(), listeners).start();
        let adopt = registry.clone().recipient();
        peers.send(Begin { adopt }).await.unwrap();
        let world = Self {
            clock,
            metrics,
            published,
            registry,
            peers,
            list,
            fakes,
        };
        world.pass(1).await;
        world
    }

    pub fn peer(&self, host: &str) -> Rc<FakePeer> {
        self.fakes.borrow()[host].clone()
    }

    /// Lets so many milliseconds pass.
    pub async fn pass(&self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }

    pub async fn register(&self, id: &str) {
        self.register_as(samples::instance("A", id), Origin::Client)
            .await;
    }

    pub async fn register_as(&self, instance: InstanceInfo, origin: Origin) {
        let register = Register {
            info: instance,
            origin,
        };
        self.registry.send(register).await.unwrap().unwrap();
    }

    /// Instances that this node has from a peer: nobody is told of them.
    pub async fn learn(&self, ids: impl IntoIterator<Item = &str>) {
        for id in ids {
            self.register_as(samples::instance("A", id), Origin::Peer)
                .await;
        }
    }

    /// Keeps the peer busy for so long, so that what happens meanwhile travels together.
    pub async fn occupy(&self, host: &str, millis: u64) {
        self.peer(host).then(Reply::slow(millis));
        self.register("first").await;
        self.pass(1).await;
        self.peer(host).forget();
    }

    pub async fn cancel(&self, id: &str, origin: Origin) {
        let key = key(id);
        self.registry
            .send(Cancel { key, origin })
            .await
            .unwrap()
            .unwrap();
    }

    pub async fn order(&self, id: &str, status: InstanceStatus) {
        let set = SetStatus {
            key: key(id),
            status,
            last_dirty: None,
            origin: Origin::Client,
        };
        self.registry.send(set).await.unwrap().unwrap();
    }

    pub async fn take_order_back(&self, id: &str) {
        let clear = ClearStatus {
            key: key(id),
            status: None,
            last_dirty: None,
            origin: Origin::Client,
        };
        self.registry.send(clear).await.unwrap().unwrap();
    }

    pub fn beat(&self, id: &str) {
        let beat = Beat {
            app: "A",
            id,
            last_dirty: None,
            override_status: None,
            origin: Origin::Client,
            extra: &Extra::NONE,
        };
        self.published.renew(beat, self.clock.now()).unwrap();
    }

    pub fn held(&self, id: &str) -> Option<Arc<InstanceInfo>> {
        let held = self.published.index.get(&key(id))?;
        Some(held.info.clone())
    }

    pub async fn state(&self) -> Vec<PeerState> {
        self.peers.send(TakePeers).await.unwrap()
    }

    pub async fn set_list(&self, hosts: &[&str]) {
        let hosts = hosts.iter().map(|host| host.to_string()).collect();
        *self.list.borrow_mut() = Ok(hosts);
        self.pass(10_000).await;
    }
}

fn lookup(list: Rc<RefCell<Result<Vec<String>, String>>>) -> crate::peers::Lookup {
    Rc::new(move || {
        let list = list.borrow().clone();
        Box::pin(async move {
            let hosts = list?;
            let url = |host: &String| -> NodeUrl {
                format!("http://{host}:8761/eureka/").parse().unwrap()
            };
            Ok(hosts.iter().map(url).collect())
        })
    })
}

pub fn key(id: &str) -> InstanceKey {
    InstanceKey::new("A", id)
}
