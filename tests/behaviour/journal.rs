//! What happened, as `/api/v1/events` tells it: every kind of event with what caused it, and nothing for heartbeats.

use std::time::UNIX_EPOCH;

use heureka::config::{Config, Mode};
use serde_json::Value;

use crate::scene::{Scene, unprotected};

/// The events that a query finds, newest first.
async fn events(scene: &Scene, query: &str) -> Vec<Value> {
    let reply = scene.get(&format!("/api/v1/events?{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["events"].as_array().unwrap().clone()
}

/// One event as a line: kind, status before and after, who.
fn line(event: &Value) -> String {
    let word = |name: &str| event[name].as_str().unwrap_or("-").to_string();
    ["kind", "before", "after", "by"].map(word).join(" ")
}

/// The newest event of A/i.
async fn last(scene: &Scene) -> String {
    line(&events(scene, "app=a&instance=i&limit=1").await[0])
}

#[actix_web::test]
async fn each_thing_that_happens_is_one_event_that_says_what_and_by_whom() {
    let scene = Scene::with(unprotected(Mode::Modern));
    scene.announce("A/i", "").await;
    assert_eq!(last(&scene).await, "registered - UP client");
    scene.announce("A/i", "").await;
    assert_eq!(last(&scene).await, "registered-again UP UP client");
    scene.announce("A/i", r#""vipAddress":"other""#).await;
    assert_eq!(last(&scene).await, "replaced UP UP client");
    let down = r#""vipAddress":"other","status":"DOWN""#;
    scene.announce_by_peer("A/i", down).await;
    assert_eq!(last(&scene).await, "status UP DOWN peer");
    assert_eq!(scene.order("A/i", "value=OUT_OF_SERVICE").await, 200);
    assert_eq!(last(&scene).await, "override DOWN OUT_OF_SERVICE client");
    assert_eq!(scene.clear("A/i", "value=UP").await, 200);
    assert_eq!(
        last(&scene).await,
        "override-ended OUT_OF_SERVICE UP client"
    );
    assert_eq!(scene.add_metadata("A/i", "color=blue").await, 200);
    assert_eq!(last(&scene).await, "metadata UP UP client");
    assert_eq!(scene.cancel("A/i").await, 200);
    assert_eq!(last(&scene).await, "cancelled UP - client");
    assert_eq!(events(&scene, "").await.len(), 8);
}

#[actix_web::test]
async fn what_peers_pass_on_is_told_as_theirs() {
    let scene = Scene::modern();
    scene.announce("A/i", "").await;
    let order = r#"{"appName":"A","id":"i","action":"StatusUpdate","status":"DOWN"}"#;
    let cancel = r#"{"appName":"A","id":"i","action":"Cancel"}"#;
    for (item, expected) in [
        (order, "override UP DOWN peer"),
        (cancel, "cancelled DOWN - peer"),
    ] {
        scene.batch(item).await;
        assert_eq!(last(&scene).await, expected);
    }
}

#[actix_web::test]
async fn an_order_that_comes_in_a_registration_is_told_as_an_order() {
    let scene = Scene::modern();
    scene.announce("A/i", "").await;
    let ordered = r#""status":"DOWN","overriddenstatus":"DOWN""#;
    scene.announce_by_peer("A/i", ordered).await;
    assert_eq!(last(&scene).await, "override UP DOWN peer");
    scene.announce_by_peer("A/i", ordered).await;
    assert_eq!(last(&scene).await, "registered-again DOWN DOWN peer");
}

#[actix_web::test]
async fn an_ended_lease_tells_when_it_was_last_renewed() {
    let scene = Scene::with(unprotected(Mode::Modern));
    scene.announce("A/i", "").await;
    scene.seconds(20).await;
    assert_eq!(scene.beat("A/i", "").await, 200);
    let renewed = scene.node.http.clock.now().wall;
    scene.seconds(100).await;
    let event = &events(&scene, "kind=lease-ended").await[0];
    assert_eq!(line(event), "lease-ended UP - node");
    let since = millis_of(&event["since"]);
    assert!(since.abs_diff(renewed) <= 1, "{event} {renewed}");
    assert!(millis_of(&event["time"]) >= renewed + 90_000);
}

/// Milliseconds since 1970 of a time that was printed.
fn millis_of(time: &Value) -> u64 {
    let time = humantime::parse_rfc3339(time.as_str().unwrap()).unwrap();
    time.duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

#[actix_web::test]
async fn whoever_is_held_is_told_and_so_is_the_beat_after_the_gap() {
    let scene = Scene::with(Config::of(Mode::Modern));
    for name in ["A/i", "A/j"] {
        scene.announce(name, "").await;
    }
    scene.seconds(5).await;
    assert_eq!(scene.beat("A/j", "").await, 200);
    // Both fall silent: too many to let any go.
    scene.seconds(100).await;
    assert_eq!(last(&scene).await, "held UP UP node");
    let held = events(&scene, "kind=held").await;
    assert_eq!(held.len(), 2, "each is held once: {held:?}");
    assert_eq!(scene.beat("A/i", "").await, 200);
    scene.seconds(60).await;
    let back = events(&scene, "kind=renewed-after-gap").await;
    assert_eq!(back.len(), 1);
    let of_i = held.iter().find(|event| event["instance"] == "i").unwrap();
    assert_eq!(
        (&back[0]["instance"], &back[0]["since"]),
        (&of_i["instance"], &of_i["since"])
    );
}

#[actix_web::test]
async fn heartbeats_that_change_nothing_are_no_events() {
    let scene = Scene::modern();
    scene.announce("A/i", "").await;
    for _ in 0..100 {
        assert_eq!(scene.beat("A/i", "").await, 200);
        scene.seconds(1).await;
    }
    assert_eq!(scene.beat("A/nobody", "").await, 404);
    assert_eq!(events(&scene, "").await.len(), 1);
}

#[actix_web::test]
async fn pages_go_back_to_the_oldest_event_that_is_kept_and_no_more_than_that_are_kept() {
    let mut config = unprotected(Mode::Modern);
    config.journal.size = 25;
    let scene = Scene::with(config);
    for i in 0..40 {
        scene.announce(&format!("A/{i}"), "").await;
    }
    let (mut seen, mut query) = (Vec::new(), "limit=10".to_string());
    loop {
        let page = scene.get(&format!("/api/v1/events?{query}")).await.json();
        assert_eq!((&page["newest"], &page["oldest"]), (&40.into(), &16.into()));
        let numbers = page["events"].as_array().unwrap().iter();
        seen.extend(numbers.map(|event| event["number"].as_u64().unwrap()));
        let Some(next) = page["next"].as_u64() else {
            break;
        };
        query = format!("limit=10&before={next}");
    }
    assert_eq!(seen, (16..=40).rev().collect::<Vec<_>>());
    assert_eq!(events(&scene, "after=38").await.len(), 2);
}

#[actix_web::test]
async fn a_question_that_makes_no_sense_is_refused_by_the_name_of_the_parameter() {
    let scene = Scene::modern();
    for (query, name) in [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=-1", "limit"),
        ("before=x", "before"),
        ("after=1e3", "after"),
        ("since=yesterday", "since"),
        ("kind=unheard-of", "kind"),
        ("kind=held&kind=Held", "kind"),
    ] {
        let reply = scene.get(&format!("/api/v1/events?{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
        let error = reply.json()["error"].as_str().unwrap().to_string();
        assert!(
            error.starts_with(&format!("{name}: wanted ")),
            "{query}: {error}"
        );
    }
    assert_eq!(
        events(&scene, "app=&instance=&kind=&since=&limit=")
            .await
            .len(),
        0
    );
}
