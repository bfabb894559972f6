//! wire.md §13, rows 12–17, 26, 27: registrations, and what is wrong with some. As what the others are
//! kept is in `wire_members.rs`.

use heureka::config::Mode;
use serde_json::json;

use crate::kit::{body, registering, shown, without};
use crate::support::{TestNode, members};

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
async fn a_client_whose_clock_was_set_back_is_believed_and_its_stamp_raised() {
    // design §2: more than a minute back is no race.
    for (stamp, replicated, zone, kept) in [
        (40_000, false, "old", "100000"),
        (39_999, false, "new", "100001"),
        (39_999, true, "old", "100000"),
    ] {
        let node = TestNode::start(Mode::Modern);
        for (stamp, zone, replicated) in [(100_000, "old", false), (stamp, "new", replicated)] {
            let more = format!(r#""lastDirtyTimestamp":{stamp},"metadata":{{"zone":"{zone}"}}"#);
            let ask = registering(&node, "A", &members("A", "i", &more));
            let reply = if replicated {
                ask.replicated().await
            } else {
                ask.await
            };
            assert_eq!(reply.status, 204);
        }
        let instance = shown(&node, "A", "i").await;
        assert_eq!(instance["metadata"]["zone"], zone, "{stamp} {replicated}");
        assert_eq!(instance["lastDirtyTimestamp"], kept, "{stamp} {replicated}");
        // Its heartbeats go on with the stamp that it knows.
        let beat = format!("/eureka/apps/A/i?lastDirtyTimestamp={stamp}");
        assert_eq!(node.put(&beat).await.status, 200, "{stamp}");
    }
}
