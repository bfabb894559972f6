//! The replay tests of foreign-clients.md §6, by number: what clients outside Java send, and what they
//! need back.
//!
//! "Canon" is `canon.rs` and `canon_xml.rs`. Here is what is registered; paths and heads are in
//! `replay_paths.rs`, T25 is in `java_merge.rs`. T11 (the HTTP/2 preface, `OPTIONS *` with
//! `Upgrade: h2c`) and T24 (`Expect: 100-continue`) need sockets and are in `tests/sockets.rs`.

use std::time::Duration;

use heureka::config::{Config, Mode};
use serde_json::json;

use crate::canon::assert_canonical;
use crate::canon_xml::assert_canonical_xml;
use crate::kit::{body, list, names, shown};
use crate::support::{Reply, TestNode};

pub fn node() -> TestNode {
    TestNode::start(Mode::Modern)
}

/// Every list is canonical in both formats.
async fn canon(node: &TestNode) {
    for path in [
        "/eureka/apps",
        "/eureka/apps/delta",
        "/eureka/vips/x",
        "/eureka/svips/x",
    ] {
        assert_canonical(&node.get(path).j().await.text());
        assert_canonical_xml(&node.get(path).await.text());
    }
}

pub async fn post(node: &TestNode, app: &str, members: &str) -> Reply {
    node.post(&format!("/eureka/apps/{app}"), body(members))
        .json_body()
        .await
}

/// The members of a small registration besides those under test.
pub fn basics(app: &str, more: &str) -> String {
    let center = r#""dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"}"#;
    format!(r#""hostName":"h1","app":"{app}","ipAddr":"10.0.0.1",{center},{more}"#)
}

#[actix_web::test]
async fn t01_python_registers_with_zeros_and_texts() {
    for (seconds, shown_as) in [((30, 90), (30, 90)), ((2, 6), (2, 6)), ((0, 0), (30, 90))] {
        let node = node();
        let (interval, duration) = seconds;
        let lease = format!(
            r#""leaseInfo":{{"renewalIntervalInSecs":{interval},"durationInSecs":{duration},"registrationTimestamp":0,
            "lastRenewalTimestamp":0,"evictionTimestamp":0,"serviceUpTimestamp":0}}"#
        );
        let more = format!(
            r#""instanceId":"127.0.0.1:x:9091","port":{{"$":9091,"@enabled":"true"}},
            "securePort":{{"$":9443,"@enabled":"false"}},"countryId":1,{lease},
            "metadata":{{"management.port":"9091","zone":"default"}},"secureHealthCheckUrl":"","vipAddress":"x",
            "isCoordinatingDiscoveryServer":"false","status":"UP","overriddenstatus":"",
            "lastUpdatedTimestamp":"1700000000000","lastDirtyTimestamp":"1700000000000""#
        );
        assert_eq!(post(&node, "X", &basics("X", &more)).await.status, 204);
        canon(&node).await;
        let lease = shown(&node, "X", "127.0.0.1:x:9091").await["leaseInfo"].take();
        assert_eq!(
            (&lease["renewalIntervalInSecs"], &lease["durationInSecs"]),
            (&json!(shown_as.0), &json!(shown_as.1))
        );
    }
}

#[actix_web::test]
async fn t04_node_lives_and_leaves_by_its_host_name() {
    let node = node();
    let more = r#""port":{"$":8080,"@enabled":true},"vipAddress":"x","status":"UP""#;
    let reply = node.post(
        "/eureka/v2/apps/jq-service",
        body(&basics("jq-service", more)),
    );
    assert_eq!(reply.json_body().j().await.status, 204);
    canon(&node).await;
    assert_eq!(
        list(&node, "apps/").await["application"][0]["name"],
        "JQ-SERVICE"
    );
    let path = "/eureka/v2/apps/jq-service/h1";
    assert_eq!(node.put(path).await.status, 200);
    assert_eq!(node.delete(path).await.status, 200);
    assert_eq!(names(&list(&node, "apps/").await), [""; 0]);
}

#[actix_web::test]
async fn t05_fargo_sends_numbers_as_texts_and_empty_texts_for_what_it_has_not() {
    let node = node();
    let center =
        r#""dataCenterInfo":{"name":"MyOwn","@class":"com.netflix.appinfo.MyDataCenterInfo"}"#;
    let more = format!(
        r#""instanceId":"","overriddenstatus":"","port":{{"$":"8080","@enabled":"true"}},
        "securePort":{{"$":"0","@enabled":"false"}},"countryId":0,"homePageUrl":"","statusPageUrl":"",{center}"#
    );
    assert_eq!(post(&node, "X", &basics("X", &more)).await.status, 204);
    canon(&node).await;
    let instance = shown(&node, "X", "h1").await;
    assert_eq!(
        (&instance["port"]["$"], &instance["overriddenStatus"]),
        (&json!(8080), &json!("UNKNOWN"))
    );
}

#[actix_web::test]
async fn t06_fargo_s_xml_has_no_class_and_metadata_where_none_belongs() {
    let node = node();
    let xml = "<instance><instanceId></instanceId><hostName>h1</hostName><app>X</app><ipAddr>10.0.0.1</ipAddr>\
        <status>UP</status><overriddenstatus></overriddenstatus><countryId>0</countryId>\
        <dataCenterInfo><name>MyOwn</name><metadata></metadata></dataCenterInfo>\
        <leaseInfo><renewalIntervalInSecs>0</renewalIntervalInSecs></leaseInfo><metadata></metadata>\
        <port>8080</port><securePort>0</securePort></instance>";
    assert_eq!(
        node.post("/eureka/apps/X", xml).xml_body().await.status,
        204
    );
    canon(&node).await;
    let reply = node.get("/eureka/apps/X/h1").await;
    let center = "<dataCenterInfo class=\"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo\">\
        \n    <name>MyOwn</name>\n  </dataCenterInfo>";
    assert!(reply.text().contains(center), "{}", reply.text());
    assert!(
        reply
            .text()
            .contains("<port enabled=\"true\">8080</port>\n  <securePort enabled=\"false\">0<")
    );
}

#[actix_web::test]
async fn t08_arthur_hlt_sends_booleans_and_a_lease_of_its_own_spelling() {
    let node = node();
    let more = r#""securePort":{"$":8443,"@enabled":true},"leaseInfo":{"evictionDurationInSecs":20},
        "vipAddress":"http://h1:8443","status":"UP""#;
    assert_eq!(post(&node, "X", &basics("X", more)).await.status, 204);
    canon(&node).await;
    let instance = shown(&node, "X", "h1").await;
    assert_eq!(instance["leaseInfo"].as_object().unwrap().len(), 6);
    assert_eq!(instance["leaseInfo"]["durationInSecs"], 90);
    assert_eq!(instance["port"], json!({"$": 7001, "@enabled": "true"}));
    assert_eq!(
        instance["securePort"],
        json!({"$": 8443, "@enabled": "true"})
    );
}

#[actix_web::test]
async fn t10_steeltoe_encodes_its_ids_as_forms_and_its_class_is_the_default_one() {
    let node = node();
    let amazon = r#""dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"Amazon"}"#;
    for id in ["h1:x:80", "a b:x:80", "c+d:x:80"] {
        let more = format!(r#""instanceId":"{id}",{amazon}"#);
        let ask = node.post("/eureka/apps/X", body(&basics("X", &more)));
        let reply = ask
            .header("Content-Type", "application/json; charset=utf-8")
            .j()
            .await;
        assert_eq!(reply.status, 204, "{id}");
    }
    canon(&node).await;
    for (path, id) in [
        ("h1%3Ax%3A80", "h1:x:80"),
        ("a+b%3Ax%3A80", "a b:x:80"),
        ("c+d%3Ax%3A80", "c+d:x:80"),
    ] {
        assert_eq!(
            node.put(&format!("/eureka/apps/X/{path}?lastDirtyTimestamp=1"))
                .await
                .status,
            200,
            "{path}"
        );
        let expected = json!({
            "@class": "com.netflix.appinfo.AmazonInfo",
            "name": "Amazon",
            "metadata": {"instance-id": id},
        });
        assert_eq!(shown(&node, "X", path).await["dataCenterInfo"], expected);
    }
    // A plus is a blank only where nobody has the plus.
    assert_eq!(node.put("/eureka/apps/X/none+such").await.status, 404);
    assert_eq!(node.delete("/eureka/apps/X/a+b%3Ax%3A80").await.status, 200);
}

#[actix_web::test]
async fn t12_micronaut_says_its_health_by_overrides() {
    let node = node();
    let more = r#""instanceId":"h1:x:80","port":{"$":80,"@enabled":true},"status":"UP""#;
    assert_eq!(post(&node, "x", &basics("x", more)).await.status, 204);
    let status = async || shown(&node, "X", "h1:x:80").await["status"].take();
    for value in ["UP", "DOWN"] {
        let reply = node
            .put(&format!("/eureka/apps/x/h1:x:80/status?value={value}"))
            .await;
        assert_eq!((reply.status, reply.body.len()), (200, 0));
        assert_eq!(status().await, value);
    }
    assert_eq!(node.delete("/eureka/apps/x/h1:x:80").await.status, 200);
    assert_eq!(post(&node, "x", &basics("x", more)).await.status, 204);
    assert_eq!(status().await, "UP");
    canon(&node).await;
}

#[actix_web::test]
async fn t13_stork_registers_once_for_ten_thousand_seconds() {
    let mut config = Config::of(Mode::Modern);
    config.eviction.sweep = heureka::config::Sweep::Every(Duration::from_secs(60));
    let node = TestNode::with(config);
    let more = r#""instanceId":"svc::10.0.0.1::80","leaseInfo":{"renewalIntervalInSecs":10000,"durationInSecs":10000},
        "port":{"$":80,"@enabled":"true"},"status":"UP""#;
    assert_eq!(post(&node, "svc", &basics("svc", more)).await.status, 204);
    canon(&node).await;
    node.pass(Duration::from_secs(10_000)).await;
    let instance = shown(&node, "svc", "svc::10.0.0.1::80").await;
    assert_eq!(instance["securePort"]["@enabled"], "false");
    assert_eq!(instance["overriddenStatus"], "UNKNOWN");
}

#[actix_web::test]
async fn t14_helidon_renews_first_and_registers_then() {
    let node = node();
    let reply = node
        .put("/eureka/v2/apps/A/h:1?status=UP&lastDirtyTimestamp=5")
        .j()
        .await;
    assert_eq!((reply.status, reply.body.len()), (404, 0));
    let more = r#""instanceId":"h:1","port":{"$":1,"@enabled":true},"securePort":{"$":0,"@enabled":false},"sid":"na",
        "dataCenterInfo":{"@class":"com.netflix.appinfo.MyDataCenterInfo","name":"MyOwn"},"lastDirtyTimestamp":5"#;
    let ask = node
        .post("/eureka/v2/apps/A", body(&basics("A", more)))
        .json_body();
    assert_eq!(ask.header("Accept-Encoding", "gzip").j().await.status, 204);
    canon(&node).await;
    let instance = shown(&node, "A", "h:1").await;
    let class = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";
    assert_eq!(
        (&instance["dataCenterInfo"]["@class"], instance.get("sid")),
        (&json!(class), None)
    );
    let reply = node
        .put("/eureka/v2/apps/A/h:1?status=UP&lastDirtyTimestamp=5")
        .j()
        .await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
}

#[actix_web::test]
async fn t16_a_rust_client_sends_null_for_what_it_has_not() {
    let node = node();
    let more =
        r#""port":null,"leaseInfo":null,"metadata":null,"securePort":null,"status":"STARTING""#;
    assert_eq!(post(&node, "X", &basics("X", more)).await.status, 204);
    canon(&node).await;
    let instance = shown(&node, "X", "h1").await;
    assert_eq!(instance["port"], json!({"$": 7001, "@enabled": "true"}));
    assert_eq!(instance["leaseInfo"]["durationInSecs"], 90);
    assert_eq!(
        instance["metadata"],
        json!({"@class": "java.util.Collections$EmptyMap"})
    );
}

#[actix_web::test]
async fn t18_haskell_sends_bare_ports_and_no_class() {
    let node = node();
    let more = r#""port":8080,"securePort":8443,"dataCenterInfo":{"name":"MyOwn"}"#;
    assert_eq!(post(&node, "X", &basics("X", more)).await.status, 204);
    canon(&node).await;
    let instance = shown(&node, "X", "h1").await;
    assert_eq!(instance["port"], json!({"$": 8080, "@enabled": "true"}));
    assert_eq!(
        instance["securePort"],
        json!({"$": 8443, "@enabled": "false"})
    );
}

#[actix_web::test]
async fn t19_unknown_members_of_any_shape_are_skipped_and_never_echoed() {
    let node = node();
    let unknown = r#""odd":{"port":1,"x":[{"status":"DOWN"}]},"odder":[1,{"app":"Y"},null]"#;
    let more = format!(
        r#"{unknown},"port":{{{unknown},"$":8080,"@enabled":"true"}},"leaseInfo":{{{unknown},"durationInSecs":60}},
        "vipAddress":"v","metadata":{{"zone":"a"}}"#
    );
    assert_eq!(post(&node, "X", &basics("X", &more)).await.status, 204);
    canon(&node).await;
    let instance = shown(&node, "X", "h1").await;
    assert_eq!(instance["port"]["$"], 8080);
    assert_eq!(instance["leaseInfo"]["durationInSecs"], 60);
    let rest = ["status", "vipAddress"].map(|member| instance[member].as_str().unwrap());
    assert_eq!(
        (rest, &instance["metadata"]),
        (["UP", "v"], &json!({"zone": "a"}))
    );
    assert!(!instance.to_string().contains("odd"));
}

#[actix_web::test]
async fn t20_metadata_of_any_kind_comes_back_as_text_and_as_well_formed_xml() {
    let node = node();
    let more = r#""metadata":{"n":1.50,"b":true,"z":null,"o":{"x":[1, 2]},"@class":"x","a b":"1","9x":"2","k:x":"3",
        "a_b$c":"4","é😀":"5","v":"<&>\"'","c":"\u0001\r\n"}"#;
    assert_eq!(post(&node, "X", &basics("X", more)).await.status, 204);
    canon(&node).await;
    let expected = json!({
        "n": "1.50", "b": "true", "z": "null", "o": r#"{"x":[1, 2]}"#, "a b": "1", "9x": "2", "k:x": "3",
        "a_b$c": "4", "é😀": "5", "v": "<&>\"'", "c": "\u{1}\r\n",
    });
    assert_eq!(shown(&node, "X", "h1").await["metadata"], expected);
    let xml = node.get("/eureka/apps/X/h1").await.text();
    for element in [
        "<n>1.50</n>",
        "<a_.0020b>1</a_.0020b>",
        "<_.0039x>2</_.0039x>",
        "<k_.003ax>3</k_.003ax>",
        "<a__b_-c>4</a__b_-c>",
        "<é_.d83d_.de00>5</é_.d83d_.de00>",
        "<v>&lt;&amp;&gt;&quot;&apos;</v>",
        // No XML document may hold U+0001.
        "<c>\u{FFFD}&#xd;\n</c>",
    ] {
        assert!(xml.contains(element), "{element} {xml}");
    }
}
