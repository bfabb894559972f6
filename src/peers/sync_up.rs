//! Sync-up: what the peers hold is copied when the node starts, and then the gate opens (server.md §14).
//!
//! *Modern*: only a peer that has everything itself counts as a source: one of this kind that says so, or one of
//! another kind whose list is not empty. All that can be reached are copied, and merged, before lists are served.
//! While there is none, it is tried again every second until `wait-time-in-ms-when-sync-empty` is over: by then every
//! client that lives has sent a heartbeat, was told 404, and has registered. Without peers there is nothing to
//! wait for, unless they are found by a name that stands for all. *Classic*: as the reference, in passes; the first
//! one that finds something is the last, and lists are refused until the first has ended (B-29).
//!
//! A list of another kind of peer may be half a minute old, so it is copied once more after that. All statuses come
//! over, with their overrides (B-47).

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix::Addr;
use futures_util::future::join_all;
use tokio::time::{Instant, sleep};

use super::{Gate, Lookup, SharedPeersConfig};
use crate::clock::{Clock, Millis};
use crate::config::Mode;
use crate::metrics::{SourceKind, SyncUpMetrics};
use crate::model::{ContentLimits, InstanceKey, NodeUrl, PeerCopy, ReplicationItem};
use crate::registry::{Load, Published, Registry, copy_from_list};
use crate::transport::{Answer, Call, Network, NodeSign};
use crate::wire::json;
use crate::wire::outgoing::BatchWriter;
use crate::wire::replication::read_batch;

/// Pause between two tries while no peer has anything.
const TRY_EVERY: Duration = Duration::from_secs(1);
/// How old the list of another kind of peer may be: its response cache is renewed every 30 s.
const LIST_AGE: Duration = Duration::from_secs(35);
/// Records that the registry takes over at once.
const SLICE: usize = 500;

/// All that the copying needs.
pub struct SyncUp {
    /// How long to try, which may change meanwhile.
    pub config: SharedPeersConfig,
    /// How.
    pub mode: Mode,
    /// Clients that are expected at the start (classic): with any, lists are served even if nothing was found.
    pub open_count: u64,
    /// Who the peers are.
    pub lookup: Lookup,
    /// The way to them.
    pub network: Rc<dyn Network>,
    /// This node's id, to know itself by.
    pub node_id: String,
    /// Where copies go.
    pub registry: Addr<Registry>,
    /// What others see meanwhile.
    pub published: Arc<Published>,
    /// What is opened.
    pub gate: Arc<Gate>,
    /// The time.
    pub clock: Clock,
    /// What is counted.
    pub metrics: SyncUpMetrics,
}

/// What a peer turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// This node itself.
    Oneself,
    /// It has everything; so many of its instances were new here.
    OwnKind(usize),
    /// One of another kind, with instances.
    OtherKind(usize),
    /// It has nothing, or is starting itself.
    Empty,
    /// It cannot be asked.
    Unreachable(String),
}

impl SyncUp {
    /// Copies, opens the gate, and copies once more where that is needed.
    pub async fn run(self) {
        let began = Instant::now();
        self.published.set_loading(true);
        let start = self.clock.now().mono;
        self.is_too_late(start);
        let stale = match self.mode {
            Mode::Modern => self.until_a_source_is_found(start).await,
            Mode::Classic => self.in_passes(start).await,
        };
        self.open();
        self.published.set_loading(false);
        self.metrics.seconds.set(began.elapsed().as_secs_f64());
        if !stale.is_empty() {
            sleep(LIST_AGE).await;
            self.copy_all(&stale).await;
        }
    }

    fn open(&self) {
        if !self.gate.is_open() {
            self.gate.open();
            tracing::info!(instances = self.published.index.len(), "lists are served");
        }
    }

    /// Whether the node has waited as long for somebody to copy from as it may.
    fn is_too_late(&self, start: Millis) -> bool {
        let wait = self.config.borrow().wait_when_empty.as_millis();
        let latest = start + wait as Millis;
        self.gate.opens_by(latest);
        self.clock.now().mono >= latest
    }

    /// Returns the peers whose lists may be old.
    async fn until_a_source_is_found(&self, start: Millis) -> Vec<NodeUrl> {
        let mut said = false;
        loop {
            let (peers, found) = self.try_all().await;
            let is_source =
                |found: &Found| matches!(found, Found::OwnKind(_) | Found::OtherKind(_));
            let is_alone = found.iter().all(|found| *found == Found::Oneself) && !self.is_by_name();
            if is_alone || found.iter().any(is_source) || self.is_too_late(start) {
                return stale(peers, &found);
            }
            if !said {
                said = true;
                let seconds = self.config.borrow().wait_when_empty.as_secs();
                tracing::info!(
                    "no peer has anything yet: lists are refused for up to {seconds} s, until every client had time \
                     to register here (eureka.server.wait-time-in-ms-when-sync-empty)"
                );
            }
            sleep(TRY_EVERY).await;
        }
    }

    /// Whether others may have no address yet: all nodes of a cluster that starts appear under one name, one after the
    /// other, and the first sees nobody but itself.
    fn is_by_name(&self) -> bool {
        !self.config.borrow().dns_hosts.is_empty()
    }

    /// The reference's passes. Returns the peers whose lists may be old.
    async fn in_passes(&self, start: Millis) -> Vec<NodeUrl> {
        let mut passes = 0;
        while passes == 0 || passes < self.config.borrow().sync_retries {
            if passes > 0 {
                let pause = self.config.borrow().sync_retry_wait;
                sleep(pause).await;
            }
            passes += 1;
            let (peers, found) = self.try_all().await;
            let copied = found.iter().any(|found| found.copied() > 0);
            if copied || found.iter().all(|found| *found == Found::Oneself) {
                return stale(peers, &found);
            }
            if self.open_count > 0 {
                self.open();
            }
        }
        if self.open_count == 0 {
            while !self.is_too_late(start) {
                sleep(TRY_EVERY).await;
            }
        }
        Vec::new()
    }

    async fn try_all(&self) -> (Vec<NodeUrl>, Vec<Found>) {
        match (self.lookup)().await {
            Ok(peers) => {
                let found = self.copy_all(&peers).await;
                (peers, found)
            }
            Err(error) => {
                tracing::warn!(%error, "the peers' addresses are not known yet");
                (Vec::new(), vec![Found::Unreachable(error)])
            }
        }
    }

    /// Copies from all peers at once.
    async fn copy_all(&self, peers: &[NodeUrl]) -> Vec<Found> {
        let found = join_all(peers.iter().map(|peer| self.copy_from(peer))).await;
        for (peer, found) in peers.iter().zip(&found) {
            found.say(peer);
        }
        let kinds: Vec<SourceKind> = found.iter().filter_map(Found::kind).collect();
        self.metrics.found(&kinds);
        let copied = found.iter().map(|found| found.copied() as u64).sum();
        self.metrics.instances.increment(copied);
        found
    }

    async fn copy_from(&self, peer: &NodeUrl) -> Found {
        match self.ask(peer).await {
            Ok(found) => found,
            Err(reason) => Found::Unreachable(reason),
        }
    }

    async fn ask(&self, peer: &NodeUrl) -> Result<Found, String> {
        // An empty batch shows who is there, and asks nothing of it.
        let body = BatchWriter::new(false).finish().into();
        let hello = Call::Batch {
            body,
            packed: false,
        };
        match self.call(peer, hello).await?.sign {
            Some(sign) if sign.id == self.node_id => Ok(Found::Oneself),
            Some(NodeSign { open: false, .. }) => Ok(Found::Empty),
            Some(_) => self.copy_pages(peer).await.map(Found::OwnKind),
            None => self.copy_list(peer).await,
        }
    }

    /// Everything that a peer of this kind holds.
    async fn copy_pages(&self, peer: &NodeUrl) -> Result<usize, String> {
        let mut copied = 0;
        let mut after: Option<InstanceKey> = None;
        loop {
            let page = Call::Page {
                after: after.clone(),
            };
            let answer = self.call(peer, page).await?;
            let copies = self.read_page(&answer)?;
            let Some(last) = copies.last() else {
                return Ok(copied);
            };
            let last = last.info.key();
            if after.as_ref().is_some_and(|after| last <= *after) {
                return Err("the pages do not go on".to_string());
            }
            after = Some(last);
            copied += self.load(copies).await?;
        }
    }

    fn read_page(&self, answer: &Answer) -> Result<Vec<PeerCopy>, String> {
        let body = text(answer)?;
        let items = read_batch(body, self.clock.now().wall, &ContentLimits::NONE);
        let items = items.map_err(|error| error.to_string())?;
        let copies = items
            .into_iter()
            .flatten()
            .filter_map(|item| match item.item {
                ReplicationItem::Register(info) => Some(PeerCopy {
                    info,
                    extra: item.extra,
                }),
                _ => None,
            });
        Ok(copies.collect())
    }

    /// The list of a peer of another kind.
    async fn copy_list(&self, peer: &NodeUrl) -> Result<Found, String> {
        let answer = self.call(peer, Call::Apps).await?;
        let (list, unusable) = json::applications(text(&answer)?, self.clock.now().wall)
            .map_err(|error| error.to_string())?;
        if unusable > 0 {
            tracing::warn!(%peer, unusable, "instances that cannot be used are left out");
        }
        drop(answer);
        let mut copied = 0;
        let mut slice = Vec::with_capacity(SLICE);
        let mut listed = 0;
        for info in list.apps.into_values().flatten() {
            listed += 1;
            slice.push(copy_from_list(info));
            if slice.len() == SLICE {
                copied += self.load(std::mem::take(&mut slice)).await?;
            }
        }
        copied += self.load(slice).await?;
        Ok(match listed {
            0 => Found::Empty,
            _ => Found::OtherKind(copied),
        })
    }

    async fn load(&self, copies: Vec<PeerCopy>) -> Result<usize, String> {
        let loaded = self.registry.send(Load { copies }).await;
        loaded.map_err(|_| "the registry is gone".to_string())
    }

    async fn call(&self, peer: &NodeUrl, call: Call) -> Result<Answer, String> {
        let answer = self.network.node(peer).call(call).await;
        let answer = answer.map_err(|error| error.to_string())?;
        match answer.status {
            200 => Ok(answer),
            status => Err(format!("answered {status}")),
        }
    }
}

fn text(answer: &Answer) -> Result<&str, String> {
    std::str::from_utf8(&answer.body).map_err(|_| "the answer is no text".to_string())
}

fn stale(peers: Vec<NodeUrl>, found: &[Found]) -> Vec<NodeUrl> {
    let pairs = peers.into_iter().zip(found);
    let stale = pairs.filter(|(_, found)| matches!(found, Found::OtherKind(_)));
    stale.map(|(peer, _)| peer).collect()
}

impl Found {
    fn copied(&self) -> usize {
        match self {
            Self::OwnKind(copied) | Self::OtherKind(copied) => *copied,
            _ => 0,
        }
    }

    fn kind(&self) -> Option<SourceKind> {
        match self {
            Self::Oneself => None,
            Self::OwnKind(_) | Self::OtherKind(_) => Some(SourceKind::Copied),
            Self::Empty => Some(SourceKind::Empty),
            Self::Unreachable(_) => Some(SourceKind::Unreachable),
        }
    }

    fn say(&self, peer: &NodeUrl) {
        match self {
            Self::OwnKind(copied) | Self::OtherKind(copied) => {
                tracing::info!(%peer, copied, "copied what the peer holds");
            }
            Self::Unreachable(reason) => {
                let reason = crate::wire::one_line(reason);
                tracing::debug!(%peer, %reason, "nothing copied");
            }
            Self::Oneself | Self::Empty => tracing::debug!(%peer, found = ?self, "nothing copied"),
        }
    }
}
