//! Everything once and deltas after it, merged as Java's client merges them, are everything; and a client
//! that polls too seldom is told by the hash code, as far as a hash code can tell.

use std::collections::BTreeMap;

use heureka::config::{Config, Mode, Protection};
use proptest::prelude::*;
use serde_json::Value;

use crate::lists::{rules, world};
use crate::model::{Model, Rules, Sent};
use crate::scene::{Scene, hash_codes};
use crate::steps::{Step, World, story};
use crate::{cases, play};

/// How long a change stays in the delta at least.
const RETENTION_SECS: u64 = 180;

/// Instances by id.
type App = BTreeMap<String, Value>;

/// Java's client: `DiscoveryClient.updateDelta`, with all that is odd about it.
#[derive(Debug, Default)]
struct JavaClient {
    apps: BTreeMap<String, App>,
    /// Deltas that did not agree with their hash code.
    mismatches: usize,
}

impl JavaClient {
    /// One round: a delta, or everything where there is nothing yet, or where the hash code differs.
    async fn poll(&mut self, scene: &Scene) {
        if self.apps.is_empty() {
            self.replace(&list(scene, "apps").await);
            return;
        }
        let delta = list(scene, "apps/delta").await;
        for app in delta["applications"]["application"].as_array().unwrap() {
            self.merge(app);
        }
        if self.hash_code() != hash_codes(&delta).0 {
            self.mismatches += 1;
            self.replace(&list(scene, "apps").await);
        }
    }

    fn merge(&mut self, app: &Value) {
        let (name, instances) = by_id(app);
        for instance in app["instance"].as_array().unwrap() {
            let id = instance["instanceId"].as_str().unwrap();
            if instance["actionType"] == "DELETED" {
                if let Some(known) = self.apps.get_mut(&name) {
                    known.remove(id);
                    if known.is_empty() {
                        self.apps.remove(&name);
                    }
                }
                continue;
            }
            // It takes the delta's own application where it knows none: with all that is in there, and
            // so with those that were marked as removed before this one.
            let known = self
                .apps
                .entry(name.clone())
                .or_insert_with(|| instances.clone());
            known.insert(id.to_string(), instance.clone());
        }
    }

    fn replace(&mut self, list: &Value) {
        let apps = list["applications"]["application"].as_array().unwrap();
        self.apps = apps.iter().map(by_id).collect();
    }

    fn hash_code(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for instance in self.apps.values().flat_map(BTreeMap::values) {
            *counts
                .entry(instance["status"].as_str().unwrap())
                .or_default() += 1;
        }
        counts
            .iter()
            .map(|(status, n)| format!("{status}_{n}_"))
            .collect()
    }

    /// What it holds, without the one time that moves without a change.
    fn content(&self) -> BTreeMap<String, App> {
        let mut apps = self.apps.clone();
        for instance in apps.values_mut().flat_map(BTreeMap::values_mut) {
            instance["leaseInfo"]
                .as_object_mut()
                .unwrap()
                .remove("lastRenewalTimestamp");
        }
        apps
    }

    /// Whether it holds what the full list has, with that list's hash code.
    async fn is_whole(&self, scene: &Scene) -> bool {
        let list = list(scene, "apps").await;
        let mut other = JavaClient::default();
        other.replace(&list);
        assert_eq!(other.hash_code(), hash_codes(&list).0);
        self.content() == other.content()
    }
}

fn by_id(app: &Value) -> (String, App) {
    let instances = app["instance"].as_array().unwrap().iter();
    let by_id = instances.map(|one| (one["instanceId"].as_str().unwrap().to_string(), one.clone()));
    (app["name"].as_str().unwrap().to_string(), by_id.collect())
}

async fn list(scene: &Scene, path: &str) -> Value {
    let reply = scene.get(&format!("/eureka/{path}")).j().await;
    assert_eq!(reply.status, 200);
    reply.json()
}

/// A story with polls in it: after which of its steps.
fn polled(steps: usize) -> impl Strategy<Value = Vec<(Step, bool)>> {
    story(steps).prop_flat_map(|story| {
        let polls = proptest::collection::vec(proptest::bool::weighted(0.3), story.len());
        polls.prop_map(move |polls| story.iter().cloned().zip(polls).collect())
    })
}

/// New instances only, with a stamp each, so that every change moves the hash code.
fn arrivals(steps: &[(Step, bool)]) -> impl Iterator<Item = (Step, bool)> + '_ {
    steps
        .iter()
        .enumerate()
        .map(|(n, (step, poll))| match step {
            Step::Pass(_) => (step.clone(), *poll),
            _ => {
                let sent = Sent {
                    status: Some(crate::model::STATUSES[n % 3]),
                    ordered: None,
                    lease: Some((30, 100_000)),
                    ..plain_registration()
                };
                let key = (["A", "B", "C"][n % 3].to_string(), format!("new-{n}"));
                (Step::Register(key, Box::new(sent), false), *poll)
            }
        })
}

fn plain_registration() -> Sent {
    Sent {
        status: None,
        ordered: None,
        stamp: 1,
        metadata: BTreeMap::new(),
        vip: None,
        secure_vip: None,
        lease: None,
        amazon: None,
        port: None,
        secure_port: None,
        page: None,
        group: None,
    }
}

async fn half_a_second(world: &mut World) {
    world
        .scene
        .pass(std::time::Duration::from_millis(500))
        .await;
    world.model.pass(500);
}

proptest! {
    #![proptest_config(cases(25))]

    #[test]
    fn i2_whoever_polls_within_the_retention_holds_everything_and_never_sees_another_hash_code(
        rules in rules(),
        story in polled(60),
    ) {
        play(async {
            let mut world = world(rules);
            half_a_second(&mut world).await;
            let mut client = JavaClient::default();
            client.poll(&world.scene).await;
            let mut last = 0;
            for (step, poll) in &story {
                let pause = if let Step::Pass(secs) = step { *secs } else { 0 };
                if world.model.now / 1000 - last + pause > RETENTION_SECS {
                    client.poll(&world.scene).await;
                    last = world.model.now / 1000;
                }
                world.take(step).await;
                if *poll {
                    client.poll(&world.scene).await;
                    last = world.model.now / 1000;
                    assert!(client.is_whole(&world.scene).await, "after {step:?}");
                }
            }
            client.poll(&world.scene).await;
            assert!(client.is_whole(&world.scene).await);
            assert_eq!(client.mismatches, 0);
        });
    }

}

// Hours of virtual time each.
proptest! {
    #![proptest_config(cases(12))]

    /// The hash code counts statuses: of a change that keeps the counts, nobody is told who missed it.
    #[test]
    fn whoever_polls_too_seldom_has_the_counts_that_the_hash_code_tells(
        rules in rules(),
        story in polled(40),
        late in 181_u64..400,
    ) {
        play(async {
            let mut world = world(rules);
            half_a_second(&mut world).await;
            let mut client = JavaClient::default();
            for (step, poll) in &story {
                world.take(step).await;
                if *poll {
                    world.take(&Step::Pass(late)).await;
                    let before = client.mismatches;
                    client.poll(&world.scene).await;
                    let counts = Model::hash_code(world.model.held.values());
                    assert_eq!(client.hash_code(), counts);
                    if client.mismatches > before {
                        assert!(client.is_whole(&world.scene).await);
                    }
                }
            }
        });
    }

    #[test]
    fn whoever_misses_an_arrival_is_told_by_the_hash_code_and_ends_whole(
        story in polled(40),
        late in 181_u64..400,
    ) {
        play(async {
            let mut world = world(Rules { doubled: false, pinned: false });
            half_a_second(&mut world).await;
            let mut client = JavaClient::default();
            for (step, poll) in arrivals(&story) {
                world.take(&step).await;
                if poll {
                    world.take(&Step::Pass(late)).await;
                    client.poll(&world.scene).await;
                    assert!(client.is_whole(&world.scene).await);
                }
            }
        });
    }

}

proptest! {
    #![proptest_config(cases(25))]

    /// From the timed copy, lists of two moments may meet in one client, as in the reference: each list is
    /// copied when it is first read. With the next refresh but one, both are of one moment.
    #[test]
    fn in_classic_a_client_is_whole_once_all_that_it_reads_is_of_one_refresh(story in polled(40)) {
        play(async {
            let mut config = Config::of(Mode::Classic);
            config.preservation.protection = Protection::Off;
            let model = Model::new(Rules { doubled: true, pinned: true });
            let mut world = World { scene: Scene::in_paused_time(config), model };
            half_a_second(&mut world).await;
            let mut client = JavaClient::default();
            for (step, poll) in &story {
                match step {
                    // a poll at least every 100 s: the copy may be 30 s old besides
                    Step::Pass(seconds) => {
                        client.poll(&world.scene).await;
                        world.scene.seconds(*seconds).await;
                        client.poll(&world.scene).await;
                    }
                    step => _ = world.send(&world.settled(step)).await,
                }
                if *poll {
                    client.poll(&world.scene).await;
                }
            }
            client.poll(&world.scene).await;
            for round in 0..4 {
                world.scene.seconds(30).await;
                client.poll(&world.scene).await;
                let whole = client.is_whole(&world.scene).await;
                assert!(whole || round < 2, "round {round}");
            }
        });
    }
}
