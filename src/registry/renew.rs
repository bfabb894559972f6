//! Renew: a heartbeat extends a lease, and compares stamps.
//!
//! A newer stamp at the sender is answered 404, so that it registers; a newer one here is of interest to
//! peers only, which get this node's copy (409). The lease is renewed in every one of these cases
//! (server.md §5). An instance that is UNKNOWN is answered 404 without a renewal. Whatever a heartbeat
//! changes in what readers see is a change like any other (B-12).

use std::sync::Arc;

use actix::{Context, Handler, Message};

use super::table::Entry;
use super::version::{Compared, compare, later_order, same_order};
use super::{Held, LeaseTable, Registry, Version, What};
use crate::clock::{Millis, Moment};
use crate::metrics::RenewalResult;
use crate::model::{
    ActionType, By, EpochMillis, Extra, InstanceInfo, InstanceKey, InstanceStatus, ItemAnswer,
    Order, Ordered, Origin,
};

/// A peer's word about an override counts only if this node changed none for so long.
const OVERRIDE_QUIET_MS: Millis = 90_000;

/// Asks the registry to renew the lease under `key`.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Renewal")]
pub struct Renew {
    /// Which instance.
    pub key: InstanceKey,
    /// The sender's stamp, if it sent one.
    pub last_dirty: Option<EpochMillis>,
    /// The override that a sending peer holds; ignored from clients.
    pub override_status: Option<InstanceStatus>,
    /// Who sends it.
    pub origin: Origin,
    /// What a peer of this kind says beside it.
    pub extra: Extra,
}

/// What became of a heartbeat.
#[derive(Clone, Debug)]
pub enum Renewal {
    /// Renewed, and nothing more to say.
    InStep,
    /// Not held, or held as UNKNOWN: the sender should register.
    Unknown,
    /// Renewed, but the sender's copy is newer: it should register.
    Newer,
    /// Renewed, and this node's copy is newer. Only peers are told.
    Older(Arc<Held>),
}

/// The outcome with what it changed.
#[derive(Debug)]
pub(super) struct Renewed {
    pub(super) renewal: Renewal,
    pub(super) changed: Changed,
}

impl Renewal {
    /// The answer to a batch item (wire.md §9.3). `epoch` is [`crate::clock::Clock::epoch`].
    pub fn into_answer(self, epoch: EpochMillis, now: Moment) -> ItemAnswer {
        match self {
            Self::InStep => ItemAnswer::Done,
            Self::Unknown | Self::Newer => ItemAnswer::Unknown,
            Self::Older(held) => {
                let (times, extra) = (held.lease.times(epoch), held.extra(now));
                ItemAnswer::Newer(held.info.clone(), times, extra)
            }
        }
    }

    pub(super) fn result(&self) -> RenewalResult {
        match self {
            Self::InStep => RenewalResult::Ok,
            Self::Unknown => RenewalResult::Unknown,
            Self::Newer => RenewalResult::Newer,
            Self::Older(_) => RenewalResult::Older,
        }
    }
}

// === the rule ===

impl LeaseTable {
    /// Renews, and tells whether the copies are in step.
    pub(super) fn renew(&mut self, beat: &Renew, now: Moment) -> Renewed {
        if beat.extra.stamp.is_some() {
            return self.renew_by_own_kind(beat, now);
        }
        let config = self.config;
        let Some(entry) = self.get(&beat.key) else {
            return UNKNOWN;
        };
        let held = entry.held.clone();
        let info = &held.info;
        let in_step =
            beat.last_dirty == Some(info.last_dirty) && config.sync_when_timestamp_differs;
        if info.status == InstanceStatus::Unknown {
            return UNKNOWN;
        }
        let ordered = new_order(beat, info);
        let adopted = ordered.filter(|_| in_step && entry.is_quiet(now));
        // Nobody else changes the word's generation, so this cannot fail.
        let _ = held.lease.renew(held.generation, now);
        let sync = config.sync_when_timestamp_differs;
        let newer = beat.compared(&held, sync) == Compared::Newer;
        // With a newer stamp the override is stored now and takes effect with the next heartbeat.
        let stored = ordered.filter(|_| newer);
        let order = match adopted.or(stored) {
            Some(status) => Some(self.order_now(Ordered::Set(status), now)),
            None => held.version.order.clone(),
        };
        let status = adopted.unwrap_or_else(|| held.version.visible());
        let changed = self.apply(&held, status, order, now);
        let renewal = beat.compared(&held, sync).into_renewal(&changed, &held);
        Renewed { renewal, changed }
    }

    /// The same for a heartbeat of a peer of this kind: record and order are compared by their stamps, and the
    /// lease is as old here as it is there.
    fn renew_by_own_kind(&mut self, beat: &Renew, now: Moment) -> Renewed {
        let Some(entry) = self.get(&beat.key) else {
            return UNKNOWN;
        };
        let held = entry.held.clone();
        let idle = beat.extra.idle.unwrap_or(0);
        // Nobody else changes the word's generation, so this cannot fail.
        let _ = held.lease.renew_idle(held.generation, idle, now);
        let (order, came_later) = later_order(beat.extra.order.as_ref(), held.version.order());
        let mut changed = None;
        if came_later {
            let version = Version {
                order: order.clone(),
                ..held.version.clone()
            };
            changed = self.apply(&held, version.visible(), order.clone(), now);
        }
        let came = beat.compared(&held, self.config.sync_when_timestamp_differs);
        let came = match came {
            // The peer's order is the older one.
            Compared::Same if !same_order(beat.extra.order.as_ref(), order.as_ref()) => {
                Compared::Older
            }
            came => came,
        };
        let renewal = came.into_renewal(&changed, &held);
        Renewed { renewal, changed }
    }

    /// Puts status and order in place if they differ from what is held.
    fn apply(
        &mut self,
        held: &Arc<Held>,
        status: InstanceStatus,
        order: Option<Arc<Order>>,
        now: Moment,
    ) -> Changed {
        if (held.info.status, &held.version.order) == (status, &order) {
            return None;
        }
        if status == InstanceStatus::Up {
            held.lease.service_up(now);
        }
        let key = held.info.key();
        let changed = self.change(&key, ActionType::Modified, now, |info, version| {
            version.order = order;
            info.status = status;
            info.override_status = version.override_status();
        });
        changed.map(|changed| (changed, held.clone()))
    }
}

impl Renew {
    /// The same, with nothing said about the override.
    fn without_order(&self) -> Self {
        Self {
            override_status: None,
            ..self.clone()
        }
    }

    /// How the sender's record compares with the one that is held.
    fn compared(&self, held: &Held, sync: bool) -> Compared {
        let held_is = (held.info.last_dirty, held.version.stamp);
        match self.last_dirty.filter(|_| sync) {
            Some(last_dirty) => compare((last_dirty, self.extra.stamp), held_is),
            None => Compared::Same,
        }
    }
}

/// An instance after a visible change, and before it.
type Changed = Option<(Arc<Held>, Arc<Held>)>;

impl Compared {
    /// The answer to a heartbeat whose record compares like this with the one that is held.
    fn into_renewal(self, changed: &Changed, held: &Arc<Held>) -> Renewal {
        match self {
            Self::Newer => Renewal::Newer,
            Self::Same => Renewal::InStep,
            Self::Older => Renewal::Older(changed.as_ref().map_or(held, |(held, _)| held).clone()),
        }
    }
}

/// Neither renewed nor changed.
const UNKNOWN: Renewed = Renewed {
    renewal: Renewal::Unknown,
    changed: None,
};

/// The override that a peer's heartbeat brings, if it is another one than is held. Silence about it
/// orders nothing (B-13).
fn new_order(beat: &Renew, info: &InstanceInfo) -> Option<InstanceStatus> {
    let ordered = beat
        .override_status
        .filter(|_| beat.origin == Origin::Peer)?;
    let is_new = ordered != InstanceStatus::Unknown && info.override_status != Some(ordered);
    is_new.then_some(ordered)
}

impl Entry {
    /// Whether this node has changed no override of the instance lately.
    pub(super) fn is_quiet(&self, now: Moment) -> bool {
        let changed = self.override_changed;
        changed.is_none_or(|at| now.mono.saturating_sub(at) >= OVERRIDE_QUIET_MS)
    }
}

// === the handler ===

impl Handler<Renew> for Registry {
    type Result = actix::MessageResult<Renew>;

    fn handle(&mut self, msg: Renew, _ctx: &mut Context<Self>) -> Self::Result {
        let by = msg.origin.into();
        actix::MessageResult(self.renew(&msg, by))
    }
}

impl Registry {
    pub(super) fn renew(&mut self, beat: &Renew, by: By) -> Renewal {
        self.begin("renew", Some(&beat.key));
        let now = self.clock.now();
        self.saw(&beat.extra);
        let done = match self.published.undelivered_orders.contains(&beat.key) {
            // The peer does not know better yet.
            true => self.table.renew(&beat.without_order(), now),
            false => self.table.renew(beat, now),
        };
        let result = done.renewal.result();
        self.published.renewals.count(beat.origin, result);
        // Between nodes of this kind stamps decide.
        let by_other_kind = beat.origin == Origin::Peer && beat.extra.stamp.is_none();
        if result == RenewalResult::Unknown && by_other_kind {
            self.tombstones.beat(&beat.key);
        }
        if result != RenewalResult::Unknown {
            self.note_renewal(&beat.key, beat.origin);
        }
        if let Some((held, before)) = done.changed {
            self.metrics.status_changed(beat.origin);
            tracing::info!(instance = ?beat.key, status = %held.info.status, "status changed by a heartbeat");
            self.publish(What::StatusChanged, by, Some(before), &held);
        }
        done.renewal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, RegistryConfig};
    use crate::model::samples;
    use crate::registry::register::Newcomer;
    use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};
    use Origin::{Client, Peer};

    fn at(mono: u64) -> Moment {
        Moment {
            mono,
            wall: 1_000_000 + mono,
        }
    }

    fn table_with(info: InstanceInfo, sync: bool) -> LeaseTable {
        let mut table = LeaseTable::new(RegistryConfig {
            sync_when_timestamp_differs: sync,
            ..RegistryConfig::of(Mode::Modern)
        });
        table.register(Newcomer::of(info, Client), at(0));
        table
    }

    fn beat(last_dirty: Option<u64>, ordered: Option<InstanceStatus>, origin: Origin) -> Renew {
        Renew {
            extra: Extra::NONE,
            key: InstanceKey::new("a", "i"),
            last_dirty,
            override_status: ordered,
            origin,
        }
    }

    fn word(renewal: &Renewal) -> &'static str {
        match renewal {
            Renewal::InStep => "in step",
            Renewal::Unknown => "unknown",
            Renewal::Newer => "newer",
            Renewal::Older(_) => "older",
        }
    }

    fn deadline(table: &LeaseTable) -> u64 {
        table.iter().next().unwrap().lease.deadline()
    }

    /// server.md scenarios 10, 11 and 13: all of them renew the lease.
    #[test]
    fn stamps_are_compared_after_the_renewal() {
        for (sync, stamp, expected) in [
            (true, Some(1000), "in step"),
            (true, Some(500), "older"),
            (true, Some(1500), "newer"),
            (true, None, "in step"),
            (false, Some(500), "in step"),
            (false, Some(1500), "in step"),
        ] {
            for origin in Origin::ALL {
                let mut table = table_with(samples::instance("A", "i"), sync);
                let done = table.renew(&beat(stamp, None, origin), at(30_000));
                assert_eq!(word(&done.renewal), expected, "{stamp:?} {origin:?}");
                assert_eq!(deadline(&table), 120_000);
                assert!(done.changed.is_none());
            }
        }
    }

    /// server.md scenario 9, §5.1 step 3.
    #[test]
    fn what_is_not_held_and_what_is_unknown_is_not_renewed() {
        let unknown = InstanceInfo {
            status: Unknown,
            ..samples::instance("A", "i")
        };
        let mut table = table_with(unknown, true);
        let before = deadline(&table);
        assert_eq!(
            word(&table.renew(&beat(None, None, Client), at(30_000)).renewal),
            "unknown"
        );
        assert_eq!(deadline(&table), before);
        let mut empty = LeaseTable::new(RegistryConfig::of(Mode::Modern));
        assert_eq!(
            word(&empty.renew(&beat(None, None, Client), at(0)).renewal),
            "unknown"
        );
    }

    /// server.md scenario 12, wire.md row 37, B-12.
    #[test]
    fn a_peer_s_newer_beat_stores_its_override_which_the_next_beat_applies() {
        let mut table = table_with(samples::instance("A", "i"), true);
        let done = table.renew(&beat(Some(1500), Some(OutOfService), Peer), at(1));
        assert_eq!(word(&done.renewal), "newer");
        let (held, _) = done.changed.expect("the stored override is visible");
        assert_eq!(
            (held.info.override_status, held.info.status),
            (Some(OutOfService), Up)
        );

        let done = table.renew(&beat(Some(1000), None, Client), at(2));
        let (held, before) = done.changed.expect("the status follows");
        assert_eq!((before.info.status, held.info.status), (Up, OutOfService));
        assert_eq!(held.info.action, ActionType::Modified);
        assert_eq!(held.info.last_updated, 1_000_002);
        assert_eq!(held.info.last_dirty, 1000);
    }

    /// B-13: equal stamps and another override, unless this node changed it a moment ago.
    #[test]
    fn an_override_in_a_beat_in_step_is_adopted_from_peers_only() {
        for (origin, ordered, changed_at, now, adopted) in [
            (Peer, Some(OutOfService), None, 100_000, true),
            (Peer, Some(OutOfService), Some(10_000), 99_999, false),
            (Peer, Some(OutOfService), Some(10_000), 100_000, true),
            (Peer, Some(Unknown), None, 100_000, false),
            (Peer, None, None, 100_000, false),
            (Client, Some(OutOfService), None, 100_000, false),
        ] {
            let mut table = table_with(samples::instance("A", "i"), true);
            let key = InstanceKey::new("A", "i");
            table.get_mut(&key).unwrap().override_changed = changed_at;
            let done = table.renew(&beat(Some(1000), ordered, origin), at(now));
            let status = done.changed.map(|(held, _)| held.info.status);
            assert_eq!(
                status,
                adopted.then_some(OutOfService),
                "{origin:?} {ordered:?} {changed_at:?}"
            );
        }
    }

    /// Over whatever the instance says of itself, and also for who registers late.
    #[test]
    fn an_adopted_override_holds_like_the_order_itself() {
        for (own, ordered) in [
            (Starting, Up),
            (Down, OutOfService),
            (Up, Down),
            (OutOfService, Starting),
        ] {
            let info = InstanceInfo {
                status: own,
                ..samples::instance("A", "i")
            };
            let mut table = table_with(info.clone(), true);
            let done = table.renew(&beat(Some(1000), Some(ordered), Peer), at(1));
            let (held, before) = done.changed.expect("adopted");
            assert_eq!((before.info.status, held.info.status), (own, ordered));
            assert_eq!(held.version.visible(), ordered);

            let late = InstanceInfo {
                last_dirty: 999,
                ..info
            };
            let done = table.register(Newcomer::of(late, Client), at(2));
            assert_eq!(done.held.info.status, ordered, "{own} {ordered}");
        }
    }

    #[test]
    fn silence_about_an_override_never_removes_it() {
        let mut table = table_with(
            InstanceInfo {
                override_status: Some(Down),
                ..samples::instance("A", "i")
            },
            true,
        );
        let done = table.renew(&beat(Some(1000), None, Peer), at(1));
        assert_eq!(word(&done.renewal), "in step");
        assert!(done.changed.is_none());
        assert_eq!(
            table.iter().next().unwrap().info.override_status,
            Some(Down)
        );
    }
}
