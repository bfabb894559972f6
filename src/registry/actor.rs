//! The actor around the table: a mailbox, a clock and the listeners.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use actix::{Actor, AsyncContext, Context, Recipient};

use super::ends::Ends;
use super::recent::RecentChanges;
use super::shared_texts::SharedTexts;
use super::tombstones::Tombstones;
use super::{
    Held, Index, Lease, LeaseEvent, LeaseTable, LeaseWhat, RegistryEvent, Renewed, Undelivered,
    What,
};
use crate::clock::{Clock, Millis, Moment};
use crate::config::{LeaseAccounting, RegistryConfig};
use crate::metrics::{RegistryMetrics, Renewals};
use crate::model::{By, Extra, InstanceKey, Text};

/// What the registry shows to all threads, and what others let it know without a message.
#[derive(Debug)]
pub struct Published {
    /// Instances by application and id.
    pub index: Index,
    /// Leases renewed by clients since each peer was last told.
    pub renewed: Renewed,
    /// Instances with orders that some peer has not got yet.
    pub undelivered_orders: Arc<Undelivered>,
    /// Cancellations that some peer has not got yet.
    pub undelivered_cancels: Arc<Undelivered>,
    pub(super) config: RegistryConfig,
    /// Whether heartbeats compare `lastDirtyTimestamp` at present.
    pub(super) compares: AtomicBool,
    pub(super) renewals: Renewals,
    /// The node's number in change stamps.
    node: u64,
    /// What peers hold is being copied.
    loading: AtomicBool,
    revision: AtomicU64,
    /// No lease ends before this moment.
    next_due: AtomicU64,
    last_heard: AtomicU64,
    expiry_disabled: AtomicBool,
}

impl Published {
    /// An empty registry's; heartbeats are counted in `renewals`.
    pub fn new(config: RegistryConfig, renewals: Renewals) -> Self {
        Self {
            index: Index::default(),
            renewed: Renewed::default(),
            undelivered_orders: Arc::default(),
            undelivered_cancels: Arc::default(),
            compares: AtomicBool::new(config.sync_when_timestamp_differs),
            config,
            renewals,
            node: 0,
            loading: AtomicBool::new(false),
            revision: AtomicU64::new(0),
            next_due: AtomicU64::new(0),
            last_heard: AtomicU64::new(0),
            expiry_disabled: AtomicBool::new(false),
        }
    }

    /// The same on the node with this number, which no other has.
    pub fn on_node(self, node: u64) -> Self {
        Self { node, ..self }
    }

    /// Whether what peers hold is being copied; cancellations of what is not there yet are remembered meanwhile.
    pub fn is_loading(&self) -> bool {
        self.loading.load(Ordering::Acquire)
    }

    /// Says whether what peers hold is being copied.
    pub fn set_loading(&self, loading: bool) {
        self.loading.store(loading, Ordering::Release);
    }

    /// The number of the last visible change that may have been acknowledged.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Leases renewed by heartbeats since the start, whoever sent them.
    pub fn renewals(&self) -> u64 {
        self.renewals.renewed()
    }

    /// No lease ends before this moment; a renewal only makes it later.
    pub fn next_due(&self) -> Millis {
        self.next_due.load(Ordering::Acquire)
    }

    pub(super) fn set_next_due(&self, next_due: Millis) {
        self.next_due.store(next_due, Ordering::Release);
    }

    /// When this node last heard from a client or a peer.
    pub fn last_heard(&self) -> Millis {
        self.last_heard.load(Ordering::Relaxed)
    }

    /// A client or a peer asked for something.
    pub fn heard(&self, now: Millis) {
        self.last_heard.store(now, Ordering::Relaxed);
    }

    /// Whether an ended lease counts as gone even before it is removed.
    pub fn is_expiry_enabled(&self) -> bool {
        !self.expiry_disabled.load(Ordering::Acquire)
    }

    /// Says whether ended leases may be removed at present.
    pub fn enable_expiry(&self, enabled: bool) {
        self.expiry_disabled.store(!enabled, Ordering::Release);
    }

    /// Whether the instance counts as there: its lease lives, is kept, or may not end at present.
    pub fn counts(&self, held: &Held, now: Moment) -> bool {
        let lease = &held.lease;
        !lease.is_expired(now, 0) || !self.is_expiry_enabled() || lease.hold(now).is_some()
    }
}

/// Serialises every visible change of the table.
pub struct Registry {
    pub(super) table: LeaseTable,
    pub(super) clock: Clock,
    pub(super) metrics: RegistryMetrics,
    pub(super) recent: RecentChanges,
    pub(super) texts: SharedTexts,
    pub(super) published: Arc<Published>,
    listeners: Vec<Recipient<RegistryEvent>>,
    lease_listener: Option<Recipient<LeaseEvent>>,
    revision: u64,
    pub(super) tombstones: Tombstones,
    pub(super) ends: Ends,
    /// Applications that were told that their leases are lengthened; bounded, for the log only.
    lengthened: HashSet<Text>,
}

/// Pause between two looks for tombstones whose time is over.
const TOMBSTONES_EVERY: Duration = Duration::from_secs(10);
/// Pause between two looks for orders whose time is over.
const ENDS_EVERY: Duration = Duration::from_secs(1);
/// Applications that are told in the log that their leases are lengthened.
const MAX_TOLD: usize = 1000;

impl Registry {
    /// An empty registry that tells its changes to `listeners`.
    pub fn new(
        clock: Clock,
        metrics: RegistryMetrics,
        published: Arc<Published>,
        listeners: Vec<Recipient<RegistryEvent>>,
    ) -> Self {
        Self {
            table: LeaseTable::new(published.config).on_node(published.node),
            tombstones: Tombstones::default(),
            ends: Ends::default(),
            clock,
            metrics,
            recent: RecentChanges::default(),
            texts: SharedTexts::default(),
            published,
            listeners,
            lease_listener: None,
            revision: 0,
            lengthened: HashSet::new(),
        }
    }

    /// The same, telling `listener` what becomes of leases without a change that could be seen.
    pub fn telling(self, listener: Recipient<LeaseEvent>) -> Self {
        let lease_listener = Some(listener);
        Self {
            lease_listener,
            ..self
        }
    }

    /// Tells what became of leases, if there is anything to tell.
    pub(super) fn tell(&self, what: LeaseWhat, leases: Vec<(Arc<Held>, Millis)>) {
        if let Some(listener) = self.lease_listener.as_ref().filter(|_| !leases.is_empty()) {
            let now = self.clock.now();
            listener.do_send(LeaseEvent { now, what, leases });
        }
    }

    /// Makes a change visible: event out, index, revision. `before` is what readers saw until
    /// now, `None` if the instance was not held.
    pub(super) fn publish(
        &mut self,
        what: What,
        by: By,
        before: Option<Arc<Held>>,
        held: &Arc<Held>,
    ) {
        let status_before = before.as_ref().map(|before| before.info.status);
        self.revision += 1;
        let event = RegistryEvent {
            revision: self.revision,
            by,
            what,
            stamp: held.version.stamp,
            before,
            held: held.clone(),
        };
        for listener in &self.listeners {
            listener.do_send(event.clone());
        }
        let key = held.info.key();
        let after = (!what.is_removal()).then_some(held.info.status);
        self.metrics.instances.moved(&key.app, status_before, after);
        self.metrics.leases.set(self.table.len() as f64);
        self.metrics
            .applications
            .set(self.table.applications() as f64);
        self.metrics.revision.set(self.revision as f64);
        let ends = held.version.order().and_then(|order| order.ends());
        self.ends.note(&key, ends.filter(|_| !what.is_removal()));
        if what.is_removal() {
            self.published.index.remove(&key);
        } else {
            self.published.index.insert(key, held.clone());
            let next_due = self.published.next_due().min(held.lease.deadline());
            self.published.set_next_due(next_due);
        }
        self.published
            .revision
            .store(self.revision, Ordering::Release);
    }

    /// What happens from now on is later than what a peer of this kind tells.
    pub(super) fn saw(&mut self, extra: &Extra) {
        let order = extra.order.as_ref().map(|order| order.stamp);
        for stamp in extra.stamp.into_iter().chain(order) {
            self.table.stamps.saw(stamp);
        }
    }

    /// Counts a lease that is longer than asked, and says so once per application.
    pub(super) fn note_lengthened(&mut self, held: &Held) {
        let terms = held.info.lease;
        if self.table.config.accounting != LeaseAccounting::Exact || !Lease::is_lengthened(terms) {
            return;
        }
        self.metrics.lengthened.increment(1);
        if self.lengthened.len() < MAX_TOLD && self.lengthened.insert(held.info.app.clone()) {
            tracing::info!(
                app = ?held.info.app,
                duration_secs = terms.duration_secs,
                renewal_interval_secs = terms.renewal_interval_secs,
                "leases shorter than 2.25 renewal intervals are lengthened to that"
            );
        }
    }

    /// Begins a piece of work: notes it for the log line if the registry should die of it, and looks
    /// whether ended leases count as gone.
    pub(super) fn begin(&mut self, verb: &'static str, key: Option<&InstanceKey>) {
        self.table.hides_ended = self.published.is_expiry_enabled();
        WORK.with_borrow_mut(|work| *work = Some((verb, key.cloned())));
    }
}

thread_local! {
    /// The verb and key that this thread's registry works on.
    static WORK: RefCell<Option<(&'static str, Option<InstanceKey>)>> = const { RefCell::new(None) };
}

/// What the registry on this thread is working on or worked on last, for a panic hook.
pub fn current_work() -> Option<String> {
    WORK.with_borrow(|work| {
        let (verb, key) = work.as_ref()?;
        Some(match key {
            Some(key) => format!("{verb} {key:?}"),
            None => (*verb).to_string(),
        })
    })
}

impl Actor for Registry {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(crate::mailbox::LIMIT);
        ctx.run_interval(TOMBSTONES_EVERY, |registry, _| registry.clear_tombstones());
        ctx.run_interval(ENDS_EVERY, |registry, _| registry.end_orders());
    }
}
