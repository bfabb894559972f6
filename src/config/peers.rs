//! Who the other nodes are, and how they are told and asked.

use std::time::Duration;

use super::Mode;

/// Knobs of peers and replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeersConfig {
    /// How long a connection to a peer may take to come about; default 1 s.
    pub connect_timeout: Duration,
    /// How long a peer may take to answer; default 5 s.
    pub read_timeout: Duration,
    /// Batches on their way to one peer at once; default 20.
    pub max_batches: usize,
    /// Cancellations that wait for one peer, of instances that are gone; default 10 000. All else that waits is
    /// bounded by the number of instances.
    pub max_cancels: usize,
    /// Passes of the copying at the start in classic mode (`registry-sync-retries`).
    pub sync_retries: u32,
    /// Pause between two of them.
    pub sync_retry_wait: Duration,
    /// Whether the node registers itself; default true where there are peers.
    pub register: Option<bool>,
    /// How long lists are refused after the start if no peer had anything; default 35 s, in classic mode 5 min.
    pub wait_when_empty: Duration,
}

impl PeersConfig {
    /// The values of a mode.
    pub fn of(mode: Mode) -> Self {
        Self {
            connect_timeout: Duration::from_secs(1),
            read_timeout: Duration::from_secs(5),
            max_batches: 20,
            max_cancels: 10_000,
            sync_retries: 5,
            sync_retry_wait: Duration::from_secs(30),
            register: None,
            wait_when_empty: match mode {
                Mode::Modern => Duration::from_secs(35),
                Mode::Classic => Duration::from_secs(300),
            },
        }
    }
}
