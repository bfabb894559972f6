//! Bodies that come in: packed, in other charsets, too long (wire.md §2.4, design §13: every limit has a
//! key and an error that names it).

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use heureka::config::{Config, Mode};
use serde_json::json;

use crate::kit::{body, shown};
use crate::support::{TestNode, members};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[actix_web::test]
async fn a_registration_may_be_packed() {
    let node = TestNode::start(Mode::Modern);
    let plain = body(&members("A", "i", r#""metadata":{"zone":"ü"}"#)).into_bytes();
    let (first, second) = plain.split_at(40);
    for (coding, packed) in [
        ("gzip", gzip(&plain)),
        ("GZIP", gzip(&plain)),
        ("x-gzip", gzip(&plain)),
        ("gzip", [gzip(first), gzip(second)].concat()),
        ("deflate", zlib(&plain)),
        ("deflate", raw_deflate(&plain)),
        ("identity", plain.clone()),
    ] {
        let ask = node.post("/eureka/apps/A", packed).json_body();
        assert_eq!(
            ask.header("Content-Encoding", coding).await.status,
            204,
            "{coding}"
        );
        assert_eq!(
            shown(&node, "A", "i").await["metadata"],
            json!({"zone": "ü"})
        );
        assert_eq!(node.delete("/eureka/apps/A/i").await.status, 200);
    }
}

#[actix_web::test]
async fn a_batch_may_be_packed() {
    let node = TestNode::start(Mode::Modern);
    let ask = node.post(
        "/eureka/peerreplication/batch/",
        gzip(br#"{"replicationList":[]}"#),
    );
    let reply = ask.json_body().header("Content-Encoding", "gzip").await;
    assert_eq!(
        (reply.status, reply.text().as_str()),
        (200, r#"{"responseList":[]}"#)
    );
}

#[actix_web::test]
async fn a_body_that_is_not_packed_as_it_says_is_refused() {
    let node = TestNode::start(Mode::Modern);
    let plain = body(&members("A", "i", "")).into_bytes();
    let cut = gzip(&plain)[..50].to_vec();
    for (coding, bytes, status, text) in [
        ("gzip", plain.clone(), 400, "the body is not gzip"),
        ("gzip", cut, 400, "the body is not gzip"),
        ("deflate", plain.clone(), 400, "the body is not deflate"),
        (
            "br",
            plain.clone(),
            415,
            "Content-Encoding: wanted gzip, deflate or none, got \"br\"",
        ),
        (
            "gzip, gzip",
            gzip(&gzip(&plain)),
            415,
            "Content-Encoding: wanted gzip, deflate or none, got \"gzip, gzip\"",
        ),
    ] {
        let ask = node.post("/eureka/apps/A", bytes).json_body().j();
        let reply = ask.header("Content-Encoding", coding).await;
        assert_eq!(
            (reply.status, reply.json()),
            (status, json!({ "error": text })),
            "{coding}"
        );
    }
    assert_eq!(node.get("/eureka/apps/A").await.status, 404);
}

#[actix_web::test]
async fn a_body_is_utf_8_or_latin_1_where_it_says_so() {
    let node = TestNode::start(Mode::Modern);
    let text = body(&members("A", "i", r#""metadata":{"zone":"ü"}"#));
    let utf8 = text.clone().into_bytes();
    let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let marked = [b"\xEF\xBB\xBF", &utf8[..]].concat();
    for (content_type, bytes, status) in [
        ("application/json;charset=UTF-8", &utf8, 204),
        ("application/json; charset=\"utf-8\"", &utf8, 204),
        ("application/json", &marked, 204),
        ("application/json;charset=ISO-8859-1", &latin1, 204),
        ("application/json; charset=iso-8859-1", &utf8, 204),
        ("application/json", &latin1, 400),
        ("application/json;charset=UTF-8", &latin1, 400),
        ("application/json;charset=UTF-16", &utf8, 415),
    ] {
        let ask = node.post("/eureka/apps/A", bytes.clone());
        let reply = ask.header("Content-Type", content_type).await;
        assert_eq!(reply.status, status, "{content_type}: {}", reply.text());
        if status == 204 {
            assert_eq!(
                shown(&node, "A", "i").await["metadata"]["zone"],
                "ü",
                "{content_type}"
            );
            assert_eq!(node.delete("/eureka/apps/A/i").await.status, 200);
        } else if status == 400 {
            assert!(
                reply.text().starts_with("the body is not UTF-8 at byte "),
                "{}",
                reply.text()
            );
        }
    }
}

#[actix_web::test]
async fn a_body_that_is_too_long_is_413_and_names_the_key() {
    let mut config = Config::of(Mode::Modern);
    config.http.max_body = 1000;
    config.http.max_batch = 2000;
    config.http.max_unpacked = 5000;
    let node = TestNode::with(config);
    let long = |length: usize| "x".repeat(length);
    let (app, batch) = ("/eureka/apps/A", "/eureka/peerreplication/batch");
    for (ask, limit, key) in [
        (
            node.post(app, long(1001)).json_body(),
            1000,
            "eureka.server.max-body-bytes",
        ),
        (
            node.post(app, long(1001)).xml_body(),
            1000,
            "eureka.server.max-body-bytes",
        ),
        (
            node.post(batch, long(2001)).json_body(),
            2000,
            "eureka.server.max-batch-bytes",
        ),
        (
            node.put("/eureka/apps/A/i").body(long(1001)),
            1000,
            "eureka.server.max-body-bytes",
        ),
        (
            node.delete("/eureka/apps/A/i").body(long(1001)),
            1000,
            "eureka.server.max-body-bytes",
        ),
        (
            node.get("/eureka/apps").body(long(1001)),
            1000,
            "eureka.server.max-body-bytes",
        ),
        (
            node.post(app, gzip(long(5001).as_bytes()))
                .json_body()
                .header("Content-Encoding", "gzip"),
            5000,
            "eureka.server.max-unpacked-bytes",
        ),
        (
            node.post(batch, raw_deflate(long(20_000).as_bytes()))
                .json_body()
                .header("Content-Encoding", "deflate"),
            5000,
            "eureka.server.max-unpacked-bytes",
        ),
    ] {
        let reply = ask.j().await;
        let text = format!("the body is longer than {limit} bytes ({key})");
        assert_eq!(
            (reply.status, reply.json()),
            (413, json!({ "error": text }))
        );
    }
    // Just as long as allowed is read; that it means nothing is another matter.
    assert_eq!(node.post(app, long(1000)).json_body().await.status, 400);
    assert_eq!(node.post(batch, long(2000)).json_body().await.status, 400);
}
