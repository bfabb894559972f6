//! After any story, every published list, in each of five forms, plain and packed, is what the rules make
//! of it: the same instances with the same members, and the hash code of its own content.

use std::io::Read;

use heureka::cache::{View, Want};
use heureka::config::{LeaseAccounting, Mode};
use heureka::wire::Form;
use proptest::prelude::*;

use crate::model::{Key, Model, Record, Rules};
use crate::parts::{Instance, List, Shape, read};
use crate::scene::{Scene, unprotected};
use crate::steps::{Step, World, story};
use crate::{cases, plain, play};

const FORMS: [(Form, Shape); 5] = [
    (Form::Json, Shape::Json),
    (Form::JsonCompact, Shape::JsonCompact),
    (Form::Xml, Shape::Xml),
    (Form::XmlV1, Shape::XmlV1),
    (Form::XmlCompact, Shape::XmlCompact),
];

/// A node that never shows anything old, with the two rules of `classic` that are not about time.
pub fn world(rules: Rules) -> World {
    let mut config = unprotected(Mode::Modern);
    config.registry.pin_status = rules.pinned;
    if rules.doubled {
        config.registry.accounting = LeaseAccounting::Doubled;
    }
    World {
        scene: Scene::in_paused_time(config),
        model: Model::new(rules),
    }
}

pub fn rules() -> impl Strategy<Value = Rules> {
    any::<(bool, bool)>().prop_map(|(doubled, pinned)| Rules { doubled, pinned })
}

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn every_published_list_is_what_the_rules_make_of_the_story(rules in rules(), story in story(60)) {
        play(async {
            let mut world = world(rules);
            // half a second past every sweep, so that no step coincides with one
            world.scene.pass(std::time::Duration::from_millis(500)).await;
            world.model.pass(500);
            for step in &story {
                world.take(step).await;
                world.check(View::All, FORMS[0], false).await;
            }
            world.check_everything().await;
            world.take(&Step::Pass(200)).await;
            for view in [View::All, View::Delta] {
                world.check(view, FORMS[2], true).await;
            }
        });
    }
}

impl World {
    async fn check_everything(&self) {
        let mut views = vec![View::All, View::Delta];
        views.extend(["A", "B", "C", "NONE"].map(|app| View::App(app.into())));
        let vips = ["a", "b", "c", " a", "é", "A", "none"];
        views.extend(vips.map(|vip| View::Vip(vip.into())));
        views.extend(vips.map(|vip| View::Svip(vip.into())));
        for view in views {
            for form in FORMS {
                self.check(view.clone(), form, true).await;
            }
        }
    }

    /// The records that a list should show.
    fn expected(&self, view: &View) -> Vec<&Record> {
        let held = || self.model.held.values();
        let has = |list: &Option<String>, vip: &str| {
            list.as_ref()
                .is_some_and(|list| list.split(',').any(|one| one == vip))
        };
        match view {
            View::All => held().collect(),
            View::Delta => self
                .model
                .delta
                .values()
                .map(|(record, _)| record)
                .collect(),
            View::App(app) => held().filter(|record| *record.app == **app).collect(),
            View::Vip(vip) => held().filter(|record| has(&record.sent.vip, vip)).collect(),
            View::Svip(vip) => held()
                .filter(|record| has(&record.sent.secure_vip, vip))
                .collect(),
        }
    }

    async fn check(&self, view: View, (form, shape): (Form, Shape), packed: bool) {
        let reader = &self.scene.node.http.reader;
        let want = Want {
            view,
            form,
            gzip: false,
        };
        let expected = self.expected(&want.view);
        let Some(plain) = reader.read(want.clone()).await.unwrap() else {
            assert!(expected.is_empty(), "{want:?} is missing");
            return;
        };
        let plain = plain.joined();
        if packed {
            let want = Want {
                gzip: true,
                ..want.clone()
            };
            let packed = reader.read(want).await.unwrap().unwrap().joined();
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(&packed[..])
                .read_to_end(&mut unpacked)
                .unwrap();
            assert_eq!(unpacked, plain, "{form:?}");
        }
        let list = read(shape, &plain);
        self.check_head(&want, shape, &list, &expected);
        self.check_content(&want, shape, &list, &expected);
    }

    fn check_head(&self, want: &Want, shape: Shape, list: &List, expected: &[&Record]) {
        let Some((version, hash_code, empty)) = &list.head else {
            assert!(matches!(want.view, View::App(_)), "{want:?}");
            return;
        };
        let counted = match want.view {
            View::Delta => Model::hash_code(self.model.held.values()),
            _ => Model::hash_code(expected.iter().copied()),
        };
        assert_eq!(*hash_code, counted, "{want:?}");
        match want.view {
            View::Delta => assert!(version.parse::<u64>().unwrap() > 0),
            View::All => assert_eq!(version, "1"),
            _ => assert_eq!(version, "-1"),
        }
        let compact = matches!(shape, Shape::JsonCompact | Shape::XmlCompact);
        assert_eq!(
            *empty,
            compact.then(|| expected.is_empty().to_string()),
            "{want:?}"
        );
    }

    fn check_content(&self, want: &Want, shape: Shape, list: &List, expected: &[&Record]) {
        // Written at the earliest when something changed last, or when the lists were last written anew.
        let since = self.model.changed.max(self.model.now / 180_000 * 180_000);
        let mut found: Vec<(Key, &Instance)> = Vec::new();
        for (app, instances) in &list.apps {
            let removed = |instance: &&Instance| instance.text("actionType") == Some("DELETED");
            let last = instances.iter().skip_while(|instance| !removed(instance));
            assert!(
                last.into_iter().all(|instance| removed(&instance)),
                "removals are last"
            );
            found.extend(instances.iter().map(|instance| {
                let id = instance.text("instanceId").unwrap();
                ((app.clone(), id.to_string()), instance)
            }));
        }
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        assert_eq!(found.len(), expected.len(), "{want:?}: {found:?}");
        for ((_, instance), record) in found.into_iter().zip(expected) {
            let base = instance.base().unwrap_or_default();
            assert_eq!(*instance, plain::instance(shape, record, base), "{want:?}");
            let compact = matches!(shape, Shape::JsonCompact | Shape::XmlCompact);
            assert!(
                compact || record.lease.may_show(base, since),
                "{want:?}: {base} {record:?}"
            );
        }
    }
}
