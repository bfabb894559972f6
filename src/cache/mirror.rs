//! The registry as its events tell it: everything that lists are made of.

use std::sync::Arc;

use super::answers::View;
use super::block::Place;
use super::blocks::Blocks;
use super::delta::Delta;
use super::views::{VipIndex, elements};
use crate::clock::Millis;
use crate::model::{InstanceInfo, StatusCounts};
use crate::registry::{Held, RegistryEvent};

/// All instances, with what is derived from them kept change by change.
#[derive(Debug, Default)]
pub struct Mirror {
    revision: u64,
    pub(super) all: Blocks,
    pub(super) counts: StatusCounts,
    pub(super) delta: Delta,
    pub(super) vips: VipIndex,
    pub(super) secure_vips: VipIndex,
}

impl Mirror {
    /// The revision of the last event applied.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Follows one change; returns the instance as it was before, if it was there.
    pub(super) fn apply(&mut self, event: RegistryEvent, now: Millis) -> Option<Arc<Held>> {
        let RegistryEvent {
            revision,
            what,
            held,
            ..
        } = event;
        debug_assert_eq!(
            revision,
            self.revision + 1,
            "events come in order, none is lost"
        );
        self.revision = revision;
        let before = if what.is_removal() {
            self.all.remove(Place {
                removed: false,
                ..Place::of(&held.info)
            })
        } else {
            self.count_in(&held.info);
            self.all.put(held.clone())
        };
        if let Some(before) = &before {
            self.count_out(&before.info);
        }
        self.delta.note(held, now);
        before
    }

    fn count_in(&mut self, info: &InstanceInfo) {
        self.counts.add(info.status);
        self.vips.add(info.vip_address.as_ref(), &info.app);
        self.secure_vips
            .add(info.secure_vip_address.as_ref(), &info.app);
    }

    fn count_out(&mut self, info: &InstanceInfo) {
        self.counts.remove(info.status);
        self.vips.remove(info.vip_address.as_ref(), &info.app);
        self.secure_vips
            .remove(info.secure_vip_address.as_ref(), &info.app);
    }

    /// Whether anybody can be on the list: a list of everything, or of a name that somebody has.
    pub(super) fn has(&self, view: &View) -> bool {
        match view {
            View::All | View::Delta => true,
            View::App(app) => self.all.of_app(app).next().is_some(),
            View::Vip(vip) => self.vips.of(vip).next().is_some(),
            View::Svip(vip) => self.secure_vips.of(vip).next().is_some(),
        }
    }
}

/// The views that an instance is in.
pub(super) fn views_of(info: &InstanceInfo) -> impl Iterator<Item = View> {
    let vips = elements(info.vip_address.as_ref()).map(|vip| View::Vip(vip.into()));
    let secure = elements(info.secure_vip_address.as_ref()).map(|vip| View::Svip(vip.into()));
    let app = std::iter::once(View::App(info.app.clone()));
    app.chain(vips).chain(secure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ChangeStamp;
    use crate::model::{ActionType, InstanceStatus, Origin, samples};
    use crate::registry::What;

    fn event(revision: u64, what: What, info: InstanceInfo) -> RegistryEvent {
        RegistryEvent {
            revision,
            by: Origin::Client.into(),
            stamp: ChangeStamp::FIRST,
            what,
            before: None,
            held: Held::sample(info),
        }
    }

    fn with(vips: &str, status: InstanceStatus) -> InstanceInfo {
        InstanceInfo {
            vip_address: Some(vips.into()),
            secure_vip_address: Some("s".into()),
            status,
            ..samples::instance("A", "i")
        }
    }

    /// B-14: every element of both the old and the new list follows.
    #[test]
    fn counts_and_vips_follow_every_change_and_leave_nothing_behind() {
        let mut mirror = Mirror::default();
        let has = |mirror: &Mirror, vips: &[&str]| {
            let has = |vip: &&str| mirror.has(&View::Vip((*vip).into()));
            vips.iter().map(has).collect::<Vec<_>>()
        };
        let registered = What::Registered { is_new: true };
        let before = mirror.apply(event(1, registered, with("a,b,,", InstanceStatus::Up)), 0);
        assert!(before.is_none());
        assert_eq!(
            has(&mirror, &["a", "b", "A", "", "s"]),
            [true, true, false, false, false]
        );
        assert!(mirror.has(&View::Svip("s".into())));

        let changed = event(2, What::StatusChanged, with("b,c", InstanceStatus::Down));
        let before = mirror.apply(changed, 0).unwrap();
        assert_eq!(before.info.status, InstanceStatus::Up);
        assert_eq!(has(&mirror, &["a", "b", "c"]), [false, true, true]);
        assert_eq!(mirror.counts.hash_code(), "DOWN_1_");
        assert!(mirror.has(&View::App("A".into())) && !mirror.has(&View::App("B".into())));

        let gone = InstanceInfo {
            action: ActionType::Deleted,
            ..with("b,c", InstanceStatus::Down)
        };
        assert!(mirror.apply(event(3, What::Evicted, gone), 0).is_some());
        assert_eq!((mirror.counts.total(), mirror.all.len()), (0, 0));
        assert_eq!((mirror.vips.len(), mirror.secure_vips.len()), (0, 0));
        assert_eq!((mirror.revision(), mirror.delta.len()), (3, 1));
    }

    #[test]
    fn an_instance_is_in_the_views_of_its_application_and_of_each_of_its_names() {
        let views: Vec<_> = views_of(&with("a,b,,", InstanceStatus::Up)).collect();
        let expected = [
            View::App("A".into()),
            View::Vip("a".into()),
            View::Vip("b".into()),
            View::Svip("s".into()),
        ];
        assert_eq!(views, expected);
    }
}
