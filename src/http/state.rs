//! What handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use actix_web::dev::Extensions;

use crate::cache::Reader;
use crate::clock::{Clock, Moment};
use crate::config::{Config, keys};
use crate::mailbox::Door;
use crate::metrics::{HttpMetrics, Metrics};
use crate::model::InstanceKey;
use crate::preservation::Preservation;
use crate::registry::{Published, Registry};

use super::body::Limits;

/// Who this node is.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// What the registry shows without being asked.
    pub published: Arc<Published>,
    /// The way to lists.
    pub reader: Reader,
    /// All metrics.
    pub metrics: Metrics,
    /// The time.
    pub clock: Clock,
    /// Set once the node is on its way out.
    pub stopping: AtomicBool,
}

impl Http {
    /// Whether requests should still be sent here.
    pub(super) fn is_ready(&self) -> bool {
        !self.stopping.load(Ordering::Acquire)
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
    pub(super) fn mailboxes(&self) -> [(&'static str, usize); 3] {
        [
            ("registry", self.registry.waiting()),
            ("preservation", self.preservation.waiting()),
            ("cache", self.reader.waiting()),
        ]
    }
}

/// Counts open connections.
#[derive(Clone)]
pub struct Connections {
    metrics: HttpMetrics,
    open: Arc<AtomicUsize>,
}

impl Connections {
    /// No connection yet.
    pub fn new(metrics: HttpMetrics) -> Self {
        Self {
            metrics,
            open: Arc::default(),
        }
    }

    /// Counts a connection for as long as its extensions live; for actix-web's `on_connect`.
    pub fn count(&self, extensions: &mut Extensions) {
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.metrics.connections.set(open as f64);
        extensions.insert(Connection(self.clone()));
    }
}

/// One open connection.
struct Connection(Connections);

impl Drop for Connection {
    fn drop(&mut self) {
        let open = self.0.open.fetch_sub(1, Ordering::Relaxed) - 1;
        self.0.metrics.connections.set(open as f64);
    }
}
