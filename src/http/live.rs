//! Settings of the HTTP side that change while a node runs. Those of the same name in `config` are those of the start.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arc_swap::{ArcSwap, ArcSwapOption};

use super::addresses::Addresses;
use super::fetch_limit::FetchLimit;
use super::guard::Guard;
use crate::config::{Config, Report};
use crate::metrics::AccessMetrics;

/// What is in force.
pub struct Live {
    /// Who may do what; nothing where everybody may do everything.
    pub(super) guard: ArcSwapOption<Guard>,
    /// Eureka's own limiter of reads, where it is set.
    pub(super) fetch_limit: ArcSwapOption<FetchLimit>,
    /// What one address may take.
    pub(super) addresses: Arc<Addresses>,
    /// `apps/delta` answers 403.
    disable_delta: AtomicBool,
    /// The settings in force and where they came from.
    report: ArcSwap<Report>,
    /// Peers that must be available; more than there can be means that nobody asks.
    min_available: AtomicUsize,
    /// The context path, which does not change.
    context: String,
    access: AccessMetrics,
}

impl Live {
    /// As these settings say.
    pub fn of(config: &Config, access: AccessMetrics) -> Self {
        let live = Self {
            guard: ArcSwapOption::empty(),
            fetch_limit: ArcSwapOption::empty(),
            addresses: Arc::new(Addresses::of(&config.limits)),
            disable_delta: AtomicBool::new(false),
            report: ArcSwap::default(),
            min_available: AtomicUsize::new(usize::MAX),
            context: config.http.context_path.clone(),
            access,
        };
        live.set(config);
        live
    }

    /// As these settings say, from now on.
    pub fn set(&self, config: &Config) {
        let guard = self.guard.load();
        if !Guard::is_for(guard.as_deref(), &config.security) {
            let access = self.access.clone();
            match Guard::new(&self.context, &config.security, access, guard.as_deref()) {
                // The file may just be written, or be away for a moment: that must open no door.
                None if guard.is_some() => tracing::error!(
                    "the settings name no user, token or certificate any more; those that were named before stay in \
                     force until the node is started anew"
                ),
                next => self.guard.store(next.map(Arc::new)),
            }
        }
        let limit = self.fetch_limit.load();
        if !FetchLimit::is_for(limit.as_deref(), &config.fetch_limit) {
            let next = FetchLimit::new(&config.fetch_limit);
            self.fetch_limit.store(next.map(Arc::new));
        }
        self.addresses.set(&config.limits);
        let min_available = config.peers.min_available.unwrap_or(usize::MAX);
        self.disable_delta
            .store(config.cache.disable_delta, Ordering::Relaxed);
        self.min_available.store(min_available, Ordering::Relaxed);
    }

    /// Where the settings in force came from.
    pub fn explain(&self, report: Report) {
        self.report.store(Arc::new(report));
    }

    /// These settings were read; what is live of them is in force.
    pub fn follow(&self, read: &Report) {
        self.explain(self.report().with_live_of(read));
    }

    pub(super) fn report(&self) -> Arc<Report> {
        self.report.load_full()
    }

    pub(super) fn disable_delta(&self) -> bool {
        self.disable_delta.load(Ordering::Relaxed)
    }

    pub(super) fn min_available(&self) -> Option<usize> {
        let least = self.min_available.load(Ordering::Relaxed);
        (least != usize::MAX).then_some(least)
    }
}
