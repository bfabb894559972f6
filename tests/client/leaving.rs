//! Group 9: nothing after the DELETE, bounded time, whatever the servers do.

use std::time::Duration;

use heureka::client::{Event, InstanceStatus};
use tokio::time::Instant;

use crate::world::{Mood, World, orders, pass, secs};

#[tokio::test(start_paused = true)]
async fn the_delete_comes_last_and_a_second_shutdown_does_nothing() {
    let world = World::of(&["a", "b"]);
    let client = world.orders(1).await;
    pass(secs(65)).await;
    client.shutdown().await;
    assert_eq!(world.lines().last().unwrap(), "DELETE apps/ORDERS/i");
    let all = world.log().len();
    client.clone().shutdown().await;
    drop(client);
    pass(secs(600)).await;
    assert_eq!(world.log().len(), all);
    assert!(world.record("ORDERS/i").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_second_shutdown_waits_for_the_first() {
    let world = World::of(&["a"]);
    world.delay(secs(2));
    let client = world.orders(1).await;
    pass(secs(50)).await;
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.shutdown().await }
    });
    pass(secs(1) / 2).await;
    assert!(world.record("ORDERS/i").is_some());
    client.shutdown().await;
    assert!(world.record("ORDERS/i").is_none());
    first.await.unwrap();
}

/// Whoever waits for the end may give up; the next one waits for what is left of it.
#[tokio::test(start_paused = true)]
async fn a_shutdown_goes_on_though_nobody_waits_for_it_any_more() {
    for early in [0, 1, 500, 1500] {
        let world = World::of(&["a"]);
        world.delay(secs(2));
        let client = world.client(1).register(orders()).start().await.unwrap();
        pass(secs(50)).await;
        let given_up = tokio::time::timeout(Duration::from_millis(early), client.shutdown()).await;
        assert!(given_up.is_err());
        assert!(
            world
                .log()
                .iter()
                .all(|got| !got.line.starts_with("DELETE"))
                || early > 1000
        );
        let began = Instant::now();
        client.shutdown().await;
        assert!(began.elapsed() <= secs(10));
        assert_eq!(world.count("DELETE"), 1);
        // Its answer has come, too: nothing is under way.
        assert_eq!(world.lines().last().unwrap(), "DELETE apps/ORDERS/i");
        let (all, ended) = (world.log().len(), Instant::now());
        client.shutdown().await;
        assert_eq!(ended.elapsed(), secs(0));
        pass(secs(600)).await;
        assert_eq!(world.log().len(), all, "{early}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_watches_ends_with_the_shutdown_though_the_client_is_still_held() {
    let world = World::of(&["a"]);
    let client = world.client(1).register(orders()).start().await.unwrap();
    pass(secs(40)).await;
    let mut events = client.events();
    let mut catalogs = client.watch().unwrap();
    let mut instances = client.watch_instances("orders").unwrap();
    client.shutdown().await;
    client.shutdown().await;
    let ends = async {
        while catalogs.next().await.is_some() {}
        while instances.next().await.is_some() {}
        assert!(client.watch().unwrap().next().await.is_none());
    };
    tokio::time::timeout(secs(1), ends).await.unwrap();
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        told.push(event);
    }
    let stopped = told.iter().filter(|event| **event == Event::Stopped);
    assert_eq!((stopped.count(), told.last()), (1, Some(&Event::Stopped)));
    // What it knew last is still there.
    assert!(client.by_id("i").is_some());
}

/// client.md §20.21: a push that is under way ends before the DELETE.
#[tokio::test(start_paused = true)]
async fn a_push_that_is_under_way_cannot_follow_the_delete() {
    let world = World::of(&["a"]);
    world.delay(secs(2));
    let client = world.orders(1).await;
    pass(secs(1) / 2).await;
    client.shutdown().await;
    assert_eq!(world.lines(), ["POST apps/ORDERS", "DELETE apps/ORDERS/i"]);
    assert!(world.record("ORDERS/i").is_none());
}

#[tokio::test(start_paused = true)]
async fn it_ends_in_time_though_no_server_answers() {
    let moods = [Mood::Dead, Mood::Silent];
    for (mood, under_way) in moods
        .into_iter()
        .flat_map(|mood| [(mood.clone(), 0), (mood, 1)])
    {
        let world = World::of(&["a", "b", "c"]);
        let client = world.client(1).register(orders()).shutdown_timeout(secs(4));
        let client = client.start().await.unwrap();
        pass(secs(50)).await;
        for host in ["a", "b", "c"] {
            world.mood(host, mood.clone());
        }
        // Something is under way, or is not.
        client.set_status(InstanceStatus::Down);
        pass(secs(under_way)).await;
        let began = Instant::now();
        client.shutdown().await;
        assert!(began.elapsed() <= secs(4), "{mood:?} {:?}", began.elapsed());
        for host in ["a", "b", "c"] {
            world.mood(host, Mood::Well);
        }
        let all = world.log();
        pass(secs(600)).await;
        assert_eq!(world.log(), all, "{mood:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_delete_finds_its_way_to_another_server() {
    let world = World::of(&["a", "b", "c"]);
    let client = world.orders(1).await;
    pass(secs(50)).await;
    let pinned = world.log().last().unwrap().host.clone();
    world.mood(&pinned, Mood::Silent);
    client.shutdown().await;
    assert!(world.record("ORDERS/i").is_none());
}

#[tokio::test(start_paused = true)]
async fn who_drains_is_down_and_keeps_its_lease_until_the_end() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    pass(secs(50)).await;
    let leaving = tokio::spawn(async move { client.drain_and_shutdown(secs(100)).await });
    pass(secs(2)).await;
    let status = || world.record("ORDERS/i").unwrap().body["instance"]["status"].clone();
    assert_eq!(status(), "DOWN");
    let beats = world.count("PUT");
    pass(secs(97)).await;
    assert_eq!(status(), "DOWN");
    assert!(world.count("PUT") >= beats + 3);
    leaving.await.unwrap();
    assert_eq!(world.lines().last().unwrap(), "DELETE apps/ORDERS/i");
}

/// A heartbeat that has no answer when the drain ends makes it no longer, and nothing follows.
#[tokio::test(start_paused = true)]
async fn a_drain_ends_in_time_though_a_heartbeat_is_under_way() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    let began = Instant::now();
    pass(secs(50)).await;
    let log = world.log();
    let last = log.iter().rfind(|got| got.line.starts_with("PUT")).unwrap();
    // The next one comes within 27 to 30 s, and gets no answer.
    let end = last.at + secs(31);
    assert!(last.at + secs(27) > secs(51), "{last:?}");
    let drain = end - began.elapsed();
    let leaving = tokio::spawn(async move { client.drain_and_shutdown(drain).await });
    pass(secs(1)).await;
    world.mood("a", Mood::Silent);
    tokio::time::sleep_until(began + end).await;
    world.mood("a", Mood::Well);
    leaving.await.unwrap();
    let late = began.elapsed().saturating_sub(end);
    assert!(late <= secs(1), "{late:?}");
    assert_eq!(world.lines().last().unwrap(), "DELETE apps/ORDERS/i");
    let all = world.log().len();
    pass(secs(600)).await;
    assert_eq!(world.log().len(), all);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_dropped_deregisters_in_the_background() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    pass(secs(50)).await;
    drop(client);
    pass(secs(1)).await;
    assert_eq!(world.lines().last().unwrap(), "DELETE apps/ORDERS/i");
}

#[tokio::test(start_paused = true)]
async fn the_lease_may_be_left_to_run_out_and_who_never_registered_deletes_nothing() {
    let world = World::of(&["a"]);
    let client = world.registering(1, orders()).unregister_on_shutdown(false);
    let client = client.start().await.unwrap();
    pass(secs(5)).await;
    client.shutdown().await;
    assert_eq!(world.count("DELETE"), 0);
    let reader = world.client(1).start().await.unwrap();
    reader.shutdown().await;
    assert_eq!(world.count("DELETE"), 0);
}
