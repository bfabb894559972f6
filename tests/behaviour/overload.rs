//! Who is turned away when there is too much to do, and who never is.

use std::time::Duration;

use heureka::config::{Config, Mode};

use crate::support::{Reply, TestNode, members};

/// One request of each class, those first that go first, and when to try again.
const CLASSES: [(&str, &str, bool, &str); 5] = [
    ("GET", "/eureka/apps", false, "10"),
    ("GET", "/eureka/apps/delta", false, "5"),
    ("DELETE", "/eureka/apps/A/nobody", false, "1"),
    ("PUT", "/eureka/apps/A/i", false, "1"),
    ("PUT", "/eureka/apps/A/i", true, "1"),
];

async fn ask(node: &TestNode, method: &str, path: &str, replicated: bool) -> Reply {
    let ask = node.request(method.parse().unwrap(), path).j();
    if replicated {
        ask.replicated().await
    } else {
        ask.await
    }
}

#[actix_web::test]
async fn the_later_a_worker_is_the_more_it_turns_away_and_heartbeats_nearly_last() {
    let mut node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    for (lag, shed) in [
        (200, 0),
        (201, 1),
        (401, 2),
        (801, 3),
        (6_401, 4),
        (12_801, 5),
    ] {
        node.late_by(Duration::from_millis(lag));
        for (class, (method, path, replicated, retry_after)) in CLASSES.into_iter().enumerate() {
            let reply = ask(&node, method, path, replicated).await;
            let case = format!("{method} {path} {lag} ms late: {reply:?}");
            if class >= shed {
                assert!(matches!(reply.status, 200 | 404), "{case}");
                continue;
            }
            assert_eq!(reply.status, 503, "{case}");
            assert_eq!(reply.header("retry-after"), Some(retry_after), "{case}");
            assert_eq!(reply.content_type(), "application/json", "{case}");
            assert!(reply.body.is_empty(), "{case}");
        }
    }
    let page = node.get("/metrics").await.text();
    for (class, times) in [
        ("full", 5),
        ("delta", 4),
        ("change", 3),
        ("renewal", 2),
        ("replication", 1),
    ] {
        let line = format!("eureka_shed_total{{class=\"{class}\",reason=\"late\"}} {times}\n");
        assert!(page.contains(&line), "{line}{page}");
    }
}

#[actix_web::test]
async fn what_is_turned_away_changes_nothing() {
    let mut node = TestNode::start(Mode::Modern);
    node.late_by(Duration::from_millis(900));
    let body = format!("{{\"instance\":{{{}}}}}", members("A", "i", ""));
    let reply = node.post("/eureka/apps/A", body).json_body().await;
    assert_eq!(reply.status, 503);
    assert!(node.node.http.published.index.is_empty());
}

#[actix_web::test]
async fn a_lag_of_0_in_the_settings_turns_nobody_away() {
    let mut config = Config::of(Mode::Modern);
    config.overload.shed_lag = Duration::ZERO;
    let mut node = TestNode::with(config);
    node.late_by(Duration::from_secs(60));
    assert_eq!(node.get("/eureka/apps").await.status, 200);
}

#[actix_web::test]
async fn probes_and_metrics_are_answered_however_late_a_worker_is() {
    let mut node = TestNode::start(Mode::Modern);
    node.late_by(Duration::from_secs(60));
    for path in ["/health/live", "/health/ready", "/metrics", "/"] {
        assert_eq!(node.get(path).await.status, 200, "{path}");
    }
}

/// A list that somebody is slow to take counts until it is gone.
#[actix_web::test]
async fn bodies_on_their_way_are_bounded_and_heartbeats_go_on() {
    let mut config = Config::of(Mode::Modern);
    config.overload.max_in_flight = 10_000;
    let node = TestNode::with(config);
    let long = format!("\"metadata\":{{\"text\":\"{}\"}}", "x".repeat(5_000));
    node.register("A", &members("A", "i", &long)).await;

    let slow = node.get("/eureka/apps").response().await;
    assert_eq!(slow.status().as_u16(), 200);
    let reply = node.get("/eureka/apps").j().await;
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, Some("10"))
    );
    let page = node.get("/metrics").await.text();
    assert!(
        page.contains("eureka_shed_total{class=\"full\",reason=\"bytes\"} 1\n"),
        "{page}"
    );
    assert_eq!(node.put("/eureka/apps/A/i").await.status, 200);

    drop(slow);
    assert_eq!(node.get("/eureka/apps").await.status, 200);
    let page = node.get("/metrics").await.text();
    assert!(page.contains("eureka_bytes_in_flight 0\n"), "{page}");
}
