//! The end of a client: its tasks end first, then the registrar, whose DELETE is the last that is said.
//!
//! Whoever waits for it may give up at any point, and the next one goes on from there: what was begun is kept here until it
//! is done.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::registration::Leave;

/// How far a client is with its end.
pub(super) struct Ending {
    /// What ends before the registration is taken back.
    helpers: Vec<JoinHandle<()>>,
    /// The way to the registrar, until it is told to leave.
    way: Option<mpsc::Sender<Leave>>,
    /// Told when the registrar has left, which it does before that moment.
    leaving: Option<(oneshot::Receiver<()>, Instant)>,
    is_over: bool,
}

impl Ending {
    pub(super) fn new(helpers: Vec<JoinHandle<()>>, way: Option<mpsc::Sender<Leave>>) -> Self {
        Self {
            helpers,
            way,
            leaving: None,
            is_over: false,
        }
    }

    /// Begins or goes on; returns whether it came to its end only now.
    pub(super) async fn finish(&mut self, drain: Duration, within: Duration) -> bool {
        self.end_helpers().await;
        if let Some(way) = self.way.take() {
            self.tell_to_leave(&way, drain, within);
        }
        if let Some((told, ends)) = &mut self.leaving {
            // The registrar keeps to its time; this is for a runtime that does not let it.
            _ = timeout_at(*ends, told).await;
        }
        self.leaving = None;
        !std::mem::replace(&mut self.is_over, true)
    }

    async fn end_helpers(&mut self) {
        self.abort();
        while let Some(helper) = self.helpers.last_mut() {
            // Until it is gone it may still ask something.
            _ = helper.await;
            self.helpers.pop();
        }
    }

    /// Without a wait, so that the order is either on its way or not given at all.
    fn tell_to_leave(&mut self, way: &mpsc::Sender<Leave>, drain: Duration, within: Duration) {
        let (done, told) = oneshot::channel();
        let order = Leave {
            drain,
            within,
            done: Some(done),
        };
        match way.try_send(order) {
            Ok(()) => self.leaving = Some((told, Instant::now() + drain + within)),
            Err(_) => tracing::error!(
                "the task that keeps the registration is gone; the lease will run out"
            ),
        }
    }

    /// Ends everything but the registrar, without waiting for it.
    pub(super) fn abort(&self) {
        self.helpers.iter().for_each(JoinHandle::abort);
    }

    /// Whether there is a registration that nobody took back yet.
    pub(super) fn is_registering(&self) -> bool {
        self.way.is_some()
    }
}
