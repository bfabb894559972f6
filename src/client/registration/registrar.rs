//! The one task that speaks for the instance: pushes its record, beats, and takes it back.
//!
//! Everything goes out one after the other, so that nothing can follow the DELETE, a 404 brings exactly one
//! registration, and a heartbeat always says what was pushed last (client.md §4, §5, §15).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

use super::bucket::Bucket;
use super::leave::Leave;
use super::own::{Own, RegistrationState};
use super::record::Pushed;
use crate::client::chance::Chance;
use crate::client::error::RequestFailed;
use crate::client::event::Event;
use crate::client::operation::Operation;
use crate::client::pause::Pauses;
use crate::client::servers::Session;
use crate::model::LeaseTerms;

/// The first pause after a failed push or heartbeat.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Farther away than any timer.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// How the registrar works.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegistrarOptions {
    /// How often changes are pushed, when there are many.
    pub(crate) replication_interval: Duration,
    /// Whether a change goes out at once rather than after the interval.
    pub(crate) push_at_once: bool,
    /// Whether to take the registration back at the end.
    pub(crate) unregister: bool,
}

/// The task.
pub(crate) struct Registrar {
    pub(super) own: Arc<Own>,
    pub(super) session: Session,
    pub(super) chance: Arc<Chance>,
    pub(super) options: RegistrarOptions,
    events: broadcast::Sender<Event>,
    bucket: Bucket,
    push_pauses: Pauses,
    beat_pauses: Pauses,
    /// No push before this, after a failed one.
    push_after: Instant,
    /// The next heartbeat, once there was a registration.
    beat_at: Option<Instant>,
    /// The lease that the next heartbeat was planned for.
    planned_for: LeaseTerms,
    /// Whether a server may have the record.
    pub(super) may_be_there: bool,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Push,
    Beat,
}

impl Registrar {
    pub(crate) fn new(
        own: Arc<Own>,
        session: Session,
        chance: Arc<Chance>,
        options: RegistrarOptions,
        events: broadcast::Sender<Event>,
    ) -> Self {
        let longest = options.replication_interval;
        let lease = own.record().lease();
        Self {
            own,
            session,
            chance,
            options,
            events,
            bucket: Bucket::new(options.replication_interval),
            push_pauses: Pauses::new(FIRST_PAUSE, longest),
            beat_pauses: beat_pauses(lease),
            push_after: Instant::now(),
            beat_at: None,
            planned_for: lease,
            may_be_there: false,
        }
    }

    /// Works until it is told to leave, or nobody is left who could tell it.
    pub(crate) async fn run(mut self, mut orders: mpsc::Receiver<Leave>) {
        let own = self.own.clone();
        let leave = loop {
            let (at, due) = self.next();
            tokio::select! {
                biased;
                order = orders.recv() => break order,
                () = own.changed.notified() => continue,
                () = sleep_until(at) => {}
            }
            let work = self.work(due);
            tokio::pin!(work);
            tokio::select! {
                () = &mut work => continue,
                order = orders.recv() => {
                    // What is under way ends first, or it could follow the DELETE.
                    let patience = order.as_ref().map_or(Leave::PATIENCE, |order| order.within) / 2;
                    _ = timeout(patience, &mut work).await;
                    break order;
                }
            }
        };
        self.leave(leave.unwrap_or_default()).await;
    }

    fn next(&mut self) -> (Instant, Due) {
        let now = Instant::now();
        self.plan_anew(now);
        let beat = self.beat_at.unwrap_or(now + NEVER);
        let push = match self.own.record().is_dirty() {
            true => self.bucket.earliest(now).max(self.push_after),
            false => now + NEVER,
        };
        match push <= beat {
            true => (push, Due::Push),
            false => (beat, Due::Beat),
        }
    }

    /// A new lease has a new time for the next heartbeat.
    fn plan_anew(&mut self, now: Instant) {
        let lease = self.own.record().lease();
        if lease != self.planned_for {
            self.planned_for = lease;
            self.beat_pauses = beat_pauses(lease);
            let next = now + self.chance.part_of(interval(lease), 0.9);
            self.beat_at = self.beat_at.map(|at| at.min(next));
        }
    }

    async fn work(&mut self, due: Due) {
        match due {
            Due::Push => _ = self.push().await,
            Due::Beat => self.beat().await,
        }
    }

    /// Registers the instance as it is now.
    pub(super) async fn push(&mut self) -> bool {
        let push = self.own.record().push();
        self.may_be_there = true;
        let operation = Operation::Register {
            app: self.own.record().key().app.to_string(),
            body: push.body,
        };
        let answer = self.session.ask(&operation, self.deadline(), |_| Ok(()));
        match answer.await {
            Ok(((), server)) => {
                self.pushed(push.state, server.as_str());
                true
            }
            Err(error) => {
                self.push_failed(error);
                false
            }
        }
    }

    fn pushed(&mut self, state: Pushed, server: &str) {
        self.own.record().arrived(state);
        self.push_pauses.reset();
        let now = Instant::now();
        // Failed ones have pauses of their own.
        self.bucket.take(now);
        self.push_after = match self.options.push_at_once {
            true => now,
            false => now + self.options.replication_interval,
        };
        if self.beat_at.is_none() {
            // Anywhere in the first interval: those who started together must not beat together.
            let first = self.chance.part_of(interval(self.planned_for), 0.0);
            self.beat_at = Some(now + first);
        }
        self.confirmed();
        let status = state.status;
        tracing::info!(server, %status, "registered");
        self.tell(Event::Registered {
            server: server.to_string(),
            status,
        });
    }

    fn push_failed(&mut self, error: RequestFailed) {
        let pause = self.push_pauses.fail(&self.chance);
        self.push_after = Instant::now() + pause.max(self.session.pool.asks_for());
        tracing::warn!(%error, "the registration failed and will be tried again");
        self.tell(Event::RegistrationFailed(error));
    }

    /// Renews the lease; registers where it is gone.
    async fn beat(&mut self) {
        let (key, pushed) = {
            let record = self.own.record();
            (record.key(), record.pushed())
        };
        let Some(Pushed { status, dirty }) = pushed else {
            self.beat_at = None;
            return;
        };
        let operation = Operation::Heartbeat { key, status, dirty };
        let answer = self
            .session
            .ask(&operation, self.deadline(), |answer| Ok(answer.status));
        let now = || Instant::now();
        let usual = self.chance.part_of(interval(self.planned_for), 0.9);
        match answer.await {
            Ok((404, server)) => {
                self.beat_at = Some(now() + usual);
                self.lost();
                tracing::info!(%server, "the server does not know this instance; registering again");
                self.tell(Event::Unknown {
                    server: server.to_string(),
                });
                self.own.record().stamp(self.own.clock.now().wall);
                self.push().await;
            }
            Ok((_, server)) => {
                self.beat_pauses.reset();
                self.beat_at = Some(now() + usual);
                self.confirmed();
                self.tell(Event::Renewed {
                    server: server.to_string(),
                });
            }
            Err(error) => {
                self.beat_at = Some(now() + self.pause_after_beat());
                tracing::warn!(%error, "the heartbeat failed and will be tried again");
                self.tell(Event::RenewalFailed(error));
            }
        }
    }

    /// How long to wait after a failed heartbeat. Servers may ask for more, but the lease runs meanwhile and must not end
    /// by that.
    fn pause_after_beat(&mut self) -> Duration {
        let patience = Duration::from_secs(self.planned_for.duration_secs.into()) / 4;
        let asked = self.session.pool.asks_for().min(patience);
        self.beat_pauses.fail(&self.chance).max(asked)
    }

    /// No server has the registration, as far as is known.
    fn lost(&self) {
        self.session.figures.unknown();
        self.session.figures.registered(None);
        self.own
            .standing
            .send_modify(|standing| standing.registered = false);
    }

    fn confirmed(&self) {
        let now = self.own.clock.now();
        self.session.figures.registered(Some(now.wall));
        self.own.standing.send_replace(RegistrationState {
            registered: true,
            confirmed: Some(now.mono),
        });
    }

    /// How long one request may take in all: what is left of half the lease after an interval, so that no gap
    /// between confirmations is longer than that half while a server lives.
    fn deadline(&self) -> Duration {
        let half = Duration::from_secs(self.planned_for.duration_secs.into()) / 2;
        let interval = interval(self.planned_for);
        let left = half.saturating_sub(interval).mul_f64(0.9);
        left.clamp(interval.mul_f64(0.4), interval.mul_f64(0.8))
    }

    fn tell(&self, event: Event) {
        // Nobody needs to listen.
        _ = self.events.send(event);
    }

    /// Waits, and keeps the lease meanwhile.
    pub(super) async fn wait_beating(&mut self, until: Instant) {
        while let Some(at) = self.beat_at.filter(|at| *at < until) {
            sleep_until(at).await;
            self.beat().await;
        }
        sleep_until(until).await;
    }
}

/// Short, since the lease runs: 1, 2, 4 and at most 7.5 s where the interval is 30 s.
fn beat_pauses(lease: LeaseTerms) -> Pauses {
    Pauses::new(FIRST_PAUSE, interval(lease) / 4)
}

fn interval(lease: LeaseTerms) -> Duration {
    Duration::from_secs(lease.renewal_interval_secs.into())
}
