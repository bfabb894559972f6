//! A door to an actor for requests: bounded, counted, and clear about why it is shut.
//!
//! Events between actors are coalesced by their receivers and go by `do_send`; a request from outside
//! must never pile up. When [`LIMIT`] requests wait, the next is turned away at once (503 further up).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix::dev::ToEnvelope;
use actix::{Actor, Addr, Handler, Message};

/// Requests that may wait for one actor.
pub const LIMIT: usize = 4096;

/// Why an actor did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Shut {
    /// Too many requests wait already; try again.
    #[error("too many requests are waiting")]
    Full,
    /// The actor is gone; the node is about to end.
    #[error("the actor is gone")]
    Gone,
}

/// The way for requests to one actor.
pub struct Door<A: Actor> {
    addr: Addr<A>,
    waiting: Arc<AtomicUsize>,
}

impl<A: Actor> Clone for Door<A> {
    fn clone(&self) -> Self {
        Self {
            addr: self.addr.clone(),
            waiting: self.waiting.clone(),
        }
    }
}

impl<A: Actor> Door<A> {
    /// A door to `addr`.
    pub fn new(addr: Addr<A>) -> Self {
        Self {
            addr,
            waiting: Arc::default(),
        }
    }

    /// The actor itself, for events and for watching it.
    pub fn addr(&self) -> &Addr<A> {
        &self.addr
    }

    /// Requests that wait for an answer now.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Sends a message and waits for its answer.
    pub async fn ask<M>(&self, message: M) -> Result<M::Result, Shut>
    where
        A: Handler<M>,
        A::Context: ToEnvelope<A, M>,
        M: Message + Send + 'static,
        M::Result: Send,
    {
        let _place = Place::take(&self.waiting).ok_or(Shut::Full)?;
        // Places are taken before sending, so the mailbox itself never fills up.
        self.addr.send(message).await.map_err(|_| Shut::Gone)
    }
}

/// One of the places in front of the door; given back also when a request is dropped half-way.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(waiting: &Arc<AtomicUsize>) -> Option<Self> {
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        let place = Self(waiting.clone());
        (before < LIMIT).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use actix::Context;

    use super::*;

    struct Echo;
    impl Actor for Echo {
        type Context = Context<Self>;
    }

    #[derive(Message)]
    #[rtype(result = "u8")]
    struct Say(u8);
    impl Handler<Say> for Echo {
        type Result = u8;
        fn handle(&mut self, say: Say, _ctx: &mut Self::Context) -> u8 {
            assert!(say.0 < 100, "this one ends the actor");
            say.0
        }
    }

    #[actix::test]
    async fn a_request_is_answered_and_its_place_given_back() {
        let door = Door::new(Echo.start());
        assert_eq!(door.ask(Say(7)).await, Ok(7));
        drop(door.ask(Say(8)));
        assert_eq!(door.waiting(), 0);
    }

    #[actix::test]
    async fn one_too_many_is_turned_away_at_once_and_later_ones_are_let_in() {
        let door = Door::new(Echo.start());
        let places: Vec<_> = (0..LIMIT).map(|_| Place::take(&door.waiting)).collect();
        assert!(places.iter().all(Option::is_some));
        assert_eq!(door.ask(Say(1)).await, Err(Shut::Full));
        drop(places);
        assert_eq!(door.ask(Say(2)).await, Ok(2));
    }

    #[actix::test]
    async fn an_actor_that_died_is_gone() {
        let door = Door::new(Echo.start());
        assert_eq!(door.ask(Say(100)).await, Err(Shut::Gone));
        assert_eq!(door.ask(Say(1)).await, Err(Shut::Gone));
    }
}
