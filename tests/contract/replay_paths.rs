//! The replay tests of foreign-clients.md §6 that are about paths, heads and answers rather than about
//! what is registered; the others are in `replay.rs`.

use serde_json::json;

use crate::canon_xml::assert_canonical_xml;
use crate::kit::{body, list, names};
use crate::replay::{basics, node, post};
use crate::support::members;

#[actix_web::test]
async fn t02_a_heartbeat_with_encoded_colons_is_answered_with_nothing() {
    let node = node();
    let more = r#""instanceId":"127.0.0.1:x:9091","lastDirtyTimestamp":"5""#;
    assert_eq!(post(&node, "X", &basics("X", more)).await.status, 204);
    let path = "/eureka/apps/X/127.0.0.1%3Ax%3A9091?status=UP&lastDirtyTimestamp=5";
    let reply = node.put(path).header("Content-Length", "0").await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
}

#[actix_web::test]
async fn t03_python_reads_xml_and_finds_its_attributes() {
    let node = node();
    node.register("X", &members("X", "i", "")).await;
    for path in [
        "/eureka/apps/?regions=r1,r2",
        "/eureka/apps/delta?regions=r1,r2",
    ] {
        let reply = node.get(path).await;
        assert_eq!(
            (reply.status, reply.content_type()),
            (200, "application/xml"),
            "{path}"
        );
        for part in [
            "<dataCenterInfo class=\"",
            "<port enabled=\"true\">",
            "<securePort enabled=\"false\">",
        ] {
            assert!(reply.text().contains(part), "{path} {part}");
        }
        assert_canonical_xml(&reply.text());
    }
}

#[actix_web::test]
async fn t07_doubled_slashes_are_one() {
    let node = node();
    node.register("X", &members("X", "i", "")).await;
    for (doubled, single) in [
        ("//apps", "/apps"),
        ("/eureka//apps/", "/eureka/apps/"),
        ("/eureka/v2//apps/delta", "/eureka/v2/apps/delta"),
        ("//eureka///v2//apps//X//i//", "/eureka/v2/apps/X/i"),
    ] {
        let (doubled, single) = (node.get(doubled).j().await, node.get(single).j().await);
        assert_eq!((doubled.status, doubled.text()), (200, single.text()));
    }
    let reply = node.put("/eureka//apps//X//i").await;
    assert_eq!(reply.status, 200, "and none is redirected");
}

#[actix_web::test]
async fn t09_xuanbo_beats_first_and_learns_that_it_is_unknown() {
    let reply = node().put("/eureka/apps/x/10.0.0.1:x:80?status=UP").await;
    assert_eq!((reply.status, reply.body.len()), (404, 0));
}

#[actix_web::test]
async fn t15_errors_for_a_caller_of_json_are_empty_or_one_object() {
    let node = node();
    for (ask, status) in [
        (node.put("/eureka/apps/x/h1:x:80?status=UP"), 404),
        (
            node.put("/eureka/v2/apps/A/h:1?status=UP&lastDirtyTimestamp=5"),
            404,
        ),
        (
            node.put("/eureka/v2/apps/A/h:1?lastDirtyTimestamp=odd"),
            400,
        ),
        (node.post("/eureka/apps/X", "{}").json_body(), 400),
        (node.post("/eureka/apps/X", "<x/>").xml_body(), 400),
        (
            node.post("/eureka/apps/X", body(r#""hostName":"h""#))
                .json_body(),
            400,
        ),
        (
            node.post("/eureka/apps/X", "")
                .header("Content-Type", "text/plain"),
            415,
        ),
        (node.get("/eureka/apps/%FF"), 400),
        (node.post("/eureka/apps", "{}").json_body(), 405),
    ] {
        let reply = ask.j().await;
        assert_eq!(reply.status, status, "{reply:?}");
        let is_object = || reply.content_type() == "application/json" && reply.json().is_object();
        assert!(reply.body.is_empty() || is_object(), "{reply:?}");
    }
}

#[actix_web::test]
async fn t17_whoever_probes_four_paths_registers_once_whatever_its_base() {
    for (base, codes) in [
        ("", [204, 204, 204, 204]),
        ("/eureka", [404, 404, 204, 204]),
        ("/eureka/v2", [404, 404, 404, 204]),
        ("/nowhere", [404, 404, 404, 404]),
    ] {
        let node = node();
        let probes =
            ["/eureka/v2", "/eureka", "/v2", ""].map(|probe| format!("{base}{probe}/apps/x"));
        for (probe, code) in probes.iter().zip(codes) {
            let reply = node
                .post(probe, body(&basics("x", r#""status":"UP""#)))
                .json_body()
                .await;
            assert_eq!((reply.status, reply.body.len()), (code, 0), "{probe}");
        }
        let expected: &[&str] = if base == "/nowhere" { &[] } else { &["X/h1"] };
        assert_eq!(names(&list(&node, "apps").await), expected, "{base}");
    }
}

#[actix_web::test]
async fn t21_a_vip_that_nobody_has_is_a_whole_list_all_the_same() {
    let found = list(&node(), "vips/none").await;
    assert_eq!(
        found,
        json!({"versions__delta": "-1", "apps__hashcode": "", "application": []})
    );
}

#[actix_web::test]
async fn t22_php_has_a_blank_at_the_end_of_its_prefix() {
    let reply = node().get("/eureka/v2%20/apps").j().await;
    assert_eq!(reply.status, 200);
}

#[actix_web::test]
async fn t23_the_content_type_may_be_missing_or_odd_and_may_have_parameters() {
    let node = node();
    let json = body(&basics("X", r#""status":"UP""#));
    let xml = "\n <instance><hostName>h1</hostName><app>X</app><ipAddr>1</ipAddr>\
        <dataCenterInfo><name>MyOwn</name></dataCenterInfo></instance>";
    for (content_type, body) in [
        (None, json.as_str()),
        (None, xml),
        (Some("text/xml"), xml),
        (Some("text/xml"), &json),
        (Some("application/json; charset=utf-8"), &json),
        (Some("Application/JSON;Charset=\"UTF-8\""), &json),
        (Some("application/xml; charset=UTF-8"), xml),
        (Some("application/hal+json"), &json),
    ] {
        let ask = node.post("/eureka/apps/X", body);
        let reply = match content_type {
            Some(content_type) => ask.header("Content-Type", content_type).await,
            None => ask.await,
        };
        assert_eq!(reply.status, 204, "{content_type:?}");
        assert_eq!(
            node.delete("/eureka/apps/X/h1").await.status,
            200,
            "{content_type:?}"
        );
    }
}
