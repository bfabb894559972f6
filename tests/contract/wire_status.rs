//! wire.md §13, rows 40–50, 59, 60: overrides, metadata, and what the node says of itself.

use std::time::Duration;

use heureka::config::{Config, Mode};
use serde_json::{Value, json};

use crate::kit::{list, registering, shown};
use crate::support::{EPOCH, TestNode, members};

const OUT: &str = "/eureka/apps/A/i/status?value=OUT_OF_SERVICE";

/// A node that holds `A/i`, UP.
async fn node() -> TestNode {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    node
}

/// The same with an override to OUT_OF_SERVICE.
async fn overridden() -> TestNode {
    let node = node().await;
    let reply = node.put(OUT).await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    node
}

/// Status, override and kind of the last change of `A/i`.
async fn state(node: &TestNode) -> [String; 3] {
    let instance = shown(node, "A", "i").await;
    ["status", "overriddenStatus", "actionType"].map(|m| instance[m].as_str().unwrap().to_string())
}

async fn overrides(node: &TestNode) -> Value {
    node.get("/eureka/serverinfo/statusoverrides").await.json()
}

#[actix_web::test]
async fn row_40_an_order_sets_status_and_override() {
    let node = overridden().await;
    assert_eq!(
        state(&node).await,
        ["OUT_OF_SERVICE", "OUT_OF_SERVICE", "MODIFIED"]
    );
    assert_eq!(
        list(&node, "apps/delta").await["apps__hashcode"],
        "OUT_OF_SERVICE_1_"
    );
    assert_eq!(overrides(&node).await, json!({"i": "OUT_OF_SERVICE"}));
    assert_eq!(shown(&node, "A", "i").await["lastDirtyTimestamp"], "1000");
    let newer = "/eureka/apps/A/i/status?value=DOWN&lastDirtyTimestamp=1500";
    assert_eq!(node.put(newer).await.status, 200);
    assert_eq!(shown(&node, "A", "i").await["lastDirtyTimestamp"], "1500");
}

#[actix_web::test]
async fn row_41_overruled_only_paths_of_version_1_show_fewer_statuses() {
    // B-36: in Java, single instances show DOWN under any version.
    let node = overridden().await;
    for (path, shown) in [
        ("/eureka/apps/A/i", "OUT_OF_SERVICE"),
        ("/eureka/instances/i", "OUT_OF_SERVICE"),
        ("/eureka/apps/A", "OUT_OF_SERVICE"),
        ("/eureka/v2/apps", "OUT_OF_SERVICE"),
        ("/eureka/v1/apps/A/i", "DOWN"),
        ("/eureka/v1/instances/i", "DOWN"),
        ("/eureka/v1/apps/A", "DOWN"),
        ("/eureka/v1/apps", "DOWN"),
        ("/eureka/v1/apps/delta", "DOWN"),
        ("/v1/vips/a", "DOWN"),
    ] {
        let xml: String = node.get(path).await.text().split_whitespace().collect();
        let expected =
            format!("<status>{shown}</status><overriddenstatus>OUT_OF_SERVICE</overriddenstatus>");
        assert!(xml.contains(&expected), "{path} {xml}");
        let json = node.get(path).j().await.text();
        assert!(
            json.contains(r#""status":"OUT_OF_SERVICE","overriddenStatus":"OUT_OF_SERVICE""#),
            "{path}"
        );
    }
    let hash = "<apps__hashcode>OUT_OF_SERVICE_1_</apps__hashcode>";
    assert!(node.get("/eureka/v1/apps").await.text().contains(hash));
}

#[actix_web::test]
async fn row_42_overruled_an_order_without_a_proper_status_is_refused_before_any_effect() {
    // B-42: Java answers 500.
    let node = node().await;
    for (query, named) in [
        (
            "?value=out_of_service",
            "value: wanted UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN, got \"out_of_service\"",
        ),
        (
            "?value=",
            "value: wanted UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN, got \"\"",
        ),
        ("?value=BOGUS", "value: wanted UP, "),
        ("", "value: wanted a status, got nothing"),
        (
            "?value=DOWN&lastDirtyTimestamp=x",
            "lastDirtyTimestamp: wanted a number of milliseconds, got \"x\"",
        ),
    ] {
        let path = format!("/eureka/apps/A/i/status{query}");
        let reply = node.put(&path).await;
        assert_eq!(
            (reply.status, reply.content_type()),
            (400, "text/plain; charset=utf-8"),
            "{query}"
        );
        assert!(reply.text().starts_with(named), "{}", reply.text());
        assert_eq!(node.put(&path).j().await.json()["error"], reply.text());
        assert_eq!(state(&node).await, ["UP", "UNKNOWN", "ADDED"], "{query}");
    }
    for query in ["?value=nonsense", "?value=", "?lastDirtyTimestamp="] {
        let reply = node
            .delete(&format!("/eureka/apps/A/i/status{query}"))
            .await;
        assert_eq!(reply.status, 400, "{query}");
    }
}

#[actix_web::test]
async fn row_43_the_status_that_an_instance_has_already_is_no_order() {
    let node = node().await;
    assert_eq!(
        node.put("/eureka/apps/A/i/status?value=UP").await.status,
        200
    );
    assert_eq!(state(&node).await, ["UP", "UNKNOWN", "ADDED"]);
    assert_eq!(overrides(&node).await, json!({}));
}

#[actix_web::test]
async fn row_44_orders_for_nobody_are_404_whatever_else_is_wrong() {
    let node = node().await;
    for path in [
        "A/none/status?value=UP",
        "A/none/status?value=odd",
        "A/none/status",
        "NONE/i/status?value=UP",
    ] {
        let path = format!("/eureka/apps/{path}");
        for reply in [node.put(&path).j().await, node.delete(&path).j().await] {
            assert_eq!((reply.status, reply.body.len()), (404, 0), "{path}");
        }
    }
    assert_eq!(
        node.put("/eureka/apps/A/none/metadata?k=v").await.status,
        404
    );
}

#[actix_web::test]
async fn row_45_an_order_taken_back_leaves_unknown_until_the_client_registers_again() {
    let node = overridden().await;
    let reply = node.delete("/eureka/apps/A/i/status").await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    assert_eq!(state(&node).await, ["UNKNOWN", "UNKNOWN", "MODIFIED"]);
    assert_eq!(overrides(&node).await, json!({}));
    let reply = node.put("/eureka/apps/A/i").await;
    assert_eq!((reply.status, reply.body.len()), (404, 0));
    // Even with an older stamp, or it would never come back (B-10).
    node.register("A", &members("A", "i", r#""lastDirtyTimestamp":900"#))
        .await;
    assert_eq!(state(&node).await, ["UP", "UNKNOWN", "ADDED"]);
    assert_eq!(node.put("/eureka/apps/A/i").await.status, 200);
}

#[actix_web::test]
async fn row_46_an_order_taken_back_may_say_what_is_true_then() {
    let node = overridden().await;
    assert_eq!(
        node.delete("/eureka/apps/A/i/status?value=UP").await.status,
        200
    );
    assert_eq!(state(&node).await, ["UP", "UNKNOWN", "MODIFIED"]);
    assert_eq!(node.put("/eureka/apps/A/i").await.status, 200);
}

#[actix_web::test]
async fn row_47_where_there_is_no_order_none_is_taken_back() {
    let node = node().await;
    for query in ["", "?value=DOWN", "?lastDirtyTimestamp=5000"] {
        let reply = node
            .delete(&format!("/eureka/apps/A/i/status{query}"))
            .await;
        assert_eq!(reply.status, 200, "{query}");
        assert_eq!(state(&node).await, ["UP", "UNKNOWN", "ADDED"], "{query}");
    }
    assert_eq!(shown(&node, "A", "i").await["lastDirtyTimestamp"], "1000");
}

#[actix_web::test]
async fn row_48_an_override_outlives_a_registration_as_up() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    node.put("/eureka/apps/A/i/status?value=OUT_OF_SERVICE")
        .await;
    for (sent, kept) in [
        ("UP", "OUT_OF_SERVICE"),
        ("DOWN", "DOWN"),
        ("UP", "OUT_OF_SERVICE"),
    ] {
        let more = format!(r#""status":"{sent}","lastDirtyTimestamp":2000"#);
        node.register("A", &members("A", "i", &more)).await;
        let instance = shown(&node, "A", "i").await;
        assert_eq!(
            (&instance["status"], &instance["overriddenStatus"]),
            (&json!(kept), &json!("OUT_OF_SERVICE"))
        );
    }
}

#[actix_web::test]
async fn row_49_classic_pins_up_against_its_own_client_and_modern_believes_it() {
    for (mode, replicated, kept) in [
        (Mode::Classic, false, "UP"),
        (Mode::Classic, true, "OUT_OF_SERVICE"),
        (Mode::Modern, false, "OUT_OF_SERVICE"),
        (Mode::Modern, true, "OUT_OF_SERVICE"),
    ] {
        let node = TestNode::start(mode);
        node.register("A", &members("A", "i", "")).await;
        let again = registering(
            &node,
            "A",
            &members("A", "i", r#""status":"OUT_OF_SERVICE""#),
        );
        let reply = if replicated {
            again.replicated().await
        } else {
            again.await
        };
        assert_eq!(reply.status, 204);
        assert_eq!(
            shown(&node, "A", "i").await["status"],
            kept,
            "{mode:?} {replicated}"
        );
    }
    // In modern it ends with the client's next registration as UP (B-07 the other way).
    let node = TestNode::start(Mode::Modern);
    for status in ["UP", "OUT_OF_SERVICE", "UP"] {
        node.register("A", &members("A", "i", &format!(r#""status":"{status}""#)))
            .await;
        assert_eq!(shown(&node, "A", "i").await["status"], status);
    }
}

#[actix_web::test]
async fn row_50_metadata_is_merged_and_the_first_of_repeated_keys_counts() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", r#""metadata":{"z":"1","k":"u"}"#))
        .await;
    node.put(OUT).await;
    node.pass(Duration::from_secs(5)).await;
    let reply = node
        .put("/eureka/apps/A/i/metadata?k=v&k=w&f&e=&p=x%20y+z&%C3%BC=%26")
        .await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    let expected = json!({"z": "1", "k": "v", "f": "", "e": "", "p": "x y z", "ü": "&"});
    let delta = list(&node, "apps/delta").await;
    let instance = &delta["application"][0]["instance"][0];
    assert_eq!(instance["metadata"], expected);
    assert_eq!(
        (&instance["actionType"], &instance["lastDirtyTimestamp"]),
        (&json!("ADDED"), &json!("1000"))
    );
    // It is a registration of the same record: the lease is new, the override stays (server.md §8.4).
    assert_eq!(
        instance["leaseInfo"]["registrationTimestamp"],
        EPOCH + 5_000
    );
    assert_eq!(instance["status"], "OUT_OF_SERVICE");
    // Nothing to merge is no change, and no key at all is a mistake.
    assert_eq!(node.put("/eureka/apps/A/i/metadata").await.status, 200);
    assert_eq!(
        node.put("/eureka/apps/A/i/metadata?a=1&=2").await.status,
        400
    );
    assert_eq!(shown(&node, "A", "i").await["metadata"], expected);
}

#[actix_web::test]
async fn row_59_there_are_no_scaling_groups_here() {
    let node = node().await;
    for path in [
        "/eureka/asg/x/status?value=ENABLED",
        "/eureka/asg/x/status",
        "/eureka/asg/x/status?value=odd",
    ] {
        let reply = node.put(path).j().await;
        assert_eq!((reply.status, reply.body.len()), (400, 0), "{path}");
    }
}

#[actix_web::test]
async fn row_60_overruled_the_status_document_leaves_out_what_nobody_asked_for() {
    // B-31: in JSON, Java fails at the flag that is not set.
    let node = node().await;
    let reply = node.get("/eureka/status").j().await;
    let document = reply.json();
    assert_eq!(
        (reply.status, reply.content_type()),
        (200, "application/json")
    );
    let keys: Vec<_> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["applicationStats", "generalStats", "instanceInfo"]);
    let general: Vec<_> = document["generalStats"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    let expected = [
        "current-memory-usage",
        "environment",
        "num-of-cpus",
        "renews-expected-clients",
        "renews-last-minute",
        "renews-threshold",
        "self-preservation",
        "server-uptime",
        "total-avail-memory",
    ];
    assert_eq!(general, expected);
    let replicas =
        json!({"registered-replicas": "", "available-replicas": "", "unavailable-replicas": ""});
    assert_eq!(document["applicationStats"], replicas);
    assert_eq!(document["instanceInfo"]["status"], "UP");

    let reply = node.get("/eureka/status").await;
    assert_eq!(
        (reply.status, reply.content_type()),
        (200, "application/xml")
    );
    let xml = reply.text();
    assert!(xml.starts_with(
        "<com.netflix.eureka.util.StatusInfo>\n  <generalStats>\n    <environment>test<"
    ));
    assert!(!xml.contains("Heathly"));
}

#[actix_web::test]
async fn overrides_are_listed_in_json_only_and_forgotten_with_their_instance() {
    let node = overridden().await;
    for path in [
        "/eureka/serverinfo/statusoverrides",
        "/eureka/v2/serverinfo/statusoverrides/",
    ] {
        let reply = node.get(path).await;
        let facts = (reply.status, reply.content_type(), reply.text());
        assert_eq!(
            facts,
            (200, "application/json", r#"{"i":"OUT_OF_SERVICE"}"#.into()),
            "{path}"
        );
        assert_eq!(
            node.get(path)
                .header("Accept", "application/xml")
                .await
                .status,
            406
        );
    }
    node.delete("/eureka/apps/A/i").await;
    assert_eq!(overrides(&node).await, json!({}));
    node.register("A", &members("A", "i", "")).await;
    assert_eq!(state(&node).await, ["UP", "UNKNOWN", "ADDED"]);
}

#[actix_web::test]
async fn a_delta_that_is_switched_off_is_forbidden_and_nothing_else_is() {
    // wire.md §3.2; clients then read everything.
    let mut config = Config::of(Mode::Modern);
    config.cache.disable_delta = true;
    let node = TestNode::with(config);
    for (path, status) in [
        ("/eureka/apps/delta", 403),
        ("/eureka/apps", 200),
        ("/eureka/vips/v", 200),
    ] {
        let reply = node.get(path).j().await;
        assert_eq!(
            (reply.status, reply.body.is_empty()),
            (status, status == 403),
            "{path}"
        );
        assert_eq!(reply.content_type(), "application/json");
    }
}
