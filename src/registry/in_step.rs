//! In step: a heartbeat that changes nothing visible is finished by whoever received it, without a message.
//!
//! The mailbox orders what is visible; a renewal is not visible. So the decision is made on the record and
//! the lease's word: a pure look, one compare-and-swap, a counter. Only what might change what readers see
//! goes to the registry: an override that a peer orders, and one that was stored and has not begun to count.
//! The rules are those of `renew.rs`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Held;
use super::actor::Published;
use super::renew::Renewal;
use super::version::{Compared, compare, is_later_order, same_order};
use super::word::State;
use crate::clock::Moment;
use crate::model::{EpochMillis, Extra, InstanceInfo, InstanceStatus, Origin};

/// A heartbeat as it came, names not copied.
#[derive(Clone, Copy, Debug)]
pub struct Beat<'b> {
    /// The application, in any case.
    pub app: &'b str,
    /// The instance's id.
    pub id: &'b str,
    /// The sender's stamp, if it sent one.
    pub last_dirty: Option<EpochMillis>,
    /// The override that a sending peer holds; ignored from clients.
    pub override_status: Option<InstanceStatus>,
    /// Who sends it.
    pub origin: Origin,
    /// What a peer of this kind says beside it.
    pub extra: &'b Extra,
}

/// What came of a try.
enum Tried {
    Done(Renewal),
    /// The record was replaced while it was looked at.
    LookAgain,
    /// The registry must decide.
    Ask,
}

impl Published {
    /// Renews, if that changes nothing visible; `None` if the registry must decide.
    pub fn renew(&self, beat: Beat<'_>, now: Moment) -> Option<Renewal> {
        for _ in 0..2 {
            let tried = self
                .index
                .with(beat.app, beat.id, |held| self.try_renew(held, beat, now));
            match tried {
                // The registry notes that a peer has it.
                None if beat.origin == Origin::Peer => return None,
                None => return Some(self.counted(beat, Renewal::Unknown)),
                Some(Tried::Done(renewal)) => return Some(self.counted(beat, renewal)),
                Some(Tried::LookAgain) => {}
                Some(Tried::Ask) => return None,
            }
        }
        // The registry is at this instance just now.
        None
    }

    fn counted(&self, beat: Beat<'_>, renewal: Renewal) -> Renewal {
        self.renewals.count(beat.origin, renewal.result());
        renewal
    }

    fn try_renew(&self, held: &Arc<Held>, beat: Beat<'_>, now: Moment) -> Tried {
        let info = &held.info;
        let own_kind = beat.extra.stamp.is_some();
        let mut behind = false;
        if own_kind {
            let (came, order) = (beat.extra.order.as_ref(), held.version.order());
            if is_later_order(came, order) {
                return Tried::Ask;
            }
            behind = !same_order(order, came);
        } else if info.status == InstanceStatus::Unknown {
            return Tried::Done(Renewal::Unknown);
        } else if held.has_pending_order() || beat.orders_another_override(info) {
            return Tried::Ask;
        }
        let idle = beat.extra.idle.unwrap_or(0);
        match held.lease.renew_idle(held.generation, idle, now) {
            Ok(()) => {}
            Err(State::Removed) => return Tried::Done(Renewal::Unknown),
            Err(State::Live | State::Replaced) => return Tried::LookAgain,
        }
        if beat.origin == Origin::Client {
            self.renewed.note(held);
        }
        Tried::Done(match self.compared(held, beat) {
            Compared::Newer => Renewal::Newer,
            Compared::Older => Renewal::Older(held.clone()),
            Compared::Same if behind => Renewal::Older(held.clone()),
            Compared::Same => Renewal::InStep,
        })
    }

    fn compared(&self, held: &Held, beat: Beat<'_>) -> Compared {
        let stamp = beat
            .last_dirty
            .filter(|_| self.compares.load(Ordering::Relaxed));
        let held_is = (held.info.last_dirty, held.version.stamp);
        match stamp {
            Some(stamp) => compare((stamp, beat.extra.stamp), held_is),
            None => Compared::Same,
        }
    }
}

impl Held {
    /// An order was stored that takes effect with the next heartbeat.
    fn has_pending_order(&self) -> bool {
        self.info.status != self.version.visible()
    }
}

impl Beat<'_> {
    fn orders_another_override(&self, info: &InstanceInfo) -> bool {
        let ordered = self.override_status.filter(|_| self.origin == Origin::Peer);
        ordered.is_some_and(|ordered| {
            ordered != InstanceStatus::Unknown && info.override_status != Some(ordered)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, RegistryConfig};
    use crate::metrics::Renewals;
    use crate::model::{ChangeStamp, Order, Ordered, StampClock, samples};
    use crate::registry::Version;
    use crate::registry::lease::Began;
    use crate::registry::{LeaseTable, Renew};
    use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};
    use Origin::{Client, Peer};

    fn at(mono: u64) -> Moment {
        Moment { mono, wall: mono }
    }

    fn word(renewal: Option<&Renewal>) -> &'static str {
        match renewal {
            None => "ask",
            Some(Renewal::InStep) => "in step",
            Some(Renewal::Unknown) => "unknown",
            Some(Renewal::Newer) => "newer",
            Some(Renewal::Older(_)) => "older",
        }
    }

    /// The same instance in the index and in a table, with the two answers to one heartbeat.
    fn both(
        info: InstanceInfo,
        version: Version,
        config: RegistryConfig,
        beat: Beat<'_>,
    ) -> (Option<Renewal>, Renewal, bool, u64) {
        let published = Published::new(config, Renewals::default());
        let mut table = LeaseTable::new(config);
        let held = table.put(&info.key(), info, version, Began::Now, at(0));
        published.index.insert(held.info.key(), held.clone());
        let fast = published.renew(beat, at(30_000));
        let deadline = held.lease.deadline();
        let renew = Renew {
            extra: Extra::NONE,
            key: held.info.key(),
            last_dirty: beat.last_dirty,
            override_status: beat.override_status,
            origin: beat.origin,
        };
        let slow = table.renew(&renew, at(30_000));
        (fast, slow.renewal, slow.changed.is_some(), deadline)
    }

    /// Every combination of what matters: where no message is needed, the answer is that of the registry,
    /// and nothing that it would have changed is left out.
    #[test]
    fn the_answer_is_the_registry_s_and_what_is_visible_goes_to_it() {
        let statuses = [Up, Down, Starting, OutOfService, Unknown];
        let overrides = [
            None,
            Some(Up),
            Some(OutOfService),
            Some(Down),
            Some(Unknown),
        ];
        let mut asked = 0;
        let mut clock = StampClock::of(1);
        let [early, middle, late] = [1, 2, 3].map(|wall| clock.next(wall));
        let holding = each(&each(&statuses, &overrides), &[early, late]);
        for ((status, held_override), ordered_at) in holding {
            for (ordered, origin) in each(&overrides, &[Client, Peer]) {
                for (last_dirty, sync) in
                    each(&[None, Some(500), Some(1000), Some(1500)], &[true, false])
                {
                    let config = RegistryConfig {
                        sync_when_timestamp_differs: sync,
                        ..RegistryConfig::of(Mode::Modern)
                    };
                    let info = InstanceInfo {
                        status,
                        override_status: held_override,
                        ..samples::instance("A", "i")
                    };
                    let beat = Beat {
                        extra: &Extra::NONE,
                        app: "a",
                        id: "i",
                        last_dirty,
                        override_status: ordered,
                        origin,
                    };
                    let version = Version {
                        order: held_override.map(|status| {
                            let what = Ordered::Set(status);
                            let stamp = ordered_at;
                            Arc::new(Order::plain(stamp, what))
                        }),
                        ..Version::of(middle, status)
                    };
                    let (fast, slow, changed, deadline) = both(info, version, config, beat);
                    let case = format!("{status} {held_override:?} {beat:?}");
                    if fast.is_none() {
                        asked += 1;
                        continue;
                    }
                    assert!(!changed, "{case}");
                    assert_eq!(word(fast.as_ref()), word(Some(&slow)), "{case}");
                    let renewed = !matches!(slow, Renewal::Unknown);
                    assert_eq!(deadline, if renewed { 120_000 } else { 90_000 }, "{case}");
                }
            }
        }
        assert!(asked > 0 && asked < 2000, "{asked}");
    }

    fn each<A: Copy, B: Copy>(a: &[A], b: &[B]) -> Vec<(A, B)> {
        a.iter().flat_map(|a| b.iter().map(|b| (*a, *b))).collect()
    }

    #[test]
    fn what_is_not_held_is_unknown_and_a_replaced_record_is_left_to_the_registry() {
        let config = RegistryConfig::of(Mode::Modern);
        let published = Published::new(config, Renewals::default());
        let beat = Beat {
            extra: &Extra::NONE,
            app: "A",
            id: "i",
            last_dirty: None,
            override_status: None,
            origin: Client,
        };
        assert_eq!(word(published.renew(beat, at(0)).as_ref()), "unknown");

        let mut table = LeaseTable::new(config);
        let info = samples::instance("A", "i");
        let old = table.put(
            &info.key(),
            info.clone(),
            Version::of(ChangeStamp::FIRST, InstanceStatus::Up),
            Began::Now,
            at(0),
        );
        published.index.insert(info.key(), old);
        table.put(
            &info.key(),
            info.clone(),
            Version::of(ChangeStamp::FIRST, InstanceStatus::Up),
            Began::Now,
            at(1),
        );
        assert_eq!(word(published.renew(beat, at(2)).as_ref()), "ask");

        table.take_out(&info.key(), ChangeStamp::FIRST, at(3));
        published.index.remove(&info.key());
        assert_eq!(word(published.renew(beat, at(4)).as_ref()), "unknown");
    }
}
