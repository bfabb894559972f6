//! What operators' tools ask: health in Spring's shape, and the two pages of metrics.

use heureka::config::{Config, DEFAULT_ZONE, Mode};
use serde_json::json;

use crate::support::{TestNode, members};

#[actix_web::test]
async fn health_has_spring_s_shape_with_a_component_for_each_part() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    let reply = node.get("/actuator/health").await;
    assert_eq!(reply.status, 200);
    let up = json!({ "status": "UP" });
    let wanted = json!({
        "status": "UP",
        "components": {
            "livenessState": up,
            "readinessState": up,
            "registry": { "status": "UP", "details": { "instances": 1, "acceptingReads": true } },
            "selfPreservation": {
                "status": "UP",
                "details": { "active": false, "inWords": "on (adaptive), nothing is kept" },
            },
            "peers": { "status": "UP", "details": { "known": 0, "up": 0 } },
        },
        "groups": ["liveness", "readiness"],
    });
    assert_eq!(reply.json(), wanted);
}

#[actix_web::test]
async fn a_node_that_waits_for_its_peers_lives_is_not_ready_and_says_so_everywhere() {
    let mut config = Config::of(Mode::Modern);
    let nobody = "http://127.0.0.1:9/eureka/".parse().unwrap();
    config.peers.service_urls = [(DEFAULT_ZONE.to_string(), vec![nobody])].into();
    let node = TestNode::with(config);
    for (path, status, word) in [
        ("/health/live", 200, "UP"),
        ("/actuator/health/liveness", 200, "UP"),
        ("/health/ready", 503, "OUT_OF_SERVICE"),
        ("/actuator/health/readiness", 503, "OUT_OF_SERVICE"),
        ("/actuator/health", 503, "OUT_OF_SERVICE"),
    ] {
        let reply = node.get(path).await;
        assert_eq!(reply.status, status, "{path}");
        assert_eq!(reply.json()["status"], word, "{path}");
    }
    let parts = &node.get("/actuator/health").await.json()["components"];
    assert_eq!(parts["livenessState"]["status"], "UP");
    assert_eq!(parts["readinessState"]["status"], "OUT_OF_SERVICE");
    assert_eq!(parts["registry"]["details"]["acceptingReads"], false);
    assert_eq!(parts["peers"]["details"], json!({ "known": 1, "up": 0 }));
}

#[actix_web::test]
async fn both_pages_of_metrics_have_the_same_figures_and_spring_s_path_has_spring_s_names_too() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    assert_eq!(node.get("/eureka/apps/NONE").await.status, 404);
    let ours = node.get("/metrics").await.text();
    let springs = node.get("/actuator/prometheus").await.text();
    for line in [
        "eureka_registrations_total{origin=\"client\"} 1\n",
        "eureka_server_instances{application=\"A\",status=\"UP\"} 1\n",
        "eureka_actor_message_seconds_count{actor=\"registry\"} 1\n",
        "eureka_actor_mailbox_depth{actor=\"peers\"} 0\n",
        "eureka_http_requests_total{route=\"app\",method=\"GET\",status=\"404\"} 1\n",
    ] {
        assert!(
            ours.contains(line) && springs.contains(line),
            "{line}{ours}"
        );
    }
    let request = "http_server_requests_seconds_count{error=\"none\",exception=\"none\",method=\"GET\",\
        outcome=\"CLIENT_ERROR\",status=\"404\",uri=\"/eureka/apps/{app}\"} 1\n";
    assert!(springs.contains(request), "{springs}");
    assert!(!ours.contains("http_server_requests"));
}
