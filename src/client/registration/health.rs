//! Asking the program how it is, at its own pace, so that a slow answer holds up no heartbeat (client.md §13).
//!
//! What it says counts only if the status has not changed since it was asked. A check that panics or says nothing in
//! time means DOWN.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, timeout};

use super::own::Own;
use crate::client::apart::apart;
use crate::client::backend::Pending;
use crate::model::InstanceStatus;

/// Says how the instance is. Implemented for functions.
pub trait HealthCheck: Send + Sync + 'static {
    /// The status that the instance should have; `None` leaves it as it is. `current` is the one it has.
    fn check(&self, current: InstanceStatus) -> Pending<Option<InstanceStatus>>;
}

impl<F, R> HealthCheck for F
where
    F: Fn(InstanceStatus) -> R + Send + Sync + 'static,
    R: Future<Output = Option<InstanceStatus>> + Send + 'static,
{
    fn check(&self, current: InstanceStatus) -> Pending<Option<InstanceStatus>> {
        Box::pin(self(current))
    }
}

/// Asks now, and then once per `every`, for ever.
pub(crate) async fn keep_asking(own: Arc<Own>, health: Arc<dyn HealthCheck>, every: Duration) {
    let mut ticks = interval(every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let current = own.status();
        let health = health.clone();
        // Already the call may panic, not only what it returns.
        let asked = apart(async move { health.check(current).await });
        let found = match timeout(every, asked).await {
            Ok(Some(found)) => found,
            Ok(None) | Err(_) => Some(InstanceStatus::Down),
        };
        if let Some(status) = found
            && own.replace_status(current, status)
        {
            tracing::info!(from = %current, to = %status, "the health check changed the status");
        }
    }
}
