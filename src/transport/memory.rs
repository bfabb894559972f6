//! Nodes that reach each other without a socket: for tests and simulations, in tokio's time.
//!
//! A [`World`] has nodes at addresses, and ways between them with [`Faults`], a way for each direction. Each node
//! sees it through a [`MemoryNetwork`] of its own. Calls carry the bytes that HTTP would carry, and what
//! happens to them by chance is drawn from a seed.
//!
//! What is like TCP: a connection has to come about before the first call, and after every failed one. Over a cut
//! way that fails after the caller's time to connect; on a connection that stands already the request waits
//! in the cut, goes on when that heals, and is gone when the caller gives up, which resets the connection. What has arrived
//! at a paused node is carried out when that goes on, whether or not somebody still waits for it.
//!
//! | file | what |
//! |---|---|
//! | `memory/trip.rs` | one call from here to there and back |
//! | `memory/world.rs` | who is where, what is broken, whose turn it is |
//! | `memory/traffic.rs` | what went over which way |
//! | `memory/java.rs` | what makes a node of ours look like one of Eureka's own |

mod java;
mod traffic;
mod trip;
mod world;

use std::io;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;

use super::{Answer, Awaited, Call, CallFailed, Network, NodeApi, NodeSign};
use crate::model::NodeUrl;

pub use traffic::{Item, Sent, Traffic};
pub use world::World;

use trip::Trip;
use world::Spot;

/// What reaches a node.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// GET or POST.
    pub method: &'static str,
    /// From the first slash on, with the query.
    pub path: String,
    /// Names in lower case, and values.
    pub headers: Vec<(&'static str, &'static str)>,
    /// As it was encoded.
    pub body: Bytes,
    /// Who asks, if that is a node of this kind.
    pub sign: Option<NodeSign>,
    /// User and password.
    pub credentials: Option<(String, String)>,
}

/// What a node does with what reaches it.
pub type Service = Rc<dyn Fn(Arrived) -> Awaited<Answer>>;

/// What a node's calls say of it; nothing as long as it has no name.
pub type SaysWho = Rc<dyn Fn() -> Option<NodeSign>>;

/// What kind of node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of this kind.
    Own,
    /// It signs nothing, has no path that Eureka does not have, and refuses a batch for one unknown member.
    Java,
}

/// What is wrong with the way from one node to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Nothing passes, neither requests to the one nor answers to the other.
    pub cut: bool,
    /// How long everything takes.
    pub delay: Duration,
    /// Up to how much longer, by chance; nothing overtakes because of it.
    pub jitter: Duration,
    /// The share of requests that are lost on this way.
    pub lose_requests: f64,
    /// The share of answers, to calls that went this way, that are lost on their way back.
    pub lose_answers: f64,
    /// The share of requests that arrive twice.
    pub duplicate: f64,
    /// How much later the second one comes.
    pub duplicate_after: Duration,
    /// The share of requests that are late and overtaken.
    pub reorder: f64,
    /// How late these are.
    pub reorder_by: Duration,
    /// A request that met a cut arrives all the same, though its caller has given up, so long after the cut is
    /// healed. Senders that reset their connections have none.
    pub outlive: Option<Duration>,
}

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For an answer.
    pub read: Duration,
}

/// The world as one node sees it.
pub struct MemoryNetwork {
    world: World,
    caller: Spot,
    /// Which start of the caller this is; what an earlier one still asks reaches nobody.
    start: u64,
    patience: Patience,
    says_who: SaysWho,
}

impl MemoryNetwork {
    /// For the node at `caller`, which must be attached.
    pub fn new(world: &World, caller: &NodeUrl, patience: Patience, says_who: SaysWho) -> Self {
        let caller = Spot::of(caller);
        Self {
            start: world.start_of(&caller),
            world: world.clone(),
            caller,
            patience,
            says_who,
        }
    }
}

impl Network for MemoryNetwork {
    fn node(&self, url: &NodeUrl) -> Rc<dyn NodeApi> {
        let base = url.as_str().splitn(4, '/').nth(3).unwrap_or_default();
        Rc::new(MemoryNode {
            world: self.world.clone(),
            caller: self.caller.clone(),
            start: self.start,
            patience: self.patience,
            says_who: self.says_who.clone(),
            target: Spot::of(url),
            base: format!("/{base}"),
            credentials: url
                .credentials()
                .map(|(user, password)| (user.to_string(), password.to_string())),
        })
    }

    fn addresses(&self, host: &str) -> Awaited<io::Result<Vec<IpAddr>>> {
        let found = self.world.addresses(host);
        Box::pin(async { found.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }

    fn texts(&self, name: &str) -> Awaited<io::Result<Vec<String>>> {
        let found = self.world.texts(name);
        Box::pin(async { found.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }
}

/// A node as another one sees it.
struct MemoryNode {
    world: World,
    caller: Spot,
    start: u64,
    patience: Patience,
    says_who: SaysWho,
    target: Spot,
    /// The path of its service URL.
    base: String,
    credentials: Option<(String, String)>,
}

impl NodeApi for MemoryNode {
    fn call(&self, call: Call) -> Awaited<Result<Answer, CallFailed>> {
        let request = call.into_request();
        let arrived = Arrived {
            method: request.method,
            path: format!("{}{}", self.base, request.path),
            headers: request.headers,
            body: request.body,
            sign: (self.says_who)(),
            credentials: self.credentials.clone(),
        };
        let trip = Trip {
            world: self.world.clone(),
            from: self.caller.clone(),
            start: self.start,
            to: self.world.resolve(&self.target),
            patience: self.patience,
        };
        Box::pin(trip.call(arrived))
    }
}

#[cfg(test)]
mod tests;
