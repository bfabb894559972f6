//! Looking servers up again and again, so that those who come and go are noticed (client.md §10.4).
//!
//! The list in use stays while names cannot be looked up, and so does its order while it has the same servers in it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::pool::Pool;
use super::sources::Sources;
use crate::client::backend::Backend;
use crate::client::chance::Chance;
use crate::client::pause::Pauses;

/// How long one look-up of everything may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The first pause after a failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The task.
pub(crate) struct Resolver {
    pub(crate) sources: Sources,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) chance: Arc<Chance>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) every: Duration,
}

impl Resolver {
    /// Looks up now, and then again and again.
    pub(crate) async fn run(self) {
        let mut pauses = Pauses::new(FIRST_PAUSE, self.every);
        loop {
            let pause = match self.look_up().await {
                Ok(()) => {
                    pauses.reset();
                    self.chance.part_of(self.every, 0.9)
                }
                Err(error) => {
                    tracing::warn!(%error, "the servers were not looked up; the list stays as it is");
                    pauses.fail(&self.chance)
                }
            };
            sleep(pause).await;
        }
    }

    async fn look_up(&self) -> Result<(), String> {
        let found = self.sources.find(self.backend.as_ref(), &self.chance);
        let found = match timeout(PATIENCE, found).await {
            Ok(found) => found.map_err(|error| error.to_string())?,
            Err(_) => return Err(format!("nothing was found out within {PATIENCE:?}")),
        };
        if found.is_empty() {
            return Err("there is no server in it".to_string());
        }
        let before = self.pool.order();
        let is_same = found.iter().collect::<BTreeSet<_>>() == before.iter().collect();
        if !is_same {
            tracing::info!(?before, now = ?found, "the list of servers changed");
            self.pool.replace(found);
        }
        Ok(())
    }
}
