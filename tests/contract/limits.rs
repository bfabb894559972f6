//! Every limit of a request: what just fits, what does not, who is told what, and that nothing is changed by it.

use std::time::Duration;

use actix_web::http::Method;
use heureka::config::{Config, Mode};
use heureka::model::Limit;
use serde_json::{Value, json};

use crate::kit::{body, list, names, registering, shown};
use crate::support::{Reply, TestNode, members};

fn node(set: impl FnOnce(&mut Config)) -> TestNode {
    let mut config = Config::of(Mode::Modern);
    set(&mut config);
    TestNode::with(config)
}

/// The request was refused with this status and text, counted under the reason, and changed nothing.
async fn refused(node: &TestNode, reply: Reply, status: u16, text: &str, reason: &str) {
    assert_eq!((reply.status, reply.text().as_str()), (status, text));
    let page = node.get("/metrics").await.text();
    let line = format!("eureka_refused_total{{reason=\"{reason}\"}} 1\n");
    assert!(page.contains(&line), "{line}{page}");
}

fn xml(elements: &str) -> String {
    format!(
        "<instance><instanceId>i</instanceId><hostName>h</hostName><app>A</app><ipAddr>1</ipAddr>\
         <dataCenterInfo><name>MyOwn</name></dataCenterInfo>{elements}</instance>"
    )
}

#[actix_web::test]
async fn names_texts_and_metadata_have_their_limits_in_a_registration() {
    let long = |n: usize| "x".repeat(n);
    let keys = |n: usize| {
        let pairs = (0..n).map(|n| (format!("k{n}"), json!("v")));
        format!(r#""metadata":{}"#, Value::from_iter(pairs))
    };
    let metadata = |n: usize| format!(r#""metadata":{{"k":"{}"}}"#, long(n - 1));
    let home = |n: usize| format!(r#""homePageUrl":"{}""#, long(n));
    for (id, fits, too_much, text) in [
        (
            long(512),
            String::new(),
            String::new(),
            "instanceId is longer than 512 bytes (eureka.server.max-name-bytes)",
        ),
        (
            "i".into(),
            home(8192),
            home(8193),
            "homePageUrl is longer than 8192 bytes (eureka.server.max-text-bytes)",
        ),
        (
            "i".into(),
            metadata(65_536),
            metadata(65_537),
            "metadata is longer than 65536 bytes (eureka.server.max-metadata-bytes)",
        ),
        (
            "i".into(),
            keys(1000),
            keys(1001),
            "metadata has more than 1000 keys (eureka.server.max-metadata-keys)",
        ),
    ] {
        let node = node(|_| ());
        node.register("A", &members("A", &id, &fits)).await;
        let before = shown(&node, "A", &id).await;
        let longer = if fits.is_empty() {
            format!("{id}x")
        } else {
            id.clone()
        };
        let reply = registering(&node, "A", &members("A", &longer, &too_much)).await;
        refused(&node, reply, 400, text, "too_much").await;
        assert_eq!(shown(&node, "A", &id).await, before);
        assert_eq!(node.node.http.published.index.len(), 1);
    }
    let node = node(|_| ());
    let app = "a".repeat(513);
    let reply = registering(&node, &app, &members(&app, "i", "")).await;
    let text = "app is longer than 512 bytes (eureka.server.max-name-bytes)";
    refused(&node, reply, 400, text, "too_much").await;
}

#[actix_web::test]
async fn metadata_cannot_grow_beyond_the_limit_by_updates() {
    let node = node(|config| config.registry.limits.metadata.keys = Limit::new(2, "some.key"));
    node.register("A", &members("A", "i", r#""metadata":{"a":"1"}"#))
        .await;
    let path = "/eureka/apps/A/i/metadata";
    assert_eq!(node.put(&format!("{path}?b=2")).await.status, 200);
    let reply = node.put(&format!("{path}?c=3")).await;
    refused(
        &node,
        reply,
        400,
        "metadata has more than 2 keys (some.key)",
        "too_much",
    )
    .await;
    assert_eq!(node.put(&format!("{path}?b=3")).await.status, 200);
    let metadata = shown(&node, "A", "i").await["metadata"].take();
    assert_eq!(metadata, json!({"a": "1", "b": "3"}));
}

#[actix_web::test]
async fn bodies_nest_and_spread_only_so_far() {
    let deep = |n: usize| format!(r#""x":{}{}"#, "[".repeat(n), "]".repeat(n));
    let wide = |n: usize| format!(r#""x":[{}0]"#, "0,".repeat(n - 1));
    let deep_xml = |n: usize| format!("{}{}", "<x>".repeat(n), "</x>".repeat(n));
    let nests = "the body nests deeper than 32 levels (eureka.server.max-nesting)";
    let spreads = "a part of the body has more than 10000 members (eureka.server.max-members)";
    let has = "the body has more than 10000 elements and attributes (eureka.server.max-members)";
    let json = |more: String| body(&members("A", "i", &more));
    for (fits, too_much, text) in [
        (json(deep(30)), json(deep(31)), nests),
        (json(wide(10_000)), json(wide(10_001)), spreads),
        (xml(&deep_xml(31)), xml(&deep_xml(32)), nests),
        (xml(&"<x/>".repeat(9993)), xml(&"<x/>".repeat(9994)), has),
    ] {
        let node = node(|_| ());
        assert_eq!(
            node.post("/eureka/apps/A", fits).await.status,
            204,
            "{text}"
        );
        let reply = node.post("/eureka/apps/A", too_much).j().await;
        let text = format!(r#"{{"error": "cannot parse request body: {text}"}}"#);
        refused(&node, reply, 400, &text, "too_much").await;
    }
}

#[actix_web::test]
async fn a_batch_refuses_a_record_alone_and_a_shapeless_body_whole() {
    let node = node(|_| ());
    let path = "/eureka/peerreplication/batch/";
    let item = |id: &str| {
        let info = members("A", id, "");
        format!(r#"{{"appName":"A","id":"{id}","action":"Register","instanceInfo":{{{info}}}}}"#)
    };
    let long = "x".repeat(513);
    let batch = format!(r#"{{"replicationList":[{},{}]}}"#, item(&long), item("i"));
    let reply = node.post(path, batch).json_body().await;
    let answers = json!({"responseList": [{"statusCode": 400}, {"statusCode": 200}]});
    assert_eq!(reply.json(), answers);
    let deep = format!(r#"{{"replicationList":{}"#, "[".repeat(40));
    let reply = node.post(path, deep).json_body().await;
    let text = r#"{"error": "cannot parse request body: the body nests deeper than 32 levels (eureka.server.max-nesting)"}"#;
    refused(&node, reply, 400, text, "too_much").await;
    assert_eq!(names(&list(&node, "apps").await), ["A/i"]);
}

#[actix_web::test]
async fn a_full_registry_keeps_what_it_has_and_takes_nothing_new_but_from_peers() {
    let node = node(|config| config.registry.limits.app_instances = Limit::new(2, "some.key"));
    for id in ["1", "2"] {
        node.register("A", &members("A", id, "")).await;
    }
    let reply = registering(&node, "A", &members("A", "3", "")).await;
    assert_eq!(reply.header("retry-after"), Some("30"));
    let text = "the application has more than 2 instances (some.key)";
    refused(&node, reply, 503, text, "full").await;

    assert_eq!(node.put("/eureka/apps/A/1").await.status, 200);
    node.register("A", &members("A", "1", "")).await;
    node.register("B", &members("B", "1", "")).await;
    for (id, status) in [("3", 204), ("4", 204), ("5", 503)] {
        let ask = registering(&node, "A", &members("A", id, "")).replicated();
        assert_eq!(ask.await.status, status, "{id}");
    }
    let info = members("A", "5", "");
    let item =
        format!(r#"{{"appName":"A","id":"5","action":"Register","instanceInfo":{{{info}}}}}"#);
    let batch = format!(r#"{{"replicationList":[{item}]}}"#);
    let reply = node
        .post("/eureka/peerreplication/batch/", batch)
        .json_body()
        .await;
    assert_eq!(reply.json(), json!({"responseList": [{"statusCode": 400}]}));
    let expected = ["A/1", "A/2", "A/3", "A/4", "B/1"];
    assert_eq!(names(&list(&node, "apps").await), expected);
    assert_eq!(node.delete("/eureka/apps/A/4").await.status, 200);
    let ask = registering(&node, "A", &members("A", "5", "")).replicated();
    assert_eq!(ask.await.status, 204, "there is room again");
}

#[actix_web::test]
async fn a_head_that_is_too_long_is_refused_whatever_it_asks_for() {
    let text = "the head is longer than 32768 bytes (eureka.server.max-head-bytes)";
    for (path, header) in [
        (format!("/eureka/apps/A/i?x={}", "x".repeat(32_768)), 1),
        (format!("/eureka/apps/{}", "x".repeat(32_768)), 1),
        ("/eureka/apps/A/i".into(), 32_768),
        ("/metrics".into(), 32_768),
    ] {
        let node = node(|_| ());
        node.register("A", &members("A", "i", "")).await;
        let revision = node.node.http.published.revision();
        for method in ["PUT", "GET"] {
            let ask = node.request(method.parse().unwrap(), &path);
            let reply = ask.header("X-Long", &"x".repeat(header)).await;
            assert_eq!(
                (reply.status, reply.text().as_str()),
                (431, text),
                "{method}"
            );
        }
        assert_eq!(node.node.http.published.revision(), revision);
        let page = node.get("/metrics").await.text();
        assert!(page.contains("eureka_refused_total{reason=\"head\"} 2\n"));
        let fits = node
            .put("/eureka/apps/A/i")
            .header("X-Long", &"x".repeat(32_000));
        assert_eq!(fits.await.status, 200);
    }
}

/// What is needed least is refused first; other addresses are not concerned, and time pays.
#[actix_web::test]
async fn one_address_may_ask_only_so_often() {
    let node = node(|config| {
        config.limits.address_requests = Limit::new(2, "some.key");
    });
    node.register("A", &members("A", "i", "")).await;
    let asks = |method, path: &str, host: &str| {
        let asked = node.request(method, path);
        asked.from(format!("10.0.0.{host}:1000").parse().unwrap())
    };
    let read = |host| asks(Method::GET, "/eureka/apps", host);
    let beat = |host| asks(Method::PUT, "/eureka/apps/A/i", host);
    for _ in 0..3 {
        assert_eq!(read("7").await.status, 200);
    }
    let reply = read("7").await;
    assert_eq!(reply.header("retry-after"), Some("1"));
    let text = "one address asks more than 2 times a second (eureka.server.max-requests-per-second-per-address)";
    refused(&node, reply, 429, text, "address").await;
    let reply = read("7").j().await;
    assert_eq!(reply.status, 429);
    assert!(reply.json()["error"].is_string());
    assert_eq!(read("8").await.status, 200);

    // A delta is more important, and a heartbeat more than that; a probe is one, and a page is not.
    for (method, path, status) in [
        (Method::GET, "/eureka/apps/delta", 200),
        (Method::GET, "/metrics", 429),
        (Method::GET, "/health/ready", 200),
        (Method::PUT, "/eureka/apps/A/i", 200),
    ] {
        assert_eq!(asks(method, path, "7").await.status, status, "{path}");
    }
    let mut beats = 0;
    while beat("7").await.status == 200 {
        beats += 1;
    }
    // 32 seconds' worth, and one; six requests were answered before.
    assert_eq!(beats, 2 * 32 + 1 - 6);
    let reply = read("7").await;
    assert_eq!(reply.header("retry-after"), Some("32"));
    node.pass(Duration::from_secs(1)).await;
    assert_eq!(beat("7").await.status, 200);
    node.pass(Duration::from_secs(60)).await;
    assert_eq!(read("7").await.status, 200);
}

#[actix_web::test]
async fn without_the_key_an_address_may_ask_as_often_as_it_likes_also_later() {
    let mut config = Config::of(Mode::Modern);
    let node = TestNode::with(config.clone());
    let read = || {
        let asked = node.get("/eureka/apps");
        asked.from("10.0.0.7:1000".parse().unwrap())
    };
    for (limit, last) in [(usize::MAX, 200), (1, 429), (usize::MAX, 200)] {
        config.limits.address_requests = Limit::new(limit, "some.key");
        node.node.apply(&config);
        let mut status = 0;
        for _ in 0..3 {
            status = read().await.status;
        }
        assert_eq!(status, last, "{limit}");
    }
}
