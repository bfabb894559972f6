//! What handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cache::Reader;
use crate::clock::{Clock, Moment};
use crate::config::{Config, keys};
use crate::journal::Journal;
use crate::mailbox::Door;
use crate::metrics::Metrics;
use crate::model::InstanceKey;
use crate::peers::{Gate, Peers};
use crate::preservation::Preservation;
use crate::registry::{Published, Registry};
use crate::transport::NodeSign;
use uuid::Uuid;

use super::body::Limits;
use super::dashboard::Pages;
use super::in_flight::InFlight;
use super::live::Live;

/// Who this node is.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Made anew at every start.
    pub node_id: String,
    /// The machine's name.
    pub host_name: String,
    /// The address that others reach it at, as far as it can tell.
    pub ip_addr: String,
    /// The port it listens on.
    pub port: u16,
    /// When it started.
    pub started: Moment,
    /// Whether it serves lists, as the gate has it.
    pub open: Arc<AtomicBool>,
}

impl Identity {
    /// The node's number in change stamps: half of its id.
    pub fn number(&self) -> u64 {
        Uuid::parse_str(&self.node_id).map_or(0, |id| id.as_u64_pair().0)
    }

    /// How the node shows itself to others of its kind.
    pub fn sign(&self) -> NodeSign {
        NodeSign {
            id: self.node_id.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            open: self.open.load(Ordering::Acquire),
            instances: None,
        }
    }
}

/// Everything a handler may use; one per node, shared by all workers.
pub struct Http {
    /// What is set.
    pub config: Config,
    /// Who this node is.
    pub identity: Identity,
    /// The way to the registry.
    pub registry: Door<Registry>,
    /// The way to self-preservation.
    pub preservation: Door<Preservation>,
    /// The way to the set of peers.
    pub peers: Door<Peers>,
    /// The way to the journal.
    pub journal: Door<Journal>,
    /// Whether lists are served.
    pub gate: Arc<Gate>,
    /// What the registry shows without being asked.
    pub published: Arc<Published>,
    /// The way to lists.
    pub reader: Reader,
    /// All metrics.
    pub metrics: Metrics,
    /// Bodies on their way.
    pub in_flight: InFlight,
    /// The time.
    pub clock: Clock,
    /// Set once the node is on its way out.
    pub stopping: AtomicBool,
    /// What the pages share.
    pub pages: Pages,
    /// What is set and may change meanwhile.
    pub live: Live,
}

impl Http {
    /// Whether requests should be sent here.
    pub(super) fn is_ready(&self) -> bool {
        self.gate.is_open() && !self.stopping.load(Ordering::Acquire)
    }

    /// How this node shows itself to others of its kind.
    pub(super) fn sign(&self) -> NodeSign {
        NodeSign {
            instances: Some(self.published.index.len()),
            ..self.identity.sign()
        }
    }

    /// Limits of a registration.
    pub(super) fn body_limits(&self) -> Limits {
        let http = &self.config.http;
        Limits {
            packed: (http.max_body, keys::MAX_BODY),
            unpacked: http.max_unpacked,
            time: self.config.limits.body_time,
        }
    }

    /// Limits of a peer's batch.
    pub(super) fn batch_limits(&self) -> Limits {
        let http = &self.config.http;
        Limits {
            packed: (http.max_batch, keys::MAX_BATCH),
            unpacked: http.max_unpacked,
            time: self.config.limits.body_time,
        }
    }

    /// The key that a path means: the id as it stands, or with `+` read as a blank if only that is held
    /// (foreign-clients.md P6).
    pub(super) fn key(&self, app: &str, id: &str) -> InstanceKey {
        let key = InstanceKey::new(app, id);
        if !id.contains('+') || self.published.index.get(&key).is_some() {
            return key;
        }
        let blank = InstanceKey::new(app, &id.replace('+', " "));
        match self.published.index.get(&blank) {
            Some(_) => blank,
            None => key,
        }
    }

    /// Requests that wait for each actor.
    pub(super) fn mailboxes(&self) -> [(&'static str, usize); 5] {
        [
            ("registry", self.registry.waiting()),
            ("preservation", self.preservation.waiting()),
            ("cache", self.reader.waiting()),
            ("peers", self.peers.waiting()),
            ("journal", self.journal.waiting()),
        ]
    }
}
