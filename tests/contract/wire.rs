//! The rows of wire.md §13.

use heureka::config::Mode;

use crate::support::{TestNode, members};

#[actix_web::test]
async fn row_02_an_empty_registry_is_a_list_without_applications() {
    let node = TestNode::start(Mode::Modern);
    let reply = node.get("/eureka/apps").j().await;
    assert_eq!(
        (reply.status, reply.content_type()),
        (200, "application/json")
    );
    let expected =
        r#"{"applications":{"versions__delta":"1","apps__hashcode":"","application":[]}}"#;
    assert_eq!(reply.text(), expected);
}

#[actix_web::test]
async fn row_30_a_heartbeat_without_a_query_is_answered_with_nothing() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    let reply = node.put("/eureka/apps/A/i").await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
}
