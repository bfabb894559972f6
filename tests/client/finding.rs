//! Groups 4, 5 and 7: what there is, how it changes, and what is shown while servers are gone or lose their memory.

use std::fs;
use std::time::Duration;

use heureka::client::{
    Changes, EurekaClient, Event, Filter, Freshness, InstanceInfo, InstanceStatus, Instances,
    Response,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::world::{Mood, World, orders, pass, secs};

fn ids(instances: &Instances) -> Vec<&str> {
    let mut ids: Vec<_> = instances.iter().map(|info| info.id().as_str()).collect();
    ids.sort_unstable();
    ids
}

fn gets(world: &World, path: &str) -> usize {
    let line = format!("GET {path}");
    world.lines().iter().filter(|got| **got == line).count()
}

#[tokio::test(start_paused = true)]
async fn the_first_list_is_whole_and_then_changes_come_by_deltas() {
    let world = World::of(&["a"]);
    world.put("BILLING", "b1", "UP");
    let client = world.reader().await;
    assert_eq!(ids(&client.instances("billing")), ["b1"]);
    world.put("BILLING", "b2", "UP");
    world.put("BILLING", "b3", "DOWN");
    pass(secs(31)).await;
    assert_eq!(ids(&client.instances("billing")), ["b1", "b2"]);
    assert_eq!(ids(&client.all_instances("billing")), ["b1", "b2", "b3"]);
    world.take("BILLING", "b1");
    pass(secs(31)).await;
    assert_eq!(ids(&client.instances("Billing")), ["b2"]);
    assert!(client.by_id("b1").is_none());
    assert_eq!((gets(&world, "apps/"), gets(&world, "apps/delta")), (1, 2));
    // Nothing happens, nothing is copied.
    let before = client.catalog();
    pass(secs(120)).await;
    assert!(std::sync::Arc::ptr_eq(&before, &client.catalog()));
}

/// Group 4: what deltas do not say is found by the hash code, at the latest by the next full list.
#[tokio::test(start_paused = true)]
async fn a_delta_that_does_not_add_up_is_followed_by_a_full_list() {
    let world = World::of(&["a"]);
    for id in ["b1", "b2", "b3"] {
        world.put("BILLING", id, "UP");
    }
    let client = world.reader().await;
    world.lose("BILLING", "b1");
    pass(secs(31)).await;
    assert_eq!(ids(&client.instances("billing")), ["b2", "b3"]);
    assert_eq!(gets(&world, "apps/"), 2);
    // One for another, and no delta says so: the same counts, the same hash code.
    world.lose("BILLING", "b2");
    world.put("BILLING", "b4", "UP");
    world.forget_changes();
    pass(secs(31)).await;
    assert_eq!(ids(&client.instances("billing")), ["b2", "b3"]);
    pass(secs(600)).await;
    assert_eq!(ids(&client.instances("billing")), ["b3", "b4"]);
}

#[tokio::test(start_paused = true)]
async fn without_deltas_there_are_full_lists() {
    for status in [403, 404] {
        let world = World::of(&["a"]);
        world.no_delta(status);
        let client = world.reader().await;
        world.put("BILLING", "b1", "UP");
        pass(secs(31)).await;
        assert_eq!(ids(&client.instances("billing")), ["b1"], "{status}");
    }
    let world = World::of(&["a"]);
    let _client = world.client(1).deltas(false).start().await.unwrap();
    pass(secs(100)).await;
    assert_eq!(gets(&world, "apps/delta"), 0);
    assert!(gets(&world, "apps/") >= 4);
}

/// A server whose hash code never fits its own list (it counts what nobody can read) costs no full list per delta.
#[tokio::test(start_paused = true)]
async fn a_hash_code_that_is_always_wrong_proves_nothing() {
    for hash in ["", "UP_99_"] {
        let world = World::of(&["a"]);
        world.hash(hash);
        let client = world.reader().await;
        world.put("BILLING", "b1", "UP");
        pass(secs(300)).await;
        assert_eq!(ids(&client.instances("billing")), ["b1"]);
        // One more where it was right for the empty list.
        assert!(gets(&world, "apps/") <= 2, "{hash}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_vip_alone_is_read_whole_and_may_be_empty() {
    let world = World::of(&["a"]);
    world.put("ORDERS", "o1", "UP");
    let client = world
        .client(1)
        .only_vip("billing")
        .wait_fetched(secs(9))
        .start()
        .await
        .unwrap();
    assert!(client.instances("billing").is_empty());
    world.put("BILLING", "b1", "UP");
    pass(secs(31)).await;
    assert_eq!(ids(&client.by_vip("billing")), ["b1"]);
    assert!(client.instances("orders").is_empty());
    assert_eq!(gets(&world, "vips/billing"), 2);
    // An empty name is none (client.md §20.8).
    let all = world
        .client(1)
        .only_vip("")
        .wait_fetched(secs(9))
        .start()
        .await
        .unwrap();
    assert_eq!(ids(&all.instances("orders")), ["o1"]);
}

/// Group 7.
#[tokio::test(start_paused = true)]
async fn the_list_outlives_hours_without_servers_and_says_its_age() {
    let world = World::of(&["a", "b"]);
    world.put("BILLING", "b1", "UP");
    let client = world.client(1).start().await.unwrap();
    assert_eq!(client.freshness(), Freshness::NeverConnected);
    assert_eq!(client.registry_age(), None);
    pass(secs(1)).await;
    assert_eq!(client.freshness(), Freshness::Live);
    world.mood("a", Mood::Dead);
    world.mood("b", Mood::Silent);
    pass(secs(6 * 3600)).await;
    assert_eq!(ids(&client.instances("billing")), ["b1"]);
    assert_eq!(client.freshness(), Freshness::Stale);
    assert!(client.registry_age().unwrap() >= secs(6 * 3600 - 1));
    world.mood("a", Mood::Well);
    world.put("BILLING", "b2", "UP");
    pass(secs(61)).await;
    assert_eq!(client.freshness(), Freshness::Live);
    assert!(client.registry_age().unwrap() <= secs(34));
    assert_eq!(ids(&client.instances("billing")), ["b1", "b2"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_lost_its_memory_empties_nobody_s_list_at_once() {
    let world = World::of(&["a"]);
    for id in ["b1", "b2", "b3", "b4"] {
        world.put("BILLING", id, "UP");
    }
    let client = world.reader().await;
    for id in ["b1", "b2", "b3", "b4"] {
        world.lose("BILLING", id);
    }
    pass(secs(31)).await;
    assert_eq!(client.instances("billing").len(), 4);
    assert_eq!(client.doubted(), 4);
    // Who registers again is seen at once, beside those who have not yet.
    world.put("BILLING", "b9", "UP");
    pass(secs(31)).await;
    assert_eq!(
        ids(&client.instances("billing")),
        ["b1", "b2", "b3", "b4", "b9"]
    );
    // It stays that way: then it is the truth.
    pass(secs(120)).await;
    assert_eq!(ids(&client.instances("billing")), ["b9"]);
    assert_eq!(client.doubted(), 0);
}

/// What deltas name as gone is gone, however many.
#[tokio::test(start_paused = true)]
async fn instances_that_leave_in_good_order_are_gone_at_once() {
    let world = World::of(&["a"]);
    world.put("BILLING", "b1", "UP");
    world.put("BILLING", "b2", "UP");
    let client = world.reader().await;
    world.take("BILLING", "b1");
    world.take("BILLING", "b2");
    pass(secs(31)).await;
    assert!(client.instances("billing").is_empty());
}

/// Group 5: answers that are no list, whoever is asked first.
#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_is_a_sick_server_s() {
    for (status, body) in [
        (204, ""),
        (200, ""),
        (200, "<applications/>"),
        (200, "{\"error\":\"x\"}"),
        (200, "{\"applications\":[]}"),
        (200, "nonsense"),
    ] {
        for vip in ["", "billing"] {
            let mut asked = 0;
            for seed in 0..6 {
                let world = World::of(&["a", "b"]);
                world.put("BILLING", "b1", "UP");
                let nonsense = Response {
                    status,
                    body: body.into(),
                    ..Response::default()
                };
                world.mood("a", Mood::Says(nonsense.clone()));
                let client = world.client(seed).only_vip(vip).wait_fetched(secs(10));
                let client = client.start().await.unwrap();
                assert_eq!(ids(&client.instances("billing")), ["b1"], "{body}");
                asked += world.log().iter().filter(|got| got.host == "a").count();
                // And where both say so, what is shown stays, and the client says that nothing is new.
                world.mood("b", Mood::Says(nonsense));
                pass(secs(300)).await;
                assert_eq!(ids(&client.instances("billing")), ["b1"], "{body}");
                let says_nothing = status == 204 || body.is_empty();
                if says_nothing || !vip.is_empty() {
                    assert_eq!(client.freshness(), Freshness::Stale, "{body}");
                }
            }
            assert!(asked > 0, "no client began at the sick server");
        }
    }
}

/// Group 5: a letter that is none, in the record of one of them.
#[tokio::test(start_paused = true)]
async fn a_broken_letter_in_one_record_loses_no_other() {
    let world = World::of(&["a"]);
    world.put("BILLING", "b1", "UP");
    let client = world.reader().await;
    assert_eq!(ids(&client.instances("billing")), ["b1"]);
    let mut body = br#"{"applications":{"application":[{"name":"BILLING","instance":["#.to_vec();
    for (id, text) in [("b1", &b"\xff"[..]), ("b2", b"x")] {
        let (before, after) = (
            format!(
                r#"{{"instanceId":"{id}","hostName":"h","app":"BILLING","status":"UP","metadata":{{"k":""#
            ),
            r#""}},"#,
        );
        body.extend_from_slice(before.as_bytes());
        body.extend_from_slice(text);
        body.extend_from_slice(after.as_bytes());
    }
    body.pop();
    body.extend_from_slice(b"]}]}}");
    let list = Response {
        status: 200,
        body: body.into(),
        ..Response::default()
    };
    world.mood("a", Mood::Says(list));
    let client = world.reader().await;
    assert_eq!(ids(&client.all_instances("billing")), ["b1", "b2"]);
    drop(client);
}

/// Where there are no deltas, few that leave in good order look like a loss, and are believed to be gone at once.
#[tokio::test(start_paused = true)]
async fn without_deltas_a_few_that_leave_are_gone_at_once_and_many_are_doubted() {
    for (kind, count, left) in [(0, 9, 1), (1, 9, 1), (2, 9, 1), (0, 10, 10), (0, 0, 0)] {
        let world = World::of(&["a"]);
        for id in 0..count.max(2) {
            world.put("BILLING", &id.to_string(), "UP");
        }
        let client = world.client(1).wait_fetched(secs(9));
        let client = match kind {
            0 => client.deltas(false),
            1 => client.only_vip("billing"),
            _ => {
                world.no_delta(403);
                client
            }
        };
        let client = client.start().await.unwrap();
        pass(secs(31)).await;
        for id in count.min(1)..count.max(2) {
            world.take("BILLING", &id.to_string());
        }
        pass(secs(31)).await;
        // Nobody at all is never believed at once.
        let expected = if count == 0 { 2 } else { left };
        assert_eq!(
            client.instances("billing").len(),
            expected,
            "{kind} {count}"
        );
    }
}

/// Group 4: whatever happens, also what no delta says, the client has what the servers have.
#[tokio::test(start_paused = true)]
async fn changes_at_random_are_all_seen_through_deltas_and_hash_codes() {
    let mut mismatches = 0;
    for seed in 0..8 {
        let mut chance = StdRng::seed_from_u64(seed);
        let world = World::of(&["a", "b"]);
        let client = world.client(seed).doubt_short_lists_for(secs(0));
        let client = client
            .full_fetch_every(secs(1_000_000))
            .start()
            .await
            .unwrap();
        pass(secs(1)).await;
        let mut lists = gets(&world, "apps/");
        for _ in 0..60 {
            for _ in 0..chance.random_range(0..4) {
                let app = ["A", "B"][chance.random_range(0..2)];
                let id = ["1", "2", "3"][chance.random_range(0..3)];
                match chance.random_range(0..3) {
                    0 => world.take(app, id),
                    1 => world.put(app, id, "UP"),
                    _ => world.put(app, id, "DOWN"),
                }
            }
            // What is lost without a word changes the counts.
            let known = world.keys();
            let is_lost = chance.random_range(0..4) == 0 && !known.is_empty();
            if is_lost {
                let key = &known[chance.random_range(0..known.len())];
                let (app, id) = key.split_once('/').unwrap();
                world.lose(app, id);
            }
            pass(secs(31)).await;
            let mut seen: Vec<_> = ["A", "B"]
                .iter()
                .flat_map(|app| {
                    let all = client.all_instances(app);
                    let key = |info: &std::sync::Arc<_>| described(info);
                    all.iter().map(key).collect::<Vec<_>>()
                })
                .collect();
            seen.sort_unstable();
            let there = world.keys().into_iter().map(|key| {
                let record = world.record(&key).unwrap();
                format!(
                    "{key} {}",
                    record.body["instance"]["status"].as_str().unwrap()
                )
            });
            assert_eq!(seen, there.collect::<Vec<_>>(), "{seed}");
        }
        lists = gets(&world, "apps/") - lists;
        mismatches += lists;
    }
    assert!(mismatches > 50, "{mismatches}");
}

fn described(info: &InstanceInfo) -> String {
    format!("{}/{} {}", info.app, info.id(), info.status)
}

#[tokio::test(start_paused = true)]
async fn who_watches_a_name_hears_of_its_changes_only() {
    let world = World::of(&["a"]);
    world.put("BILLING", "b1", "UP");
    let client = world.reader().await;
    let mut watch = client.watch_instances("billing").unwrap();
    assert_eq!(ids(&watch.next().await.unwrap()), ["b1"]);
    let heard = tokio::spawn(async move {
        let next = watch.next().await.unwrap();
        (watch, next.len())
    });
    world.put("ORDERS", "o1", "UP");
    pass(secs(31)).await;
    assert!(!heard.is_finished());
    world.put("BILLING", "b2", "UP");
    pass(secs(31)).await;
    assert!(heard.is_finished());
    let (mut watch, count) = heard.await.unwrap();
    assert_eq!(count, 2);
    drop(client);
    assert!(watch.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_client_sees_its_own_status_as_others_see_it() {
    let world = World::of(&["a"]);
    let client = world.client(1).register(orders()).start().await.unwrap();
    let mut events = client.events();
    pass(secs(35)).await;
    assert_eq!(client.remote_status(), Some(InstanceStatus::Up));
    // An operator takes it out.
    world.order("ORDERS", "i", "OUT_OF_SERVICE");
    pass(secs(31)).await;
    assert_eq!(client.remote_status(), Some(InstanceStatus::OutOfService));
    assert_eq!(client.own_instance().unwrap().status, InstanceStatus::Up);
    let mut told = Vec::new();
    let mut refreshed = Changes::default();
    while let Ok(event) = events.try_recv() {
        match event {
            Event::RemoteStatus(status) => told.push(status),
            Event::Refreshed(changes) => refreshed.changed += changes.changed,
            _ => {}
        }
    }
    assert_eq!(told.last(), Some(&Some(InstanceStatus::OutOfService)));
    assert_eq!(refreshed.changed, 1);
}

fn temporary(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("heureka-{name}-{}", rand::random::<u64>()))
}

async fn with_copy(world: &World, file: &std::path::Path) -> EurekaClient {
    world.client(1).copy_on_disk(file).start().await.unwrap()
}

/// Group 7: real time, because files are read and written on real threads.
#[tokio::test]
async fn after_a_restart_without_servers_the_copy_on_disk_is_shown() {
    let file = temporary("copy");
    let world = World::of(&["a"]);
    world.put("BILLING", "b1", "UP");
    let client = with_copy(&world, &file).await;
    until(|| file.exists()).await;
    client.shutdown().await;
    world.mood("a", Mood::Dead);
    let client = with_copy(&world, &file).await;
    until(|| !client.instances("billing").is_empty()).await;
    assert_eq!(client.freshness(), Freshness::NeverConnected);
    assert!(client.registry_age().is_some());
    // The server is back, with fewer: it knows better than an old copy.
    world.lose("BILLING", "b1");
    world.mood("a", Mood::Well);
    until(|| client.instances("billing").is_empty()).await;
    assert_eq!(client.freshness(), Freshness::Live);
    fs::remove_file(file).unwrap();
}

/// Waits for what has to come, at most half a minute.
async fn until(is_so: impl Fn() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        pass(Duration::from_millis(10)).await;
    }
    panic!("it did not come about");
}

#[tokio::test(start_paused = true)]
async fn a_reader_may_want_more_than_what_is_up() {
    let world = World::of(&["a"]);
    world.put("BILLING", "b1", "UP");
    world.put("BILLING", "b2", "STARTING");
    let client = world
        .client(1)
        .filter(Filter::All)
        .wait_fetched(secs(9))
        .start()
        .await
        .unwrap();
    assert_eq!(ids(&client.instances("billing")), ["b1", "b2"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_after_the_delete_by_discovery_either() {
    let world = World::of(&["a"]);
    let client = world
        .client(1)
        .register(orders())
        .fetch_interval(secs(1))
        .start()
        .await
        .unwrap();
    pass(secs(20)).await;
    client.shutdown().await;
    pass(secs(60)).await;
    assert_eq!(world.lines().last().unwrap(), "DELETE apps/ORDERS/i");
}
