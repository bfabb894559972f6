//! Peers that record what they are sent and answer as they are told, and the way to them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;

use crate::clock::Clock;
use crate::model::{ContentLimits, NodeUrl, PeerItem};
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
        instances: None,
    }
}

impl FakePeer {
    pub fn new(clock: Clock) -> Self {
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

/// All peers by their host.
pub type Fakes = Rc<RefCell<BTreeMap<String, Rc<FakePeer>>>>;

/// The way to them; who is asked for first is made then.
pub struct FakeNetwork(pub Fakes, pub Clock);

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
