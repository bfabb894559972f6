//! A door to an actor for requests: bounded, counted, and clear about why it is shut.
//!
//! Events between actors are coalesced by their receivers and go by `do_send`; a request from outside
//! must never pile up. When [`LIMIT`] requests wait, the next is turned away at once (503 further up). How
//! long a request takes is measured of one in [`SAMPLED`].

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix::dev::ToEnvelope;
use actix::{Actor, Addr, Handler, Message};
use metrics::Histogram;
use tokio::time::Instant;

/// Requests that may wait for one actor.
pub const LIMIT: usize = 4096;
/// Of so many requests one is timed, the first of them.
pub const SAMPLED: usize = 16;

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
    asked: Arc<AtomicUsize>,
    seconds: Histogram,
}

impl<A: Actor> Clone for Door<A> {
    fn clone(&self) -> Self {
        Self {
            addr: self.addr.clone(),
            waiting: self.waiting.clone(),
            asked: self.asked.clone(),
            seconds: self.seconds.clone(),
        }
    }
}

impl<A: Actor> Door<A> {
    /// A door to `addr`; `seconds` takes how long it is from a request to its reply.
    pub fn new(addr: Addr<A>, seconds: Histogram) -> Self {
        Self {
            addr,
            waiting: Arc::default(),
            asked: Arc::default(),
            seconds,
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
        let is_timed = self
            .asked
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(SAMPLED);
        let sent = is_timed.then(Instant::now);
        // Places are taken before sending, so the mailbox itself never fills up.
        let reply = self.addr.send(message).await.map_err(|_| Shut::Gone)?;
        if let Some(sent) = sent {
            self.seconds.record(sent.elapsed());
        }
        Ok(reply)
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
        let door = Door::new(Echo.start(), Histogram::noop());
        assert_eq!(door.ask(Say(7)).await, Ok(7));
        drop(door.ask(Say(8)));
        assert_eq!(door.waiting(), 0);
    }

    #[actix::test]
    async fn the_first_of_every_sixteen_is_timed_whatever_clone_of_the_door_it_went_through() {
        let metrics = crate::metrics::Metrics::new();
        let door = Door::new(Echo.start(), metrics.actors.message_seconds("echo"));
        let other = door.clone();
        for _ in 0..SAMPLED {
            assert_eq!(door.ask(Say(1)).await, Ok(1));
            assert_eq!(other.ask(Say(1)).await, Ok(1));
        }
        let line = "eureka_actor_message_seconds_count{actor=\"echo\"} 2";
        let page = metrics.render(&[]);
        assert!(page.contains(line), "{page}");
    }

    #[actix::test]
    async fn one_too_many_is_turned_away_at_once_and_later_ones_are_let_in() {
        let door = Door::new(Echo.start(), Histogram::noop());
        let places: Vec<_> = (0..LIMIT).map(|_| Place::take(&door.waiting)).collect();
        assert!(places.iter().all(Option::is_some));
        assert_eq!(door.ask(Say(1)).await, Err(Shut::Full));
        drop(places);
        assert_eq!(door.ask(Say(2)).await, Ok(2));
    }

    #[actix::test]
    async fn an_actor_that_died_is_gone() {
        let door = Door::new(Echo.start(), Histogram::noop());
        assert_eq!(door.ask(Say(100)).await, Err(Shut::Gone));
        assert_eq!(door.ask(Say(1)).await, Err(Shut::Gone));
    }
}
