//! wire.md §13, rows 61, 62, 74.

use heureka::config::Mode;

use crate::support::{TestNode, members};

#[actix_web::test]
async fn row_61_a_method_that_a_path_does_not_take_is_405_with_those_it_takes() {
    let node = TestNode::start(Mode::Modern);
    let reply = node.post("/eureka/apps", "{}").json_body().j().await;
    assert_eq!((reply.status, reply.body.len()), (405, 0));
    assert_eq!(reply.header("allow"), Some("GET,OPTIONS"));
}

#[actix_web::test]
async fn row_62_head_is_answered_like_get() {
    // The body is left out below the handlers, by the HTTP layer: `tests/sockets.rs`.
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    for path in [
        "/eureka/apps",
        "/eureka/apps/A/i",
        "/eureka/apps/none",
        "/health/live",
    ] {
        let get = node.get(path).j().header("Accept-Encoding", "gzip").await;
        let head = node.request("HEAD".parse().unwrap(), path).j();
        let head = head.header("Accept-Encoding", "gzip").await;
        assert_eq!(
            (head.status, head.headers),
            (get.status, get.headers),
            "{path}"
        );
    }
}

#[actix_web::test]
async fn row_74_no_reply_has_headers_that_belong_to_caches_redirects_or_sessions() {
    // The support checks every reply of every test; here is one of each kind.
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    for (ask, status) in [
        (node.get("/eureka/apps"), 200),
        (
            node.get("/eureka/apps").header("Accept-Encoding", "gzip"),
            200,
        ),
        (node.get("/eureka/apps/A/i").j(), 200),
        (node.get("/eureka/apps/none"), 404),
        (node.get("/nothing/here"), 404),
        (node.get("/eureka/apps").header("Accept", "text/html"), 406),
        (node.put("/eureka/apps"), 405),
        (node.put("/eureka/apps/A/i"), 200),
        (
            node.put("/eureka/apps/A/i?lastDirtyTimestamp=1")
                .replicated(),
            409,
        ),
        (node.post("/eureka/apps/A", "{").json_body(), 400),
        (node.get("/eureka/status"), 200),
        (node.get("/"), 200),
        (node.get("/lastn"), 200),
        (node.get("/metrics"), 200),
        (node.get("/actuator/health"), 200),
        (node.post("/actuator/health", ""), 405),
    ] {
        let reply = ask.await;
        assert_eq!(reply.status, status, "{reply:?}");
    }
}
