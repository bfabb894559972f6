//! `/api/v1`: the five questions of an operator at night, each answered by one call; what operators may do and what is
//! left of it; and that all of it is described.

use std::collections::BTreeSet;
use std::time::Duration;

use heureka::config::{Config, DEFAULT_ZONE, Mode, Password, Protection, User};
use heureka::model::{Grant, Role, Secret};
use serde_json::{Value, json};

use crate::support::{Reply, TestNode, members};

const I: &str = "/api/v1/apps/A/instances/i";

async fn api(node: &TestNode, path: &str) -> Value {
    let reply = node.get(path).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    assert_eq!(reply.content_type(), "application/json");
    reply.json()
}

async fn order(node: &TestNode, body: Value) -> Reply {
    let path = format!("{I}/override");
    node.post(&path, body.to_string()).json_body().await
}

/// A node that holds A/i, which beats no more.
async fn node_with(mode: Mode) -> TestNode {
    let mut config = Config::of(mode);
    config.preservation.protection = Protection::Off;
    let node = TestNode::with(config);
    node.register("A", &members("A", "i", "")).await;
    node
}

/// The status that Eureka's clients see, and the override.
async fn seen(node: &TestNode) -> String {
    let reply = node.get("/eureka/apps/A/i").j().await;
    if reply.status != 200 {
        return reply.status.to_string();
    }
    let instance = &reply.json()["instance"];
    let word = |name: &str| instance[name].as_str().unwrap().to_string();
    format!("{} {}", word("status"), word("overriddenStatus"))
}

#[actix_web::test]
async fn why_is_it_out_of_service() {
    let node = node_with(Mode::Modern).await;
    let wish = json!({ "status": "OUT_OF_SERVICE", "reason": "disk \"full\"", "until": "2099-01-01T00:00:00Z" });
    assert_eq!(order(&node, wish).await.status, 200);
    let instance = api(&node, I).await;
    assert_eq!(instance["status"], "OUT_OF_SERVICE");
    assert_eq!(instance["said"], "UP");
    let order = &instance["override"];
    assert_eq!(order["owner"], "anonymous");
    assert_eq!(order["reason"], "disk \"full\"");
    assert_eq!(order["until"], "2099-01-01T00:00:00.000Z");
    // By Eureka's own call it is nobody's.
    let status = node.put("/eureka/apps/A/i/status?value=DOWN").await.status;
    assert_eq!(status, 200);
    let instance = api(&node, "/api/v1/apps/a/instances/i").await;
    assert_eq!(instance["override"]["owner"], "api");
    assert_eq!(instance["override"].get("reason"), None);
}

#[actix_web::test]
async fn when_did_it_leave_and_why() {
    let node = node_with(Mode::Modern).await;
    node.register("A", &members("A", "j", "")).await;
    let removed = node.delete(&format!("{I}?reason=moved+away")).await;
    assert_eq!(removed.json(), json!({ "instances": 1 }));
    node.pass(Duration::from_secs(100)).await;
    for (id, kind, by, reason) in [
        ("i", "cancelled", "operator", Some("moved away")),
        ("j", "lease-ended", "node", None),
    ] {
        let path = format!("/api/v1/events?app=a&instance={id}&kind=cancelled&kind=lease-ended");
        let events = api(&node, &path).await;
        let event = &events["events"][0];
        assert_eq!((&event["kind"], &event["by"]), (&kind.into(), &by.into()));
        assert_eq!(event.get("reason").and_then(Value::as_str), reason);
        assert!(event["time"].as_str().unwrap().ends_with('Z'));
    }
}

#[actix_web::test]
async fn which_peer_is_behind() {
    let mut config = Config::of(Mode::Modern);
    let nobody = "http://127.0.0.1:9/eureka/".parse().unwrap();
    config.peers.service_urls = [(DEFAULT_ZONE.to_string(), vec![nobody])].into();
    let node = TestNode::with(config);
    node.pass(Duration::from_secs(1)).await;
    node.register("A", &members("A", "i", "")).await;
    let peers = api(&node, "/api/v1/peers").await;
    let peer = &peers["peers"][0];
    assert_eq!(peer["url"], "http://127.0.0.1:9/eureka/");
    assert_eq!(
        (&peer["up"], &peer["behind"]),
        (&false.into(), &true.into())
    );
    assert_eq!(peer.get("lastContact"), None);
    let overview = api(&node, "/api/v1/overview").await;
    assert_eq!(
        overview["peers"],
        json!({ "known": 1, "up": 0, "behind": ["http://127.0.0.1:9/eureka/"] })
    );
}

#[actix_web::test]
async fn why_does_nothing_expire() {
    let node = TestNode::start(Mode::Modern);
    for id in ["i", "j"] {
        node.register("A", &members("A", id, "")).await;
    }
    node.pass(Duration::from_secs(100)).await;
    let overview = api(&node, "/api/v1/overview").await;
    assert_eq!(
        (&overview["instances"], &overview["held"]),
        (&2.into(), &2.into())
    );
    let protection = &overview["selfPreservation"];
    assert_eq!(protection["active"], true);
    let reason = protection["reason"].as_str().unwrap();
    assert!(reason.contains("silent"), "{reason}");
    let app = api(&node, "/api/v1/apps/A").await;
    let lease = &app["instances"][0]["lease"];
    assert_eq!(lease["silent"], true);
    assert!(
        lease["heldSince"].as_str() >= lease["ends"].as_str(),
        "{lease}"
    );
}

/// Two people who may do everything, and one who may look.
fn guarded() -> Config {
    let user = |name: &str, role| User {
        name: name.to_string(),
        password: Password::Plain(Secret::new("s3cret")),
        grant: Grant::of(role),
    };
    let mut config = Config::of(Mode::Modern);
    config.security.users = vec![user("admin", Role::Admin), user("reader", Role::Read)];
    config
}

const ADMIN: (&str, &str) = ("Authorization", "Basic YWRtaW46czNjcmV0");
const READER: (&str, &str) = ("Authorization", "Basic cmVhZGVyOnMzY3JldA==");

#[actix_web::test]
async fn who_changed_it() {
    let node = TestNode::with(guarded());
    let body = format!("{{\"instance\":{{{}}}}}", members("A", "i", ""));
    let registered = node.post("/eureka/apps/A", body).json_body();
    let from = "10.1.2.3:5000".parse().unwrap();
    let registered = registered.header(ADMIN.0, ADMIN.1).from(from).await;
    assert_eq!(registered.status, 204);
    let changed = node.put("/eureka/apps/A/i/metadata?color=blue");
    assert_eq!(
        changed.header(ADMIN.0, ADMIN.1).from(from).await.status,
        200
    );
    let reply = node
        .get("/api/v1/events?instance=i")
        .header(READER.0, READER.1);
    let events = reply.await.json();
    let events = events["events"].as_array().unwrap();
    for (event, kind) in events.iter().zip(["metadata", "registered"]) {
        assert_eq!(event["kind"], kind);
        assert_eq!(
            (&event["user"], &event["address"]),
            (&"admin".into(), &"10.1.2.3".into())
        );
    }
    assert_eq!(events.len(), 2);
}

#[actix_web::test]
async fn an_override_ends_at_its_time_or_when_it_is_taken_back_and_leaves_what_the_client_says() {
    for mode in [Mode::Modern, Mode::Classic] {
        let node = node_with(mode).await;
        let now = node.node.http.clock.now().wall;
        let until = now + 10_000;
        let wish = json!({ "status": "OUT_OF_SERVICE", "until": until });
        assert_eq!(order(&node, wish.clone()).await.status, 200);
        assert_eq!(seen(&node).await, "OUT_OF_SERVICE OUT_OF_SERVICE");
        // What the client says meanwhile is kept for later.
        node.register("A", &members("A", "i", "")).await;
        assert_eq!(seen(&node).await, "OUT_OF_SERVICE OUT_OF_SERVICE");
        node.pass(Duration::from_secs(9)).await;
        assert_eq!(seen(&node).await, "OUT_OF_SERVICE OUT_OF_SERVICE");
        node.pass(Duration::from_secs(3)).await;
        assert_eq!(seen(&node).await, "UP UNKNOWN");
        let events = api(&node, "/api/v1/events?kind=override-ended").await;
        assert_eq!(events["events"][0]["by"], "node");
        assert_eq!(events["events"][0]["owner"], "anonymous");

        let past = order(&node, wish).await;
        assert_eq!(past.status, 400, "its time is over");
        let wish = json!({ "status": "DOWN", "reason": "look" });
        assert_eq!(order(&node, wish).await.status, 200);
        assert_eq!(seen(&node).await, "DOWN DOWN");
        for instances in [1, 1] {
            let ended = node.delete(&format!("{I}/override?reason=well")).await;
            assert_eq!(ended.json(), json!({ "instances": instances }));
            assert_eq!(seen(&node).await, "UP UNKNOWN");
        }
        let events = api(&node, "/api/v1/events?kind=override-ended&limit=1").await;
        assert_eq!(events["events"][0]["by"], "operator");
        assert_eq!(events["events"][0]["reason"], "well");
        // No sign of life: the lease ends as if nobody had ordered anything.
        node.pass(Duration::from_secs(200)).await;
        assert_eq!(seen(&node).await, "404");
    }
}

#[actix_web::test]
async fn metadata_under_an_override_do_not_make_it_what_the_client_says() {
    let node = node_with(Mode::Modern).await;
    let wish = json!({ "status": "OUT_OF_SERVICE" });
    assert_eq!(order(&node, wish).await.status, 200);
    let changed = node.put("/eureka/apps/A/i/metadata?color=blue").await;
    assert_eq!(changed.status, 200);
    assert_eq!(seen(&node).await, "OUT_OF_SERVICE OUT_OF_SERVICE");
    assert_eq!(node.delete(&format!("{I}/override")).await.status, 200);
    assert_eq!(seen(&node).await, "UP UNKNOWN");
}

#[actix_web::test]
async fn a_whole_application_is_taken_out_and_nothing_else() {
    let node = node_with(Mode::Modern).await;
    for (app, id) in [("A", "j"), ("B", "k")] {
        node.register(app, &members(app, id, "")).await;
    }
    let removed = node.delete("/api/v1/apps/a?reason=gone").await;
    assert_eq!(removed.json(), json!({ "instances": 2 }));
    let apps = api(&node, "/api/v1/apps").await;
    let b = json!({ "name": "B", "instances": 1, "statuses": { "UP": 1 } });
    assert_eq!(apps, json!({ "apps": [b] }));
    let events = api(&node, "/api/v1/events?kind=cancelled").await;
    let events = events["events"].as_array().unwrap();
    assert_eq!(events.len(), 2);
    assert!(events.iter().all(|event| event["reason"] == "gone"));
}

/// The ids of a page of A, and where the next one begins.
async fn page(node: &TestNode, query: &str) -> (Vec<String>, Option<String>) {
    let app = api(node, &format!("/api/v1/apps/a{query}")).await;
    assert_eq!((&app["name"], &app["count"]), (&"A".into(), &5.into()));
    let instances = app["instances"].as_array().unwrap();
    let ids = instances.iter().map(|instance| instance["id"].as_str());
    let next = app
        .get("next")
        .map(|next| next.as_str().unwrap().to_string());
    (ids.map(|id| id.unwrap().to_string()).collect(), next)
}

#[actix_web::test]
async fn an_application_is_shown_a_page_at_a_time() {
    let node = node_with(Mode::Modern).await;
    for (app, id) in [("A", "h:1"), ("A", "é"), ("A", "k"), ("A", "j"), ("B", "x")] {
        node.register(app, &members(app, id, "")).await;
    }
    for (query, ids, next) in [
        ("", "h:1 i j k é", None),
        ("?limit=5", "h:1 i j k é", None),
        ("?limit=2", "h:1 i", Some("i")),
        ("?limit=2&after=i", "j k", Some("k")),
        ("?limit=2&after=k", "é", None),
        ("?after=%C3%A9", "", None),
        // Where the last one left meanwhile, the next page begins all the same behind it.
        ("?limit=1&after=ii", "j", Some("j")),
    ] {
        let (found, more) = page(&node, query).await;
        assert_eq!((&*found.join(" "), more.as_deref()), (ids, next), "{query}");
    }
}

/// Lists and numbers are made from what is published: whoever changed something sees it, and the registry is not asked.
#[actix_web::test]
async fn what_was_acknowledged_is_in_the_next_list() {
    let node = node_with(Mode::Modern).await;
    for id in ["j", "k"] {
        node.register("A", &members("A", id, "")).await;
        node.register("B", &members("B", id, "")).await;
    }
    assert_eq!(order(&node, json!({ "status": "DOWN" })).await.status, 200);
    let a = json!({ "name": "A", "instances": 3, "statuses": { "DOWN": 1, "UP": 2 } });
    let b = json!({ "name": "B", "instances": 2, "statuses": { "UP": 2 } });
    assert_eq!(api(&node, "/api/v1/apps").await, json!({ "apps": [a, b] }));
    let overview = api(&node, "/api/v1/overview").await;
    for (name, value) in [
        ("applications", json!(2)),
        ("instances", json!(5)),
        ("statuses", json!({ "DOWN": 1, "UP": 4 })),
        ("overridden", json!(1)),
        ("held", json!(0)),
    ] {
        assert_eq!(overview[name], value, "{name}");
    }
}

#[actix_web::test]
async fn what_is_not_there_or_makes_no_sense_is_said_in_json_and_changes_nothing() {
    let node = node_with(Mode::Modern).await;
    let revision = node.node.http.published.revision();
    let long = "x".repeat(257);
    for (method, path, body, status, error) in [
        ("GET", "/api/v1/apps/B", "", 404, "not found"),
        ("GET", "/api/v1/apps/A/instances/j", "", 404, "not found"),
        ("GET", "/api/v1/apps/A?limit=0", "", 400, "limit: wanted"),
        ("GET", "/api/v1/apps/A?limit=1001", "", 400, "limit: wanted"),
        ("DELETE", "/api/v1/apps/B", "", 404, "not found"),
        ("DELETE", "/api/v1/apps/A/instances/j", "", 404, "not found"),
        (
            "DELETE",
            "/api/v1/apps/A/instances/j/override",
            "",
            404,
            "not found",
        ),
        (
            "POST",
            "/api/v1/apps/A/instances/j/override",
            r#"{"status":"UP"}"#,
            404,
            "not found",
        ),
        (
            "POST",
            "/api/v1/apps/A/instances/i/override",
            "{}",
            400,
            "status: wanted UP",
        ),
        (
            "POST",
            "/api/v1/apps/A/instances/i/override",
            "{",
            400,
            "cannot parse",
        ),
        (
            "DELETE",
            &format!("/api/v1/apps/A?reason={long}"),
            "",
            400,
            "reason: wanted",
        ),
        (
            "DELETE",
            &format!("{I}?reason={long}"),
            "",
            400,
            "reason: wanted",
        ),
    ] {
        let request = node.request(method.parse().unwrap(), path).body(body);
        let reply = request.json_body().await;
        assert_eq!(reply.status, status, "{method} {path}");
        let said = reply.json()["error"].as_str().unwrap().to_string();
        assert!(said.starts_with(error), "{method} {path}: {said}");
    }
    assert_eq!(node.node.http.published.revision(), revision);
}

#[actix_web::test]
async fn odd_names_are_found_by_their_encoded_path() {
    let node = TestNode::start(Mode::Modern);
    for (app, id, path) in [
        ("A", "host:app:8080", "A/instances/host:app:8080"),
        ("A", "a/b", "A/instances/a%2Fb"),
        ("A", "a b+c", "A/instances/a%20b+c"),
        ("A", "100%", "A/instances/100%25"),
        ("Ü&X", "<i>", "%C3%9C&X/instances/%3Ci%3E"),
    ] {
        node.register(&app.replace('Ü', "%C3%9C"), &members(app, id, ""))
            .await;
        let shown = api(&node, &format!("/api/v1/apps/{path}")).await;
        assert_eq!((&shown["app"], &shown["id"]), (&app.into(), &id.into()));
    }
}

#[actix_web::test]
async fn settings_are_for_those_who_may_everything_however_the_path_is_written() {
    let node = TestNode::with(guarded());
    for path in [
        "/api/v1/config",
        "/api/v1/conf%69g",
        "/%61pi/v1/config",
        "/api/v1/config?x",
    ] {
        let reader = node.get(path).header(READER.0, READER.1).await;
        assert_eq!(reader.status, 403, "{path}");
        assert_eq!(node.get(path).await.status, 401, "{path}");
        let admin = node.get(path).header(ADMIN.0, ADMIN.1).await;
        assert_ne!(admin.status, 403, "{path}");
    }
    for (method, path) in [
        ("POST", "/api/v1/apps/A/instances/i/override"),
        ("DELETE", "/api/v1/apps/A/instances/i/override"),
        ("DELETE", "/api/v1/apps/A/instances/i"),
        ("DELETE", "/api/v1/apps/A"),
    ] {
        let reader = node.request(method.parse().unwrap(), path);
        let reader = reader.header(READER.0, READER.1).await;
        assert_eq!(reader.status, 403, "{method} {path}");
    }
}

#[actix_web::test]
async fn every_path_takes_the_methods_that_are_described_and_no_others() {
    let mut config = Config::of(Mode::Modern);
    config.http.context_path = "/under".to_string();
    let node = TestNode::with(config);
    let description = api(&node, "/under/api/v1/openapi.json").await;
    assert_eq!(description["servers"][0]["url"], "/under");
    let paths = description["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 9);
    for (path, item) in paths {
        let asked = format!("/under{}", path.replace(['{', '}'], ""));
        let mut allowed = BTreeSet::new();
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let reply = node.request(method.parse().unwrap(), &asked).await;
            let described = item.get(method.to_lowercase()).is_some();
            assert_eq!(
                reply.status != 405,
                described,
                "{method} {path}: {}",
                reply.status
            );
            if described {
                assert_eq!(reply.content_type(), "application/json", "{method} {path}");
                allowed.insert(method.to_string());
            }
        }
        let reply = node.put(&asked).await;
        let allow = reply.header("allow");
        let allow = allow.unwrap_or_else(|| panic!("{path}: {reply:?}"));
        let mut said: BTreeSet<_> = allow.split(',').map(str::to_string).collect();
        said.remove("HEAD");
        assert_eq!(said, allowed, "{path}");
    }
}
