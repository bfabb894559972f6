//! Who is where, what is broken between whom, and what chance decides.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::traffic::Book;
use super::{Faults, Kind, Sent, Service, Traffic};
use crate::model::NodeUrl;

/// Where a node listens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    host: String,
    port: u16,
}

impl Spot {
    pub(super) fn of(url: &NodeUrl) -> Self {
        Self {
            host: url.host().to_string(),
            port: url.port(),
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

type Pair = (Spot, Spot);

/// All nodes and the ways between them. Clones are the same world.
#[derive(Clone)]
pub struct World {
    state: Rc<RefCell<State>>,
    /// Something healed, went on or ended.
    changed: Rc<Notify>,
}

struct State {
    rng: StdRng,
    nodes: BTreeMap<Spot, Member>,
    ways: BTreeMap<Pair, Way>,
    /// Connections that stand.
    connections: BTreeSet<Pair>,
    names: BTreeMap<String, Vec<IpAddr>>,
    texts: BTreeMap<String, Vec<String>>,
    /// Addresses that stand for others, one after the other.
    aliases: BTreeMap<Spot, (Vec<Spot>, usize)>,
    book: Book,
    /// What Java nodes refused.
    refusals: Vec<String>,
}

/// A node, also one that was there once.
struct Member {
    kind: Kind,
    service: Option<Service>,
    paused: bool,
    /// Counts its starts.
    start: u64,
}

#[derive(Default)]
struct Way {
    faults: Faults,
    /// When the last of what keeps its order arrives.
    last: Option<Instant>,
}

/// What chance has in store for one request.
pub(super) struct Lot {
    pub(super) lost: bool,
    pub(super) answer_lost: bool,
    /// When it arrives, unless something is in its way.
    pub(super) arrives: Instant,
    /// When it arrives once more.
    pub(super) again: Option<Instant>,
    /// How late it may still be carried out after a cut, whoever waits.
    pub(super) outlive: Option<Duration>,
}

impl World {
    /// An empty world in which this seed decides.
    pub fn new(seed: u64) -> Self {
        let state = State {
            rng: StdRng::seed_from_u64(seed),
            nodes: BTreeMap::new(),
            ways: BTreeMap::new(),
            connections: BTreeSet::new(),
            names: BTreeMap::new(),
            texts: BTreeMap::new(),
            aliases: BTreeMap::new(),
            book: Book::default(),
            refusals: Vec::new(),
        };
        Self {
            state: Rc::new(RefCell::new(state)),
            changed: Rc::default(),
        }
    }

    /// A node starts, or starts anew, at this address. Until it is given a service it refuses connections.
    pub fn attach(&self, url: &NodeUrl, kind: Kind) {
        let spot = Spot::of(url);
        let start = self.start_of(&spot) + 1;
        let member = Member {
            kind,
            service: None,
            paused: false,
            start,
        };
        self.state.borrow_mut().nodes.insert(spot, member);
        self.changed.notify_waiters();
    }

    /// What the node does from now on.
    pub fn serve(&self, url: &NodeUrl, service: Service) {
        if let Some(member) = self.state.borrow_mut().nodes.get_mut(&Spot::of(url)) {
            member.service = Some(service);
        }
    }

    /// The node is dead: it refuses connections, open calls to it break, and nothing that it asks gets anywhere.
    pub fn detach(&self, url: &NodeUrl) {
        let spot = Spot::of(url);
        let mut state = self.state.borrow_mut();
        if let Some(member) = state.nodes.get_mut(&spot) {
            member.start += 1;
            member.service = None;
            member.paused = false;
        }
        state
            .connections
            .retain(|(from, to)| *from != spot && *to != spot);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Nothing goes into the node or comes out of it, until it goes on.
    pub fn pause(&self, url: &NodeUrl, paused: bool) {
        if let Some(member) = self.state.borrow_mut().nodes.get_mut(&Spot::of(url)) {
            member.paused = paused;
        }
        self.changed.notify_waiters();
    }

    /// Changes what is wrong with the way from one node to another.
    pub fn change(&self, from: &NodeUrl, to: &NodeUrl, change: impl FnOnce(&mut Faults)) {
        let pair = (Spot::of(from), Spot::of(to));
        change(&mut self.state.borrow_mut().ways.entry(pair).or_default().faults);
        self.changed.notify_waiters();
    }

    /// A host's name and its addresses; none takes it away.
    pub fn name(&self, host: &str, addresses: Vec<IpAddr>) {
        self.state
            .borrow_mut()
            .names
            .insert(host.to_string(), addresses);
    }

    /// The texts of a name.
    pub fn text(&self, name: &str, texts: Vec<String>) {
        self.state
            .borrow_mut()
            .texts
            .insert(name.to_string(), texts);
    }

    /// Calls to `url` go to these, each in its turn: another name of one node, or a load balancer.
    pub fn alias(&self, url: &NodeUrl, targets: &[NodeUrl]) {
        let targets = targets.iter().map(Spot::of).collect();
        let mut state = self.state.borrow_mut();
        state.aliases.insert(Spot::of(url), (targets, 0));
    }

    /// What one node sent to another since the beginning or [`World::forget`].
    pub fn traffic(&self, from: &NodeUrl, to: &NodeUrl) -> Traffic {
        self.state
            .borrow()
            .book
            .traffic(&Spot::of(from), &Spot::of(to))
    }

    /// The same call by call, the last ones.
    pub fn calls(&self, from: &NodeUrl, to: &NodeUrl) -> Vec<Sent> {
        let (from, to) = (Spot::of(from).to_string(), Spot::of(to).to_string());
        let mut calls = self.all_calls();
        calls.retain(|sent| sent.from == from && sent.to == to);
        calls
    }

    /// The last calls of all nodes.
    pub fn all_calls(&self) -> Vec<Sent> {
        self.state.borrow().book.calls()
    }

    /// Begins to count anew.
    pub fn forget(&self) {
        self.state.borrow_mut().book.forget();
    }

    /// What Java nodes refused because a Java node never sends it.
    pub fn refusals(&self) -> Vec<String> {
        self.state.borrow().refusals.clone()
    }

    /// The world's chance: for whoever plays in it.
    pub fn draw(&self) -> u64 {
        self.state.borrow_mut().rng.random()
    }

    pub(super) fn addresses(&self, host: &str) -> Option<Vec<IpAddr>> {
        self.state.borrow().names.get(host).cloned()
    }

    pub(super) fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.state.borrow().texts.get(name).cloned()
    }

    pub(super) fn start_of(&self, spot: &Spot) -> u64 {
        let state = self.state.borrow();
        state.nodes.get(spot).map_or(0, |member| member.start)
    }

    /// The node that is meant: at this address, behind an alias, or at the first address of the name.
    pub(super) fn resolve(&self, spot: &Spot) -> Spot {
        let mut state = self.state.borrow_mut();
        if let Some((targets, turn)) = state.aliases.get_mut(spot)
            && !targets.is_empty()
        {
            *turn += 1;
            return targets[(*turn - 1) % targets.len()].clone();
        }
        let address = state.names.get(&spot.host).and_then(|found| found.first());
        match address {
            Some(address) if !state.nodes.contains_key(spot) => Spot {
                host: address.to_string(),
                port: spot.port,
            },
            _ => spot.clone(),
        }
    }

    pub(super) fn faults(&self, from: &Spot, to: &Spot) -> Faults {
        let pair = (from.clone(), to.clone());
        let state = self.state.borrow();
        state
            .ways
            .get(&pair)
            .map_or_else(Faults::default, |way| way.faults)
    }

    pub(super) fn is_java(&self, spot: &Spot) -> bool {
        let state = self.state.borrow();
        state
            .nodes
            .get(spot)
            .is_some_and(|member| member.kind == Kind::Java)
    }

    pub(super) fn is_paused(&self, spot: &Spot) -> bool {
        let state = self.state.borrow();
        state.nodes.get(spot).is_some_and(|member| member.paused)
    }

    /// The service of a node that lives, and which start of it that is.
    pub(super) fn service(&self, spot: &Spot) -> Option<(Service, u64)> {
        let state = self.state.borrow();
        let member = state.nodes.get(spot)?;
        Some((member.service.clone()?, member.start))
    }

    pub(super) fn is_connected(&self, pair: &Pair) -> bool {
        self.state.borrow().connections.contains(pair)
    }

    pub(super) fn connect(&self, pair: &Pair, stands: bool) {
        let connections = &mut self.state.borrow_mut().connections;
        match stands {
            true => connections.insert(pair.clone()),
            false => connections.remove(pair),
        };
    }

    pub(super) fn refused(&self, why: String) {
        self.state.borrow_mut().refusals.push(why);
    }

    pub(super) fn book<T>(&self, write: impl FnOnce(&mut Book) -> T) -> T {
        write(&mut self.state.borrow_mut().book)
    }

    /// Draws the lot of a request that leaves now.
    pub(super) fn lot(&self, pair: &Pair) -> Lot {
        let mut state = self.state.borrow_mut();
        let State { rng, ways, .. } = &mut *state;
        let way = ways.entry(pair.clone()).or_default();
        let faults = way.faults;
        let in_order = way.arrival(rng);
        let late = rng.random_bool(faults.reorder);
        if !late {
            way.last = Some(in_order);
        }
        let arrives = if late {
            in_order + faults.reorder_by
        } else {
            in_order
        };
        Lot {
            lost: rng.random_bool(faults.lose_requests),
            answer_lost: rng.random_bool(faults.lose_answers),
            again: rng
                .random_bool(faults.duplicate)
                .then(|| arrives + faults.duplicate_after),
            outlive: faults.outlive,
            arrives,
        }
    }

    /// When an answer that leaves now arrives.
    pub(super) fn arrival(&self, pair: &Pair) -> Instant {
        let mut state = self.state.borrow_mut();
        let State { rng, ways, .. } = &mut *state;
        let way = ways.entry(pair.clone()).or_default();
        let arrives = way.arrival(rng);
        way.last = Some(arrives);
        arrives
    }

    /// Waits as long as this holds.
    pub(super) async fn wait_while(&self, holds: impl Fn(&Self) -> bool) {
        loop {
            // Made before the question, so that no change between the two is missed.
            let changed = self.changed.notified();
            if !holds(self) {
                return;
            }
            changed.await;
        }
    }
}

impl Way {
    /// Not before what left earlier.
    fn arrival(&self, rng: &mut StdRng) -> Instant {
        let jitter = self.faults.jitter.mul_f64(rng.random());
        let own = Instant::now() + self.faults.delay + jitter;
        self.last.map_or(own, |last| last.max(own))
    }
}
