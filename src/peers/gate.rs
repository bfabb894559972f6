//! The gate in front of lists: shut until the node has what its peers had, so that nobody reads a partial list.
//!
//! Registrations, heartbeats and replication go on all the while, and single instances may be read (B-50). Others
//! only ask; the sync-up at boot opens it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Millis;
use crate::metrics::SyncUpMetrics;

/// Whether lists are served.
#[derive(Debug)]
pub struct Gate {
    /// Shared with those who tell other nodes.
    open: Arc<AtomicBool>,
    /// When it opens at the latest.
    latest: AtomicU64,
    metrics: SyncUpMetrics,
}

impl Gate {
    /// A gate that is shut.
    pub fn shut(metrics: SyncUpMetrics, open: Arc<AtomicBool>) -> Self {
        open.store(false, Ordering::Release);
        metrics.accepting_reads.set(0.0);
        Self {
            open,
            latest: AtomicU64::new(0),
            metrics,
        }
    }

    /// Lists may be read from now on.
    pub fn open(&self) {
        self.open.store(true, Ordering::Release);
        self.metrics.accepting_reads.set(1.0);
    }

    /// Whether they may.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Says when it will open whatever happens.
    pub(super) fn opens_by(&self, latest: Millis) {
        self.latest.store(latest, Ordering::Relaxed);
    }

    /// When a reader should try again, at least a second from now: it opens as soon as a peer has answered, mostly
    /// long before the last moment.
    pub fn retry_after(&self, now: Millis) -> Duration {
        const OFTEN: Duration = Duration::from_secs(5);
        let left = self.latest.load(Ordering::Relaxed).saturating_sub(now);
        Duration::from_millis(left).clamp(Duration::from_secs(1), OFTEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;

    #[test]
    fn readers_try_again_soon_and_never_at_once() {
        let gate = Gate::shut(Metrics::new().sync_up, Arc::default());
        assert!(!gate.is_open());
        assert_eq!(gate.retry_after(0).as_secs(), 1);
        gate.opens_by(35_000);
        let seconds = [0, 33_000, 34_500, 40_000].map(|now| gate.retry_after(now).as_millis());
        assert_eq!(seconds, [5000, 2000, 1000, 1000]);
        gate.open();
        assert!(gate.is_open());
    }
}
