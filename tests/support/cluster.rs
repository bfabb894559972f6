//! Nodes by name in one world of paused time, each with settings and a clock of its own.
//!
//! They reach each other over a network in memory, which can be broken in many ways. A node may stand for one of
//! Eureka's own: the registry behind it is ours, in classic mode, but what goes in and out is Java's.

#![allow(dead_code)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::Method;
use flate2::bufread::GzDecoder;
use heureka::clock::Clock;
use heureka::config::{Config, PeersConfig};
use heureka::http::Identity;
use heureka::model::NodeUrl;
use heureka::node::{Node, Placement};
use heureka::registry::{Held, TakeSnapshot};
use heureka::transport::memory::{
    Arrived, Faults, Kind, MemoryNetwork, Patience, SaysWho, Service, World,
};
use heureka::transport::{Answer, Awaited, SIGN};

use crate::scene::Scene;
use crate::support::{EPOCH, Reply, pause_once};

/// How long anything takes from one node to another where nothing is wrong.
const USUAL: Duration = Duration::from_millis(1);

/// What a node is to be.
#[derive(Clone)]
pub struct Plan {
    pub name: String,
    pub url: NodeUrl,
    pub config: Config,
    pub kind: Kind,
    /// How far its clock is ahead when it starts, in milliseconds.
    pub ahead: i64,
    /// Its peers; all nodes of the cluster where none are given.
    pub peers: Option<Vec<String>>,
}

/// All nodes.
pub struct Cluster {
    pub world: World,
    members: BTreeMap<String, Member>,
}

struct Member {
    plan: Plan,
    paused: bool,
    rig: Rc<RefCell<Option<Rig>>>,
    live: Option<Live>,
}

struct Live {
    scene: Rc<Scene>,
    clock: Clock,
}

/// A wrong answer to batches.
#[derive(Clone, Debug)]
pub struct Rig {
    pub status: u16,
    pub body: &'static str,
    /// Only to batches in which this is said.
    pub only: Option<String>,
    /// How often.
    pub times: usize,
}

impl Rig {
    /// The wrong answer to this, if it is one of those.
    fn answer(&mut self, arrived: &Arrived) -> Option<Answer> {
        let body = plain(arrived);
        let is_meant = self.only.as_ref().is_none_or(|only| body.contains(only));
        let is_empty = body.ends_with("[]}");
        if self.times == 0 || !is_meant || is_empty || !arrived.path.contains("batch") {
            return None;
        }
        self.times -= 1;
        Some(Answer {
            status: self.status,
            body: self.body.into(),
            sign: None,
            retry_after: None,
        })
    }
}

/// The unpacked body.
fn plain(arrived: &Arrived) -> String {
    let mut plain = String::new();
    let packed = GzDecoder::new(&arrived.body[..]).read_to_string(&mut plain);
    match packed {
        Ok(_) => plain,
        Err(_) => String::from_utf8_lossy(&arrived.body).into_owned(),
    }
}

/// Why a node cannot be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mute {
    /// Nobody listens.
    Refused,
    /// It takes the request and does not answer.
    Silent,
}

/// An instance in one line: `A/i1 UP/UNKNOWN dirty=100 key=value`.
pub type Row = String;

impl Cluster {
    /// No nodes yet; chance follows the seed.
    pub fn new(seed: u64) -> Self {
        pause_once();
        Self {
            world: World::new(seed),
            members: BTreeMap::new(),
        }
    }

    /// A node that is not started yet. It is far from none of the others.
    pub fn add(&mut self, plan: Plan) {
        for other in self.members.values() {
            for (from, to) in [(&plan, &other.plan), (&other.plan, &plan)] {
                self.world
                    .change(&from.url, &to.url, |faults| *faults = usual());
            }
        }
        let member = Member {
            paused: false,
            rig: Rc::default(),
            live: None,
            plan,
        };
        self.members.insert(member.plan.name.clone(), member);
    }

    pub fn names(&self) -> Vec<String> {
        self.members.keys().cloned().collect()
    }

    pub fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    pub fn url(&self, name: &str) -> NodeUrl {
        self.members[name].plan.url.clone()
    }

    pub fn plan(&mut self, name: &str) -> &mut Plan {
        &mut self.members.get_mut(name).unwrap().plan
    }

    /// Starts the node, or starts it anew: with nothing in it and another id.
    pub fn start(&mut self, name: &str) {
        let all: Vec<String> = self
            .members
            .values()
            .map(|member| member.plan.url.to_string())
            .collect();
        let plan = self.members[name].plan.clone();
        let peers = plan.peers.clone().unwrap_or(all);
        let clock = Clock::starting_at(EPOCH.saturating_add_signed(plan.ahead) + age());
        let mut config = plan.config.clone();
        peers_of(&mut config, &peers);
        self.world.attach(&plan.url, plan.kind);
        let identity = self.identity_of(&plan, &clock);
        let network = self.network_of(&plan, &config.peers, &identity);
        let node = Node::assemble(config, clock.clone(), identity, Placement::Here, network);
        let scene = Rc::new(Scene::of(node));
        let rig = self.members[name].rig.clone();
        self.world.serve(&plan.url, service(&scene, rig));
        let member = self.members.get_mut(name).unwrap();
        member.paused = false;
        member.live = Some(Live { scene, clock });
    }

    /// The world as this node sees it.
    fn network_of(
        &self,
        plan: &Plan,
        peers: &PeersConfig,
        identity: &Identity,
    ) -> Rc<MemoryNetwork> {
        let patience = Patience {
            connect: peers.connect_timeout,
            read: peers.read_timeout,
        };
        let myself = identity.clone();
        let says_who: SaysWho = Rc::new(move || Some(myself.sign()));
        Rc::new(MemoryNetwork::new(
            &self.world,
            &plan.url,
            patience,
            says_who,
        ))
    }

    /// Ids come from the world's chance, so that a seed repeats everything.
    fn identity_of(&self, plan: &Plan, clock: &Clock) -> Identity {
        let [high, low] = [self.world.draw(), self.world.draw()];
        let id = uuid::Builder::from_random_bytes(
            (u128::from(high) << 64 | u128::from(low)).to_be_bytes(),
        );
        Identity {
            node_id: id.into_uuid().to_string(),
            host_name: plan.url.host().to_string(),
            ip_addr: self.address_of(plan),
            port: plan.url.port(),
            started: clock.now(),
            open: Arc::default(),
        }
    }

    /// Each node has an address of its own, which its URL may name.
    fn address_of(&self, plan: &Plan) -> String {
        let place = self.members.keys().position(|name| *name == plan.name);
        match plan.url.ip() {
            Some(address) => address.to_string(),
            None => format!("10.1.0.{}", place.unwrap_or(0) + 1),
        }
    }

    /// What the node answers to batches for a while, in the place of what it would.
    pub fn rig(&self, name: &str, rig: Rig) {
        *self.members[name].rig.borrow_mut() = Some(rig);
    }

    /// The node dies, and with it all it knew.
    pub fn crash(&mut self, name: &str) {
        let member = self.members.get_mut(name).unwrap();
        self.world.detach(&member.plan.url);
        member.live = None;
        member.paused = false;
    }

    /// Nothing goes in or comes out until it goes on.
    pub fn pause(&mut self, name: &str, paused: bool) {
        let member = self.members.get_mut(name).unwrap();
        member.paused = paused;
        self.world.pause(&member.plan.url, paused);
    }

    /// The node lives after this: one that is dead starts, one that stands still goes on.
    pub fn revive(&mut self, name: &str) {
        match self.client(name) {
            Ok(_) => {}
            Err(Mute::Silent) => self.pause(name, false),
            Err(Mute::Refused) => self.start(name),
        }
    }

    /// Sets a node's wall clock forth or back.
    pub fn step_clock(&mut self, name: &str, millis: i64) {
        if let Some(live) = &self.members[name].live {
            live.clock.step(millis);
        }
    }

    /// Changes what is wrong with the way from one node to another.
    pub fn fault(&self, from: &str, to: &str, change: impl FnOnce(&mut Faults)) {
        self.world.change(&self.url(from), &self.url(to), change);
    }

    /// Mends the way between two nodes, in both directions.
    pub fn heal(&self, one: &str, other: &str) {
        self.fault(one, other, |faults| *faults = usual());
        self.fault(other, one, |faults| *faults = usual());
    }

    /// The node, for a client that can reach it.
    pub fn client(&self, name: &str) -> Result<Rc<Scene>, Mute> {
        let member = &self.members[name];
        match &member.live {
            None => Err(Mute::Refused),
            Some(_) if member.paused => Err(Mute::Silent),
            Some(live) => Ok(live.scene.clone()),
        }
    }

    /// The node, whatever its state; `None` where it is dead.
    pub fn scene(&self, name: &str) -> Option<Rc<Scene>> {
        let live = self.members[name].live.as_ref()?;
        Some(live.scene.clone())
    }
}

/// All that a node holds, without what has ended: how long a node keeps that is its own matter.
pub async fn content(scene: &Scene) -> Vec<Row> {
    let held = scene.node.http.registry.ask(TakeSnapshot).await.unwrap();
    let now = scene.node.http.clock.now();
    let alive = held.iter().filter(|held| !held.lease.is_expired(now, 0));
    alive.map(|held| row(held)).collect()
}

fn row(held: &Held) -> Row {
    let info = &held.info;
    let order = info.override_status.map_or("UNKNOWN", |s| s.as_str());
    let mut row = format!("{} {}/{order} dirty=", info.key(), info.status.as_str());
    row += &stamp(info.last_dirty);
    for (key, value) in info.metadata.iter() {
        row += &format!(" {key}={value}");
    }
    row
}

/// A stamp as scripts say it: as it is, or since the beginning of the test after an `@`.
pub fn stamp(millis: u64) -> String {
    const BEFORE: u64 = EPOCH - 1_000_000_000;
    match millis {
        EPOCH.. => format!("@{}", millis - EPOCH),
        BEFORE..EPOCH => format!("@-{}", EPOCH - millis),
        _ => millis.to_string(),
    }
}

pub fn usual() -> Faults {
    Faults {
        delay: USUAL,
        ..Faults::default()
    }
}

/// Milliseconds since the test's world began.
pub fn age() -> u64 {
    thread_local! {
        static BEGAN: RefCell<Option<(tokio::runtime::Id, tokio::time::Instant)>> =
            const { RefCell::new(None) };
    }
    let here = tokio::runtime::Handle::current().id();
    let now = tokio::time::Instant::now();
    let mut began = BEGAN.with(|began| *began.borrow());
    if began.is_none_or(|(id, _)| id != here) {
        began = Some((here, now));
        BEGAN.set(began);
    }
    began.map_or(0, |(_, at)| (now - at).as_millis() as u64)
}

/// Tells a node who its peers are.
fn peers_of(config: &mut Config, peers: &[String]) {
    let urls = peers.iter().map(|url| url.parse().unwrap()).collect();
    let zone = config.peers.zones[0].clone();
    config.peers.service_urls.insert(zone, urls);
}

/// What a node does when it is told to stop.
pub async fn leave(node: &Node) {
    node.leave_cluster().await;
}

/// What reaches a node goes through all of its routes.
fn service(scene: &Rc<Scene>, rig: Rc<RefCell<Option<Rig>>>) -> Service {
    let scene = scene.clone();
    Rc::new(move |arrived| {
        let wrong = rig
            .borrow_mut()
            .as_mut()
            .and_then(|rig| rig.answer(&arrived));
        match wrong {
            Some(wrong) => Box::pin(async { wrong }),
            None => answer(scene.clone(), arrived),
        }
    })
}

fn answer(scene: Rc<Scene>, arrived: Arrived) -> Awaited<Answer> {
    Box::pin(async move {
        let method = Method::from_bytes(arrived.method.as_bytes()).unwrap();
        let mut ask = scene.request(method, &arrived.path);
        for (name, value) in &arrived.headers {
            ask = ask.header(name, value);
        }
        if let Some(sign) = &arrived.sign {
            ask = ask.header(SIGN, &sign.to_string());
        }
        let reply = ask.body(arrived.body.to_vec()).await;
        into_answer(&reply)
    })
}

fn into_answer(reply: &Reply) -> Answer {
    let seconds = reply
        .header("retry-after")
        .map(|value| value.parse().unwrap());
    Answer {
        status: reply.status,
        body: reply.unpacked().into(),
        sign: reply.header(SIGN).map(|sign| sign.parse().unwrap()),
        retry_after: seconds.map(Duration::from_secs),
    }
}
