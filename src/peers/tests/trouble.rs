//! Peers that fail, as a whole or at single items.

use std::sync::Arc;
use std::time::Duration;

use super::fake::{Reply, answers};
use super::world::World;
use crate::model::{Extra, InstanceInfo, InstanceStatus, ItemAnswer, LeaseTimes, Origin, samples};
use crate::transport::CallFailed;
use crate::wire::replication::write_answers;

#[actix::test]
async fn whatever_fails_as_a_whole_is_kept_and_tried_again_ever_more_seldom() {
    tokio::time::pause();
    let timed_out = CallFailed::TimedOut(Duration::from_secs(5));
    let timed_out = Reply::After(5000, Box::new(Reply::Fail(timed_out)));
    let broken = Reply::Fail(CallFailed::Broken(String::new()));
    let statuses = [302, 401, 403, 404, 405, 429, 500, 502, 503];
    let replies = statuses.map(Reply::Status).into_iter();
    let others = [
        Reply::Body("<html>".to_string()),
        Reply::unreachable(),
        timed_out,
        broken,
    ];
    for reply in replies.chain(others) {
        let world = World::with(&["b"]).await;
        let peer = world.peer("b");
        peer.always(Some(reply.clone()));
        world.register("1").await;
        world.pass(30_000).await;
        let calls = peer.calls.get();
        assert!((3..=19).contains(&calls), "{reply:?}: {calls} calls");
        let with_items = peer.batches().len();
        assert_eq!(with_items, 1, "{reply:?}: then only an empty one asks");
        assert_eq!(world.state().await[0].queue_length, 1);
        peer.always(None);
        world.pass(11_000).await;
        assert_eq!(peer.items().last().unwrap(), "R 1", "{reply:?}");
        assert_eq!(world.state().await[0].queue_length, 0);
    }
}

#[actix::test]
async fn a_dead_peer_costs_the_others_nothing_and_one_small_call_per_pause() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    let (b, c) = (world.peer("b"), world.peer("c"));
    b.always(Some(Reply::unreachable()));
    for n in 0..30 {
        let before = c.batches().len();
        world.register(&n.to_string()).await;
        world.pass(1).await;
        assert_eq!(c.batches().len(), before + 1);
        world.pass(1999).await;
    }
    // 0.1, 0.2, 0.4 … 1.6 s, and then every 3 s, up to a quarter less.
    assert!(
        (20..=32).contains(&b.calls.get()),
        "{} calls",
        b.calls.get()
    );
    assert!(b.bodies()[2..].iter().all(|body| body.len() < 30));
    assert_eq!(world.state().await[0].queue_length, 30);
    b.always(None);
    world.pass(11_000).await;
    assert_eq!(world.state().await[0].queue_length, 0);
}

#[actix::test]
async fn an_answer_for_another_number_of_items_counts_as_done() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    world.occupy("b", 100).await;
    peer.then(Reply::Body(answers(&[200])));
    world.register("1").await;
    world.register("2").await;
    world.pass(20_000).await;
    assert_eq!(peer.batches(), [["R 1", "R 2"]]);
    let page = world.metrics.render(&[]);
    assert!(page.contains(r#"result="miscounted"} 1"#), "{page}");
}

#[actix::test]
async fn a_batch_that_is_refused_goes_item_by_item_and_the_bad_one_is_set_aside() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    let bad = (r#""id":"bad""#.to_string(), Reply::Status(400));
    *peer.poison.borrow_mut() = Some(bad);
    world.occupy("b", 100).await;
    for id in ["good", "bad", "well"] {
        world.register(id).await;
    }
    world.pass(5000).await;
    let all: &[&str] = &["R good", "R bad", "R well"];
    let expected = [all, &["R good"], &["R bad"], &["R well"]];
    assert_eq!(peer.batches(), expected);
    peer.forget();

    // Its heartbeats are not sent; a new change of it is, on its own.
    world.beat("bad");
    world.pass(5000).await;
    assert_eq!(peer.items(), [""; 0]);
    *peer.poison.borrow_mut() = None;
    world.register("bad").await;
    world.pass(10).await;
    assert_eq!(peer.batches(), [["R bad"]]);
    world.beat("bad");
    world.pass(1000).await;
    assert_eq!(peer.items(), ["R bad", "H bad"]);
}

#[actix::test]
async fn what_is_refused_once_by_chance_is_delivered() {
    tokio::time::pause();
    for status in [400, 413] {
        let world = World::with(&["b"]).await;
        let peer = world.peer("b");
        peer.then(Reply::Status(status));
        world.register("1").await;
        world.pass(100).await;
        assert_eq!(peer.batches(), [["R 1"], ["R 1"]]);
        assert_eq!(world.state().await[0].queue_length, 0);
        world.beat("1");
        world.pass(1000).await;
        assert_eq!(peer.items().last().unwrap(), "H 1", "it is no suspect");
    }
}

#[actix::test]
async fn an_item_that_breaks_the_peer_is_found_and_set_aside() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    let broken = Reply::Fail(CallFailed::Broken(String::new()));
    *peer.poison.borrow_mut() = Some((r#""id":"bad""#.to_string(), broken));
    world.occupy("b", 100).await;
    for id in ["good", "bad"] {
        world.register(id).await;
    }
    world.pass(60_000).await;
    let both: &[&str] = &["R good", "R bad"];
    let bad: &[&str] = &["R bad"];
    let expected = [both, both, &["R good"], bad, bad, bad];
    assert_eq!(peer.batches(), expected);
    assert_eq!(world.state().await[0].queue_length, 0);
}

#[actix::test]
async fn batches_that_are_too_long_are_halved() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    world.occupy("b", 100).await;
    peer.then(Reply::Status(413));
    peer.then(Reply::Status(413));
    for id in ["1", "2", "3", "4"] {
        world.register(id).await;
    }
    world.pass(1000).await;
    let sizes: Vec<usize> = peer.batches().iter().map(Vec::len).collect();
    assert_eq!(sizes[0], 4);
    assert!(sizes[1..].iter().all(|size| *size <= 2), "{sizes:?}");
    assert_eq!(world.state().await[0].queue_length, 0);
}

#[actix::test]
async fn an_item_that_fails_by_itself_is_tried_three_times_more() {
    tokio::time::pause();
    for (failures, delivered) in [(3, true), (4, false)] {
        let world = World::with(&["b"]).await;
        let peer = world.peer("b");
        for _ in 0..failures {
            peer.then(Reply::Items(vec![500]));
        }
        world.register("1").await;
        world.pass(10_000).await;
        assert_eq!(peer.batches(), [["R 1"]; 4]);
        let page = world.metrics.render(&[]);
        let aside = page.contains(r#"action="Register",result="set_aside"} 1"#);
        assert_eq!(aside, !delivered);
    }
}

#[actix::test]
async fn what_follows_an_item_that_failed_goes_again_after_it() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    world.learn(["1"]).await;
    world.occupy("b", 100).await;
    peer.then(Reply::Items(vec![500, 200]));
    world.cancel("1", Origin::Client).await;
    world.register("1").await;
    world.pass(2000).await;
    assert_eq!(peer.batches(), [["C 1", "R 1"], ["C 1", "R 1"]]);
}

#[actix::test]
async fn who_does_not_know_an_instance_that_beats_gets_its_registration() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.learn(["1"]).await;
    world.peer("b").then(Reply::Items(vec![404]));
    world.beat("1");
    world.pass(510).await;
    assert_eq!(world.peer("b").batches(), [["H 1"], ["R 1"]]);
}

#[actix::test]
async fn an_order_that_met_no_record_goes_again_behind_the_record_and_once_only() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    world.learn(["1"]).await;
    peer.then(Reply::Items(vec![404]));
    peer.then(Reply::Items(vec![200, 404]));
    world.order("1", InstanceStatus::OutOfService).await;
    world.pass(2000).await;
    let order: &[&str] = &["S 1 OUT_OF_SERVICE"];
    let again: &[&str] = &["R 1", "S 1 OUT_OF_SERVICE"];
    assert_eq!(peer.batches(), [order, again]);
}

#[actix::test]
async fn nobody_is_registered_back_who_was_cancelled_meanwhile() {
    tokio::time::pause();
    for origin in [Origin::Client, Origin::Peer] {
        let world = World::with(&["b"]).await;
        let peer = world.peer("b");
        world.learn(["1"]).await;
        let unknown = Reply::Items(vec![404]);
        peer.then(Reply::After(300, Box::new(unknown)));
        world.beat("1");
        world.pass(510).await;
        world.cancel("1", origin).await;
        world.pass(2000).await;
        let expected: &[&str] = match origin {
            Origin::Client => &["H 1", "C 1"],
            Origin::Peer => &["H 1"],
        };
        assert_eq!(peer.items(), expected);
    }
}

fn newer() -> Reply {
    let copy = InstanceInfo {
        last_dirty: 2000,
        home_page_url: Some("theirs".into()),
        ..samples::instance("A", "1")
    };
    let answer = ItemAnswer::Newer(Arc::new(copy), LeaseTimes::default(), Extra::NONE);
    Reply::Body(String::from_utf8(write_answers(&[answer], false)).unwrap())
}

#[actix::test]
async fn a_newer_copy_of_the_peer_is_taken() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.learn(["1"]).await;
    world.peer("b").then(newer());
    world.beat("1");
    world.pass(510).await;
    let held = world.held("1").unwrap();
    assert_eq!(held.home_page_url.as_deref(), Some("theirs"));
    world.pass(2000).await;
    assert_eq!(world.peer("b").items(), ["H 1"], "it is not sent back");
}

#[actix::test]
async fn a_newer_copy_is_not_taken_where_something_happened_since() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.learn(["1"]).await;
    world.peer("b").then(Reply::After(300, Box::new(newer())));
    world.beat("1");
    world.pass(510).await;
    world.register("1").await;
    world.pass(400).await;
    assert_eq!(world.held("1").unwrap().home_page_url, None);
    assert_eq!(world.peer("b").items(), ["H 1", "R 1"]);
    world.peer("b").then(Reply::After(300, Box::new(newer())));
    world.beat("1");
    world.pass(510).await;
    world.cancel("1", Origin::Peer).await;
    world.pass(400).await;
    assert!(world.held("1").is_none(), "it is gone here");
}

#[actix::test]
async fn renewals_of_a_failed_batch_go_again() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    world.learn(["1", "2"]).await;
    peer.then(Reply::unreachable());
    world.beat("1");
    world.beat("2");
    world.pass(510).await;
    assert_eq!(peer.batches().len(), 1);
    world.pass(1000).await;
    assert_eq!(peer.batches(), [["H 1", "H 2"], ["H 1", "H 2"]]);
}
