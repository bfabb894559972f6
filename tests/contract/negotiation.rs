//! What is asked for and what comes: `Accept`, `Accept-Encoding`, `X-Eureka-Accept`, and the type of
//! answers that have nothing to say (wire.md §2, foreign-clients.md §1.2).

use heureka::config::{Config, Mode};

use crate::support::{TestNode, members};

const LISTS: [&str; 8] = [
    "/eureka/apps",
    "/eureka/apps/",
    "/eureka/apps/delta",
    "/eureka/apps/A",
    "/eureka/vips/a",
    "/eureka/vips/none",
    "/eureka/svips/s",
    "/eureka/v1/apps",
];
const OBJECTS: [&str; 3] = ["/eureka/apps/A/i", "/eureka/instances/i", "/eureka/status"];
const JSON: &str = "application/json";
const XML: &str = "application/xml";

async fn node() -> TestNode {
    let node = TestNode::start(Mode::Modern);
    let more = r#""secureVipAddress":"s","metadata":{"zone":"ü"}"#;
    node.register("A", &members("A", "i", more)).await;
    node.register("B", &members("B", "j", r#""status":"OUT_OF_SERVICE""#))
        .await;
    node
}

/// The support checks that the body is what the label says.
#[actix_web::test]
async fn accept_decides_about_lists_and_objects_and_the_label_is_true() {
    let node = node().await;
    for (accept, list, object) in [
        (None, XML, XML),
        (Some(""), XML, XML),
        (Some("*/*"), XML, XML),
        (Some("application/*"), XML, XML),
        (Some("application/xml"), XML, XML),
        (Some("application/json"), JSON, JSON),
        (Some("application/json; charset=utf-8"), JSON, JSON),
        (Some("text/plain, application/json, */*"), JSON, JSON),
        (Some("application/json, text/plain, */*"), JSON, JSON),
        (
            Some("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            XML,
            XML,
        ),
        (
            Some(
                "application/json, application/x-jackson-smile, application/cbor, application/*+json",
            ),
            JSON,
            JSON,
        ),
        (Some("application/xml;q=0.5, application/json"), JSON, JSON),
        // Java labels the list as XML in these two.
        (Some("application/xml, application/json"), JSON, XML),
        (Some("application/json;q=0.5, application/xml"), JSON, XML),
        // Java sends the list as XML under this label.
        (Some("application/JSON"), JSON, JSON),
    ] {
        for (paths, expected) in [(&LISTS[..], list), (&OBJECTS, object)] {
            for path in paths {
                let mut ask = node.get(path);
                if let Some(accept) = accept {
                    ask = ask.header("Accept", accept);
                }
                let reply = ask.await;
                assert_eq!(
                    (reply.status, reply.content_type()),
                    (200, expected),
                    "{accept:?} {path}"
                );
                assert!(!reply.body.is_empty(), "{path}");
            }
        }
    }
}

#[actix_web::test]
async fn what_cannot_be_sent_is_406_before_anything_is_done_or_looked_up() {
    let node = node().await;
    for accept in [
        "text/html",
        "text/json",
        "JSON",
        "application/vnd.x+json",
        "*/*;q=0",
        "image/*",
    ] {
        for (ask, status) in [
            (node.get("/eureka/apps"), 406),
            (node.get("/eureka/apps/A/i"), 406),
            (node.get("/eureka/apps/none"), 406),
            (
                node.post("/eureka/apps/C", crate::kit::body(&members("C", "i", "")))
                    .json_body(),
                406,
            ),
            (node.delete("/eureka/apps/A/i"), 406),
            (node.put("/eureka/apps/A/i/status?value=DOWN"), 406),
            // What is no path, and what is no method of it, comes first.
            (node.get("/eureka/nothing"), 404),
            (node.put("/eureka/apps"), 405),
        ] {
            let reply = ask.header("Accept", accept).await;
            assert_eq!((reply.status, reply.body.len()), (status, 0), "{accept}");
        }
    }
    assert_eq!(node.get("/eureka/apps/C").await.status, 404);
    assert!(
        node.get("/eureka/apps/A/i")
            .j()
            .await
            .text()
            .contains(r#""status":"UP""#)
    );
}

#[actix_web::test]
async fn several_lines_of_a_header_count_as_one() {
    let node = node().await;
    let ask = node
        .get("/eureka/apps")
        .header("Accept", "text/html")
        .header("Accept", JSON);
    let reply = ask
        .header("Accept-Encoding", "br")
        .header("Accept-Encoding", "gzip")
        .await;
    assert_eq!((reply.status, reply.content_type()), (200, JSON));
    assert_eq!(reply.header("content-encoding"), Some("gzip"));
}

#[actix_web::test]
async fn every_list_in_every_form_unpacks_to_its_plain_bytes() {
    let node = node().await;
    for path in LISTS {
        for accept in [JSON, XML] {
            for form in ["full", "compact"] {
                let ask = || {
                    node.get(path)
                        .header("Accept", accept)
                        .header("X-Eureka-Accept", form)
                };
                let plain = ask().await;
                let packed = ask().header("Accept-Encoding", "gzip").await;
                assert_eq!(
                    (plain.status, packed.status),
                    (200, 200),
                    "{path} {accept} {form}"
                );
                assert_eq!(
                    plain.header("content-encoding"),
                    None,
                    "{path} {accept} {form}"
                );
                assert_eq!(
                    packed.header("content-encoding"),
                    Some("gzip"),
                    "{path} {accept} {form}"
                );
                assert_eq!(packed.content_type(), accept, "{path} {form}");
                assert_eq!(packed.unpacked(), plain.body, "{path} {accept} {form}");
            }
        }
    }
}

#[actix_web::test]
async fn only_lists_are_packed_and_only_for_whoever_asks() {
    let node = node().await;
    // wire.md §2.3; other than the reference, a refusal counts, and case does not (RFC 9110).
    for (accepted, is_packed) in [
        ("gzip", true),
        ("gzip, deflate", true),
        ("deflate, gzip;q=0.5", true),
        ("x-gzip", true),
        ("GZIP", true),
        ("gzip;q=0", false),
        ("identity", false),
        ("deflate, br", false),
        ("", false),
    ] {
        let reply = node
            .get("/eureka/apps")
            .j()
            .header("Accept-Encoding", accepted)
            .await;
        assert_eq!(
            reply.header("content-encoding").is_some(),
            is_packed,
            "{accepted}"
        );
    }
    for (ask, status) in [
        (node.get("/eureka/apps/A/i"), 200),
        (node.get("/eureka/instances/i"), 200),
        (node.get("/eureka/status"), 200),
        (node.get("/eureka/serverinfo/statusoverrides"), 200),
        (node.get("/eureka/apps/none"), 404),
        (node.put("/eureka/apps/A/i"), 200),
        (node.post("/eureka/apps/A", "{").json_body(), 400),
    ] {
        let reply = ask.j().header("Accept-Encoding", "gzip").await;
        assert_eq!(
            (reply.status, reply.header("content-encoding")),
            (status, None),
            "{reply:?}"
        );
    }
}

#[actix_web::test]
async fn an_answer_without_a_body_has_the_type_that_was_asked_for() {
    // Clients on aiohttp refuse an empty answer without it; Jersey clients any body of a 404.
    let mut config = Config::of(Mode::Modern);
    config.cache.disable_delta = true;
    let node = TestNode::with(config);
    let registration = crate::kit::body(&members("A", "i", ""));
    for accept in [None, Some("*/*"), Some(XML), Some(JSON)] {
        for (status, method, path) in [
            (204, "POST", "/eureka/apps/A"),
            (200, "PUT", "/eureka/apps/A/i"),
            (200, "PUT", "/eureka/apps/A/i/status?value=DOWN"),
            (200, "DELETE", "/eureka/apps/A/i/status?value=UP"),
            (200, "PUT", "/eureka/apps/A/i/metadata?k=v"),
            (400, "PUT", "/eureka/asg/x/status?value=ENABLED"),
            (403, "GET", "/eureka/apps/delta"),
            (404, "GET", "/eureka/apps/NONE"),
            (404, "GET", "/eureka/apps/A/none"),
            (404, "GET", "/eureka/instances/none"),
            (404, "GET", "/eureka/nothing/here"),
            (404, "PUT", "/eureka/apps/A/none"),
            (404, "PUT", "/eureka/apps/A/none/status?value=UP"),
            (404, "DELETE", "/eureka/apps/A/none"),
            (404, "PUT", "/eureka/apps/A/none/metadata?k=v"),
            (405, "PUT", "/eureka/apps"),
            (200, "DELETE", "/eureka/apps/A/i"),
        ] {
            let mut ask = node.request(method.parse().unwrap(), path);
            if method == "POST" {
                ask = ask.body(registration.clone()).json_body();
            }
            if let Some(accept) = accept {
                ask = ask.header("Accept", accept);
            }
            let reply = ask.await;
            assert_eq!(
                (reply.status, reply.body.len()),
                (status, 0),
                "{method} {path}"
            );
            let expected = if accept == Some(JSON) { JSON } else { XML };
            assert_eq!(reply.content_type(), expected, "{method} {path} {accept:?}");
        }
    }
}
