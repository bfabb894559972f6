//! Evict: leases that have ended are removed, or held.
//!
//! In two steps, so that somebody may judge in between: what is overdue is taken as a list, and the leases
//! of that list are removed, or marked as held. Each comes with the word it had when it was judged; a lease
//! that was renewed meanwhile, or replaced by a registration, has another one and stays (B-05).

use std::sync::Arc;

use actix::{Context, Handler, Message, MessageResult};

use super::lease::Hold;
use super::word::Word;
use super::{Held, LeaseWhat, Registry, What};
use crate::clock::Millis;
use crate::model::{By, Who};

/// Asks which leases have ended.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Overdue")]
pub struct TakeOverdue {
    /// Milliseconds on top of every lease, because the sweep itself is late.
    pub grace: Millis,
    /// Held leases are left out unless their hold began before this, on the clock of [`Hold::heard`].
    pub held_before: Millis,
}

/// A lease as it was judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The instance.
    pub held: Arc<Held>,
    /// The word of its lease.
    pub word: Word,
}

/// What a sweep has to judge.
#[derive(Clone, Debug, Default)]
pub struct Overdue {
    /// Leases that have ended, in no order.
    pub due: Vec<Judged>,
    /// Leases that are silent, those that are due and those that are held included.
    pub silent: usize,
    /// Leases in all.
    pub total: usize,
}

/// Asks the registry to remove these leases, if they are still as they were judged; answers how many went.
#[derive(Clone, Debug, Message)]
#[rtype(result = "usize")]
pub struct EvictExpired {
    /// The leases judged.
    pub leases: Vec<Judged>,
}

/// Asks the registry to keep these leases although they have ended.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct HoldLeases {
    /// The leases judged.
    pub leases: Vec<Judged>,
    /// See [`Hold::heard`].
    pub heard: Millis,
}

// === the handlers ===

impl Handler<TakeOverdue> for Registry {
    type Result = MessageResult<TakeOverdue>;

    fn handle(&mut self, msg: TakeOverdue, _ctx: &mut Context<Self>) -> Self::Result {
        MessageResult(self.take_overdue(msg))
    }
}

impl Handler<EvictExpired> for Registry {
    type Result = usize;

    fn handle(&mut self, msg: EvictExpired, _ctx: &mut Context<Self>) -> usize {
        let evicted = msg.leases.iter().filter(|judged| self.evict(judged));
        evicted.count()
    }
}

impl Handler<HoldLeases> for Registry {
    type Result = ();

    fn handle(&mut self, msg: HoldLeases, _ctx: &mut Context<Self>) {
        self.hold(&msg);
    }
}

impl Registry {
    fn take_overdue(&mut self, msg: TakeOverdue) -> Overdue {
        self.begin("look for overdue leases", None);
        let now = self.clock.now();
        let swept = self.table.sweep(msg.grace, msg.held_before, now);
        self.metrics.held.set(swept.held as f64);
        self.metrics.silent.set(swept.silent as f64);
        self.published.set_next_due(swept.next_due);
        self.tell(LeaseWhat::BeatAgain, swept.returned);
        let judged = |(held, word)| Judged { held, word };
        Overdue {
            due: swept.due.into_iter().map(judged).collect(),
            silent: swept.silent,
            total: self.table.len(),
        }
    }

    fn evict(&mut self, judged: &Judged) -> bool {
        let key = judged.held.info.key();
        self.begin("evict", Some(&key));
        let now = self.clock.now();
        let Some(held) = self.table.take_out_if(&judged.held, judged.word, now) else {
            return false;
        };
        self.recent.cancelled(now.wall, key.clone());
        self.metrics.evicted();
        tracing::debug!(instance = ?key, "evicted: its lease ended");
        self.publish_removal(What::Evicted, By::only(Who::Node), &held);
        true
    }

    fn hold(&mut self, msg: &HoldLeases) {
        self.begin("hold ended leases", None);
        let now = self.clock.now();
        let hold = Hold {
            since: now.mono,
            heard: msg.heard,
        };
        let held = msg.leases.iter().filter(|judged| {
            let Judged { held, word } = judged;
            self.table.hold(held, *word, hold, now)
        });
        let held = held
            .map(|judged| (judged.held.clone(), hold.since))
            .collect();
        self.tell(LeaseWhat::Kept, held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::Origin;
    use crate::model::{InstanceKey, samples};
    use crate::registry::register::Newcomer;
    use crate::registry::{LeaseTable, Renew};

    fn at(mono: u64) -> Moment {
        Moment { mono, wall: mono }
    }

    fn table() -> LeaseTable {
        let mut table = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        table.register(
            Newcomer::of(samples::instance("A", "i"), Origin::Client),
            at(0),
        );
        table
    }

    fn renew(table: &mut LeaseTable, now: Millis) {
        let beat = Renew {
            extra: crate::model::Extra::NONE,
            key: InstanceKey::new("A", "i"),
            last_dirty: None,
            override_status: None,
            origin: Origin::Client,
        };
        table.renew(&beat, at(now));
    }

    /// server.md scenario 37: a late sweep gives every lease that much more.
    #[test]
    fn only_ended_leases_are_overdue_and_the_grace_counts() {
        let mut table = table();
        for (now, grace, due) in [
            (90_000, 0, 0),
            (90_001, 0, 1),
            (90_001, 10, 0),
            (90_011, 10, 1),
        ] {
            assert_eq!(
                table.sweep(grace, 0, at(now)).due.len(),
                due,
                "{now} {grace}"
            );
        }
    }

    /// server.md scenario 38, I7, B-05.
    #[test]
    fn a_lease_renewed_or_replaced_after_the_judgement_stays() {
        let judged = |table: &mut LeaseTable| table.sweep(0, 0, at(90_001)).due.remove(0);

        let mut renewed = table();
        let (held, word) = judged(&mut renewed);
        renew(&mut renewed, 90_002);
        assert!(renewed.take_out_if(&held, word, at(90_003)).is_none());

        let mut replaced = table();
        let (held, word) = judged(&mut replaced);
        replaced.register(
            Newcomer::of(samples::instance("A", "i"), Origin::Client),
            at(90_002),
        );
        assert!(replaced.take_out_if(&held, word, at(200_000)).is_none());

        let mut silent = table();
        let (held, word) = judged(&mut silent);
        assert!(silent.take_out_if(&held, word, at(90_003)).is_some());
        assert!(silent.take_out_if(&held, word, at(90_004)).is_none());
        silent.assert_consistent();
        assert_eq!(silent.sweep(0, 0, at(500_000)).due.len(), 0);
    }

    #[test]
    fn a_held_instance_counts_as_there_until_it_goes_and_is_well_when_it_beats() {
        let mut table = table();
        let key = InstanceKey::new("A", "i");
        let (held, word) = table.sweep(0, 0, at(90_001)).due.remove(0);
        assert!(table.present(&key, at(90_001)).is_none());
        let hold = Hold {
            since: 90_001,
            heard: 5,
        };
        table.hold(&held, word, hold, at(90_001));
        assert!(table.present(&key, at(90_002)).is_some());
        let (_, word) = table.sweep(0, 6, at(100_000)).due.remove(0);
        let later = Hold {
            since: 100_000,
            heard: 9,
        };
        table.hold(&held, word, later, at(100_000));
        assert_eq!(
            held.lease.hold(at(100_000)),
            Some(hold),
            "the first mark stays"
        );

        renew(&mut table, 100_001);
        let swept = table.sweep(0, 0, at(100_002));
        assert_eq!((swept.due.len(), swept.held), (0, 0));
    }
}
