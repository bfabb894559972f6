//! What real clients send: every recorded registration is accepted, and read back canonical with the
//! members that were sent.
//!
//! `tests/golden/registrations/` has the distinct bodies, byte for byte as their clients wrote them,
//! named after package registry and package.

use std::fs;
use std::path::Path;

use heureka::config::Mode;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::{Map, Value, json};

use crate::canon::assert_canonical;
use crate::canon_xml::assert_canonical_xml;
use crate::support::TestNode;

/// Members that the node sets, whatever was sent.
const OWN: [&str; 4] = [
    "actionType",
    "isCoordinatingDiscoveryServer",
    "lastUpdatedTimestamp",
    "leaseInfo",
];

#[actix_web::test]
async fn every_recorded_registration_is_accepted_and_read_back_as_it_was_meant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/registrations");
    let node = TestNode::start(Mode::Modern);
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let body = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        replay(&node, name, &body).await;
        count += 1;
    }
    assert_eq!(count, 28, "recorded bodies");
}

async fn replay(node: &TestNode, name: &str, body: &str) {
    let (sent, content_type) = if name.ends_with(".json") {
        (json_members(body), "application/json")
    } else {
        (xml_members(body), "application/xml")
    };
    let text = |member: &str| sent.get(member).and_then(Value::as_str);
    let app = format!("/eureka/apps/{}", text("app").unwrap());
    let id = text("instanceId").or(text("hostName")).unwrap();

    let reply = node
        .post(&app, body)
        .header("Content-Type", content_type)
        .await;
    assert_eq!((reply.status, reply.text()), (204, String::new()), "{name}");
    assert_canonical(&node.get("/eureka/apps").j().await.text());
    assert_canonical_xml(&node.get("/eureka/apps").await.text());
    let instance = format!("{app}/{id}");
    let shown = node.get(&instance).j().await.json();
    compare(name, &sent, shown["instance"].as_object().unwrap());
    assert_eq!(node.delete(&instance).await.status, 200, "{name}");
}

/// What was sent is shown, and nothing else but defaults.
fn compare(name: &str, sent: &Map<String, Value>, shown: &Map<String, Value>) {
    assert_lease(name, sent.get("leaseInfo"), &shown["leaseInfo"]);
    let expected = expected(sent);
    let own = |(member, _): &(&String, &Value)| !OWN.contains(&member.as_str());
    for (member, value) in shown.iter().filter(own) {
        match expected.get(member) {
            Some(expected) => assert_eq!(value, expected, "{name} {member}"),
            None => assert_eq!(Some(value), default(member).as_ref(), "{name} {member}"),
        }
    }
    let mut missing = expected
        .keys()
        .filter(|member| !shown.contains_key(*member));
    assert_eq!(missing.next(), None, "{name}");
}

/// What readers see of the members that were sent.
fn expected(sent: &Map<String, Value>) -> Map<String, Value> {
    let mut expected = Map::new();
    for (member, value) in sent {
        let shown = match member.as_str() {
            own if OWN.contains(&own) => continue,
            "overriddenstatus" | "overriddenStatus" => {
                let text = value.as_str().filter(|text| !text.is_empty());
                expected.insert("overriddenStatus".into(), text.unwrap_or("UNKNOWN").into());
                continue;
            }
            "sid" if value == "na" => continue,
            "app" | "appGroupName" => value.as_str().map(|text| text.to_uppercase().into()),
            "port" | "securePort" => port(value),
            "countryId" => Some(as_number(value)),
            "dataCenterInfo" => Some(json!({
                "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",
                "name": value["name"],
            })),
            "metadata" => metadata(value),
            _ if value.is_null() => None,
            _ => Some(value.clone()),
        };
        expected.extend(shown.map(|shown| (member.clone(), shown)));
    }
    expected
}

/// What readers see of members that were not sent.
fn default(member: &str) -> Option<Value> {
    Some(match member {
        "overriddenStatus" => json!("UNKNOWN"),
        "status" => json!("UP"),
        "countryId" => json!(1),
        "port" => json!({"$": 7001, "@enabled": "true"}),
        "securePort" => json!({"$": 7002, "@enabled": "false"}),
        "metadata" => json!({"@class": "java.util.Collections$EmptyMap"}),
        "lastDirtyTimestamp" => json!(crate::support::EPOCH.to_string()),
        _ => return None,
    })
}

fn port(sent: &Value) -> Option<Value> {
    let enabled = sent["@enabled"]
        .as_bool()
        .or(sent["@enabled"].as_str().map(|text| text == "true"))?;
    Some(json!({"$": as_number(&sent["$"]), "@enabled": enabled.to_string()}))
}

fn metadata(sent: &Value) -> Option<Value> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_string)
    };
    let pairs = sent
        .as_object()?
        .iter()
        .map(|(key, value)| (key.clone(), text(value).into()));
    Some(Value::Object(pairs.collect::<Map<_, _>>())).filter(|map| *map != json!({}))
}

fn assert_lease(name: &str, sent: Option<&Value>, shown: &Value) {
    for (member, default) in [("renewalIntervalInSecs", 30), ("durationInSecs", 90)] {
        let sent = sent.and_then(|lease| lease.get(member)).map(as_number);
        let expected = sent
            .filter(|seconds| *seconds != 0)
            .unwrap_or_else(|| default.into());
        assert_eq!(shown[member], expected, "{name} {member}");
    }
}

/// A number, or the number in a text.
fn as_number(value: &Value) -> Value {
    match value.as_str() {
        Some(text) => text.parse::<u64>().unwrap().into(),
        None => value.clone(),
    }
}

fn json_members(body: &str) -> Map<String, Value> {
    let body: Value = serde_json::from_str(body).unwrap();
    body["instance"].as_object().unwrap().clone()
}

/// The elements of `<instance>` as the JSON members that mean the same; empty ones are absent.
fn xml_members(body: &str) -> Map<String, Value> {
    let mut reader = Reader::from_str(body);
    let mut open = vec![(String::new(), Map::new())];
    let mut text = String::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                text.clear();
                open.push((start.name().as_ref().to_string(), attributes(&start)));
            }
            Event::Text(content) => text = content.trim().to_string(),
            Event::End(_) => {
                let (name, mut members) = open.pop().unwrap();
                let content = std::mem::take(&mut text);
                let value = match (name.as_str(), content.as_str()) {
                    ("port" | "securePort", number) => {
                        members.insert("$".into(), number.into());
                        Value::Object(members)
                    }
                    (_, "") if members.is_empty() => continue,
                    (_, "") => Value::Object(members),
                    (_, text) => text.into(),
                };
                open.last_mut().unwrap().1.insert(name, value);
            }
            Event::Empty(_) => {}
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    open[0].1["instance"].as_object().unwrap().clone()
}

/// The flag of a port; classes are not of interest.
fn attributes(start: &BytesStart<'_>) -> Map<String, Value> {
    let attributes = start.attributes().map(Result::unwrap);
    let flags = attributes.filter(|a| a.key.as_ref() == "enabled");
    flags
        .map(|a| ("@enabled".to_string(), Value::from(&*a.value)))
        .collect()
}
