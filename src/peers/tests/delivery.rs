//! What is delivered, in which order, and when.

use actix::Addr;

use super::fake::Reply;
use super::world::{World, key};
use crate::model::{InstanceInfo, InstanceStatus, Origin, StampClock, samples};
use crate::peers::{Flush, Peers};
use crate::registry::{Held, RegistryEvent, What};

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("i{n}")).collect()
}

#[actix::test]
async fn a_change_goes_out_at_once_to_every_peer_and_what_a_peer_caused_to_none() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    world.register("1").await;
    world.learn(["2"]).await;
    world.cancel("2", Origin::Peer).await;
    world.pass(600).await;
    for host in ["b", "c"] {
        assert_eq!(world.peer(host).batches(), [["R 1"]]);
        assert!(world.peer(host).times.borrow()[1] <= 2);
    }
}

#[actix::test]
async fn an_eviction_is_told_to_nobody_and_what_waits_for_the_instance_is_forgotten() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.peer("b").always(Some(Reply::unreachable()));
    for id in &ids(100) {
        world.register(id).await;
    }
    assert_eq!(world.state().await[0].queue_length, 100);
    for id in &ids(100) {
        evicted(&world.peers, id).await;
    }
    assert_eq!(world.state().await[0].queue_length, 0);
}

async fn evicted(peers: &Addr<Peers>, id: &str) {
    let event = RegistryEvent {
        revision: 1,
        by: Origin::Client.into(),
        what: What::Evicted,
        stamp: StampClock::of(1).next(1),
        before: None,
        held: Held::sample(samples::instance("A", id)),
    };
    peers.send(event).await.unwrap();
}

#[actix::test]
async fn six_hundred_renewals_go_in_full_batches_after_half_a_second() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let ids = ids(600);
    world.learn(ids.iter().map(String::as_str)).await;
    world.pass(500).await;
    ids.iter().for_each(|id| world.beat(id));
    world.pass(480).await;
    assert_eq!(world.peer("b").batches().len(), 0);
    world.pass(40).await;
    let sizes = |world: &World| -> Vec<usize> {
        let batches = world.peer("b").batches();
        batches.iter().map(Vec::len).collect()
    };
    assert_eq!(sizes(&world), [250, 250, 100]);

    // Where they come in masses, they go as soon as they fill a batch.
    world.peer("b").forget();
    ids[..300].iter().for_each(|id| world.beat(id));
    world.pass(110).await;
    assert_eq!(sizes(&world), [250]);
    world.pass(400).await;
    assert_eq!(sizes(&world), [250, 50]);
}

#[actix::test]
async fn an_instance_that_beats_often_is_one_item() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.learn(["1"]).await;
    (0..3).for_each(|_| world.beat("1"));
    world.pass(510).await;
    assert_eq!(world.peer("b").batches(), [["H 1"]]);
}

#[actix::test]
async fn a_heartbeat_is_swallowed_by_a_registration_and_follows_an_order() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.learn(["1", "2", "3"]).await;
    world.occupy("b", 600).await;
    world.register("1").await;
    world.order("2", InstanceStatus::Down).await;
    world.cancel("3", Origin::Client).await;
    for id in ["1", "2"] {
        world.beat(id);
    }
    world.pass(2000).await;
    let batches = world.peer("b").batches();
    assert_eq!(batches[0], ["R 1", "S 2 DOWN", "C 3"]);
    assert_eq!(batches[1..], [["H 2"]]);
}

#[actix::test]
async fn register_cancel_register_ends_with_the_instance() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.occupy("b", 300).await;
    world.register("1").await;
    world.cancel("1", Origin::Client).await;
    world.register("1").await;
    world.pass(400).await;
    assert_eq!(world.peer("b").batches(), [["C 1", "R 1"]]);
}

#[actix::test]
async fn an_instance_that_flaps_holds_nobody_back() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.peer("b").always(Some(Reply::slow(300)));
    world.learn(["2"]).await;
    for round in 0..12 {
        world.register("1").await;
        if round == 6 {
            world.peer("b").forget();
            world.cancel("2", Origin::Client).await;
        }
        world.pass(400).await;
        if round == 7 {
            let items = world.peer("b").items();
            assert!(items.contains(&"C 2".to_string()), "{items:?}");
        }
    }
}

#[actix::test]
async fn orders_carry_the_status_that_was_ordered() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.learn(["1", "2"]).await;
    world.occupy("b", 300).await;
    world.order("1", InstanceStatus::OutOfService).await;
    world.order("2", InstanceStatus::Down).await;
    world.take_order_back("2").await;
    world.pass(400).await;
    let cleared = world.held("2").unwrap().status.as_str();
    let expected = ["S 1 OUT_OF_SERVICE".to_string(), format!("D 2 {cleared}")];
    assert_eq!(world.peer("b").batches(), [expected]);
}

#[actix::test]
async fn the_record_goes_as_it_is_when_it_goes() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.occupy("b", 300).await;
    for page in ["old", "new"] {
        let info = InstanceInfo {
            home_page_url: Some(page.into()),
            ..samples::instance("A", "1")
        };
        world.register_as(info, Origin::Client).await;
    }
    world.pass(400).await;
    let body = world.peer("b").bodies().concat();
    assert!(body.contains("new") && !body.contains("old"), "{body}");
}

#[actix::test]
async fn a_batch_ends_before_a_megabyte_and_what_is_longer_goes_alone() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    world.occupy("b", 300).await;
    for (id, length) in [("1", 400), ("2", 400), ("3", 400), ("4", 1200), ("5", 1)] {
        let info = InstanceInfo {
            home_page_url: Some("x".repeat(length * 1000).into()),
            ..samples::instance("A", id)
        };
        world.register_as(info, Origin::Client).await;
    }
    world.pass(400).await;
    let batches = world.peer("b").batches();
    let expected: [&[&str]; 4] = [&["R 1", "R 2"], &["R 3"], &["R 4"], &["R 5"]];
    assert_eq!(batches, expected);
}

#[actix::test]
async fn what_happens_while_a_batch_is_away_travels_together_unless_it_fills_batches() {
    tokio::time::pause();
    let world = World::configured(&["b"], |config| config.max_batches = 3).await;
    let peer = world.peer("b");
    world.learn(["early"]).await;
    world.occupy("b", 1000).await;
    world.order("first", InstanceStatus::Down).await;
    peer.always(Some(Reply::slow(1000)));
    world.register("1").await;
    world.pass(10).await;
    assert_eq!(peer.batches().len(), 0, "one is on its way");
    for id in &ids(900) {
        world.register(id).await;
    }
    world.pass(10).await;
    let sizes: Vec<usize> = peer.batches().iter().map(Vec::len).collect();
    assert_eq!(
        sizes,
        [250, 250],
        "three at once, with the one that is away"
    );
    let order = "S first DOWN".to_string();
    assert!(!peer.items().contains(&order), "its instance is on its way");
    world.pass(1000).await;
    assert!(peer.items().contains(&order));
}

#[actix::test]
async fn a_cancel_waits_for_its_peer_until_no_lease_of_the_instance_can_live() {
    tokio::time::pause();
    for (away, delivered) in [(40_000, true), (179_000, true), (181_000, false)] {
        let world = World::with(&["b"]).await;
        let peer = world.peer("b");
        world.learn(["1"]).await;
        peer.always(Some(Reply::unreachable()));
        world.cancel("1", Origin::Client).await;
        world.pass(away - 10_000).await;
        peer.forget();
        if delivered {
            peer.always(None);
        }
        world.pass(10_000).await;
        peer.always(None);
        world.pass(11_000).await;
        let expected: &[&str] = if delivered { &["C 1"] } else { &[] };
        let sent: Vec<String> = peer.items();
        assert_eq!(sent, expected, "away for {away} ms");
    }
}

#[actix::test]
async fn of_too_many_cancels_the_oldest_go() {
    tokio::time::pause();
    let world = World::configured(&["b"], |config| config.max_cancels = 3).await;
    let peer = world.peer("b");
    world.learn(["1", "2", "3", "4"]).await;
    peer.always(Some(Reply::unreachable()));
    for id in ["1", "2", "3", "4"] {
        world.cancel(id, Origin::Client).await;
    }
    peer.always(None);
    world.pass(11_000).await;
    let items = peer.items();
    assert_eq!(items[items.len() - 3..], ["C 2", "C 3", "C 4"]);
    let page = world.metrics.render(&[]);
    let line = r#"items_total{peer="http://b:8761/eureka/",action="Cancel",result="overflow"} 1"#;
    assert!(page.contains(line), "{page}");
}

#[actix::test]
async fn an_order_counts_as_waiting_until_every_peer_has_it_or_is_gone() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    world.learn(["1"]).await;
    world.peer("b").then(Reply::slow(300));
    world.peer("c").always(Some(Reply::unreachable()));
    world.order("1", InstanceStatus::Down).await;
    let waits = |world: &World| world.published.undelivered_orders.contains(&key("1"));
    world.pass(100).await;
    assert!(waits(&world));
    world.set_list(&["b"]).await;
    assert!(!waits(&world), "b has it, and c is no peer any more");
}

#[actix::test]
async fn a_flush_waits_for_what_is_queued_and_gives_up_who_is_not_there() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    let (b, c) = (world.peer("b"), world.peer("c"));
    c.always(Some(Reply::unreachable()));
    world.learn(["beating"]).await;
    world.occupy("b", 300).await;
    for id in &ids(10) {
        world.register(id).await;
    }
    world.beat("beating");
    let begun = world.clock.now().mono;
    world.peers.send(Flush).await.unwrap();
    let took = world.clock.now().mono - begun;
    assert!((250..=310).contains(&took), "{took} ms");
    assert_eq!(b.items().len(), 11);
    assert!(b.items().contains(&"H beating".to_string()));

    b.always(Some(Reply::unreachable()));
    world.register("more").await;
    world.pass(1).await;
    let begun = world.clock.now().mono;
    world.peers.send(Flush).await.unwrap();
    assert_eq!(world.clock.now().mono, begun);
}

#[actix::test]
async fn a_flush_tries_a_peer_once_more_that_may_have_come_back_meanwhile() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    peer.always(Some(Reply::unreachable()));
    world.register("1").await;
    world.pass(4000).await;
    peer.forget();
    peer.always(None);
    let begun = world.clock.now().mono;
    world.peers.send(Flush).await.unwrap();
    assert_eq!(world.clock.now().mono, begun, "no pause was waited for");
    assert_eq!(peer.items(), ["R 1"]);

    // Once is enough: a node that leaves flushes twice, and a peer that is dead takes a second to show it.
    peer.always(Some(Reply::unreachable()));
    world.register("2").await;
    world.pass(1).await;
    let calls = peer.calls.get();
    world.peers.send(Flush).await.unwrap();
    assert_eq!(peer.calls.get(), calls);
}

#[actix::test]
async fn a_flush_does_not_wait_for_clients_that_go_on_beating() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    world.learn(["beating"]).await;
    world.occupy("b", 300).await;
    world.register("1").await;
    let flush = world.peers.send(Flush);
    let beats = async {
        loop {
            world.beat("beating");
            world.pass(1).await;
        }
    };
    let begun = world.clock.now().mono;
    tokio::select! {
        flushed = flush => flushed.unwrap(),
        () = beats => unreachable!("it goes on for ever"),
    }
    let took = world.clock.now().mono - begun;
    assert!((250..=310).contains(&took), "{took} ms");
    assert!(peer.items().contains(&"R 1".to_string()));
}

#[actix::test]
async fn instances_that_come_and_go_do_not_pile_up_for_a_peer_that_is_away() {
    tokio::time::pause();
    let world = World::with(&["b"]).await;
    let peer = world.peer("b");
    peer.always(Some(Reply::unreachable()));
    world.register("stays").await;
    for n in 0..3000 {
        let id = n.to_string();
        world.register(&id).await;
        world.beat(&id);
        world.cancel(&id, Origin::Client).await;
    }
    world.beat("stays");
    world.pass(1000).await;
    let slot = world.published.renewed.waiting(0);
    assert!(slot <= 2, "{slot} wait");
}
