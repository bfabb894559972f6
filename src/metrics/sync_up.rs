//! Handles of the copy that a node takes of its peers when it starts.

use ::metrics::{Counter, Gauge, counter, gauge};

use super::{ACCEPTING_READS, SYNC_UP_INSTANCES, SYNC_UP_PEERS, SYNC_UP_SECONDS};

/// What a peer was found to be when the node started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// It had everything, and was copied.
    Copied,
    /// It is starting itself, or has nothing and cannot tell whether that is all.
    Empty,
    /// It was not reached, or refused.
    Unreachable,
}

impl SourceKind {
    const ALL: [Self; 3] = [Self::Copied, Self::Empty, Self::Unreachable];

    /// The word used as a label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Copied => "copied",
            Self::Empty => "empty",
            Self::Unreachable => "unreachable",
        }
    }
}

/// Handles of the sync-up.
#[derive(Clone, Debug)]
pub struct SyncUpMetrics {
    /// 1 while lists are served.
    pub accepting_reads: Gauge,
    /// Seconds from the start until lists were served.
    pub seconds: Gauge,
    /// Instances copied from peers.
    pub instances: Counter,
    peers: [Gauge; 3],
}

impl SyncUpMetrics {
    pub(super) fn new() -> Self {
        Self {
            accepting_reads: gauge!(ACCEPTING_READS),
            seconds: gauge!(SYNC_UP_SECONDS),
            instances: counter!(SYNC_UP_INSTANCES),
            peers: SourceKind::ALL.map(|kind| gauge!(SYNC_UP_PEERS, "result" => kind.as_str())),
        }
    }

    /// What the peers were found to be.
    pub fn found(&self, peers: &[SourceKind]) {
        for (kind, gauge) in SourceKind::ALL.into_iter().zip(&self.peers) {
            gauge.set(peers.iter().filter(|found| **found == kind).count() as f64);
        }
    }
}
