//! Whatever a registration has in it, nobody's list is spoilt by it: what is accepted is read back from
//! every list by strict readers, with the id that it came with; what is refused changes nothing.

use heureka::config::{Config, Mode};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use crate::parts::{Shape, read};
use crate::scene::{Scene, every_form};
use crate::{cases, play};

/// Where a text may stand in a registration.
const TEXTS: &[&str] = &[
    "instanceId",
    "hostName",
    "ipAddr",
    "sid",
    "status",
    "overriddenstatus",
    "appGroupName",
    "homePageUrl",
    "statusPageUrl",
    "healthCheckUrl",
    "secureHealthCheckUrl",
    "vipAddress",
    "secureVipAddress",
    "countryId",
    "lastDirtyTimestamp",
    "lastUpdatedTimestamp",
    "actionType",
    "asgName",
    "isCoordinatingDiscoveryServer",
    "nobody-knows-this",
];

/// What is not a text, and has texts in it.
const STRUCTURE: &[&str] = &[
    "dataCenterInfo",
    "name",
    "metadata",
    "port",
    "leaseInfo",
    "durationInSecs",
];

/// Pieces of which something that reads or writes could lose its way.
const PIECES: &[&str] = &[
    "a",
    "Z9",
    " ",
    "\"",
    "\\",
    "'",
    "<",
    ">",
    "&",
    "&amp;",
    "&#0;",
    "]]>",
    "<![CDATA[",
    "-->",
    "<!--",
    "<?xml?>",
    "\u{0}",
    "\u{1}",
    "\t",
    "\r",
    "\n",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{200f}",
    "\u{202e}",
    "\u{feff}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{d7ff}",
    "\u{e000}",
    "é",
    "😀",
    "\u{10ffff}",
    "{}",
    "[",
    ",",
    ":",
    ";",
    "/",
    "..",
    "%2F",
    "+",
    "?",
    "#",
    "$",
    "_",
    "@class",
    "xml",
    "xmlns:a",
    "null",
    "UP",
    "1e999",
    "-1",
    "9223372036854775808",
];

fn text() -> impl Strategy<Value = String> {
    let odd = vec(select(PIECES), 0..5).prop_map(|pieces| pieces.concat());
    prop_oneof![4 => odd, 1 => any::<String>()]
}

/// A value of any kind.
fn value() -> impl Strategy<Value = Value> {
    let flat = prop_oneof![
        6 => text().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    flat.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    vec((text(), value()), 0..4).prop_map(|members| members.into_iter().collect())
}

/// A registration that is all right, with some of its members made odd.
fn registration() -> impl Strategy<Value = Value> {
    let known = vec(
        (
            select(TEXTS),
            prop_oneof![3 => text().prop_map(Value::from), 1 => value()],
        ),
        0..6,
    );
    let centre = prop_oneof![
        4 => Just(json!({"name": "MyOwn"})),
        2 => object().prop_map(|metadata| json!({"name": "Amazon", "metadata": metadata})),
        1 => value(),
    ];
    let port = prop_oneof![9 => any::<u32>().prop_map(Value::from), 1 => value()];
    let nested = (centre, object(), port, value(), value());
    (known, nested).prop_map(|(known, (centre, metadata, port, lease, any))| {
        let mut members = Map::new();
        members.insert("hostName".to_string(), json!("h"));
        members.insert("ipAddr".to_string(), json!("10.0.0.1"));
        members.insert("instanceId".to_string(), json!("i"));
        members.insert("dataCenterInfo".to_string(), centre);
        members.insert("metadata".to_string(), Value::Object(metadata));
        members.insert("port".to_string(), json!({"$": port, "@enabled": any}));
        members.insert("leaseInfo".to_string(), json!({"durationInSecs": lease}));
        members.extend(
            known
                .into_iter()
                .map(|(name, value)| (name.to_string(), value)),
        );
        Value::Object(members)
    })
}

/// How XML is written.
#[derive(Clone, Copy, Debug)]
struct Style {
    /// A text with entities, as a section, or in numbers.
    text: usize,
    /// Metadata keys as they are, though many are no names; what is no document is refused.
    raw_names: bool,
}

fn style() -> impl Strategy<Value = Style> {
    (0_usize..3, proptest::bool::weighted(0.1))
        .prop_map(|(text, raw_names)| Style { text, raw_names })
}

/// The same in XML.
fn xml(members: &Value, style: Style) -> String {
    let mut body = String::from("<instance>");
    for (name, value) in members.as_object().into_iter().flatten() {
        write_element(&mut body, name, value, style);
    }
    body + "</instance>"
}

fn write_element(out: &mut String, name: &str, value: &Value, style: Style) {
    let known = TEXTS.contains(&name) || STRUCTURE.contains(&name);
    let name = match known || style.raw_names {
        true => name.to_string(),
        false => format!("k{name}").replace(|c: char| !c.is_alphanumeric(), "_"),
    };
    out.push_str(&format!("<{name}>"));
    match value {
        Value::Object(members) if name == "port" => write_text(out, &members["$"], style),
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, value)| write_element(out, name, value, style));
        }
        value => write_text(out, value, style),
    }
    out.push_str(&format!("</{name}>"));
}

fn write_text(out: &mut String, value: &Value, style: Style) {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_string);
    match style.text {
        0 => out.push_str(&quick_xml::escape::escape(text.as_str())),
        1 => out.push_str(&format!("<![CDATA[{}]]>", text.replace("]]>", ""))),
        _ => text
            .chars()
            .for_each(|c| out.push_str(&format!("&#{};", u32::from(c)))),
    }
}

/// A body with some of its bytes lost, doubled or replaced.
fn damaged(body: &str, damage: &[(Index, u8)]) -> Vec<u8> {
    let mut bytes = body.as_bytes().to_vec();
    for (at, with) in damage {
        let at = at.index(bytes.len());
        match with % 3 {
            0 => _ = bytes.remove(at),
            1 => bytes.insert(at, bytes[at]),
            _ => bytes[at] = *with,
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// Sends a body and checks that it is stored and shown, or refused and nowhere; whether it was accepted.
async fn is_accepted(scene: &Scene, body: Vec<u8>, kind: &str) -> bool {
    let (before, leases) = (scene.revision(), scene.leases().await);
    let ask = scene
        .post("/eureka/apps/ODD", body)
        .header("Content-Type", kind);
    let reply = ask.await;
    if reply.status == 204 {
        assert_eq!(scene.revision(), before + 1);
        return true;
    }
    assert_eq!(reply.status, 400, "{}", reply.text());
    assert!(!reply.body.is_empty(), "it is told why");
    assert_eq!((scene.revision(), scene.leases().await), (before, leases));
    false
}

const SHAPES: [Shape; 5] = [
    Shape::Json,
    Shape::JsonCompact,
    Shape::Xml,
    Shape::XmlV1,
    Shape::XmlCompact,
];

/// Reads every list in every form and finds everybody in it.
async fn everybody_is_listed(scene: &Scene, instances: usize) {
    for list in ["apps", "apps/delta", "apps/ODD", "vips/odd"] {
        if list == "apps/ODD" && instances == 1 {
            assert_eq!(scene.get("/eureka/apps/ODD").await.status, 404);
            continue;
        }
        for (form, shape) in every_form(list).chunks(2).zip(SHAPES) {
            let body = scene.read_form(&form[0]).await;
            let read = read(shape, body.as_bytes());
            let listed: usize = read.apps.iter().map(|(_, instances)| instances.len()).sum();
            if list.starts_with("apps") && list != "apps/ODD" {
                assert_eq!(listed, instances, "{list} {shape:?}: {body}");
            }
        }
    }
}

/// What is held can be asked for by its own name, whatever that is.
async fn every_name_leads_back(scene: &Scene) {
    let list = scene.get("/eureka/apps/ODD").j().await;
    if list.status == 404 {
        return;
    }
    for instance in list.json()["application"]["instance"].as_array().unwrap() {
        let own = instance["instanceId"].as_str().filter(|id| !id.is_empty());
        let amazon = instance["dataCenterInfo"]["metadata"]["instance-id"].as_str();
        let id = own
            .or(amazon)
            .unwrap_or_else(|| instance["hostName"].as_str().unwrap());
        let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("/eureka/apps/ODD/{encoded}");
        let reply = scene.get(&path).j().await;
        assert_eq!(reply.status, 200, "{id:?}");
        let shown = &reply.json()["instance"];
        assert_eq!(shown["instanceId"], instance["instanceId"]);
        assert_eq!(shown["metadata"], instance["metadata"]);
        let xml = scene.get(&path).await.text();
        roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    }
}

/// A node with an ordinary instance, whose lists are to stay readable.
async fn node() -> Scene {
    let scene = Scene::in_paused_time(Config::of(Mode::Modern));
    scene.announce("GOOD/i", r#""vipAddress":"odd""#).await;
    scene
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn no_registration_in_json_spoils_a_list(bodies in vec(registration(), 1..4)) {
        play(async {
            let scene = node().await;
            for members in &bodies {
                let body = json!({ "instance": members }).to_string();
                is_accepted(&scene, body.into_bytes(), "application/json").await;
            }
            let held = scene.leases().await as usize;
            everybody_is_listed(&scene, held).await;
            every_name_leads_back(&scene).await;
        });
    }

    #[test]
    fn no_registration_in_xml_spoils_a_list(bodies in vec((registration(), style()), 1..4)) {
        play(async {
            let scene = node().await;
            for (members, style) in &bodies {
                let body = xml(members, *style);
                is_accepted(&scene, body.into_bytes(), "application/xml").await;
            }
            let held = scene.leases().await as usize;
            everybody_is_listed(&scene, held).await;
            every_name_leads_back(&scene).await;
        });
    }

    #[test]
    fn no_body_that_was_damaged_on_its_way_spoils_a_list(
        members in registration(),
        style in style(),
        damage in vec((any::<Index>(), any::<u8>()), 1..4),
    ) {
        play(async {
            let scene = node().await;
            let body = json!({ "instance": members }).to_string();
            is_accepted(&scene, damaged(&body, &damage), "application/json").await;
            let body = xml(&members, style);
            is_accepted(&scene, damaged(&body, &damage), "application/xml").await;
            let held = scene.leases().await as usize;
            everybody_is_listed(&scene, held).await;
        });
    }
}
