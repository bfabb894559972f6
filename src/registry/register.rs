//! Register: an instance announces itself, or a peer announces it.
//!
//! The copy with the newer `lastDirtyTimestamp` stays; of equal ones the newcomer, or between nodes of this kind the
//! one that was made later (`version.rs`). Either way the lease begins anew (server.md §4), of a peer's with the age
//! that it has there. Two exceptions for old stamps: a client whose clock was set back by
//! more than a minute is taken at its word and its stamp raised, and an instance that is held as UNKNOWN
//! without an override takes the status it announces (B-10).
//!
//! What is held may always be registered again; what is new needs room.

use std::sync::Arc;

use actix::{Context, Handler, Message};

use super::lease::Began;
use super::said::said;
use super::version::{Compared, compare, later_order};
use super::{Held, LeaseTable, Registry, Version, What};
use crate::clock::{Millis, Moment};
use crate::model::{
    ActionType, By, ChangeStamp, EpochMillis, Extra, InstanceInfo, InstanceKey, InstanceStatus,
    Limit, Order, Ordered, Origin, StampClock, TooMuch,
};

/// A direct client's stamp that is older than the held one by more than this is a clock set back.
const CLOCK_STEP_MS: EpochMillis = 60_000;
/// The largest stamp: what Java's `long` holds.
const MAX_STAMP: EpochMillis = i64::MAX as EpochMillis;

/// Asks the registry to hold a lease for `info`.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), TooMuch>")]
pub struct Register {
    /// The record, checked and canonical.
    pub info: InstanceInfo,
    /// Who brings it.
    pub by: By,
}

/// What a registration changed.
#[derive(Debug)]
pub(super) struct Registered {
    pub(super) held: Arc<Held>,
    /// What was held before.
    pub(super) before: Option<Arc<Held>>,
    pub(super) clock_set_back: bool,
}

// === the rule ===

impl LeaseTable {
    /// Whether the instance may be registered: it is held, or there is room for it. A peer has acknowledged
    /// its registrations already, so that it may go beyond the limits; but anybody can say that he is a peer,
    /// so no further than twice as far.
    pub(super) fn has_room(&self, key: &InstanceKey, origin: Origin) -> Result<(), TooMuch> {
        if self.get(key).is_some() {
            return Ok(());
        }
        let limits = self.config.limits;
        let allowed = |limit: Limit| match origin {
            Origin::Client => limit,
            Origin::Peer => limit.doubled(),
        };
        let (instances, in_app) = (self.len() + 1, self.instances_of(&key.app) + 1);
        if in_app == 1 {
            let applications = self.applications() + 1;
            let limit = allowed(limits.applications);
            limit.allows_count("the registry", applications, "applications")?;
        }
        allowed(limits.app_instances).allows_count("the application", in_app, "instances")?;
        allowed(limits.instances).allows_count("the registry", instances, "instances")
    }

    /// Puts the instance on file with a new lease.
    pub(super) fn register(&mut self, newcomer: Newcomer, now: Moment) -> Registered {
        let key = newcomer.info.key();
        let existing = self.get(&key).map(|entry| entry.held.clone());
        // A lease that was renewed here since is not older for what a peer knows.
        let here = existing
            .as_ref()
            .map_or(Millis::MAX, |held| held.lease.idle(now));
        let began = match newcomer.extra.idle {
            Some(idle) => Began::Elsewhere {
                idle: idle.min(here),
            },
            None => Began::Now,
        };
        let settled = match &existing {
            Some(held) => newcomer.meets(held, self.config.pin_status, &mut self.stamps, now),
            None => newcomer.settled_first(&mut self.stamps, now),
        };
        let Settled {
            mut info,
            version,
            clock_set_back,
        } = settled;
        info.override_status = version.override_status();
        info.status = version.visible();
        info.action = ActionType::Added;
        info.last_updated = now.wall;

        let held = self.put(&key, info, version, began, now);
        if held.info.status == InstanceStatus::Up {
            held.lease.service_up(now);
        }
        Registered {
            held,
            before: existing,
            clock_set_back,
        }
    }
}

/// A record on its way into the table.
#[derive(Debug)]
pub(super) struct Newcomer {
    pub(super) info: InstanceInfo,
    pub(super) extra: Extra,
    pub(super) by: By,
    /// An order that ended with the instance's last cancellation, where that was not long ago. A peer that has it still
    /// must be told so, or it would count for the new registration.
    pub(super) order_ended: Option<ChangeStamp>,
}

/// What will be held.
struct Settled {
    info: InstanceInfo,
    version: Version,
    clock_set_back: bool,
}

impl Newcomer {
    /// One of which nobody says more than Eureka does.
    pub(super) fn of(info: InstanceInfo, by: impl Into<By>) -> Self {
        Self {
            info,
            extra: Extra::NONE,
            by: by.into(),
            order_ended: None,
        }
    }

    /// What becomes of it where nothing is held under its key.
    fn settled_first(self, stamps: &mut StampClock, now: Moment) -> Settled {
        let order = self.order(None, stamps, now);
        let said = self.extra.said.unwrap_or(self.info.status);
        self.taken(order, said, false, stamps, now)
    }

    /// What becomes of it where `held` is.
    fn meets(
        mut self,
        held: &Held,
        pin_status: bool,
        stamps: &mut StampClock,
        now: Moment,
    ) -> Settled {
        let mut clock_set_back = false;
        if self.is_older_than(held) {
            clock_set_back = self.is_set_back(held);
            if !clock_set_back {
                return self.kept(held, stamps, now);
            }
            self.info.last_dirty = held.info.last_dirty.saturating_add(1).min(MAX_STAMP);
        }
        let order = self.order(held.version.order(), stamps, now);
        let ordered = order.as_ref().and_then(|order| order.override_status());
        let word = || said(&self.info, self.by.origin(), held, ordered, pin_status);
        let said = self.extra.said.unwrap_or_else(word);
        self.taken(order, said, clock_set_back, stamps, now)
    }

    fn is_older_than(&self, held: &Held) -> bool {
        let stamp = match self.by.origin() {
            Origin::Client => None,
            Origin::Peer => self.extra.stamp,
        };
        let came = (self.info.last_dirty, stamp);
        compare(came, (held.info.last_dirty, held.version.stamp)) == Compared::Older
    }

    /// Whether its stamp is old because the client's clock was set back.
    fn is_set_back(&self, held: &Held) -> bool {
        let behind = held.info.last_dirty.saturating_sub(self.info.last_dirty);
        self.by.origin() == Origin::Client && behind > CLOCK_STEP_MS
    }

    /// The last order after it. A record of another kind of sender never replaces an order, it only brings one.
    fn order(
        &self,
        held: Option<&Arc<Order>>,
        stamps: &mut StampClock,
        now: Moment,
    ) -> Option<Arc<Order>> {
        if self.extra.stamp.is_some() {
            return later_order(self.extra.order.as_ref(), held).0;
        }
        let in_force = held.and_then(|order| order.override_status()).is_some();
        let brought = self.info.override_status.filter(|_| !in_force);
        let order = brought.map(|status| {
            // Before the record, which is stamped next.
            Arc::new(Order::plain(stamps.next(now.wall), Ordered::Set(status)))
        });
        let ended = self
            .order_ended
            .map(|stamp| Arc::new(Order::plain(stamp, Ordered::Ended)));
        order.or(held.cloned()).or(ended)
    }

    /// It replaces what is held.
    fn taken(
        self,
        order: Option<Arc<Order>>,
        said: InstanceStatus,
        clock_set_back: bool,
        stamps: &mut StampClock,
        now: Moment,
    ) -> Settled {
        let stamp = self.extra.stamp;
        let version = Version {
            stamp: stamp.unwrap_or_else(|| stamps.next(now.wall)),
            said,
            order,
        };
        Settled {
            info: self.info,
            version,
            clock_set_back,
        }
    }

    /// What is held stays, but for a later order.
    fn kept(self, held: &Held, stamps: &mut StampClock, now: Moment) -> Settled {
        let mut version = held.version.clone();
        let is_first_word = held.info.status == InstanceStatus::Unknown
            && held.info.override_status.is_none()
            && self.extra.stamp.is_none();
        if is_first_word {
            version.said = self.info.status;
            version.stamp = stamps.next(now.wall);
        }
        version.order = later_order(self.extra.order.as_ref(), held.version.order()).0;
        Settled {
            info: (*held.info).clone(),
            version,
            clock_set_back: false,
        }
    }
}

// === the handler ===

impl Handler<Register> for Registry {
    type Result = Result<(), TooMuch>;

    fn handle(&mut self, msg: Register, _ctx: &mut Context<Self>) -> Self::Result {
        self.register(Newcomer::of(msg.info, msg.by))
    }
}

impl Registry {
    pub(super) fn register(&mut self, mut newcomer: Newcomer) -> Result<(), TooMuch> {
        self.texts.share(&mut newcomer.info);
        let (key, by) = (newcomer.info.key(), newcomer.by.clone());
        let origin = by.origin();
        self.begin("register", Some(&key));
        self.table.has_room(&key, origin)?;
        let now = self.clock.now();
        self.saw(&newcomer.extra);
        newcomer.order_ended = self.tombstones.order_ended(&key);
        let done = self.table.register(newcomer, now);
        self.tombstones.remove(&key);
        self.recent.registered(now.wall, key.clone());
        self.metrics.registered(origin);
        self.note_lengthened(&done.held);
        if done.clock_set_back {
            self.metrics.clocks_set_back.increment(1);
            tracing::warn!(
                instance = ?key,
                raised_to = done.held.info.last_dirty,
                "the client's clock was set back; its registration is accepted with a raised stamp"
            );
        }
        let is_new = done.before.is_none();
        // What is copied at the start is summed up by who copies it.
        if is_new && !self.published.is_loading() {
            tracing::info!(instance = ?key, status = %done.held.info.status, "registered");
        } else {
            tracing::debug!(instance = ?key, status = %done.held.info.status, is_new, "registered");
        }
        self.publish(What::Registered { is_new }, by, done.before, &done.held);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::{InstanceKey, samples};
    use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};
    use Origin::{Client, Peer};

    fn table(mode: Mode) -> LeaseTable {
        LeaseTable::new(RegistryConfig::of(mode))
    }

    fn at(mono: u64) -> Moment {
        Moment {
            mono,
            wall: 1_000_000 + mono,
        }
    }

    fn record(stamp: u64, vip: &str, status: InstanceStatus) -> InstanceInfo {
        InstanceInfo {
            last_dirty: stamp,
            vip_address: Some(vip.into()),
            status,
            ..samples::instance("A", "i")
        }
    }

    /// server.md scenarios 4 and 5, wire.md row 27, the clock steps of design §2, I11.
    #[test]
    fn the_newer_stamp_stays_unless_a_client_s_clock_was_set_back() {
        for (held, came, origin, vip, stamp) in [
            (200, 100, Client, "old", 200),
            (200, 200, Client, "new", 200),
            (200, 300, Client, "new", 300),
            (200, 100, Peer, "old", 200),
            (100_000, 40_000, Client, "old", 100_000),
            (100_000, 39_999, Client, "new", 100_001),
            (100_000, 39_999, Peer, "old", 100_000),
            (MAX_STAMP, 1, Client, "new", MAX_STAMP),
        ] {
            let mut table = table(Mode::Modern);
            table.register(Newcomer::of(record(held, "old", Up), Client), at(0));
            let done = table.register(Newcomer::of(record(came, "new", Up), origin), at(50_000));
            let case = format!("held {held}, came {came} from {origin:?}");
            assert_eq!(done.held.info.vip_address.as_deref(), Some(vip), "{case}");
            assert_eq!(done.held.info.last_dirty, stamp, "{case}");
            assert_eq!(
                done.held.lease.age(at(50_000)),
                0,
                "the lease is new: {case}"
            );
            table.assert_consistent();
        }
    }

    /// server.md scenario 6.
    #[test]
    fn the_first_time_up_is_kept_and_the_registration_time_is_not() {
        let mut table = table(Mode::Classic);
        table.register(Newcomer::of(record(1, "v", Up), Client), at(0));
        let done = table.register(Newcomer::of(record(2, "v", Up), Client), at(50_000));
        let times = done.held.lease.times(0);
        assert_eq!((times.service_up, times.registered), (0, 50_000));
    }

    /// server.md scenarios 22 and 23 (classic), and B-07 the other way in modern.
    #[test]
    fn out_of_service_by_the_client_itself_is_pinned_in_classic_only() {
        for (mode, first, second, origin, expected) in [
            (Mode::Classic, Up, OutOfService, Client, Up),
            (Mode::Classic, Up, OutOfService, Peer, OutOfService),
            (Mode::Classic, OutOfService, Up, Client, OutOfService),
            (Mode::Classic, OutOfService, Up, Peer, Up),
            (Mode::Modern, Up, OutOfService, Client, OutOfService),
            (Mode::Modern, OutOfService, Up, Client, Up),
        ] {
            let mut table = table(mode);
            table.register(Newcomer::of(record(1, "v", first), Client), at(0));
            let done = table.register(Newcomer::of(record(2, "v", second), origin), at(1));
            assert_eq!(
                done.held.info.status, expected,
                "{mode:?} {first} {second} {origin:?}"
            );
        }
    }

    /// B-10: an instance that is UNKNOWN without an override is never stuck there.
    #[test]
    fn unknown_without_an_override_takes_the_status_of_an_older_stamp() {
        for (on_file, ordered, expected) in [
            (Unknown, None, Up),
            (Unknown, Some(Unknown), Unknown),
            (Down, None, Down),
        ] {
            let mut table = table(Mode::Classic);
            let mut first = record(2000, "old", on_file);
            first.override_status = ordered;
            table.register(Newcomer::of(first, Client), at(0));
            let done = table.register(Newcomer::of(record(1000, "new", Up), Client), at(1));
            assert_eq!(done.held.info.status, expected, "{on_file} {ordered:?}");
            assert_eq!(done.held.info.vip_address.as_deref(), Some("old"));
            assert_eq!(done.held.info.last_dirty, 2000);
        }
    }

    /// server.md scenario 24; wire.md §11.2.
    #[test]
    fn a_registration_may_introduce_an_override_and_never_replace_one() {
        let mut table = table(Mode::Modern);
        let ordering = |stamp, ordered| InstanceInfo {
            override_status: Some(ordered),
            ..record(stamp, "v", Up)
        };
        let done = table.register(Newcomer::of(ordering(1, OutOfService), Client), at(0));
        assert_eq!(done.held.info.status, OutOfService);
        let done = table.register(Newcomer::of(ordering(2, Up), Client), at(1));
        assert_eq!(done.held.info.override_status, Some(OutOfService));
        assert_eq!(done.held.info.status, OutOfService);
        let done = table.register(Newcomer::of(record(3, "v", Starting), Client), at(2));
        assert_eq!(
            done.held.info.status, Starting,
            "scenario 16: rule 1 over the override"
        );
        let done = table.register(Newcomer::of(record(4, "v", Up), Client), at(3));
        assert_eq!(
            done.held.info.status, OutOfService,
            "scenario 17: it was only hidden"
        );
    }

    /// server.md §1: the same id in two applications is two instances (B-08).
    #[test]
    fn instances_are_told_apart_by_application_and_id() {
        let mut table = table(Mode::Modern);
        let other = InstanceInfo {
            override_status: Some(Down),
            ..samples::instance("B", "i")
        };
        table.register(Newcomer::of(other, Client), at(0));
        let done = table.register(Newcomer::of(record(1, "v", Up), Client), at(0));
        assert_eq!((done.before.is_none(), done.held.info.status), (true, Up));
        assert_eq!((table.len(), table.applications()), (2, 2));
        assert!(table.get(&InstanceKey::new("b", "i")).is_some());
        table.assert_consistent();
    }

    #[test]
    fn what_is_new_needs_room_and_what_is_held_does_not() {
        let mut config = RegistryConfig::of(Mode::Modern);
        config.limits.applications = Limit::new(2, "applications");
        config.limits.app_instances = Limit::new(2, "app-instances");
        config.limits.instances = Limit::new(3, "instances");
        let mut table = LeaseTable::new(config);
        let full = |table: &LeaseTable, app: &str, id: &str, origin| {
            let key = InstanceKey::new(app, id);
            table
                .has_room(&key, origin)
                .err()
                .map(|full| full.limit.key)
        };
        for (app, id, client, peer) in [
            ("A", "1", None, None),
            ("A", "2", None, None),
            ("A", "3", Some("app-instances"), None),
            ("B", "1", Some("instances"), None),
            ("B", "2", Some("instances"), None),
            ("C", "1", Some("applications"), None),
            ("C", "2", Some("instances"), Some("instances")),
            ("A", "4", Some("app-instances"), Some("instances")),
            ("D", "1", Some("applications"), Some("instances")),
        ] {
            assert_eq!(full(&table, app, id, Client), client, "{app} {id}");
            assert_eq!(full(&table, app, id, Peer), peer, "{app} {id}");
            if peer.is_none() {
                table.register(Newcomer::of(samples::instance(app, id), Peer), at(0));
            }
        }
        for (app, id) in [("A", "1"), ("B", "1"), ("C", "1")] {
            assert_eq!(full(&table, app, id, Client), None, "{app} {id} is held");
        }
        table.take_out(&InstanceKey::new("C", "1"), ChangeStamp::FIRST, at(0));
        assert_eq!(full(&table, "C", "1", Peer), None, "there is room again");
    }
}
