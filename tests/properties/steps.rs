//! What may happen to a registry, at random: the steps of a story, sent as requests and told to the model.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::model::{Key, Model, STATUSES, Sent, Status};
use crate::scene::Scene;

/// One step of a story.
#[derive(Clone, Debug)]
pub enum Step {
    Register(Key, Box<Sent>, bool),
    Beat(Key, Option<u64>, Option<Status>, bool),
    Order(Key, Status, Option<u64>, bool),
    Clear(Key, Option<Status>, Option<u64>, bool),
    Metadata(Key, BTreeMap<String, String>),
    Cancel(Key, bool),
    /// So many seconds pass.
    Pass(u64),
}

/// Keys that an element's name cannot hold as they are, and some that it can.
const NAMES: &[&str] = &[
    "zone", "a_b", "a$b", "a b", "9x", "a.b-c:d", "é", "-", "\u{1}", "😀", "@id", "<&>", "ﷺ",
];
/// Texts that something could stumble over.
const TEXTS: &[&str] = &[
    "",
    " ",
    "plain",
    "\"quoted\\\"",
    "<b>&amp;</b>",
    "]]>",
    "line\r\nbreak\ttab",
    "\u{0}\u{1b}\u{7f}",
    "\u{202e}rtl",
    "😀\u{fffe}\u{ffff}",
    "null",
    "{\"a\":[1]}",
];
const VIPS: &[&str] = &["a", "b", "a,b", "a,a", "b,,c", "", " a", "é,a"];

/// In a heartbeat: the stamp that is held, whatever it is by then.
const AS_HELD: u64 = u64::MAX;

/// Stamps near enough to be a race, and far enough to be a clock that was set back.
fn stamp() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => Just(1_000),
        3 => select(&[0, 1_001, 2_000, 61_001, 70_000, 200_000][..]),
    ]
}

fn status() -> impl Strategy<Value = Status> {
    select(&STATUSES[..])
}

/// Few enough that most stories come back to each of them.
fn key() -> impl Strategy<Value = Key> {
    let keys = [("A", "i1"), ("A", "i2"), ("B", "i1"), ("C", "i3")];
    select(keys.to_vec()).prop_map(|(app, id)| (app.to_string(), id.to_string()))
}

fn text() -> impl Strategy<Value = String> {
    select(TEXTS).prop_map(str::to_string)
}

fn pairs() -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map(select(NAMES).prop_map(str::to_string), text(), 0..4)
}

fn vip() -> impl Strategy<Value = Option<String>> {
    option::of(select(VIPS).prop_map(str::to_string))
}

/// Most are long, or there would seldom be anybody to do something to.
fn lease() -> impl Strategy<Value = Option<(u64, u64)>> {
    prop_oneof![
        4 => Just(Some((10, 7200))),
        1 => Just(None),
        1 => select(&[Some((30, 30)), Some((5, 10)), Some((1, 1))][..]),
    ]
}

fn port() -> impl Strategy<Value = Option<(u64, bool)>> {
    option::of((select(&[0, 80, 8080, 65_535, 70_000][..]), any::<bool>()))
}

fn amazon() -> impl Strategy<Value = Option<BTreeMap<String, String>>> {
    let keys = ["instance-id", "public-ipv4", "ami-id", "availability-zone"];
    let key = select(keys.to_vec()).prop_map(str::to_string);
    option::weighted(0.2, btree_map(key, text(), 0..4))
}

fn sent() -> impl Strategy<Value = Sent> {
    let statuses = (
        option::of(status()),
        option::weighted(0.2, status()),
        stamp(),
    );
    let vips = (vip(), vip());
    let ports = (port(), port());
    let texts = (option::of(text()), option::of(text()));
    (statuses, pairs(), vips, lease(), amazon(), ports, texts).prop_map(
        |((status, ordered, stamp), metadata, vips, lease, amazon, ports, texts)| Sent {
            status,
            ordered,
            stamp,
            metadata,
            vip: vips.0,
            secure_vip: vips.1,
            lease,
            amazon,
            port: ports.0,
            secure_port: ports.1,
            page: texts.0,
            group: texts.1,
        },
    )
}

fn beaten() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![2 => Just(Some(AS_HELD)), 1 => Just(None), 2 => stamp().prop_map(Some)]
}

fn step() -> impl Strategy<Value = Step> {
    let by_peer = || proptest::bool::weighted(0.25);
    let stamps = || option::weighted(0.5, stamp());
    prop_oneof![
        6 => (key(), sent(), by_peer()).prop_map(|(k, s, p)| Step::Register(k, Box::new(s), p)),
        5 => (key(), beaten(), option::weighted(0.7, status()), any::<bool>())
            .prop_map(|(k, t, s, p)| Step::Beat(k, t, s, p)),
        3 => (key(), status(), stamps(), by_peer()).prop_map(|(k, s, t, p)| Step::Order(k, s, t, p)),
        2 => (key(), option::of(status()), stamps(), by_peer())
            .prop_map(|(k, s, t, p)| Step::Clear(k, s, t, p)),
        2 => (key(), pairs()).prop_map(|(k, p)| Step::Metadata(k, p)),
        2 => (key(), by_peer()).prop_map(|(k, p)| Step::Cancel(k, p)),
        3 => (1_u64..20).prop_map(Step::Pass),
        1 => (20_u64..100).prop_map(Step::Pass),
    ]
}

/// A story of up to so many steps.
pub fn story(steps: usize) -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..steps)
}

/// The body of a registration.
pub fn body(key: &Key, sent: &Sent) -> String {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| _ = members.insert(name.to_string(), value);
    for (name, text) in [("app", key.0.as_str()), ("instanceId", key.1.as_str())] {
        put(name, json!(text));
    }
    put("hostName", json!("host-1"));
    put("ipAddr", json!("10.0.0.1"));
    put("status", json!(sent.status));
    put("overriddenStatus", json!(sent.ordered));
    put("lastDirtyTimestamp", json!(sent.stamp));
    put("metadata", json!(sent.metadata));
    put("vipAddress", json!(sent.vip));
    put("secureVipAddress", json!(sent.secure_vip));
    put("statusPageUrl", json!(sent.page));
    put("appGroupName", json!(sent.group));
    if let Some((interval, duration)) = sent.lease {
        let lease = json!({"renewalIntervalInSecs": interval, "durationInSecs": duration});
        put("leaseInfo", lease);
    }
    put(
        "dataCenterInfo",
        match &sent.amazon {
            None => json!({"name": "MyOwn"}),
            Some(metadata) => json!({"name": "Amazon", "metadata": metadata}),
        },
    );
    for (name, port) in [("port", sent.port), ("securePort", sent.secure_port)] {
        if let Some((number, enabled)) = port {
            put(name, json!({"$": number, "@enabled": enabled.to_string()}));
        }
    }
    json!({ "instance": members }).to_string()
}

/// The query of a request, encoded.
fn query(pairs: &[(&str, Option<String>)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    query.finish()
}

/// A node and the model that it must agree with.
pub struct World {
    pub scene: Scene,
    pub model: Model,
}

impl World {
    /// Takes the step on both sides; the answers and the number of changes must be the same.
    pub async fn take(&mut self, step: &Step) {
        if let Step::Pass(seconds) = step {
            self.scene
                .pass(std::time::Duration::from_secs(*seconds))
                .await;
            self.model.pass(*seconds * 1000);
        } else {
            let step = &self.settled(step);
            let told = self.tell(step);
            assert_eq!(self.send(step).await, told, "{step:?}");
        }
        assert_eq!(self.scene.revision(), self.model.revision, "after {step:?}");
    }

    /// The step with the stamp that is held now where it should have that.
    pub fn settled(&self, step: &Step) -> Step {
        match step {
            Step::Beat(key, Some(AS_HELD), ordered, peer) => {
                let held = self.model.held.get(key).map(|record| record.stamp);
                Step::Beat(key.clone(), held, *ordered, *peer)
            }
            step => step.clone(),
        }
    }

    fn tell(&mut self, step: &Step) -> u16 {
        let model = &mut self.model;
        match step.clone() {
            Step::Register(key, sent, peer) => model.register(&key, *sent, peer),
            Step::Beat(key, stamp, ordered, peer) => model.beat(&key, stamp, ordered, peer),
            Step::Order(key, status, stamp, _) => model.order(&key, status, stamp),
            Step::Clear(key, status, stamp, _) => model.clear(&key, status, stamp),
            Step::Metadata(key, pairs) => model.add_metadata(&key, &pairs),
            Step::Cancel(key, _) => model.cancel(&key),
            Step::Pass(_) => unreachable!(),
        }
    }

    /// Takes the step at the node only; the status that it is answered with.
    pub async fn send(&self, step: &Step) -> u16 {
        let path = |(app, id): &Key| format!("/eureka/apps/{app}/{id}");
        let stamped = |stamp: &Option<u64>| ("lastDirtyTimestamp", stamp.map(|s| s.to_string()));
        let scene = &self.scene;
        let (ask, peer) = match step {
            Step::Register(key, sent, peer) => {
                let path = format!("/eureka/apps/{}", key.0);
                (scene.post(&path, body(key, sent)).json_body(), *peer)
            }
            Step::Beat(key, stamp, ordered, peer) => {
                let ordered = ("overriddenstatus", ordered.map(str::to_string));
                let query = query(&[stamped(stamp), ordered]);
                (scene.put(&format!("{}?{query}", path(key))), *peer)
            }
            Step::Order(key, status, stamp, peer) => {
                let query = query(&[("value", Some(status.to_string())), stamped(stamp)]);
                (scene.put(&format!("{}/status?{query}", path(key))), *peer)
            }
            Step::Clear(key, status, stamp, peer) => {
                let query = query(&[("value", status.map(str::to_string)), stamped(stamp)]);
                (
                    scene.delete(&format!("{}/status?{query}", path(key))),
                    *peer,
                )
            }
            Step::Metadata(key, pairs) => {
                let pairs: Vec<_> = pairs
                    .iter()
                    .map(|(k, v)| (k.as_str(), Some(v.clone())))
                    .collect();
                (
                    scene.put(&format!("{}/metadata?{}", path(key), query(&pairs))),
                    false,
                )
            }
            Step::Cancel(key, peer) => (scene.delete(&path(key)), *peer),
            Step::Pass(_) => unreachable!(),
        };
        let ask = if peer { ask.replicated() } else { ask };
        ask.await.status
    }
}
