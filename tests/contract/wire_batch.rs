//! wire.md §13, rows 63–69: a peer's batch.

use heureka::config::Mode;
use serde_json::json;

use crate::kit::shown;
use crate::support::{Reply, TestNode, members};

/// A node that holds `A/i` with the stamp 1000.
async fn node() -> TestNode {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    node
}

async fn send(node: &TestNode, items: &str) -> Reply {
    let body = format!(r#"{{"replicationList":[{items}]}}"#);
    node.post("/eureka/peerreplication/batch/", body)
        .json_body()
        .j()
        .await
}

fn beat(id: &str, stamp: u64) -> String {
    format!(
        r#"{{"appName":"A","id":"{id}","lastDirtyTimestamp":{stamp},"status":"UP","action":"Heartbeat"}}"#
    )
}

/// An item for `A/i`.
fn item(action: &str, more: &str) -> String {
    format!(r#"{{"appName":"a","id":"i","action":"{action}"{more}}}"#)
}

fn register(id: &str, more: &str) -> String {
    let info = members("A", id, more);
    format!(
        r#"{{"appName":"A","id":"{id}","lastDirtyTimestamp":1000,"status":"UP","instanceInfo":{{{info}}},"action":"Register"}}"#
    )
}

#[actix_web::test]
async fn row_63_an_older_heartbeat_is_answered_with_the_bare_copy_of_this_node() {
    let node = node().await;
    let reply = send(&node, &beat("i", 500)).await;
    assert_eq!(
        (reply.status, reply.content_type()),
        (200, "application/json")
    );
    let start =
        r#"{"responseList":[{"statusCode":409,"responseEntity":{"instanceId":"i","hostName":"#;
    assert!(reply.text().starts_with(start), "{}", reply.text());
    assert_eq!(
        reply.json()["responseList"][0]["responseEntity"],
        shown(&node, "A", "i").await
    );
}

#[actix_web::test]
async fn row_64_items_for_nobody_are_404_and_carry_nothing_else() {
    let node = node().await;
    let unknown = r#"{"appName":"A","id":"unknown","action":"Cancel"}"#;
    let reply = send(&node, &format!("{},{unknown}", beat("unknown", 1000))).await;
    assert_eq!(
        reply.text(),
        r#"{"responseList":[{"statusCode":404},{"statusCode":404}]}"#
    );
}

#[actix_web::test]
async fn every_action_does_what_its_single_request_does() {
    // wire.md §9.3, in the order of the list.
    let node = node().await;
    let items = [
        register("j", ""),
        beat("i", 1000),
        beat("i", 2000),
        item("StatusUpdate", r#","status":"DOWN""#),
        item(
            "DeleteStatusOverride",
            r#","status":"UP","lastDirtyTimestamp":"1000""#,
        ),
        item("StatusUpdate", r#","status":"STARTING""#),
        r#"{"appName":"A","id":"j","action":"Cancel"}"#.to_string(),
        r#"{"appName":"A","id":"j","action":"Cancel"}"#.to_string(),
    ];
    let reply = send(&node, &items.join(",")).await;
    let list = reply.json()["responseList"].take();
    let codes: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["statusCode"].as_u64().unwrap())
        .collect();
    assert_eq!(codes, [200, 200, 404, 200, 200, 200, 200, 404]);
    assert_eq!(shown(&node, "A", "i").await["status"], "STARTING");
    assert_eq!(node.get("/eureka/apps/A/j").await.status, 404);
}

#[actix_web::test]
async fn row_65_overruled_a_registration_that_is_not_valid_is_answered_400() {
    // B-22: Java answers 200 and drops it.
    let node = node().await;
    let broken = [
        register("j", r#""hostName":"""#),
        register("j", r#""app":"B""#),
        register("j", r#""dataCenterInfo":null"#),
        item("Register", ""),
    ];
    let reply = send(
        &node,
        &format!("{},{}", broken.join(","), register("k", "")),
    )
    .await;
    let codes = [400, 400, 400, 400, 200].map(|code| json!({"statusCode": code}));
    assert_eq!(reply.json(), json!({ "responseList": codes }));
    assert_eq!(node.get("/eureka/apps/A/j").await.status, 404);
    assert_eq!(node.get("/eureka/apps/A/k").await.status, 200);
}

#[actix_web::test]
async fn row_66_overruled_an_item_that_lacks_something_is_answered_400_alone() {
    // B-42 with B-22: Java answers 500.
    let node = node().await;
    for lacking in [
        item("StatusUpdate", ""),
        item("StatusUpdate", r#","status":"odd""#),
        item("DeleteStatusOverride", r#","status":"UP""#),
        item("DeleteStatusOverride", r#","lastDirtyTimestamp":1000"#),
        item("Heartbeat", r#","lastDirtyTimestamp":"x""#),
        r#"{"id":"i","action":"Cancel"}"#.to_string(),
        r#"{"appName":"A","action":"Cancel"}"#.to_string(),
    ] {
        let reply = send(&node, &format!("{lacking},{}", beat("i", 1000))).await;
        let expected = r#"{"responseList":[{"statusCode":400},{"statusCode":200}]}"#;
        assert_eq!(
            (reply.status, reply.text().as_str()),
            (200, expected),
            "{lacking}"
        );
    }
    let instance = shown(&node, "A", "i").await;
    assert_eq!(
        (&instance["status"], &instance["overriddenStatus"]),
        (&json!("UP"), &json!("UNKNOWN"))
    );
}

#[actix_web::test]
async fn row_67_nothing_is_answered_with_nothing() {
    let reply = send(&node().await, "").await;
    assert_eq!(
        (reply.status, reply.text().as_str()),
        (200, r#"{"responseList":[]}"#)
    );
}

#[actix_web::test]
async fn row_68_a_batch_that_makes_no_sense_is_refused_whole() {
    let node = node().await;
    for (body, named) in [
        (
            format!(
                r#"{{"replicationList":[{},{}]}}"#,
                register("j", ""),
                item("heartbeat", "")
            ),
            "replicationList[].action",
        ),
        (
            format!(
                r#"{{"replicationList":[{},{}]}}"#,
                register("j", ""),
                item("", "")
            ),
            "replicationList[].action",
        ),
        (r#"{"replicationList":null}"#.to_string(), "replicationList"),
        ("{}".to_string(), "replicationList"),
        ("".to_string(), ""),
        ("<instance/>".to_string(), ""),
    ] {
        let reply = node
            .post("/eureka/peerreplication/batch", body.clone())
            .json_body()
            .j()
            .await;
        assert_eq!(reply.status, 400, "{body}");
        let error = reply.json()["error"].as_str().unwrap().to_string();
        assert!(
            error.starts_with("cannot parse request body: ") && error.contains(named),
            "{error}"
        );
    }
    assert_eq!(node.get("/eureka/apps/A/j").await.status, 404);
    let xml = node
        .post("/eureka/peerreplication/batch", "<x/>")
        .xml_body()
        .await;
    assert_eq!(xml.status, 400);
    let text = node
        .post("/eureka/peerreplication/batch", "x")
        .header("Content-Type", "text/plain")
        .await;
    assert_eq!(text.status, 415);
}

#[actix_web::test]
async fn row_69_the_answer_is_json_and_plain_whatever_is_asked_for() {
    let node = node().await;
    for accept in ["application/json", "application/xml", "*/*"] {
        let body = format!(r#"{{"replicationList":[{}]}}"#, beat("i", 500));
        let ask = node
            .post("/eureka/peerreplication/batch/", body)
            .json_body();
        let reply = ask
            .header("Accept", accept)
            .header("Accept-Encoding", "gzip")
            .await;
        assert_eq!(
            (reply.status, reply.content_type()),
            (200, "application/json"),
            "{accept}"
        );
        assert_eq!(reply.header("content-encoding"), None, "{accept}");
    }
}

/// A sender of another kind is believed in the order in which it speaks: what it registers after its own
/// cancellation is there, however old its stamp.
#[actix_web::test]
async fn what_a_peer_cancels_and_registers_again_is_there() {
    let node = node().await;
    for older in ["1000", "500"] {
        let again = register("i", "").replace("\"1000\"", &format!("\"{older}\""));
        let reply = send(&node, &format!("{},{again}", item("Cancel", ""))).await;
        let codes = json!([{ "statusCode": 200 }, { "statusCode": 200 }]);
        assert_eq!(reply.json()["responseList"], codes);
        assert_eq!(shown(&node, "A", "i").await["lastDirtyTimestamp"], older);
    }
}
