//! wire.md §13, rows 30–39, 51, 72: heartbeats, the end of a lease, cancels.

use std::time::Duration;

use heureka::config::{Config, Mode, Sweep};
use serde_json::json;

use crate::kit::{list, names, shown};
use crate::support::{EPOCH, TestNode, members};

/// A node that holds `A/i` with the stamp 1000.
async fn node(mode: Mode) -> TestNode {
    let node = TestNode::start(mode);
    node.register("A", &members("A", "i", "")).await;
    node
}

#[actix_web::test]
async fn row_30_a_heartbeat_without_a_query_is_answered_with_nothing() {
    let reply = node(Mode::Modern).await.put("/eureka/apps/A/i").await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
}

#[actix_web::test]
async fn row_31_the_last_renewal_is_shown_in_classic_with_the_duration_added() {
    // Exact accounting shows when it really was.
    for (mode, added) in [(Mode::Classic, 90_000), (Mode::Modern, 0)] {
        let node = node(mode).await;
        assert_eq!(
            shown(&node, "A", "i").await["leaseInfo"]["lastRenewalTimestamp"],
            EPOCH
        );
        node.pass(Duration::from_secs(10)).await;
        assert_eq!(node.put("/eureka/apps/A/i").await.status, 200);
        let lease = shown(&node, "A", "i").await["leaseInfo"].take();
        assert_eq!(
            lease["lastRenewalTimestamp"],
            EPOCH + 10_000 + added,
            "{mode:?}"
        );
        assert_eq!(lease["registrationTimestamp"], EPOCH, "{mode:?}");
    }
}

#[actix_web::test]
async fn row_32_a_heartbeat_of_nobody_is_404_with_nothing() {
    let node = node(Mode::Modern).await;
    for path in [
        "/eureka/apps/A/unknown",
        "/eureka/apps/NONE/i",
        "/eureka/apps/A/I",
    ] {
        let reply = node.put(path).j().await;
        assert_eq!((reply.status, reply.body.len()), (404, 0), "{path}");
        assert_eq!(reply.content_type(), "application/json");
    }
}

#[actix_web::test]
async fn rows_33_34_35_36_stamps_are_compared_and_only_peers_get_the_newer_copy() {
    let node = node(Mode::Modern).await;
    for (stamp, replicated, status) in [
        ("1000", None, 200),
        ("2000", None, 404),
        ("500", None, 200),
        ("1000", Some("true"), 200),
        ("2000", Some("true"), 404),
        ("500", Some("true"), 409),
        ("500", Some("TRUE"), 200),
    ] {
        let mut ask = node
            .put(&format!("/eureka/apps/A/i?lastDirtyTimestamp={stamp}"))
            .j();
        if let Some(value) = replicated {
            ask = ask.header("x-netflix-discovery-replication", value);
        }
        let reply = ask.await;
        assert_eq!(reply.status, status, "{stamp} {replicated:?}");
        if status == 409 {
            assert_eq!(
                reply.json(),
                json!({ "instance": shown(&node, "A", "i").await })
            );
        } else {
            assert_eq!(reply.body.len(), 0, "{stamp} {replicated:?}");
        }
    }
}

#[actix_web::test]
async fn row_35_the_newer_copy_comes_in_xml_too_and_never_packed() {
    let node = node(Mode::Modern).await;
    let beat = node
        .put("/eureka/apps/A/i?lastDirtyTimestamp=500")
        .replicated();
    let reply = beat.header("Accept-Encoding", "gzip").await;
    assert_eq!(
        (reply.status, reply.content_type()),
        (409, "application/xml")
    );
    assert_eq!(reply.header("content-encoding"), None);
    assert_eq!(reply.text(), node.get("/eureka/apps/A/i").await.text());
    // Under version 1 with fewer statuses, as every other XML there (B-36).
    node.put("/eureka/apps/A/i/status?value=OUT_OF_SERVICE")
        .await;
    for (version, shown) in [("v2", "OUT_OF_SERVICE"), ("v1", "DOWN")] {
        let path = format!("/eureka/{version}/apps/A/i?lastDirtyTimestamp=500");
        let reply = node.put(&path).replicated().await;
        assert_eq!(reply.status, 409, "{version}");
        assert!(
            reply.text().contains(&format!("<status>{shown}</status>")),
            "{version}"
        );
    }
}

#[actix_web::test]
async fn a_lease_is_renewed_whatever_the_stamps_say() {
    // wire.md §3.6: a 404 for a newer stamp and a 409 renew all the same.
    let node = TestNode::start(Mode::Modern);
    let beats = [
        "?lastDirtyTimestamp=2000",
        "?lastDirtyTimestamp=500",
        "?lastDirtyTimestamp=1000",
        "",
    ];
    let all = || (0..).zip(beats.iter().flat_map(|beat| [(beat, false), (beat, true)]));
    for (id, _) in all() {
        node.register("A", &members("A", &format!("i{id}"), ""))
            .await;
    }
    node.pass(Duration::from_secs(60)).await;
    for (id, (beat, replicated)) in all() {
        let ask = node.put(&format!("/eureka/apps/A/i{id}{beat}"));
        _ = if replicated {
            ask.replicated().await
        } else {
            ask.await
        };
    }
    node.pass(Duration::from_secs(80)).await;
    for (id, beat) in all() {
        assert_eq!(
            node.get(&format!("/eureka/apps/A/i{id}")).await.status,
            200,
            "{beat:?}"
        );
    }
}

#[actix_web::test]
async fn row_37_a_peer_with_a_newer_copy_leaves_its_override_here() {
    let node = node(Mode::Modern).await;
    let path = "/eureka/apps/A/i?lastDirtyTimestamp=2000&overriddenstatus=OUT_OF_SERVICE";
    // A client's word about overrides does not count.
    assert_eq!(node.put(path).await.status, 404);
    assert_eq!(
        node.get("/eureka/serverinfo/statusoverrides").await.text(),
        "{}"
    );

    let reply = node.put(path).replicated().await;
    assert_eq!((reply.status, reply.body.len()), (404, 0));
    let overrides = node.get("/eureka/serverinfo/statusoverrides").await;
    assert_eq!(overrides.text(), r#"{"i":"OUT_OF_SERVICE"}"#);
    // server.md scenario 12: it takes effect with the next heartbeat, and readers are told (B-12).
    assert_eq!(node.put("/eureka/apps/A/i").await.status, 200);
    let delta = list(&node, "apps/delta").await;
    let instance = &delta["application"][0]["instance"][0];
    assert_eq!(
        (&instance["status"], &instance["actionType"]),
        (&json!("OUT_OF_SERVICE"), &json!("MODIFIED"))
    );
    assert_eq!(delta["apps__hashcode"], "OUT_OF_SERVICE_1_");
}

#[actix_web::test]
async fn row_38_whatever_a_heartbeat_brings_along_is_thrown_away() {
    let node = node(Mode::Modern).await;
    for (content_type, body) in [
        ("application/json", "{}"),
        ("text/plain", "junk"),
        ("application/xml", "<broken"),
        ("nonsense", "\u{0}"),
    ] {
        for method in ["PUT", "DELETE"] {
            let path = if method == "PUT" {
                "/eureka/apps/A/i"
            } else {
                "/eureka/apps/A/i/status"
            };
            let ask = node.request(method.parse().unwrap(), path).body(body);
            let reply = ask.header("Content-Type", content_type).await;
            assert_eq!(
                (reply.status, reply.body.len()),
                (200, 0),
                "{method} {content_type}"
            );
        }
    }
}

#[actix_web::test]
async fn row_39_the_status_in_a_heartbeat_is_not_looked_at() {
    let node = node(Mode::Modern).await;
    for status in ["NONSENSE", "DOWN", "OUT_OF_SERVICE", ""] {
        let reply = node.put(&format!("/eureka/apps/A/i?status={status}")).await;
        assert_eq!(reply.status, 200, "{status}");
        assert_eq!(shown(&node, "A", "i").await["status"], "UP", "{status}");
    }
}

#[actix_web::test]
async fn a_heartbeat_with_a_stamp_that_is_no_number_is_refused_before_it_renews() {
    // B-42; the reference answers 500 and has renewed the lease by then.
    let node = node(Mode::Modern).await;
    node.pass(Duration::from_secs(60)).await;
    for (query, named) in [
        (
            "lastDirtyTimestamp=",
            "lastDirtyTimestamp: wanted a number of milliseconds, got \"\"",
        ),
        (
            "lastDirtyTimestamp=x",
            "lastDirtyTimestamp: wanted a number of milliseconds, got \"x\"",
        ),
        (
            "lastDirtyTimestamp=2000&overriddenstatus=ODD",
            "overriddenstatus: wanted UP, DOWN, ",
        ),
    ] {
        let reply = node
            .put(&format!("/eureka/apps/A/i?{query}"))
            .replicated()
            .await;
        assert_eq!(reply.status, 400, "{query}");
        assert!(reply.text().starts_with(named), "{}", reply.text());
    }
    let lease = shown(&node, "A", "i").await["leaseInfo"].take();
    assert_eq!(lease["lastRenewalTimestamp"], EPOCH);
}

#[actix_web::test]
async fn row_51_an_instance_can_be_cancelled_once() {
    for mode in [Mode::Modern, Mode::Classic] {
        let node = node(mode).await;
        for status in [200, 404, 404] {
            let reply = node.delete("/eureka/apps/A/i").await;
            assert_eq!((reply.status, reply.body.len()), (status, 0));
        }
        for path in ["/eureka/apps/A/none", "/eureka/apps/NONE/i"] {
            assert_eq!(node.delete(path).await.status, 404, "{path}");
        }
    }
}

#[actix_web::test]
async fn row_72_an_ended_lease_is_listed_until_the_sweep_and_a_heartbeat_revives_it() {
    // Classic sweeps once a minute. Lists are read fresh here, so that it is not the copy that shows it.
    let mut config = Config::of(Mode::Classic);
    config.cache.timed_copy = None;
    config.preservation.enabled = false;
    let node = TestNode::with(config);
    node.register("A", &members("A", "i", "")).await;
    node.pass(Duration::from_millis(90_000)).await;
    assert_eq!(node.get("/eureka/apps/A/i").await.status, 200);
    node.pass(Duration::from_millis(1)).await;
    for (path, status) in [
        ("/eureka/apps/A/i", 404),
        ("/eureka/instances/i", 404),
        ("/eureka/apps/A", 200),
        ("/eureka/apps", 200),
        ("/eureka/vips/a", 200),
    ] {
        let reply = node.get(path).j().await;
        assert_eq!(reply.status, status, "{path}");
        assert_eq!(
            reply.text().contains("\"instanceId\":\"i\""),
            status == 200,
            "{path}"
        );
    }
    for (path, status) in [
        ("/eureka/apps/A/i/status?value=DOWN", 404),
        ("/eureka/apps/A/i/metadata?k=v", 404),
        ("/eureka/apps/A/i", 200),
        ("/eureka/apps/A/i/status?value=DOWN", 200),
    ] {
        assert_eq!(node.put(path).await.status, status, "{path}");
    }
    assert_eq!(node.get("/eureka/apps/A/i").await.status, 200);
}

#[actix_web::test]
async fn row_72_while_the_formula_keeps_everything_an_ended_lease_is_not_hidden() {
    let node = node(Mode::Classic).await;
    node.pass(Duration::from_secs(100)).await;
    for path in ["/eureka/apps/A/i", "/eureka/instances/i"] {
        assert_eq!(node.get(path).await.status, 200, "{path}");
    }
    let order = node.put("/eureka/apps/A/i/status?value=DOWN").await;
    assert_eq!(order.status, 200);
}

#[actix_web::test]
async fn row_72_in_modern_an_instance_goes_within_a_second_of_the_end_of_its_lease() {
    let node = node(Mode::Modern).await;
    assert_eq!(Config::of(Mode::Modern).eviction.sweep, Sweep::WhenDue);
    node.pass(Duration::from_secs(90)).await;
    assert_eq!(names(&list(&node, "apps").await), ["A/i"]);
    node.pass(Duration::from_millis(1_001)).await;
    assert_eq!(names(&list(&node, "apps").await), [""; 0]);
    assert_eq!(names(&list(&node, "apps/delta").await), ["A/i"]);
    assert_eq!(node.put("/eureka/apps/A/i").await.status, 404);
}
