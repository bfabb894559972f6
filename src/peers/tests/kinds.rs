//! Peers of our kind, other peers, and this node itself.

use super::fake::{FakePeer, Reply, sign};
use super::world::{OWN, World};
use crate::model::InstanceStatus;
use crate::peers::Heard;

const EMPTY: &str = r#"{"replicationList":[]}"#;

async fn ours(open: bool) -> World {
    World::prepared(
        &["b"],
        |_| {},
        |peer| *peer.sign.borrow_mut() = Some(sign("b1", open)),
    )
    .await
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("i{n:04}")).collect()
}

#[actix::test]
async fn java_never_sees_what_only_our_kind_reads() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.occupy("b", 100).await;
    for id in numbers(20) {
        world.register(&id).await;
    }
    world.order("i0000", InstanceStatus::Down).await;
    world.beat("i0001");
    world.pass(2000).await;
    let peer = world.peer("b");
    let bodies = peer.bodies().concat();
    assert!(bodies.len() > 2048);
    assert!(!bodies.contains("\"ext\""), "{bodies}");
    assert!(peer.packed.borrow().iter().all(|packed| !packed));
}

#[actix::test]
async fn an_empty_batch_asks_who_is_there_and_our_kind_is_told_more_and_packed() {
    tokio::time::pause();
    let world = ours(true).await;
    let peer = world.peer("b");
    assert_eq!(peer.bodies(), [EMPTY]);
    world.register("1").await;
    world.pass(1).await;
    assert!(peer.bodies()[1].contains("\"ext\""));
    assert_eq!(*peer.packed.borrow(), [false, false]);
    world.occupy("b", 100).await;
    for id in numbers(20) {
        world.register(&id).await;
    }
    world.pass(200).await;
    assert_eq!(*peer.packed.borrow(), [true]);
}

#[actix::test]
async fn after_a_failure_an_empty_batch_asks_again() {
    tokio::time::pause();
    let world = ours(true).await;
    let peer = world.peer("b");
    peer.then(Reply::unreachable());
    world.register("1").await;
    world.pass(1).await;
    // Another kind of server has taken the address.
    *peer.sign.borrow_mut() = None;
    peer.forget();
    world.pass(200).await;
    let bodies = peer.bodies();
    assert_eq!(bodies[0], EMPTY);
    assert!(bodies[1].contains("Register") && !bodies[1].contains("\"ext\""));
}

#[actix::test]
async fn who_is_not_of_our_kind_any_more_gets_the_same_plainly() {
    tokio::time::pause();
    let world = ours(true).await;
    let peer = world.peer("b");
    *peer.sign.borrow_mut() = None;
    peer.then(Reply::Status(400));
    world.register("1").await;
    world.pass(1).await;
    assert_eq!(peer.batches(), [["R 1"], ["R 1"]]);
    let bodies = peer.bodies();
    assert!(bodies[1].contains("\"ext\"") && !bodies[2].contains("\"ext\""));
}

#[actix::test]
async fn an_address_of_our_own_is_left_alone_until_the_list_changes() {
    tokio::time::pause();
    let itself = |peer: &FakePeer| *peer.sign.borrow_mut() = Some(sign(OWN, true));
    let world = World::prepared(&["b"], |_| {}, itself).await;
    let peer = world.peer("b");
    world.register("1").await;
    world.pass(60_000).await;
    assert_eq!(peer.bodies(), [EMPTY]);
    let state = world.state().await;
    assert!(state[0].ourselves && !state[0].up);
    world.set_list(&["b", "c"]).await;
    assert_eq!(peer.calls.get(), 2);
    assert_eq!(world.state().await.len(), 2);
}

#[actix::test]
async fn everything_is_compared_with_a_peer_of_our_kind_that_is_new_restarted_or_was_away() {
    tokio::time::pause();
    let world = ours(false).await;
    let peer = world.peer("b");
    let ids = numbers(600);
    world.learn(ids.iter().map(String::as_str)).await;
    world.pass(11_000).await;
    assert_eq!(peer.items(), [""; 0], "it is loading");

    let beats: Vec<String> = ids.iter().map(|id| format!("H {id}")).collect();
    *peer.sign.borrow_mut() = Some(sign("b1", true));
    world.pass(11_000).await;
    let sizes: Vec<usize> = peer.batches().iter().map(Vec::len).collect();
    assert_eq!(sizes, [250, 250, 100]);
    assert_eq!(peer.items(), beats);
    assert!(peer.bodies().concat().contains("\"idle\""));

    peer.forget();
    world.pass(11_000).await;
    assert_eq!(peer.items(), [""; 0], "once is enough");

    *peer.sign.borrow_mut() = Some(sign("b2", true));
    world.pass(11_000).await;
    assert_eq!(peer.items(), beats, "it was restarted");

    peer.forget();
    peer.always(Some(Reply::unreachable()));
    world.pass(33_000).await;
    peer.always(None);
    world.pass(10_500).await;
    assert_eq!(peer.items(), beats, "it was away");
}

#[actix::test]
async fn what_came_while_a_peer_was_away_is_registered_there_if_a_comparison_finds_it_missing() {
    tokio::time::pause();
    let world = ours(true).await;
    let peer = world.peer("b");
    world.learn(["0"]).await;
    world.pass(11_000).await;
    peer.always(Some(Reply::unreachable()));
    world.pass(11_000).await;
    world.learn(["1", "2"]).await;
    world.pass(33_000).await;
    peer.forget();
    peer.always(None);
    peer.then(Reply::Items(vec![404, 200, 404]));
    world.pass(10_500).await;
    // What the peer knew before it was away, it lacks for a reason.
    assert_eq!(peer.items(), ["H 0", "H 1", "H 2", "R 2"]);
}

#[actix::test]
async fn java_is_not_compared_with() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.learn(["1", "2"]).await;
    world.pass(30_000).await;
    assert_eq!(world.peer("b").items(), [""; 0]);
}

#[actix::test]
async fn a_peer_that_calls_is_tried_at_once() {
    tokio::time::pause();
    let world = ours(true).await;
    let peer = world.peer("b");
    peer.always(Some(Reply::unreachable()));
    world.register("1").await;
    world.pass(36_000).await;
    let tried = *peer.times.borrow().last().unwrap();
    let since = world.clock.now().mono - tried;
    assert!((1000..9000).contains(&since), "{since}");
    peer.always(None);
    peer.forget();
    let id = "b1".to_string();
    world.peers.send(Heard { id }).await.unwrap();
    world.pass(1).await;
    assert_eq!(peer.items()[..1], ["R 1"]);
}
