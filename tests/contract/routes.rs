//! Paths: which there are, under which prefixes, which methods they take, and how names in them are
//! read (wire.md §1, foreign-clients.md §1.1, server.md B-34, B-35).

use actix_web::http::Method;
use heureka::config::{Config, Mode};
use serde_json::json;

use crate::kit::{body, names, registering, shown};
use crate::support::{TestNode, members};

/// Every path of Eureka's surface and what its `Allow` says.
const PATHS: [(&str, &str); 13] = [
    ("/apps", "GET,OPTIONS"),
    ("/apps/delta", "GET,OPTIONS"),
    ("/apps/A", "POST,GET,OPTIONS"),
    ("/apps/A/i", "DELETE,GET,OPTIONS,PUT"),
    ("/apps/A/i/status", "DELETE,OPTIONS,PUT"),
    ("/apps/A/i/metadata", "OPTIONS,PUT"),
    ("/instances/i", "GET,OPTIONS"),
    ("/vips/a", "GET,OPTIONS"),
    ("/svips/a", "GET,OPTIONS"),
    ("/asg/x/status", "OPTIONS,PUT"),
    ("/status", "GET,OPTIONS"),
    ("/serverinfo/statusoverrides", "GET,OPTIONS"),
    ("/peerreplication/batch", "POST,OPTIONS"),
];
/// Ours, for operators and people.
const OPERATIONS: [&str; 14] = [
    "/metrics",
    "/health/live",
    "/health/ready",
    "/actuator/health",
    "/actuator/health/liveness",
    "/actuator/health/readiness",
    "/actuator/info",
    "/actuator/prometheus",
    "/",
    "/lastn",
    "/instances",
    "/style.css",
    "/page.js",
    "/icon.svg",
];
const METHODS: [&str; 8] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE",
];
const PREFIXES: [&str; 6] = ["/eureka", "/eureka/v2", "/eureka/v1", "/v2", "/v1", ""];

fn method(name: &str) -> Method {
    name.parse().unwrap()
}

async fn node() -> TestNode {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    node
}

#[actix_web::test]
async fn every_path_takes_its_methods_and_refuses_all_others_with_allow() {
    let node = node().await;
    for (path, allow) in PATHS {
        for name in METHODS {
            let asked = if name == "HEAD" { "GET" } else { name };
            let takes = allow.split(',').any(|allowed| allowed == asked);
            let reply = node
                .request(method(name), &format!("/eureka{path}"))
                .j()
                .await;
            match (name, takes) {
                ("OPTIONS", _) => {
                    assert_eq!(
                        (reply.status, reply.content_type()),
                        (200, "text/plain"),
                        "{path}"
                    );
                    assert_eq!(
                        (reply.header("allow"), reply.text()),
                        (Some(allow), allow.into()),
                        "{path}"
                    );
                }
                (_, true) => assert_ne!(reply.status, 405, "{name} {path}"),
                (_, false) => {
                    assert_eq!((reply.status, reply.body.len()), (405, 0), "{name} {path}");
                    assert_eq!(reply.header("allow"), Some(allow), "{name} {path}");
                    assert_eq!(reply.content_type(), "application/json");
                }
            }
        }
    }
}

#[actix_web::test]
async fn head_is_answered_like_get_on_every_path_that_is_read() {
    let node = node().await;
    let read = PATHS.iter().filter(|(_, allow)| allow.contains("GET"));
    let eureka = read.map(|(path, _)| format!("/eureka{path}"));
    for path in eureka.chain(OPERATIONS.map(str::to_string)) {
        let get = node.get(&path).await;
        let head = node.request(Method::HEAD, &path).await;
        assert_eq!((head.status, head.headers), (200, get.headers), "{path}");
        assert_eq!(get.status, 200, "{path}");
    }
}

#[actix_web::test]
async fn every_path_is_there_under_every_prefix_with_and_without_a_slash() {
    let node = node().await;
    for (path, allow) in PATHS {
        for prefix in PREFIXES {
            for slash in ["", "/"] {
                let path = format!("{prefix}{path}{slash}");
                let reply = node.request(Method::OPTIONS, &path).await;
                assert_eq!((reply.status, reply.text()), (200, allow.into()), "{path}");
            }
        }
    }
}

#[actix_web::test]
async fn what_is_no_path_is_404_with_nothing_whatever_the_method() {
    let node = node().await;
    for path in [
        "/eureka",
        "/eureka/",
        "/eureka/v2",
        "/eureka/Apps",
        "/eureka/apps.json",
        "/eureka/apps/A/i/foo",
        "/eureka/apps/A/i/status/x",
        "/eureka/vips",
        "/eureka/svips/",
        "/eureka/instances",
        "/eureka/asg/x",
        "/eureka/serverinfo",
        "/eureka/peerreplication",
        "/eureka/eureka/apps",
        "/eureka/v3/apps",
        "/favicon.ico",
        "/actuator",
        "/actuator/env",
    ] {
        for name in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] {
            let reply = node.request(method(name), path).j().await;
            assert_eq!((reply.status, reply.body.len()), (404, 0), "{name} {path}");
            assert_eq!(reply.content_type(), "application/json", "{name} {path}");
        }
    }
}

#[actix_web::test]
async fn operations_are_read_only() {
    let node = node().await;
    for path in OPERATIONS {
        for name in METHODS {
            let reply = node.request(method(name), path).await;
            if ["GET", "HEAD"].contains(&name) {
                assert_eq!(reply.status, 200, "{name} {path}");
            } else {
                assert_eq!(
                    (reply.status, reply.header("allow")),
                    (405, Some("GET,HEAD")),
                    "{name} {path}"
                );
                assert_eq!(reply.body.len(), 0, "{name} {path}");
            }
        }
    }
}

#[actix_web::test]
async fn an_application_named_delta_is_reached_by_everything_but_its_list() {
    let node = node().await;
    // wire.md §1.3: `apps/delta` itself is the delta.
    assert_eq!(
        registering(&node, "delta", &members("delta", "i", ""))
            .await
            .status,
        405
    );
    assert_eq!(
        registering(&node, "DELTA", &members("delta", "i", ""))
            .await
            .status,
        204
    );
    assert_eq!(node.put("/eureka/apps/delta/i").await.status, 200);
    assert_eq!(
        names(
            &json!({"application": [node.get("/eureka/apps/DELTA").j().await.json()["application"]]})
        ),
        ["DELTA/i"]
    );
    assert!(
        node.get("/eureka/apps/delta")
            .j()
            .await
            .json()
            .get("applications")
            .is_some()
    );
    assert_eq!(node.delete("/eureka/apps/delta/i").await.status, 200);
}

#[actix_web::test]
async fn an_application_may_have_the_name_of_a_prefix() {
    let node = TestNode::start(Mode::Modern);
    for app in ["EUREKA", "V2", "APPS", "STATUS", "ALL_APPS"] {
        assert_eq!(
            registering(&node, app, &members(app, "i", "")).await.status,
            204,
            "{app}"
        );
        assert_eq!(shown(&node, app, "i").await["app"], app);
        assert!(
            node.get(&format!("/eureka/apps/{app}"))
                .j()
                .await
                .json()
                .get("application")
                .is_some()
        );
    }
}

#[actix_web::test]
async fn ids_are_decoded_once_and_compared_to_the_letter() {
    let node = TestNode::start(Mode::Modern);
    for (id, path) in [
        ("h:a:80", "h:a:80"),
        ("h:a:80", "h%3Aa%3A80"),
        ("svc::10.0.0.1::80", "svc::10.0.0.1::80"),
        ("a$b", "a$b"),
        ("a$b", "a%24b"),
        ("a/b", "a%2Fb"),
        ("a/b", "a%2fb"),
        ("a;b", "a%3Bb"),
        ("a b", "a%20b"),
        ("a b", "a+b"),
        ("a+c", "a%2Bc"),
        ("a%20b", "a%2520b"),
        ("100%", "100%25"),
        ("100%", "100%"),
        ("é😀", "%C3%A9%F0%9F%98%80"),
        ("?q#f", "%3Fq%23f"),
        ("..", "%2E%2E"),
        ("i", "i;v=1;w"),
    ] {
        node.register("A", &members("A", id, "")).await;
        assert_eq!(shown(&node, "A", path).await["instanceId"], id, "{path}");
        for (name, path) in [
            ("GET", format!("/eureka/instances/{path}")),
            ("PUT", format!("/eureka/apps/A/{path}")),
            ("PUT", format!("/eureka/apps/A/{path}/metadata?k=v")),
            ("PUT", format!("/eureka/apps/A/{path}/status?value=DOWN")),
            ("DELETE", format!("/eureka/apps/A/{path}/status?value=UP")),
            ("DELETE", format!("/eureka/apps/A/{path}")),
        ] {
            let reply = node.request(method(name), &path).await;
            assert_eq!(reply.status, 200, "{name} {path}");
        }
        assert_eq!(node.get("/eureka/apps/A").await.status, 404, "{path}");
    }
}

#[actix_web::test]
async fn a_path_that_is_no_text_is_refused_and_says_so() {
    let node = node().await;
    for path in ["/eureka/apps/%FF", "/eureka/apps/A/%C3", "/eureka/vips/%80"] {
        let reply = node.get(path).await;
        assert_eq!(
            (reply.status, reply.text().as_str()),
            (400, "the path is not UTF-8 once decoded"),
            "{path}"
        );
    }
}

#[actix_web::test]
async fn matrix_parameters_are_cut_off_and_not_looked_at() {
    let node = node().await;
    for path in [
        "/eureka/apps;x=1/A/i",
        "/eureka/apps/A;x=1/i;y=2",
        "/eureka;v=9/apps/A/i;jsessionid=7",
    ] {
        assert_eq!(node.put(path).await.status, 200, "{path}");
    }
}

#[actix_web::test]
async fn below_a_context_path_everything_is_there_and_nothing_beside_it() {
    let mut config = Config::of(Mode::Modern);
    config.http.context_path = "/ctx".to_string();
    let node = TestNode::with(config);
    let json = body(&members("A", "i", ""));
    assert_eq!(
        node.post("/ctx/eureka/apps/A", json)
            .json_body()
            .await
            .status,
        204
    );
    for (path, allow) in PATHS {
        for prefix in PREFIXES {
            let inside = node
                .request(Method::OPTIONS, &format!("/ctx{prefix}{path}"))
                .await;
            assert_eq!(
                (inside.status, inside.text()),
                (200, allow.into()),
                "{prefix}{path}"
            );
            let beside = node
                .request(Method::OPTIONS, &format!("{prefix}{path}"))
                .await;
            assert_eq!(
                (beside.status, beside.body.len()),
                (404, 0),
                "{prefix}{path}"
            );
        }
    }
    for path in OPERATIONS {
        assert_eq!(node.get(&format!("/ctx{path}")).await.status, 200, "{path}");
        assert_eq!(node.get(path).await.status, 404, "{path}");
    }
    for (path, status) in [
        // B-34: in Spring, a version below a context path is 404.
        ("/ctx/eureka/v2/apps/A/i", 200),
        ("//ctx//eureka//apps/A/i", 200),
        ("/ctx", 200),
        ("/CTX/eureka/apps", 404),
        ("/ctxx/eureka/apps", 404),
        ("/eureka/ctx/apps", 404),
    ] {
        assert_eq!(node.get(path).await.status, status, "{path}");
    }
}
