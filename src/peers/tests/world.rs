//! A node with a real registry and peers as in `fake.rs`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, Addr};

use super::fake::{FakeNetwork, FakePeer, Fakes, Reply};
use crate::clock::Clock;
use crate::config::{Mode, PeersConfig, RegistryConfig};
use crate::metrics::Metrics;
use crate::model::{Extra, InstanceInfo, InstanceKey, InstanceStatus, NodeUrl, Origin, samples};
use crate::peers::{Begin, Lookup, PeerState, Peers, PeersParts, TakePeers};
use crate::registry::{Beat, Cancel, ClearStatus, Published, Register, Registry, SetStatus};

/// Hosts of peers, or why they cannot be found now.
type List = Rc<RefCell<Result<Vec<String>, String>>>;

/// A node and its peers.
pub struct World {
    pub clock: Clock,
    pub metrics: Metrics,
    pub published: Arc<Published>,
    pub registry: Addr<Registry>,
    pub peers: Addr<Peers>,
    /// Hosts that the list of peers has.
    pub list: List,
    /// Pause between two looks at that list.
    pub lookup_every: Rc<Cell<Duration>>,
    fakes: Fakes,
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
        let fakes = Fakes::default();
        for host in hosts {
            let fake = FakePeer::new(clock.clone());
            prepare(&fake);
            fakes.borrow_mut().insert(host.to_string(), Rc::new(fake));
        }
        let list = hosts.iter().map(|host| host.to_string()).collect();
        let list = Rc::new(RefCell::new(Ok(list)));
        let mut config = PeersConfig::of(Mode::Modern);
        configure(&mut config);
        let world = Self::assemble(config, clock, list, fakes);
        let adopt = world.registry.clone().recipient();
        world.peers.send(Begin { adopt }).await.unwrap();
        world.pass(1).await;
        world
    }

    fn assemble(config: PeersConfig, clock: Clock, list: List, fakes: Fakes) -> Self {
        let lookup_every = Rc::new(Cell::new(Duration::from_secs(10)));
        let metrics = Metrics::new();
        let registry = RegistryConfig::of(Mode::Modern);
        let published = Published::new(registry, metrics.registry.renewals.clone());
        let published = Arc::new(published);
        let peers = Peers::new(PeersParts {
            config,
            clock: clock.clone(),
            published: published.clone(),
            metrics: metrics.peers.clone(),
            network: Rc::new(FakeNetwork(fakes.clone(), clock.clone())),
            lookup: lookup(list.clone()),
            lookup_every: {
                let pause = lookup_every.clone();
                Box::new(move || pause.get())
            },
            own_id: OWN.to_string(),
            seed: 1,
        });
        let peers = peers.start();
        let listeners = vec![peers.clone().recipient()];
        let registry = metrics.registry.clone();
        let registry = Registry::new(clock.clone(), registry, published.clone(), listeners);
        Self {
            clock,
            metrics,
            published,
            registry: registry.start(),
            peers,
            list,
            lookup_every,
            fakes,
        }
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
            by: origin.into(),
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
            .send(Cancel {
                key,
                by: origin.into(),
            })
            .await
            .unwrap()
            .unwrap();
    }

    pub async fn order(&self, id: &str, status: InstanceStatus) {
        let set = SetStatus {
            key: key(id),
            status,
            last_dirty: None,
            by: Origin::Client.into(),
        };
        self.registry.send(set).await.unwrap().unwrap();
    }

    pub async fn take_order_back(&self, id: &str) {
        let clear = ClearStatus {
            key: key(id),
            status: None,
            last_dirty: None,
            by: Origin::Client.into(),
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

fn lookup(list: List) -> Lookup {
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
