//! A request on its way through the servers, and staying with the one that answered (client.md §11.1, §11.2).
//!
//! Each server is tried at most once per request, and all of it ends within a deadline that is shared out: a server
//! that says nothing cannot use up the time of those behind it. The server that answered is kept for a while, of
//! which half is chance; then the order counts again, and whoever was sent away goes back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument;

use super::attempt::{Asker, Attempt};
use super::pool::Pool;
use crate::client::backend::Response;
use crate::client::chance::Chance;
use crate::client::error::RequestFailed;
use crate::client::figures::{Figures, Outcome};
use crate::client::operation::Operation;
use crate::model::NodeUrl;

/// One use of the servers: registration, or discovery. Each stays with a server of its own.
pub(crate) struct Session {
    pub(crate) pool: Arc<Pool>,
    pub(crate) asker: Asker,
    pub(crate) chance: Arc<Chance>,
    pub(crate) figures: Figures,
    /// The longest time that one server may take for a short answer.
    pub(crate) per_server: Duration,
    /// How long to stay with a server, on average.
    pub(crate) life: Duration,
    pub(crate) pin: Mutex<Option<Pin>>,
}

/// The server that answered last.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    server: NodeUrl,
    until: Instant,
}

impl Session {
    /// Asks one server after the other until one gives an answer that `read` can use; a server whose answer cannot
    /// be read counts as sick. Returns what was read, and who answered.
    pub(crate) async fn ask<T>(
        &self,
        operation: &Operation,
        within: Duration,
        read: impl Fn(&Response) -> Result<T, String>,
    ) -> Result<(T, NodeUrl), RequestFailed> {
        let ends = Instant::now() + within;
        let mut tried = Vec::new();
        let mut failed = None;
        let mut refused = None;
        let pinned = self.pinned();
        while let Some(server) = self.pool.next(pinned.as_ref(), &tried) {
            let left = ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let patience = self.patience(operation, left, self.pool.left(&tried));
            tried.push(server.clone());
            let attempt = self.attempt(&server, operation, patience).await;
            match and_read(attempt, &read) {
                Ok(answer) => {
                    self.stay_with(&server);
                    self.count_servers();
                    return Ok((answer, server));
                }
                Err(attempt) => self.leave(&server, attempt, &mut refused, &mut failed),
            }
        }
        self.count_servers();
        // Who says why is of more use than who says nothing.
        Err(refused.or(failed).unwrap_or(RequestFailed::NoServers))
    }

    async fn attempt(
        &self,
        server: &NodeUrl,
        operation: &Operation,
        patience: Duration,
    ) -> Attempt {
        let began = Instant::now();
        let span = tracing::debug_span!("eureka", operation = operation.name(), %server);
        let attempt = self.asker.attempt(server, operation, patience);
        let attempt = attempt.instrument(span).await;
        let outcome = match &attempt {
            Attempt::Answered(_) => Outcome::Answered,
            Attempt::Refused { .. } => Outcome::Refused,
            Attempt::Failed { .. } => Outcome::Failed,
        };
        self.figures.tried(operation, outcome, began.elapsed());
        attempt
    }

    /// A fair share of the time that is left. Lists may be long: only their share bounds them.
    fn patience(&self, operation: &Operation, left: Duration, servers: usize) -> Duration {
        let share = left / u32::try_from(servers.max(1)).unwrap_or(u32::MAX);
        match operation.is_short() {
            true => share.min(self.per_server),
            false => share,
        }
    }

    fn count_servers(&self) {
        let (all, avoided) = self.pool.counts();
        self.figures.servers(all, avoided);
    }

    fn pin(&self) -> MutexGuard<'_, Option<Pin>> {
        self.pin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server to stay with, until its time is over.
    pub(crate) fn pinned(&self) -> Option<NodeUrl> {
        let mut pin = self.pin();
        if pin.as_ref().is_some_and(|pin| pin.until <= Instant::now()) {
            *pin = None;
        }
        pin.as_ref().map(|pin| pin.server.clone())
    }

    fn stay_with(&self, server: &NodeUrl) {
        self.pool.well(server);
        let mut pin = self.pin();
        if pin.as_ref().is_none_or(|pin| pin.server != *server) {
            tracing::debug!(%server, "staying with this server");
            // From half of it to one and a half of it.
            let life = self
                .chance
                .part_of(self.life.saturating_mul(3) / 2, 1.0 / 3.0);
            *pin = Some(Pin {
                server: server.clone(),
                until: Instant::now() + life,
            });
        }
    }

    fn leave(
        &self,
        server: &NodeUrl,
        attempt: Attempt,
        refused: &mut Option<RequestFailed>,
        failed: &mut Option<RequestFailed>,
    ) {
        let name = server.to_string();
        match attempt {
            Attempt::Answered(_) => {}
            Attempt::Refused { status, text } => {
                *refused = Some(RequestFailed::Refused {
                    server: name,
                    status,
                    text,
                });
            }
            Attempt::Failed { why, asked } => {
                self.pool.failed(server, asked);
                self.pin().take_if(|pin| pin.server == *server);
                *failed = Some(RequestFailed::Unanswered { server: name, why });
            }
        }
    }
}

fn and_read<T>(
    attempt: Attempt,
    read: impl Fn(&Response) -> Result<T, String>,
) -> Result<T, Attempt> {
    match attempt {
        Attempt::Answered(answer) => read(&answer).map_err(|why| Attempt::Failed {
            why: format!("the answer cannot be read: {why}"),
            asked: None,
        }),
        other => Err(other),
    }
}
