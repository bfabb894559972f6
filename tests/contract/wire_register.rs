//! wire.md §13, rows 12–29: what is registered, and as what it is kept.

use std::time::Duration;

use heureka::config::Mode;
use serde_json::json;

use crate::kit::{body, registering, shown, without};
use crate::support::{EPOCH, TestNode, members};

const NOWHERE: &str =
    r#""dataCenterInfo":{"@class":"com.netflix.appinfo.AmazonInfo","name":"Amazon","metadata":{}}"#;

fn amazon(id: &str) -> String {
    NOWHERE.replace("{}", &format!(r#"{{"instance-id":"{id}"}}"#))
}

#[actix_web::test]
async fn row_12_a_registration_is_answered_204_with_nothing() {
    let node = TestNode::start(Mode::Modern);
    let reply = registering(&node, "A", &members("A", "i", "")).await;
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    assert_eq!(shown(&node, "A", "i").await["status"], "UP");
}

#[actix_web::test]
async fn row_13_names_of_applications_are_upper_case_however_they_are_sent() {
    let node = TestNode::start(Mode::Modern);
    for (path, app) in [("a", "a"), ("A", "a"), ("a", "A")] {
        let reply = registering(&node, path, &members(app, "i", r#""appGroupName":"g""#)).await;
        assert_eq!(reply.status, 204, "{path} {app}");
        let instance = shown(&node, "A", "i").await;
        assert_eq!(
            (&instance["app"], &instance["appGroupName"]),
            (&json!("A"), &json!("G"))
        );
        assert_eq!(
            node.get("/eureka/apps/a").j().await.json()["application"]["name"],
            "A"
        );
        assert_eq!(node.delete("/eureka/apps/a/i").await.status, 200);
    }
}

#[actix_web::test]
async fn rows_14_15_17_a_registration_that_lacks_something_is_told_what_and_kept_nowhere() {
    let node = TestNode::start(Mode::Modern);
    let none = |member, value| members("A", "i", &format!("\"{member}\":{value}"));
    for (members, text) in [
        (
            members("B", "i", ""),
            "Mismatched appName, expecting A but was B",
        ),
        (none("app", r#""""#), "Missing appName"),
        (none("hostName", r#""""#), "Missing hostname"),
        (none("hostName", "null"), "Missing hostname"),
        (without("hostName"), "Missing hostname"),
        (none("ipAddr", r#""""#), "Missing ip address"),
        (without("ipAddr"), "Missing ip address"),
        (without("dataCenterInfo"), "Missing dataCenterInfo"),
        (none("dataCenterInfo", "null"), "Missing dataCenterInfo"),
        (none("dataCenterInfo", "{}"), "Missing dataCenterInfo Name"),
        (
            none("dataCenterInfo", r#"{"name":"Mars"}"#),
            "Unknown dataCenterInfo Name, wanted MyOwn, Netflix or Amazon, got \"Mars\"",
        ),
        (r#""ipAddr":"10.0.0.1""#.to_string(), "Missing instanceId"),
    ] {
        let reply = registering(&node, "A", &members).await;
        assert_eq!((reply.status, reply.text().as_str()), (400, text));
        // Bare text is labelled as such; whoever asks for JSON gets an object.
        assert_eq!(reply.content_type(), "text/plain; charset=utf-8");
        let reply = registering(&node, "A", &members).j().await;
        assert_eq!(
            (reply.status, reply.json()),
            (400, json!({ "error": text }))
        );
    }
    assert_eq!(node.get("/eureka/apps/A").j().await.status, 404);
}

#[actix_web::test]
async fn row_16_overruled_a_body_without_app_belongs_to_the_application_of_the_path() {
    // foreign-clients.md B15.
    let node = TestNode::start(Mode::Modern);
    assert_eq!(registering(&node, "a", &without("app")).await.status, 204);
    assert_eq!(shown(&node, "A", "i").await["app"], "A");
}

#[actix_web::test]
async fn row_16_what_cannot_be_read_is_refused_in_the_format_in_which_it_came() {
    let node = TestNode::start(Mode::Modern);
    for (broken, named) in [
        ("", ""),
        ("{", ""),
        ("null", ""),
        ("[]", ""),
        ("{'instance':{}}", ""),
        (r#"{"instance":{"#, ""),
        (r#"{"applications":{}}"#, "\"instance\""),
        (r#"{"instance":7}"#, "instance"),
        (
            r#"{"instance":{"dataCenterInfo":"MyOwn"}}"#,
            "dataCenterInfo",
        ),
    ] {
        let reply = node.post("/eureka/apps/A", broken).json_body().await;
        assert_eq!(
            (reply.status, reply.content_type()),
            (400, "application/json"),
            "{broken}"
        );
        let start = r#"{"error": "cannot parse request body"#;
        assert!(reply.text().starts_with(start), "{}", reply.text());
        assert!(
            reply.json()["error"].as_str().unwrap().contains(named),
            "{}",
            reply.text()
        );
    }
    for (broken, named) in [
        ("", ""),
        ("<instance>", ""),
        ("<instance></instanse>", ""),
        ("<application/>", "instance"),
        ("<!DOCTYPE x><instance/>", "document type"),
        ("<instance><port>many</port></instance>", "port"),
    ] {
        let reply = node.post("/eureka/apps/A", broken).xml_body().await;
        assert_eq!(
            (reply.status, reply.content_type()),
            (400, "application/xml"),
            "{broken}"
        );
        let start = "<error><message>cannot parse request body";
        assert!(reply.text().starts_with(start), "{}", reply.text());
        assert!(reply.text().contains(named), "{}", reply.text());
    }
}

#[actix_web::test]
async fn row_18_without_an_id_the_host_name_is_the_id_and_none_is_made_up() {
    let node = TestNode::start(Mode::Modern);
    let more = r#""hostName":"h9","instanceId":null"#;
    assert_eq!(
        registering(&node, "A", &members("A", "i", more))
            .await
            .status,
        204
    );
    assert_eq!(shown(&node, "A", "h9").await.get("instanceId"), None);
}

#[actix_web::test]
async fn rows_19_20_amazon_records_and_their_ids() {
    let node = TestNode::start(Mode::Modern);
    let no_id = format!(r#""instanceId":null,{}"#, amazon("i-7"));
    assert_eq!(
        registering(&node, "A", &members("A", "", &no_id))
            .await
            .status,
        204
    );
    let instance = shown(&node, "A", "i-7").await;
    assert_eq!(instance.get("instanceId"), None);
    assert_eq!(
        instance["dataCenterInfo"]["metadata"],
        json!({"instance-id": "i-7"})
    );

    assert_eq!(
        registering(&node, "A", &members("A", "x", NOWHERE))
            .await
            .status,
        204
    );
    let instance = shown(&node, "A", "x").await;
    assert_eq!(
        instance["dataCenterInfo"]["metadata"],
        json!({"instance-id": "x"})
    );
}

#[actix_web::test]
async fn row_21_kinder_a_port_may_be_bare() {
    let node = TestNode::start(Mode::Modern);
    for (port, number, enabled) in [
        ("8080", 8080, "true"),
        (r#""8080""#, 8080, "true"),
        (r#"{"$":"8080","@enabled":"FALSE"}"#, 8080, "false"),
        (r#"{"$":8080,"@enabled":true}"#, 8080, "true"),
        (r#"{"$":"many"}"#, 0, "true"),
        (r#"{"$":70000}"#, 65535, "true"),
        (r#"{"@enabled":"false"}"#, 7001, "false"),
        ("null", 7001, "true"),
    ] {
        let reply = registering(&node, "A", &members("A", "i", &format!("\"port\":{port}"))).await;
        assert_eq!(reply.status, 204, "{port}");
        let expected = json!({"$": number, "@enabled": enabled});
        assert_eq!(shown(&node, "A", "i").await["port"], expected, "{port}");
    }
    assert_eq!(
        shown(&node, "A", "i").await["securePort"],
        json!({"$": 7002, "@enabled": "false"})
    );
}

#[actix_web::test]
async fn rows_22_23_a_status_in_lower_case_is_understood_in_both_formats() {
    // Row 22 is overruled by foreign-clients.md B16: Java keeps UNKNOWN for lower case in JSON.
    for (sent, kept) in [
        ("up", "UP"),
        ("Down", "DOWN"),
        ("STARTING", "STARTING"),
        ("out_of_service", "OUT_OF_SERVICE"),
        ("BOGUS", "UNKNOWN"),
    ] {
        let node = TestNode::start(Mode::Modern);
        let json = members("A", "j", &format!(r#""status":"{sent}""#));
        assert_eq!(registering(&node, "A", &json).await.status, 204);
        let xml = format!(
            "<instance><instanceId>x</instanceId><hostName>h</hostName><app>a</app><ipAddr>1</ipAddr>\
             <status>{sent}</status><dataCenterInfo><name>MyOwn</name></dataCenterInfo></instance>"
        );
        assert_eq!(
            node.post("/eureka/apps/A", xml).xml_body().await.status,
            204
        );
        for id in ["j", "x"] {
            assert_eq!(shown(&node, "A", id).await["status"], kept, "{sent} {id}");
        }
    }
}

#[actix_web::test]
async fn row_24_without_a_stamp_the_server_s_time_is_kept() {
    let node = TestNode::start(Mode::Modern);
    node.pass(Duration::from_secs(5)).await;
    for missing in [
        without("lastDirtyTimestamp"),
        members("A", "i", r#""lastDirtyTimestamp":"""#),
    ] {
        assert_eq!(registering(&node, "A", &missing).await.status, 204);
        let stamp = (EPOCH + 5_000).to_string();
        assert_eq!(shown(&node, "A", "i").await["lastDirtyTimestamp"], stamp);
    }
}

#[actix_web::test]
async fn row_25_metadata_is_text() {
    let node = TestNode::start(Mode::Modern);
    let more = r#""metadata":{"n":1,"b":true,"f":1.10,"z":null,"@class":"x"}"#;
    assert_eq!(
        registering(&node, "A", &members("A", "i", more))
            .await
            .status,
        204
    );
    let expected = json!({"n": "1", "b": "true", "f": "1.10", "z": "null"});
    assert_eq!(shown(&node, "A", "i").await["metadata"], expected);
}

#[actix_web::test]
async fn row_26_overruled_only_a_foreign_content_type_is_refused() {
    // Replay test T23: `text/xml` and none at all are read after their first byte.
    let node = TestNode::start(Mode::Modern);
    let json = body(&members("A", "i", ""));
    for (content_type, status) in [
        (None, 204),
        (Some("text/xml"), 204),
        (Some("application/vnd.x+json"), 204),
        (Some("text/plain"), 415),
        (Some("application/octet-stream"), 415),
        (Some("application/x-www-form-urlencoded"), 415),
    ] {
        let ask = node.post("/eureka/apps/A", json.clone());
        let reply = match content_type {
            Some(content_type) => ask.header("Content-Type", content_type).await,
            None => ask.await,
        };
        assert_eq!(reply.status, status, "{content_type:?}");
        if status == 415 {
            assert!(
                reply
                    .text()
                    .starts_with("Content-Type: wanted application/json"),
                "{reply:?}"
            );
        }
    }
    // What has no type and looks like nothing.
    assert_eq!(node.post("/eureka/apps/A", "hello").await.status, 415);
}

#[actix_web::test]
async fn row_27_a_registration_with_an_older_stamp_changes_nothing() {
    let node = TestNode::start(Mode::Modern);
    for (stamp, zone, kept) in [
        (1000, "a", "a"),
        (500, "b", "a"),
        (1000, "c", "c"),
        (1001, "d", "d"),
    ] {
        let more = format!(r#""lastDirtyTimestamp":{stamp},"metadata":{{"zone":"{zone}"}}"#);
        assert_eq!(
            registering(&node, "A", &members("A", "i", &more))
                .await
                .status,
            204
        );
        let instance = shown(&node, "A", "i").await;
        assert_eq!(instance["metadata"]["zone"], kept, "{stamp}");
        assert_eq!(instance["lastDirtyTimestamp"], stamp.max(1000).to_string());
    }
}

#[actix_web::test]
async fn rows_28_29_an_instance_as_the_strictest_readers_need_it() {
    let node = TestNode::start(Mode::Modern);
    let more =
        r#""isCoordinatingDiscoveryServer":true,"port":{"$":"8080","@enabled":true},"metadata":{}"#;
    node.register("A", &members("A", "i", more)).await;
    let expected = json!({
        "instanceId": "i",
        "hostName": "host-1",
        "app": "A",
        "ipAddr": "10.0.0.1",
        "status": "UP",
        "overriddenStatus": "UNKNOWN",
        "port": {"$": 8080, "@enabled": "true"},
        "securePort": {"$": 7002, "@enabled": "false"},
        "countryId": 1,
        "dataCenterInfo": {
            "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",
            "name": "MyOwn",
        },
        "leaseInfo": {
            "renewalIntervalInSecs": 30,
            "durationInSecs": 90,
            "registrationTimestamp": EPOCH,
            "lastRenewalTimestamp": EPOCH,
            "evictionTimestamp": 0,
            "serviceUpTimestamp": EPOCH,
        },
        "metadata": {"@class": "java.util.Collections$EmptyMap"},
        "vipAddress": "a",
        "isCoordinatingDiscoveryServer": "false",
        "lastUpdatedTimestamp": EPOCH.to_string(),
        "lastDirtyTimestamp": "1000",
        "actionType": "ADDED",
    });
    assert_eq!(shown(&node, "A", "i").await, expected);
}
