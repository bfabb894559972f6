//! What a list should hold, written down plainly from wire.md §4, §6 and §7, without the server's own writers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::model::{Lease, Record, Status};
use crate::parts::{Element, Instance, Shape};
use crate::support::EPOCH;

/// The instance as a list of this shape has it; `base` is that of its lease, where that is shown.
pub fn instance(shape: Shape, record: &Record, base: u64) -> Instance {
    match shape {
        Shape::Json => Instance::Json(full_json(record, base)),
        Shape::JsonCompact => Instance::Json(compact_json(record)),
        Shape::Xml | Shape::XmlV1 => Instance::Xml(full_xml(record, base, shape == Shape::XmlV1)),
        Shape::XmlCompact => Instance::Xml(compact_xml(record)),
    }
}

const DEFAULT_CLASS: &str = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";
const AMAZON_CLASS: &str = "com.netflix.appinfo.AmazonInfo";
const EMPTY_MAP: &str = "java.util.Collections$EmptyMap";
/// What the reduced form keeps of Amazon's metadata.
const KEPT: [&str; 5] = [
    "instance-id",
    "public-ipv4",
    "public-hostname",
    "local-ipv4",
    "availability-zone",
];

/// Amazon's metadata, with the id that it always has; of them what this form keeps.
fn amazon(record: &Record, compact: bool) -> Option<BTreeMap<&str, &str>> {
    let metadata = record.sent.amazon.as_ref()?;
    let pairs = metadata.iter().map(|(k, v)| (k.as_str(), v.as_str()));
    let mut metadata: BTreeMap<&str, &str> = pairs.collect();
    let id = metadata.entry("instance-id").or_default();
    if id.is_empty() {
        *id = &record.id;
    }
    metadata.retain(|key, _| !compact || KEPT.contains(key));
    Some(metadata)
}

fn port(sent: Option<(u64, bool)>, default: (u64, bool)) -> (u64, bool) {
    let (number, enabled) = sent.unwrap_or(default);
    (number.min(65_535), enabled)
}

fn ports(record: &Record) -> [(&'static str, (u64, bool)); 2] {
    let sent = &record.sent;
    [
        ("port", port(sent.port, (7001, true))),
        ("securePort", port(sent.secure_port, (7002, false))),
    ]
}

/// The four times of a lease, in the order in which they are shown.
fn times(lease: &Lease, base: u64) -> [(&'static str, u64); 4] {
    let shown = |at: Option<u64>| at.map_or(0, |at| EPOCH + at);
    [
        ("registrationTimestamp", shown(Some(lease.registered))),
        ("lastRenewalTimestamp", shown(Some(base))),
        ("evictionTimestamp", shown(lease.evicted)),
        ("serviceUpTimestamp", shown(lease.up)),
    ]
}

fn json_data_center(record: &Record, compact: bool) -> Value {
    match amazon(record, compact) {
        None => json!({"@class": DEFAULT_CLASS, "name": "MyOwn"}),
        Some(metadata) => json!({"@class": AMAZON_CLASS, "name": "Amazon", "metadata": metadata}),
    }
}

/// The members that are there in both JSON forms.
fn common_json(record: &Record, compact: bool) -> Map<String, Value> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| _ = members.insert(name.to_string(), value);
    for (name, text) in [("instanceId", &record.id), ("app", &record.app)] {
        put(name, json!(text));
    }
    for (name, text) in [
        ("hostName", "host-1"),
        ("ipAddr", "10.0.0.1"),
        ("status", record.status),
    ] {
        put(name, json!(text));
    }
    for (name, (number, enabled)) in ports(record) {
        put(name, json!({"$": number, "@enabled": enabled.to_string()}));
    }
    let vips = [
        ("vipAddress", &record.sent.vip),
        ("secureVipAddress", &record.sent.secure_vip),
    ];
    for (name, vip) in vips {
        if let Some(vip) = vip {
            put(name, json!(vip));
        }
    }
    put("dataCenterInfo", json_data_center(record, compact));
    put("actionType", json!(record.action));
    members
}

fn full_json(record: &Record, base: u64) -> Value {
    let mut members = common_json(record, false);
    let mut put = |name: &str, value: Value| _ = members.insert(name.to_string(), value);
    put(
        "overriddenStatus",
        json!(record.ordered.unwrap_or("UNKNOWN")),
    );
    put("countryId", json!(1));
    let (interval, duration) = record.sent.lease.unwrap_or((30, 90));
    let mut lease = Map::new();
    lease.insert("renewalIntervalInSecs".to_string(), json!(interval));
    lease.insert("durationInSecs".to_string(), json!(duration));
    let times = times(&record.lease, base).map(|(name, at)| (name.to_string(), json!(at)));
    lease.extend(times);
    put("leaseInfo", Value::Object(lease));
    match record.sent.metadata.is_empty() {
        true => put("metadata", json!({"@class": EMPTY_MAP})),
        false => put("metadata", json!(record.sent.metadata)),
    }
    if let Some(group) = &record.sent.group {
        put("appGroupName", json!(group.to_uppercase()));
    }
    if let Some(page) = &record.sent.page {
        put("statusPageUrl", json!(page));
    }
    put("isCoordinatingDiscoveryServer", json!("false"));
    put(
        "lastUpdatedTimestamp",
        json!((EPOCH + record.updated).to_string()),
    );
    put("lastDirtyTimestamp", json!(record.stamp.to_string()));
    Value::Object(members)
}

fn compact_json(record: &Record) -> Value {
    let mut members = common_json(record, true);
    members.insert(
        "lastUpdatedTimestamp".to_string(),
        json!(EPOCH + record.updated),
    );
    Value::Object(members)
}

/// A text as XML can hold it: what no document may have becomes U+FFFD.
fn legal(text: &str) -> String {
    let may = |c: char| {
        matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && !matches!(c, '\u{FFFE}' | '\u{FFFF}'))
    };
    text.chars()
        .map(|c| if may(c) { c } else { '\u{FFFD}' })
        .collect()
}

fn leaf(name: &str, text: impl ToString) -> Element {
    Element {
        name: name.to_string(),
        attribute: None,
        text: legal(&text.to_string()),
        children: Vec::new(),
    }
}

fn node(name: &str, attribute: Option<(&str, &str)>, children: Vec<Element>) -> Element {
    Element {
        attribute: attribute.map(|(key, value)| (key.to_string(), value.to_string())),
        children,
        ..leaf(name, "")
    }
}

/// A key as an element's name: `_` and `$` have escapes of their own, letters, digits, `-` and `.` stay
/// but for their place at the start, and the keys of this test have nothing else that may stay.
fn key_name(key: &str) -> String {
    let mut name = String::new();
    for (at, c) in key.char_indices() {
        let plain = c.is_alphabetic() || (at > 0 && (c.is_ascii_digit() || c == '-' || c == '.'));
        match c {
            '_' => name.push_str("__"),
            '$' => name.push_str("_-"),
            c if plain => name.push(c),
            c => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| name += &format!("_.{unit:04x}")),
        }
    }
    name
}

fn xml_metadata(pairs: &BTreeMap<&str, &str>) -> Element {
    let children = pairs.iter().map(|(key, value)| leaf(&key_name(key), value));
    node("metadata", None, children.collect())
}

fn xml_data_center(record: &Record, compact: bool) -> Element {
    let (class, name) = match record.sent.amazon {
        None => (DEFAULT_CLASS, "MyOwn"),
        Some(_) => (AMAZON_CLASS, "Amazon"),
    };
    let mut children = vec![leaf("name", name)];
    children.extend(amazon(record, compact).map(|metadata| xml_metadata(&metadata)));
    node("dataCenterInfo", Some(("class", class)), children)
}

fn xml_ports(record: &Record) -> impl Iterator<Item = Element> {
    ports(record)
        .into_iter()
        .map(|(name, (number, enabled))| Element {
            attribute: Some(("enabled".to_string(), enabled.to_string())),
            ..leaf(name, number)
        })
}

fn full_xml(record: &Record, base: u64, v1: bool) -> Element {
    let sent = &record.sent;
    let down = |status: Status| match status {
        "OUT_OF_SERVICE" | "UNKNOWN" if v1 => "DOWN",
        status => status,
    };
    let mut children = vec![
        leaf("instanceId", &record.id),
        leaf("hostName", "host-1"),
        leaf("app", &record.app),
        leaf("ipAddr", "10.0.0.1"),
        leaf("status", down(record.status)),
        leaf("overriddenstatus", record.ordered.unwrap_or("UNKNOWN")),
    ];
    children.extend(xml_ports(record));
    children.extend([
        leaf("countryId", 1),
        xml_data_center(record, false),
        xml_lease(record, base),
    ]);
    let pairs: BTreeMap<&str, &str> = sent.metadata.iter().map(|(k, v)| (&**k, &**v)).collect();
    children.push(match pairs.is_empty() {
        true => node("metadata", Some(("class", EMPTY_MAP)), Vec::new()),
        false => xml_metadata(&pairs),
    });
    children.extend(
        sent.group
            .as_ref()
            .map(|group| leaf("appGroupName", group.to_uppercase())),
    );
    children.extend(sent.page.as_ref().map(|page| leaf("statusPageUrl", page)));
    children.extend(xml_vips(record));
    children.push(leaf("isCoordinatingDiscoveryServer", false));
    children.push(leaf("lastUpdatedTimestamp", EPOCH + record.updated));
    children.push(leaf("lastDirtyTimestamp", record.stamp));
    children.push(leaf("actionType", record.action));
    node("instance", None, children)
}

fn xml_lease(record: &Record, base: u64) -> Element {
    let (interval, duration) = record.sent.lease.unwrap_or((30, 90));
    let mut children = vec![
        leaf("renewalIntervalInSecs", interval),
        leaf("durationInSecs", duration),
    ];
    children.extend(times(&record.lease, base).map(|(name, at)| leaf(name, at)));
    node("leaseInfo", None, children)
}

fn xml_vips(record: &Record) -> impl Iterator<Item = Element> {
    let vip = record.sent.vip.as_ref().map(|vip| leaf("vipAddress", vip));
    let secure = record
        .sent
        .secure_vip
        .as_ref()
        .map(|vip| leaf("secureVipAddress", vip));
    vip.into_iter().chain(secure)
}

fn compact_xml(record: &Record) -> Element {
    let mut children = vec![
        leaf("instanceId", &record.id),
        leaf("app", &record.app),
        leaf("ipAddr", "10.0.0.1"),
    ];
    children.extend(xml_vips(record));
    children.push(xml_data_center(record, true));
    children.push(leaf("hostName", "host-1"));
    children.push(leaf("status", record.status));
    children.push(leaf("lastUpdatedTimestamp", EPOCH + record.updated));
    children.push(leaf("actionType", record.action));
    children.extend(xml_ports(record));
    node("instance", None, children)
}
