//! The actor around the last events.

use actix::{Actor, Context, Handler, MessageResult};

use super::ring::Ring;
use super::{Entry, FindEntries};
use crate::clock::Clock;
use crate::registry::{LeaseEvent, RegistryEvent};

/// Keeps what the registry told last.
pub struct Journal {
    ring: Ring,
    clock: Clock,
}

impl Journal {
    /// An empty one for so many events.
    pub fn new(size: usize, clock: Clock) -> Self {
        let ring = Ring::new(size);
        Self { ring, clock }
    }
}

impl Actor for Journal {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(crate::mailbox::LIMIT);
    }
}

impl Handler<RegistryEvent> for Journal {
    type Result = ();

    fn handle(&mut self, event: RegistryEvent, _ctx: &mut Context<Self>) {
        self.ring.push(Entry::of(event, self.clock.now()));
    }
}

impl Handler<LeaseEvent> for Journal {
    type Result = ();

    fn handle(&mut self, event: LeaseEvent, _ctx: &mut Context<Self>) {
        Entry::of_leases(event).for_each(|entry| self.ring.push(entry));
    }
}

impl Handler<FindEntries> for Journal {
    type Result = MessageResult<FindEntries>;

    fn handle(&mut self, asked: FindEntries, _ctx: &mut Context<Self>) -> Self::Result {
        MessageResult(self.ring.find(&asked))
    }
}
