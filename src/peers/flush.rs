//! Flush: everything that waits goes out before the node ends (B-44). A peer that was away is tried once more, since it may
//! have come back in the pause, and given up at once if it is not there.

use actix::{Context, Handler, Message, ResponseFuture};
use tokio::sync::oneshot;

use super::link::Phase;
use super::replicator::Replicator;

/// Asks that everything that waits be delivered; answered when it is, or when nobody is there to take it. How long
/// that may last is for the sender to say.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Flush;

impl Handler<Flush> for Replicator {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Flush, ctx: &mut Context<Self>) -> Self::Result {
        let (done, wait) = oneshot::channel();
        self.flushes.push(done);
        self.beats.make_due();
        if self.queue.changes() > 0 && !std::mem::replace(&mut self.last_chance, true) {
            self.link.end_pause(self.parts.clock.now().mono);
        }
        self.pump(ctx);
        // A replicator that ends delivers nothing more either.
        Box::pin(async { wait.await.unwrap_or(()) })
    }
}

impl Replicator {
    /// Answers those who wait for everything to be delivered, if it is or cannot be.
    pub(super) fn answer_flushes(&mut self) {
        if self.flushes.is_empty() {
            return;
        }
        // Renewals that are lost cost nothing: there are others, at other nodes.
        let delivered = self.queue.changes() == 0;
        let given_up = matches!(self.link.phase(), Phase::Waiting(_));
        if delivered || given_up {
            for done in self.flushes.drain(..) {
                // Whoever asked may have gone.
                let _ = done.send(());
            }
        }
    }
}
