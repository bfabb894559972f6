//! The sweep: at its time it asks what is overdue, asks for a permit, and has leases removed or held.
//!
//! By itself it runs once a second as long as a lease has ended, or might have; with a fixed pause as the
//! reference, which adds what a sweep was late to every lease (server.md §7). Leases go in slices, so that
//! thousands that end together delay nobody's heartbeat (I9).

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorFutureExt, Addr, AsyncContext, Context, MailboxError, WrapFuture};
use rand::Rng;
use rand::seq::SliceRandom;

use crate::clock::{Clock, Millis, Moment};
use crate::config::{EvictionConfig, Sweep};
use crate::preservation::{AskPermit, Judgement, Permit, Preservation, Verdict};
use crate::registry::{EvictExpired, HoldLeases, Judged, Published, Registry, TakeOverdue};

/// Sweeps that look for ended leases are at least this far apart.
const SECOND: Duration = Duration::from_secs(1);
/// Leases removed per message.
const SLICE: usize = 250;
/// Without a lease that might have ended, a sweep only refreshes figures, this many seconds apart.
const QUIET_SECONDS: u32 = 10;

/// Those whom a sweep has to do with.
#[derive(Clone)]
#[expect(missing_docs, reason = "named after their types")]
pub struct EvictionParts {
    pub clock: Clock,
    pub published: Arc<Published>,
    pub registry: Addr<Registry>,
    pub preservation: Addr<Preservation>,
}

/// The timer of the sweep.
pub struct Eviction {
    config: EvictionConfig,
    parts: EvictionParts,
    last_run: Option<Millis>,
    last_verdict: Option<(Millis, Verdict)>,
    skipped: u32,
}

impl Eviction {
    /// A sweep that begins one pause from now.
    pub fn new(config: EvictionConfig, parts: EvictionParts) -> Self {
        Self {
            config,
            parts,
            last_run: None,
            last_verdict: None,
            skipped: 0,
        }
    }

    fn schedule(&mut self, ctx: &mut Context<Self>) {
        let pause = match self.config.sweep {
            Sweep::WhenDue => SECOND,
            Sweep::Every(pause) => pause,
        };
        ctx.run_later(pause, Self::tick);
    }

    fn tick(&mut self, ctx: &mut Context<Self>) {
        let now = self.parts.clock.now().mono;
        let grace = match self.config.sweep {
            Sweep::WhenDue
                if self.parts.published.next_due() >= now && self.skipped < QUIET_SECONDS =>
            {
                self.skipped += 1;
                return self.schedule(ctx);
            }
            Sweep::WhenDue => 0,
            Sweep::Every(pause) => compensation(self.last_run, now, pause),
        };
        self.skipped = 0;
        self.last_run = Some(now);
        let held_before = held_before(self.last_verdict, now);
        let take = TakeOverdue { grace, held_before };
        let done = sweep(self.parts.clone(), take).into_actor(self);
        ctx.spawn(done.map(move |result, eviction, ctx| {
            match result {
                Ok(verdict) => eviction.last_verdict = Some((now, verdict)),
                // Registry or preservation is gone, and with it the node.
                Err(error) => tracing::error!(%error, "sweep"),
            }
            eviction.schedule(ctx);
        }));
    }
}

impl Actor for Eviction {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.schedule(ctx);
    }
}

/// One sweep from question to removal.
async fn sweep(parts: EvictionParts, take: TakeOverdue) -> Result<Verdict, MailboxError> {
    let EvictionParts {
        registry,
        preservation,
        clock,
        ..
    } = parts;
    let overdue = registry.send(take).await?;
    let judgement = Judgement {
        due: overdue.due.len(),
        silent: overdue.silent,
        total: overdue.total,
    };
    let verdict = preservation.send(AskPermit(judgement)).await?;
    let (go, stay) = divide(overdue.due, verdict, clock.now(), &mut rand::rng());
    if !stay.is_empty() {
        let heard = verdict.heard;
        let leases = stay;
        registry.send(HoldLeases { leases, heard }).await?;
    }
    let evicted = evict(&registry, &go).await?;
    if evicted > 0 {
        let some: Vec<_> = go
            .iter()
            .take(5)
            .map(|judged| judged.held.info.key())
            .collect();
        tracing::info!(
            evicted,
            of = overdue.total,
            ?some,
            "evicted instances whose leases ended"
        );
    }
    Ok(verdict)
}

async fn evict(registry: &Addr<Registry>, go: &[Judged]) -> Result<usize, MailboxError> {
    let mut evicted = 0;
    for slice in go.chunks(SLICE) {
        let leases = slice.to_vec();
        evicted += registry.send(EvictExpired { leases }).await?;
    }
    Ok(evicted)
}

/// Held leases that a sweep must look at: all of them, unless the last verdict keeps them; then those that
/// may have been held long enough by now.
fn held_before(last: Option<(Millis, Verdict)>, now: Millis) -> Millis {
    match last {
        Some((at, verdict)) if matches!(verdict.permit, Permit::Withheld(_)) => {
            let heard = verdict.heard.saturating_add(now.saturating_sub(at));
            let longest = verdict.hold_max.unwrap_or(Millis::MAX);
            // The mark of a hold is one more than its moment; 0 stands for all that are not held.
            heard.checked_sub(longest).map_or(0, |before| before + 1)
        }
        _ => Millis::MAX,
    }
}

/// How much later than its pause a sweep runs; the first has no sweep before it.
fn compensation(last_run: Option<Millis>, now: Millis, pause: Duration) -> Millis {
    last_run.map_or(0, |last| {
        now.saturating_sub(last)
            .saturating_sub(pause.as_millis() as Millis)
    })
}

/// Which of the due leases go, and which stay and are held.
fn divide(
    mut due: Vec<Judged>,
    verdict: Verdict,
    now: Moment,
    rng: &mut impl Rng,
) -> (Vec<Judged>, Vec<Judged>) {
    let kept_enough = |judged: &Judged| was_held_enough(judged, verdict, now);
    match verdict.permit {
        Permit::Granted => {
            let goes = |judged: &Judged| !may_come_back(judged, verdict) || kept_enough(judged);
            due.into_iter().partition(goes)
        }
        Permit::Limited(limit) => {
            let amount = limit.min(due.len());
            let (chosen, _) = due.partial_shuffle(rng, amount);
            (chosen.to_vec(), Vec::new())
        }
        Permit::Withheld(_) => due.into_iter().partition(kept_enough),
    }
}

/// Clients come back over one of their intervals. When so many have that the others would be few enough
/// to go, these still get that long for their first heartbeat.
fn may_come_back(judged: &Judged, verdict: Verdict) -> bool {
    let silence = judged.held.info.lease.silence();
    verdict.since_withheld.is_some_and(|ago| ago < silence)
}

fn was_held_enough(judged: &Judged, verdict: Verdict, now: Moment) -> bool {
    let hold = judged.held.lease.hold(now);
    hold.zip(verdict.hold_max)
        .is_some_and(|(hold, longest)| verdict.heard.saturating_sub(hold.heard) >= longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// server.md §7, the upstream test and scenario 37.
    #[test]
    fn a_late_sweep_is_compensated_and_an_early_one_is_not() {
        let minute = Duration::from_secs(60);
        for (last, now, expected) in [
            (None, 500_000, 0),
            (Some(0), 60_000, 0),
            (Some(0), 60_010, 10),
            (Some(0), 50_000, 0),
        ] {
            assert_eq!(compensation(last, now, minute), expected);
        }
    }
}
