//! One call from one node to another and back.

use std::future::pending;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::world::{Lot, Spot, World};
use super::{Arrived, Patience, Service, java};
use crate::transport::{Answer, CallFailed};

/// Who asks whom.
#[derive(Clone)]
pub(super) struct Trip {
    pub(super) world: World,
    pub(super) from: Spot,
    /// Which start of the caller asks.
    pub(super) start: u64,
    pub(super) to: Spot,
    pub(super) patience: Patience,
}

impl Trip {
    /// The whole of it, from the caller's side.
    pub(super) async fn call(self, mut arrived: Arrived) -> Result<Answer, CallFailed> {
        self.leave().await;
        if let Err(why) = self.connect().await {
            self.world.book(|book| book.unreached(&self.from, &self.to));
            return Err(why);
        }
        if self.world.is_java(&self.from) {
            arrived.sign = None;
        }
        let number = self
            .world
            .book(|book| book.sent(&self.from, &self.to, &arrived));
        let read = self.patience.read;
        let exchange = timeout(read, self.exchange(arrived)).await;
        let answer = exchange.unwrap_or(Err(CallFailed::TimedOut(read)));
        let answer = answer.and_then(|answer| self.read(answer));
        match &answer {
            Ok(answer) => self
                .world
                .book(|book| book.answered(number, answer.status, &answer.body)),
            // What is still on the way finds no connection any more.
            Err(_) => self.world.connect(&self.pair(), false),
        }
        answer
    }

    fn pair(&self) -> (Spot, Spot) {
        (self.from.clone(), self.to.clone())
    }

    fn back(&self) -> (Spot, Spot) {
        (self.to.clone(), self.from.clone())
    }

    /// A paused caller asks when it goes on, a dead one never.
    async fn leave(&self) {
        self.world
            .wait_while(|world| world.is_paused(&self.from))
            .await;
        if self.is_caller_dead() {
            pending::<()>().await;
        }
    }

    fn is_caller_dead(&self) -> bool {
        self.world.start_of(&self.from) != self.start
    }

    fn is_cut(&self) -> bool {
        self.world.faults(&self.from, &self.to).cut
    }

    async fn connect(&self) -> Result<(), CallFailed> {
        if self.world.is_connected(&self.pair()) {
            return Ok(());
        }
        let there = self.world.faults(&self.from, &self.to);
        let back = self.world.faults(&self.to, &self.from);
        let round = there.delay + back.delay;
        let limit = self.patience.connect;
        // A second try of TCP would come when the time is over.
        if there.cut || back.cut || round > limit {
            sleep(limit).await;
            let why = format!("no connection to {} within {limit:?}", self.to);
            return Err(CallFailed::Unreachable(why));
        }
        pass(round).await;
        if self.world.service(&self.to).is_none() {
            let why = format!("{} refuses connections", self.to);
            return Err(CallFailed::Unreachable(why));
        }
        self.world.connect(&self.pair(), true);
        Ok(())
    }

    async fn exchange(&self, arrived: Arrived) -> Result<Answer, CallFailed> {
        let lot = self.world.lot(&self.pair());
        if let Some(at) = lot.again {
            let (trip, arrived) = (self.clone(), arrived.clone());
            tokio::task::spawn_local(async move {
                sleep_until(at).await;
                // Nobody waits for this answer.
                _ = trip.carry_out(arrived).await;
            });
        }
        if lot.lost {
            return pending().await;
        }
        let answer_lost = lot.answer_lost;
        let answer = match lot.outlive {
            None => self.deliver(lot, arrived).await?,
            Some(_) => {
                let trip = self.clone();
                let delivered =
                    tokio::task::spawn_local(async move { trip.deliver(lot, arrived).await });
                delivered.await.unwrap_or_else(|error| Err(broken(error)))?
            }
        };
        if answer_lost {
            return pending().await;
        }
        self.come_back().await;
        Ok(answer)
    }

    /// Goes there, and is carried out.
    async fn deliver(&self, lot: Lot, arrived: Arrived) -> Result<Answer, CallFailed> {
        until(lot.arrives).await;
        if self.is_cut() {
            self.world.wait_while(|_| self.is_cut()).await;
            pass(lot.outlive.unwrap_or_default()).await;
        }
        if self.is_caller_dead() && lot.outlive.is_none() {
            return pending().await;
        }
        self.carry_out(arrived).await
    }

    /// What the node there makes of it. That goes on if the caller gives up.
    async fn carry_out(&self, mut arrived: Arrived) -> Result<Answer, CallFailed> {
        let Some((service, start)) = self.world.service(&self.to) else {
            return Err(broken("reset by the other side"));
        };
        if self.world.is_java(&self.to) {
            arrived.sign = None;
            if let Some((status, why)) = java::refuses(&arrived) {
                // Whoever asks for what Java has not may do so; whoever sends it may not.
                if status != 404 {
                    self.world
                        .refused(format!("{} -> {}: {why}", self.from, self.to));
                }
                return Ok(java::bare(status));
            }
        }
        let handled = tokio::task::spawn_local(self.clone().answer(service, start, arrived));
        tokio::select! {
            answer = handled => answer.unwrap_or_else(|error| Err(broken(error))),
            () = self.world.wait_while(|world| world.start_of(&self.to) == start) => {
                Err(broken("the other side is gone"))
            }
        }
    }

    async fn answer(
        self,
        service: Service,
        start: u64,
        arrived: Arrived,
    ) -> Result<Answer, CallFailed> {
        self.world
            .wait_while(|world| world.is_paused(&self.to))
            .await;
        if self.world.start_of(&self.to) != start {
            return Err(broken("the other side is gone"));
        }
        let mut answer = service(arrived).await;
        if self.world.is_java(&self.to) {
            answer.sign = None;
        }
        Ok(answer)
    }

    async fn come_back(&self) {
        until(self.world.arrival(&self.back())).await;
        let stuck =
            |world: &World| world.faults(&self.to, &self.from).cut || world.is_paused(&self.from);
        self.world.wait_while(stuck).await;
        if self.is_caller_dead() {
            pending::<()>().await;
        }
    }

    /// A Java caller throws away an answer that has more in it than Java's.
    fn read(&self, mut answer: Answer) -> Result<Answer, CallFailed> {
        if !self.world.is_java(&self.from) {
            return Ok(answer);
        }
        answer.sign = None;
        let is_batch = answer.body.starts_with(b"{\"responseList\"");
        match is_batch.then(|| java::cannot_read(&answer)).flatten() {
            None => Ok(answer),
            Some(why) => {
                self.world
                    .refused(format!("{} <- {}: {why}", self.from, self.to));
                Err(CallFailed::Broken(why))
            }
        }
    }
}

fn broken(why: impl ToString) -> CallFailed {
    CallFailed::Broken(why.to_string())
}

/// Sleeps, but not for nothing.
async fn pass(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

async fn until(at: Instant) {
    if at > Instant::now() {
        sleep_until(at).await;
    }
}
