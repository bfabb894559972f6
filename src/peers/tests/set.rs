//! The list of peers.

use std::time::Duration;

use super::fake::Reply;
use super::world::World;
use crate::peers::Look;

#[actix::test]
async fn a_new_list_closes_who_is_gone_opens_who_is_new_and_leaves_the_others_alone() {
    tokio::time::pause();
    let world = World::with(&["a", "b"]).await;
    world.peer("b").always(Some(Reply::unreachable()));
    world.register("1").await;
    world.set_list(&["b", "c"]).await;
    let urls: Vec<String> = world
        .state()
        .await
        .iter()
        .map(|state| state.url.to_string())
        .collect();
    assert_eq!(urls, ["http://b:8761/eureka/", "http://c:8761/eureka/"]);
    world.peer("a").forget();
    world.register("2").await;
    world.pass(1).await;
    assert_eq!(world.peer("a").calls.get(), 0);
    assert_eq!(world.peer("c").items(), ["R 2"]);
    world.peer("b").always(None);
    world.pass(11_000).await;
    let delivered = world.peer("b").batches().pop().unwrap();
    assert_eq!(delivered, ["R 1", "R 2"], "what waited for it still does");
}

#[actix::test]
async fn a_list_that_cannot_be_looked_up_changes_nothing_and_one_without_anybody_ends_all() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    *world.list.borrow_mut() = Err("the name server is away".to_string());
    world.pass(10_000).await;
    world.register("1").await;
    world.pass(1).await;
    assert_eq!(world.peer("b").items(), ["R 1"]);
    assert_eq!(world.peer("c").items(), ["R 1"]);
    world.set_list(&["c"]).await;
    assert_eq!(world.state().await.len(), 1, "down to one");
    world.set_list(&[]).await;
    assert_eq!(world.state().await.len(), 0, "and to none");
}

#[actix::test]
async fn settings_that_change_say_from_then_on_how_often_the_list_is_looked_up() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.lookup_every.set(Duration::from_secs(600));
    world.pass(10_000).await;
    world.lookup_every.set(Duration::from_secs(2));
    world.peers.send(Look).await.unwrap();
    world.pass(1).await;
    *world.list.borrow_mut() = Ok(Vec::new());
    world.pass(1_998).await;
    assert_eq!(world.state().await.len(), 1, "not yet");
    world.pass(2).await;
    assert_eq!(world.state().await.len(), 0);
}

#[actix::test]
async fn a_node_without_peers_gets_some_later() {
    tokio::time::pause();
    let world = World::with(&[]).await;
    world.register("1").await;
    world.set_list(&["b"]).await;
    world.register("2").await;
    world.pass(1).await;
    assert_eq!(world.peer("b").items(), ["R 2"]);
}

#[actix::test]
async fn a_replicator_that_dies_is_replaced() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    let peer = world.peer("b");
    peer.then(Reply::Panic);
    world.register("1").await;
    world.pass(2000).await;
    peer.forget();
    world.register("2").await;
    world.pass(1).await;
    assert_eq!(peer.items(), ["R 2"]);
    assert_eq!(world.peer("c").items(), ["R 1", "R 2"]);
    world.beat("2");
    world.pass(1000).await;
    assert_eq!(peer.items(), ["R 2", "H 2"], "it has its renewals as well");
}
