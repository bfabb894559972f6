//! What nodes of this kind tell each other beside Eureka's protocol, and that nobody else ever sees it.

use heureka::config::Mode;
use serde_json::{Value, json};

use crate::kit::shown;
use crate::support::{Ask, EPOCH, TestNode, members};

const SIGN: &str = "x-heureka-node";

async fn node() -> TestNode {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    node
}

fn batch<'n>(node: &'n TestNode, item: &str) -> Ask<'n> {
    let body = format!(r#"{{"replicationList":[{item}]}}"#);
    node.post("/eureka/peerreplication/batch/", body)
        .json_body()
        .j()
}

fn signed(ask: Ask<'_>) -> Ask<'_> {
    ask.header(SIGN, "other; 0.1.0; open")
}

/// A change stamp of an hour later.
fn later() -> String {
    format!("{:x}.1", (EPOCH + 3_600_000) << 16)
}

fn beat(more: &str) -> String {
    format!(
        r#"{{"appName":"A","id":"i","lastDirtyTimestamp":1000,"status":"UP","action":"Heartbeat"{more}}}"#
    )
}

#[actix_web::test]
async fn a_node_that_shows_itself_is_shown_who_answers_and_no_other_is() {
    let node = node().await;
    let reply = signed(batch(&node, "")).await;
    let id = node.node.http.identity.node_id.clone();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("{id}; {version}; open; 1");
    assert_eq!(reply.header(SIGN), Some(&*expected));
    assert_eq!(reply.text(), r#"{"responseList":[]}"#);

    for ask in [batch(&node, ""), batch(&node, "").header(SIGN, "nonsense")] {
        assert_eq!(ask.await.header(SIGN), None);
    }
    // Readers and clients that send it by chance are told nothing.
    let list = signed(node.get("/eureka/apps").j()).await;
    assert_eq!(list.header(SIGN), None);
}

#[actix_web::test]
async fn a_later_copy_comes_with_its_stamp_for_nodes_of_this_kind_alone() {
    let node = node().await;
    let early = r#","ext":{"stamp":"1.1","said":"UP"}"#;
    let reply = signed(batch(&node, &beat(early))).await.json();
    let answer = &reply["responseList"][0];
    assert_eq!(answer["statusCode"], 409);
    assert_eq!(answer["responseEntity"], shown(&node, "A", "i").await);
    assert_eq!(answer["ext"]["said"], "UP");
    assert_eq!(answer["ext"]["idle"], 0);
    let stamp = answer["ext"]["stamp"].as_str().unwrap().to_string();

    // The same stamp is in step, a later one is newer.
    for (stamp, status) in [(&*stamp, 200), (&*later(), 404)] {
        let ext = format!(r#","ext":{{"stamp":"{stamp}","said":"UP"}}"#);
        let reply = signed(batch(&node, &beat(&ext))).await.json();
        assert_eq!(reply["responseList"], json!([{ "statusCode": status }]));
    }

    // To a sender that did not show itself the answer has the reference's members.
    let older = beat("").replace("1000", "500");
    let reply = batch(&node, &older).await.json();
    let members: Vec<&String> = reply["responseList"][0]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(members, ["responseEntity", "statusCode"]);
}

#[actix_web::test]
async fn an_ext_that_makes_no_sense_refuses_its_item_and_no_other() {
    let node = node().await;
    let good = beat("");
    for ext in [
        "7",
        r#"{"stamp":"x"}"#,
        r#"{"stamp":"0.1"}"#,
        r#"{"order":{}}"#,
        r#"{"idle":"soon"}"#,
    ] {
        let bad = beat(&format!(r#","ext":{ext}"#));
        let reply = signed(batch(&node, &format!("{bad},{good}"))).await.json();
        let codes = json!([{ "statusCode": 400 }, { "statusCode": 200 }]);
        assert_eq!(reply["responseList"], codes, "{ext}");
    }
}

#[actix_web::test]
async fn what_is_held_is_read_page_by_page_by_nodes_of_this_kind_alone() {
    let node = TestNode::start(Mode::Modern);
    for n in 0..1003 {
        node.register("A", &members("A", &format!("{n:04}"), ""))
            .await;
    }
    let path = "/eureka/peerreplication/registry";
    assert_eq!(node.get(path).j().await.status, 404);
    assert_eq!(signed(node.put(path)).await.status, 405);

    let mut seen: Vec<String> = Vec::new();
    let mut after = String::new();
    let mut pages = 0;
    loop {
        let page = signed(node.get(&format!("{path}{after}")).j()).await;
        assert!(page.header(SIGN).is_some());
        let items = page.json()["replicationList"].take();
        let items = items.as_array().unwrap();
        let Some(last) = items.last() else { break };
        let word = |item: &Value, name: &str| item[name].as_str().unwrap().to_string();
        after = format!("?app={}&id={}", word(last, "appName"), word(last, "id"));
        assert!(items.iter().all(|item| item["action"] == "Register"));
        assert!(items.iter().all(|item| item["ext"]["stamp"].is_string()));
        seen.extend(items.iter().map(|item| word(item, "id")));
        pages += 1;
    }
    let expected: Vec<String> = (0..1003).map(|n| format!("{n:04}")).collect();
    assert_eq!((seen, pages), (expected, 3));
}

#[actix_web::test]
async fn nothing_of_it_is_in_any_list_or_instance() {
    let node = node().await;
    let order = format!(
        r#"{{"appName":"A","id":"i","status":"OUT_OF_SERVICE","lastDirtyTimestamp":1000,"action":"StatusUpdate","ext":{{"order":{{"stamp":"{}","set":"OUT_OF_SERVICE"}}}}}}"#,
        later()
    );
    let reply = signed(batch(&node, &order)).await.json();
    assert_eq!(reply["responseList"], json!([{ "statusCode": 200 }]));
    for path in [
        "/eureka/apps",
        "/eureka/apps/delta",
        "/eureka/apps/A",
        "/eureka/apps/A/i",
    ] {
        for accept in ["application/json", "application/xml"] {
            let text = node.get(path).header("Accept", accept).await.text();
            assert!(text.contains("OUT_OF_SERVICE"), "{text}");
            for word in ["ext", "stamp\"", "said", "idle"] {
                assert!(!text.contains(&format!("\"{word}")), "{text}");
                assert!(!text.contains(&format!("<{word}")), "{text}");
            }
        }
    }
}

#[actix_web::test]
async fn a_stamp_of_days_to_come_decides_nothing_now_or_ever() {
    let node = node().await;
    let never =
        r#"{"appName":"X","id":"y","action":"Cancel","ext":{"stamp":"ffffffffffffffff.1"}}"#;
    let reply = signed(batch(&node, never)).await.json();
    assert_eq!(reply["responseList"], json!([{ "statusCode": 404 }]));
    // What happens afterwards still has stamps that grow.
    let mut stamps = Vec::new();
    for n in 0..2 {
        let update = node.put(&format!("/eureka/apps/A/i/metadata?n={n}"));
        assert_eq!(update.await.status, 200);
        let older = beat(r#","ext":{"stamp":"1.1","said":"UP"}"#);
        let mut reply = signed(batch(&node, &older)).await.json();
        let stamp = reply["responseList"][0]["ext"]["stamp"].take();
        let stamp = stamp
            .as_str()
            .unwrap()
            .split('.')
            .next()
            .unwrap()
            .to_string();
        stamps.push(u64::from_str_radix(&stamp, 16).unwrap());
    }
    assert!(stamps[0] < stamps[1], "{stamps:?}");
    assert!(stamps[1] >> 16 < EPOCH + 60_000, "{stamps:?}");
}

#[actix_web::test]
async fn what_a_peer_knew_long_ago_does_not_shorten_a_lease_that_was_renewed_here() {
    let node = node().await;
    let info = members("A", "i", "");
    for dirty in [1000, 2000] {
        let register = format!(
            r#"{{"appName":"A","id":"i","action":"Register","instanceInfo":{{{}}},
            "ext":{{"stamp":"{}","said":"UP","idle":80000}}}}"#,
            info.replace("1000", &dirty.to_string()),
            later()
        );
        let reply = signed(batch(&node, &register)).await.json();
        assert_eq!(reply["responseList"], json!([{ "statusCode": 200 }]));
    }
    node.pass(std::time::Duration::from_secs(85)).await;
    assert_eq!(shown(&node, "A", "i").await["lastDirtyTimestamp"], "2000");
}
