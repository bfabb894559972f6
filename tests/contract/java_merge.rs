//! Replay test T25 of foreign-clients.md §6: a Java client follows by deltas and never falls over an
//! Amazon record.
//!
//! The merge is that of the reference's client (wire.md §8.2, §12.5): ADDED and MODIFIED insert or
//! replace by id, DELETED removes, an application without instances goes, and the hash must be that of
//! the delta. Before that it asks for the region of each instance, where a record *named* Amazon of
//! another class, or without metadata, ends the whole merge.

use std::collections::BTreeMap;

use heureka::config::Mode;
use serde_json::Value;

use crate::kit::{list, registering};
use crate::support::{TestNode, members};

/// What a Java client holds: instances by application and id.
#[derive(Debug, Default, PartialEq)]
struct Held(BTreeMap<String, BTreeMap<String, Value>>);

impl Held {
    /// Takes over a full list.
    fn full(list: &Value) -> Self {
        let mut held = Self::default();
        for (app, instance) in instances(list) {
            held.put(app, instance);
        }
        held
    }

    fn put(&mut self, app: &str, instance: &Value) {
        region(instance);
        let id = id(instance).to_string();
        self.0
            .entry(app.to_string())
            .or_default()
            .insert(id, instance.clone());
    }

    /// Follows a delta; panics where Java would read everything again.
    fn merge(&mut self, delta: &Value) {
        for (app, instance) in instances(delta) {
            region(instance);
            match instance["actionType"].as_str().unwrap() {
                "ADDED" | "MODIFIED" => self.put(app, instance),
                "DELETED" => {
                    if let Some(all) = self.0.get_mut(app) {
                        all.remove(id(instance));
                    }
                    self.0.retain(|_, all| !all.is_empty());
                }
                other => panic!("{other}"),
            }
        }
        assert_eq!(self.hash(), delta["apps__hashcode"].as_str().unwrap());
    }

    fn hash(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for instance in self.0.values().flat_map(BTreeMap::values) {
            *counts
                .entry(instance["status"].as_str().unwrap())
                .or_default() += 1;
        }
        counts
            .iter()
            .map(|(status, count)| format!("{status}_{count}_"))
            .collect()
    }
}

fn instances(list: &Value) -> impl Iterator<Item = (&str, &Value)> {
    list["application"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|app| {
            let name = app["name"].as_str().unwrap();
            app["instance"]
                .as_array()
                .unwrap()
                .iter()
                .map(move |instance| (name, instance))
        })
}

/// The id by which Java keeps an instance.
fn id(instance: &Value) -> &str {
    let amazon = &instance["dataCenterInfo"]["metadata"]["instance-id"];
    let known = [&instance["instanceId"], amazon, &instance["hostName"]];
    known.into_iter().find_map(Value::as_str).unwrap()
}

/// The region of an instance; panics where Java throws.
fn region(instance: &Value) -> &str {
    let center = &instance["dataCenterInfo"];
    if center["name"] != "Amazon" {
        return "us-east-1";
    }
    assert_eq!(
        center["@class"], "com.netflix.appinfo.AmazonInfo",
        "ClassCastException"
    );
    let metadata = center["metadata"]
        .as_object()
        .expect("NullPointerException");
    match metadata.get("availability-zone").and_then(Value::as_str) {
        Some(zone) => &zone[..zone.len() - 1],
        None => "us-east-1",
    }
}

#[actix_web::test]
async fn t25_a_java_client_merges_amazon_records_whatever_they_lacked() {
    let node = TestNode::start(Mode::Modern);
    let mut java = Held::full(&list(&node, "apps").await);
    let amazon = |metadata: &str| {
        format!(
            r#""dataCenterInfo":{{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"Amazon"{metadata}}}"#
        )
    };
    for (id, metadata) in [
        ("none", ""),
        ("null", r#","metadata":null"#),
        (
            "some",
            r#","metadata":{"availability-zone":"eu-west-1c","instance-id":"i-1"}"#,
        ),
    ] {
        let reply = registering(&node, "A", &members("A", id, &amazon(metadata))).await;
        assert_eq!(reply.status, 204, "{id}");
    }
    let delta = list(&node, "apps/delta").await;
    java.merge(&delta);
    assert_eq!(java, Held::full(&list(&node, "apps").await));
    let regions: Vec<_> = instances(&delta)
        .map(|(_, instance)| region(instance))
        .collect();
    assert_eq!(regions, ["us-east-1", "us-east-1", "eu-west-1"]);
}

#[actix_web::test]
async fn t25_deltas_bring_a_java_client_to_what_a_full_list_shows() {
    let node = TestNode::start(Mode::Modern);
    let mut java = Held::full(&list(&node, "apps").await);
    for (method, path, body) in [
        ("POST", "A", members("A", "1", "")),
        ("POST", "A", members("A", "2", r#""status":"STARTING""#)),
        ("POST", "B", members("B", "1", "")),
        ("PUT", "A/1/status?value=OUT_OF_SERVICE", String::new()),
        ("PUT", "A/2/metadata?zone=z", String::new()),
        ("DELETE", "B/1", String::new()),
        ("DELETE", "A/1/status?value=UP", String::new()),
        (
            "POST",
            "A",
            members("A", "2", r#""status":"UP","lastDirtyTimestamp":1001"#),
        ),
        ("DELETE", "A/1", String::new()),
        ("POST", "A", members("A", "1", r#""status":"DOWN""#)),
        ("DELETE", "A/2", String::new()),
        ("DELETE", "A/1", String::new()),
        ("POST", "C", members("C", "1", "")),
    ] {
        let ask = node.request(method.parse().unwrap(), &format!("/eureka/apps/{path}"));
        let ask = if body.is_empty() {
            ask
        } else {
            ask.body(crate::kit::body(&body)).json_body()
        };
        let reply = ask.await;
        assert!([200, 204].contains(&reply.status), "{method} {path}");
        java.merge(&list(&node, "apps/delta").await);
        assert_eq!(
            java,
            Held::full(&list(&node, "apps").await),
            "{method} {path}"
        );
    }
}
