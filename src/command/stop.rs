//! When to leave: SIGTERM and Ctrl-C.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Both signals, caught from the moment this is made.
pub(super) struct StopSignals(Option<(Signal, Signal)>);

impl StopSignals {
    pub(super) fn catch() -> Self {
        let term = signal(SignalKind::terminate());
        let interrupt = signal(SignalKind::interrupt());
        let both = term.and_then(|term| Ok((term, interrupt?)));
        if let Err(error) = &both {
            tracing::error!(%error, "signals cannot be caught here; the node can only be killed");
        }
        Self(both.ok())
    }

    /// Waits for one of them.
    pub(super) async fn wait(self) {
        let Some((mut term, mut interrupt)) = self.0 else {
            return std::future::pending().await;
        };
        let name = tokio::select! {
            _ = term.recv() => "SIGTERM",
            _ = interrupt.recv() => "Ctrl-C",
        };
        tracing::info!("{name}: finishing open requests");
    }
}
