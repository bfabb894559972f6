//! What the program sees of discovery: the catalogue in force, how old it is, and its changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::watch;

use super::catalog::{Catalog, Instances};
use crate::client::timekeeper::Timekeeper;
use crate::clock::Millis;
use crate::model::InstanceStatus;

/// Whether the catalogue can be trusted to be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// No server has answered since the start. There may be a copy from disk.
    NeverConnected,
    /// A server answered within the last three intervals.
    Live,
    /// It did, but not of late.
    Stale,
}

/// What tells those who watch. It is the task's alone, so that watching ends with it.
pub(super) type Publisher = watch::Sender<Arc<Catalog>>;

/// Where discovery puts its findings.
pub(crate) struct View {
    catalog: ArcSwap<Catalog>,
    changes: watch::Receiver<Arc<Catalog>>,
    /// One more than the millisecond of the last good answer; 0 before the first.
    fetched: AtomicU64,
    /// When the copy from disk was written, in wall milliseconds.
    copied: AtomicU64,
    clock: Timekeeper,
    stale_after: Duration,
    connected: watch::Sender<bool>,
    remote: watch::Sender<Option<InstanceStatus>>,
    kept: AtomicU64,
}

impl View {
    pub(super) fn new(clock: Timekeeper, stale_after: Duration) -> (Self, Publisher) {
        let publisher = Publisher::default();
        let view = Self {
            catalog: ArcSwap::default(),
            changes: publisher.subscribe(),
            fetched: AtomicU64::new(0),
            copied: AtomicU64::new(0),
            clock,
            stale_after,
            connected: watch::Sender::default(),
            remote: watch::Sender::default(),
            kept: AtomicU64::new(0),
        };
        (view, publisher)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.catalog.load_full()
    }

    /// The list of a name, without a count of references on the whole catalogue.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&Catalog) -> T) -> T {
        at(&self.catalog.load())
    }

    pub(super) fn show(&self, catalog: Catalog, publisher: &Publisher) {
        let catalog = Arc::new(catalog);
        self.catalog.store(catalog.clone());
        publisher.send_replace(catalog);
    }

    pub(super) fn fetched_now(&self) {
        let now = self.clock.now().mono;
        self.fetched.store(now + 1, Ordering::Relaxed);
        self.connected
            .send_if_modified(|known| !std::mem::replace(known, true));
    }

    /// Waits until a server has answered; returns whether one has in this time.
    pub(crate) async fn wait_connected(&self, within: Duration) -> bool {
        let mut connected = self.connected.subscribe();
        let told = connected.wait_for(|connected| *connected);
        tokio::time::timeout(within, told).await.is_ok()
    }

    pub(super) fn copied_at(&self, wall: u64) {
        self.copied.store(wall, Ordering::Relaxed);
    }

    pub(super) fn keeping(&self, count: usize) {
        self.kept.store(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed) as usize
    }

    /// How old what is shown is.
    pub(crate) fn age(&self) -> Option<Duration> {
        let now = self.clock.now();
        let age: Millis = match self.fetched.load(Ordering::Relaxed) {
            0 => match self.copied.load(Ordering::Relaxed) {
                0 => return None,
                copied => now.wall.saturating_sub(copied),
            },
            fetched => now.mono.saturating_sub(fetched - 1),
        };
        Some(Duration::from_millis(age))
    }

    pub(crate) fn freshness(&self) -> Freshness {
        let is_connected = self.fetched.load(Ordering::Relaxed) > 0;
        match self.age() {
            Some(age) if is_connected && age <= self.stale_after => Freshness::Live,
            _ if is_connected => Freshness::Stale,
            _ => Freshness::NeverConnected,
        }
    }

    /// The own status in the list; `None` where the instance is not in it.
    pub(crate) fn remote_status(&self) -> Option<InstanceStatus> {
        *self.remote.borrow()
    }

    /// Returns whether that is news.
    pub(super) fn remote_is(&self, status: Option<InstanceStatus>) -> bool {
        self.remote.send_if_modified(|known| {
            let is_new = *known != status;
            *known = status;
            is_new
        })
    }

    pub(crate) fn watch(&self) -> CatalogWatch {
        let mut changes = self.changes.clone();
        changes.mark_unchanged();
        CatalogWatch(changes)
    }
}

/// The catalogues that follow, one after the other. Who is slow gets the latest.
#[derive(Clone, Debug)]
pub struct CatalogWatch(watch::Receiver<Arc<Catalog>>);

impl CatalogWatch {
    /// The next catalogue that is different; `None` once the client was shut down or is gone.
    pub async fn next(&mut self) -> Option<Arc<Catalog>> {
        self.0.changed().await.ok()?;
        Some(self.0.borrow_and_update().clone())
    }
}

/// The instances of one name, as they change.
#[derive(Clone, Debug)]
pub struct InstancesWatch {
    catalogs: CatalogWatch,
    name: String,
    known: Option<Instances>,
}

impl InstancesWatch {
    pub(crate) fn new(catalogs: CatalogWatch, name: &str) -> Self {
        Self {
            catalogs,
            name: name.to_string(),
            known: None,
        }
    }

    /// The instances as they are, at first; then whenever any of them is different. `None` once the client was shut down
    /// or is gone.
    pub async fn next(&mut self) -> Option<Instances> {
        loop {
            let catalog = match self.known {
                None => self.catalogs.0.borrow_and_update().clone(),
                Some(_) => self.catalogs.next().await?,
            };
            let found = catalog.instances(&self.name);
            let is_news = self
                .known
                .as_ref()
                .is_none_or(|known| !known.is_same(&found));
            if is_news {
                self.known = Some(found.clone());
                return Some(found);
            }
        }
    }
}
