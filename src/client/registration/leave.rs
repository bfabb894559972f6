//! Leaving: the last thing that is said for an instance (client.md §15).
//!
//! With time to drain, readers first see it DOWN and have that time to look elsewhere, while the lease is kept. Then
//! one DELETE, where it can be delivered in time, and nothing after it. DOWN, and not OUT_OF_SERVICE, because Java
//! servers would hold on to that when the instance comes back.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::registrar::Registrar;
use crate::client::operation::Operation;
use crate::model::InstanceStatus;

/// The order to leave.
#[derive(Debug)]
pub(crate) struct Leave {
    /// How long to be DOWN before.
    pub(crate) drain: Duration,
    /// How long everything else may take.
    pub(crate) within: Duration,
    /// Told when it is done.
    pub(crate) done: Option<oneshot::Sender<()>>,
}

impl Leave {
    /// The usual time for leaving.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
}

/// When the client was dropped: as well as it goes, in the background.
impl Default for Leave {
    fn default() -> Self {
        Self {
            drain: Duration::ZERO,
            within: Self::PATIENCE,
            done: None,
        }
    }
}

impl Registrar {
    pub(super) async fn leave(mut self, order: Leave) {
        if self.may_be_there && self.options.unregister {
            if !order.drain.is_zero() {
                self.drain(order.drain).await;
            }
            self.cancel(order.within / 2).await;
        }
        self.session.figures.registered(None);
        self.own.standing.send_replace(Default::default());
        if let Some(done) = order.done {
            // Whoever waited may have given up.
            _ = done.send(());
        }
    }

    async fn drain(&mut self, time: Duration) {
        let until = Instant::now() + time;
        self.own.change(|info| info.status = InstanceStatus::Down);
        // A push that fails costs the drain nothing, and no heartbeat makes it longer: what has no answer by then is
        // dropped, which ends its connection.
        _ = tokio::time::timeout_at(until, async {
            self.push().await;
            self.wait_beating(until).await;
        })
        .await;
    }

    /// The server that holds the lease comes first: the session stays with it.
    async fn cancel(&mut self, within: Duration) {
        let key = self.own.record().key();
        let cancel = Operation::Cancel { key };
        match self.session.ask(&cancel, within, |_| Ok(())).await {
            Ok(((), server)) => tracing::info!(%server, "deregistered"),
            Err(error) => tracing::warn!(%error, "not deregistered; the lease will run out"),
        }
    }
}
