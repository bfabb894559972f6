//! The sweep: at its time it asks what is overdue, chooses, and has it removed.
//!
//! Modern: as soon as a lease has ended, looking once a second. Classic: at a fixed pause, as the
//! reference, which adds what a sweep was late to every lease, and removes at most 15 % of all leases at
//! a time, chosen at random so that no application is wiped out first (server.md §7).

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorFutureExt, Addr, AsyncContext, Context, WrapFuture};
use rand::Rng;
use rand::seq::SliceRandom;

use crate::clock::{Clock, Millis};
use crate::config::{EvictionConfig, Sweep};
use crate::registry::{EvictExpired, Held, Overdue, Registry, TakeOverdue};

/// Sweeps that look for ended leases are at least this far apart.
const SECOND: Duration = Duration::from_secs(1);
/// The share of all leases that one limited sweep leaves, as the reference's
/// `renewalPercentThreshold`.
const KEPT_SHARE: f64 = 0.85;

/// The timer of the sweep.
pub struct Eviction {
    config: EvictionConfig,
    clock: Clock,
    registry: Addr<Registry>,
    last_run: Option<Millis>,
}

impl Eviction {
    /// A sweep of `registry`.
    pub fn new(config: EvictionConfig, clock: Clock, registry: Addr<Registry>) -> Self {
        Self {
            config,
            clock,
            registry,
            last_run: None,
        }
    }

    fn pause(&self) -> Duration {
        match self.config.sweep {
            Sweep::WhenDue => SECOND,
            Sweep::Every(pause) => pause,
        }
    }

    fn schedule(&mut self, ctx: &mut Context<Self>) {
        ctx.run_later(self.pause(), Self::sweep);
    }

    fn sweep(&mut self, ctx: &mut Context<Self>) {
        let now = self.clock.now().mono;
        let grace = match self.config.sweep {
            Sweep::WhenDue => 0,
            Sweep::Every(pause) => compensation(self.last_run, now, pause),
        };
        self.last_run = Some(now);
        let (registry, limited) = (self.registry.clone(), self.config.limited);
        let sweep = async move {
            let overdue = registry.send(TakeOverdue { grace }).await?;
            let leases = choose(overdue, limited, &mut rand::rng());
            if leases.is_empty() {
                return Ok(0);
            }
            registry.send(EvictExpired { leases, grace }).await
        };
        let done = sweep.into_actor(self).map(|evicted, eviction, ctx| {
            match evicted {
                Ok(0) => {}
                Ok(evicted) => tracing::info!(evicted, "sweep"),
                // The registry is gone, and with it the node.
                Err(error) => tracing::error!(%error, "sweep"),
            }
            eviction.schedule(ctx);
        });
        ctx.spawn(done);
    }
}

impl Actor for Eviction {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.schedule(ctx);
    }
}

/// How much later than its pause a sweep runs; the first has no sweep before it.
fn compensation(last_run: Option<Millis>, now: Millis, pause: Duration) -> Millis {
    last_run.map_or(0, |last| {
        now.saturating_sub(last)
            .saturating_sub(pause.as_millis() as Millis)
    })
}

/// The leases to remove: all that are due, or as many as one limited sweep may take, at random.
fn choose(overdue: Overdue, limited: bool, rng: &mut impl Rng) -> Vec<Arc<Held>> {
    let mut due = overdue.due;
    if limited {
        let amount = limit(overdue.total).min(due.len());
        let (chosen, _) = due.partial_shuffle(rng, amount);
        return chosen.to_vec();
    }
    due
}

/// How many leases one limited sweep may remove (B-06).
fn limit(total: usize) -> usize {
    total - (total as f64 * KEPT_SHARE) as usize
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

    /// server.md §7, the numbers that were run there, and scenario 36.
    #[test]
    fn a_limited_sweep_takes_at_most_what_the_reference_takes() {
        for (total, expected) in [
            (0, 0),
            (1, 1),
            (2, 1),
            (5, 1),
            (6, 1),
            (7, 2),
            (10, 2),
            (20, 3),
            (100, 15),
            (85, 13),
            (72, 11),
        ] {
            assert_eq!(limit(total), expected, "of {total}");
        }
    }
}
