//! Groups 1 to 3: the record on the wire, heartbeats, 404, and changes while something is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use heureka::client::{Event, InstanceStatus, RequestFailed};

use crate::world::{EPOCH, Mood, World, orders, pass, secs};

/// Group 1: the members of client.md §12.2, Jersey's form, none more and none less.
#[tokio::test(start_paused = true)]
async fn a_registration_has_the_members_of_java_s_and_comes_at_once() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    assert!(client.wait_registered(secs(1)).await);
    let record = world.record("ORDERS/i").unwrap();
    let instance = record.body["instance"].as_object().unwrap();
    let mut names: Vec<_> = instance.keys().map(String::as_str).collect();
    names.sort_unstable();
    let mut expected = [
        "instanceId",
        "hostName",
        "app",
        "ipAddr",
        "status",
        "overriddenStatus",
        "port",
        "securePort",
        "countryId",
        "dataCenterInfo",
        "leaseInfo",
        "metadata",
        "homePageUrl",
        "statusPageUrl",
        "healthCheckUrl",
        "vipAddress",
        "secureVipAddress",
        "isCoordinatingDiscoveryServer",
        "lastUpdatedTimestamp",
        "lastDirtyTimestamp",
        "actionType",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(
        instance["port"],
        serde_json::json!({"$": 9000, "@enabled": "true"})
    );
    assert_eq!(instance["lastDirtyTimestamp"], EPOCH.to_string());
    let headers = world.headers();
    for header in [
        ("accept", "application/json"),
        ("content-type", "application/json"),
        ("discoveryidentity-name", "DefaultClient"),
        ("discoveryidentity-id", "10.0.0.7"),
    ] {
        assert!(
            headers.contains(&(header.0, header.1.to_string())),
            "{header:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn heartbeats_come_once_per_interval_and_say_what_was_registered() {
    let world = World::of(&["a"]);
    let _client = world.orders(1).await;
    pass(secs(600)).await;
    let beats: Vec<_> = world
        .log()
        .into_iter()
        .filter(|got| got.line.starts_with("PUT"))
        .collect();
    assert_eq!(
        beats[0].line,
        format!("PUT apps/ORDERS/i?status=UP&lastDirtyTimestamp={EPOCH}")
    );
    assert!(beats[0].at <= secs(31));
    for pair in beats.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap >= secs(27) && gap <= secs(31), "{gap:?}");
    }
    assert_eq!(world.count("POST"), 1);
}

/// Group 2.
#[tokio::test(start_paused = true)]
async fn a_404_brings_exactly_one_registration_with_a_newer_stamp() {
    let world = World::of(&["a", "b"]);
    let client = world.orders(1).await;
    pass(secs(40)).await;
    let before = world.record("ORDERS/i").unwrap().dirty;
    let mut events = client.events();
    world.forget();
    pass(secs(31)).await;
    assert_eq!(world.count("POST"), 2);
    assert!(world.record("ORDERS/i").unwrap().dirty > before);
    let mut seen = Vec::new();
    while let Ok(event) = events.try_recv() {
        seen.push(event);
    }
    assert!(
        matches!(seen[..], [Event::Unknown { .. }, Event::Registered { .. }]),
        "{seen:?}"
    );
    pass(secs(300)).await;
    assert_eq!(world.count("POST"), 2);
}

/// Between a 404 and the registration that follows, nobody has the instance, and the client does not say so.
#[tokio::test(start_paused = true)]
async fn a_client_that_is_told_404_is_not_registered_until_a_server_takes_it() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    pass(secs(40)).await;
    assert!(client.is_registered());
    world.says("a", 404);
    pass(secs(40)).await;
    assert!(!client.is_registered());
    world.mood("a", Mood::Well);
    assert!(client.wait_registered(secs(31)).await);
}

/// Group 2, under concurrency: changes, heartbeats and losses of the registry at once.
#[tokio::test(start_paused = true)]
async fn a_storm_of_404_is_no_storm_of_registrations() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    for turn in 0..600 {
        world.forget();
        client.update_metadata([("turn", turn.to_string())]);
        pass(secs(1)).await;
    }
    // One for each heartbeat, and four a minute for the changes.
    let (beats, posts) = (world.count("PUT"), world.count("POST"));
    assert!(beats <= 24, "{beats}");
    assert!(posts <= beats + 42, "{posts} after {beats}");
    pass(secs(31)).await;
    let metadata = &world.record("ORDERS/i").unwrap().body["instance"]["metadata"];
    assert_eq!(metadata["turn"], "599");
}

/// Group 3.
#[tokio::test(start_paused = true)]
async fn a_change_during_a_push_is_pushed_again_and_the_last_one_wins() {
    let world = World::of(&["a"]);
    world.delay(secs(4));
    let client = world.orders(1).await;
    // The push is under way, and its answer is not here yet.
    pass(secs(1)).await;
    client.set_status(InstanceStatus::Down);
    client.set_status(InstanceStatus::OutOfService);
    pass(secs(20)).await;
    let record = world.record("ORDERS/i").unwrap();
    assert_eq!(record.body["instance"]["status"], "OUT_OF_SERVICE");
    assert!(record.dirty > EPOCH);
    assert_eq!(world.count("POST"), 2);
}

/// Group 3: the stamp rises though the wall clock was set back by an hour.
#[tokio::test(start_paused = true)]
async fn a_clock_that_goes_back_does_not_hide_a_change() {
    let world = World::of(&["a"]);
    let clock = heureka::clock::Clock::starting_at(EPOCH);
    let client = world
        .registering(1, orders())
        .clock(clock.clone())
        .start()
        .await
        .unwrap();
    pass(secs(5)).await;
    clock.step(-3_600_000);
    client.set_status(InstanceStatus::Down);
    pass(secs(5)).await;
    let record = world.record("ORDERS/i").unwrap();
    assert_eq!(
        (record.dirty, &record.body["instance"]["status"]),
        (EPOCH + 1, &"DOWN".into())
    );
}

#[tokio::test(start_paused = true)]
async fn two_changes_go_at_once_and_later_ones_within_fifteen_seconds() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    pass(secs(120)).await;
    let before = world.count("POST");
    for (turn, pushed) in [(1, 1), (2, 2), (3, 2)] {
        client.update_metadata([("turn", turn.to_string())]);
        pass(secs(1)).await;
        assert_eq!(world.count("POST") - before, pushed, "{turn}");
    }
    pass(secs(14)).await;
    assert_eq!(world.count("POST") - before, 3);
}

#[tokio::test(start_paused = true)]
async fn changes_can_wait_for_the_interval() {
    let world = World::of(&["a"]);
    let client = world
        .registering(1, orders())
        .push_at_once(false)
        .start()
        .await
        .unwrap();
    pass(secs(2)).await;
    client.set_status(InstanceStatus::Down);
    pass(secs(27)).await;
    assert_eq!(world.count("POST"), 1);
    pass(secs(3)).await;
    assert_eq!(world.count("POST"), 2);
}

/// client.md §20.1, §20.3: what failed is tried again soon, and a refusal clears nothing.
#[tokio::test(start_paused = true)]
async fn a_failed_push_is_tried_again_within_seconds() {
    for mood in [Mood::Dead, Mood::Silent] {
        let world = World::of(&["a"]);
        world.mood("a", mood.clone());
        let client = world.orders(1).await;
        pass(secs(3)).await;
        world.mood("a", Mood::Well);
        assert!(client.wait_registered(secs(15)).await, "{mood:?}");
    }
    let world = World::of(&["a"]);
    world.says("a", 404);
    let client = world.orders(1).await;
    let mut events = client.events();
    pass(secs(2)).await;
    assert!(!client.is_registered());
    let Ok(Event::RegistrationFailed(RequestFailed::Refused { status, .. })) = events.try_recv()
    else {
        panic!("a refusal");
    };
    assert_eq!(status, 404);
    world.mood("a", Mood::Well);
    assert!(client.wait_registered(secs(4)).await);
}

#[tokio::test(start_paused = true)]
async fn a_failed_heartbeat_is_tried_again_long_before_the_next_is_due() {
    let world = World::of(&["a"]);
    let _client = world.orders(1).await;
    pass(secs(40)).await;
    let last = world.log().last().unwrap().at;
    world.mood("a", Mood::Dead);
    pass(secs(40)).await;
    world.mood("a", Mood::Well);
    pass(secs(8)).await;
    let next = world.log().last().unwrap().at;
    assert!(next > last && next - last < secs(80), "{:?}", next - last);
}

/// client.md §20.4.
#[tokio::test(start_paused = true)]
async fn a_new_lease_has_its_own_rhythm_at_once() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    pass(secs(60)).await;
    client.set_lease(secs(5), secs(15));
    let before = world.count("PUT");
    pass(secs(50)).await;
    let beats = world.count("PUT") - before;
    assert!((9..=11).contains(&beats), "{beats}");
    let lease = &world.record("ORDERS/i").unwrap().body["instance"]["leaseInfo"];
    assert_eq!(
        (&lease["renewalIntervalInSecs"], &lease["durationInSecs"]),
        (&5.into(), &15.into())
    );
}

#[tokio::test(start_paused = true)]
async fn an_instance_with_a_health_check_starts_and_then_is_what_the_check_says() {
    let world = World::of(&["a"]);
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let check = move |_current| {
        let turn = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            pass(secs(5)).await;
            match turn {
                0 => Some(InstanceStatus::Up),
                1 => None,
                2 => panic!("broken"),
                _ => std::future::pending().await,
            }
        }
    };
    let client = world
        .registering(1, orders())
        .health_check(check)
        .start()
        .await
        .unwrap();
    let status = || world.record("ORDERS/i").unwrap().body["instance"]["status"].clone();
    pass(secs(1)).await;
    assert_eq!(status(), "STARTING");
    pass(secs(6)).await;
    assert_eq!(status(), "UP");
    pass(secs(30)).await;
    assert_eq!(status(), "UP");
    // A check that breaks, and one that never ends.
    pass(secs(30)).await;
    assert_eq!(status(), "DOWN");
    client.set_status(InstanceStatus::Up);
    pass(secs(60)).await;
    assert_eq!(status(), "DOWN");
    assert!(asked.load(Ordering::SeqCst) >= 4);
}

/// The call itself may panic, before there is anything to wait for.
#[tokio::test(start_paused = true)]
async fn a_health_check_that_panics_is_down_and_is_asked_again() {
    let world = World::of(&["a"]);
    let asked = Arc::new(AtomicUsize::new(0));
    let check = move |_current| {
        assert_ne!(asked.fetch_add(1, Ordering::SeqCst), 1, "broken");
        async { Some(InstanceStatus::Up) }
    };
    let client = world.registering(1, orders()).health_check(check);
    let client = client.start().await.unwrap();
    let status = || client.own_instance().unwrap().status;
    for expected in [InstanceStatus::Up, InstanceStatus::Down, InstanceStatus::Up] {
        pass(secs(1)).await;
        assert_eq!(status(), expected);
        pass(secs(29)).await;
    }
}

/// Whoever gives tokens may panic; registration and discovery go on.
#[tokio::test(start_paused = true)]
async fn a_token_that_cannot_be_had_is_asked_for_again() {
    let world = World::of(&["a"]);
    let asked = Arc::new(AtomicUsize::new(0));
    let tokens = move |_fresh: bool| {
        assert!(asked.fetch_add(1, Ordering::SeqCst) > 3, "broken");
        async { Ok("token\n".to_string()) }
    };
    let client = world.client(1).register(orders()).bearer_tokens(tokens);
    let client = client.start().await.unwrap();
    assert!(client.wait_registered(secs(30)).await);
    assert!(client.wait_fetched(secs(30)).await);
    let proof = ("authorization", "Bearer token".to_string());
    assert!(world.headers().contains(&proof));
}

/// A machine whose monotonic clock went on by an hour while its wall clock stood still.
#[tokio::test(start_paused = true)]
async fn stamps_follow_the_system_s_clock_and_rise_all_the_same() {
    let world = World::of(&["a"]);
    let client = heureka::client::EurekaClient::builder()
        .server("http://a/eureka/")
        .backend(world.clone())
        .fetch_registry(false)
        .register(orders());
    let client = client.start().await.unwrap();
    let stamp = || client.own_instance().unwrap().last_dirty;
    let first = stamp();
    pass(secs(3600)).await;
    let mut last = first;
    for turn in 0..3 {
        client.update_metadata([("turn", turn.to_string())]);
        assert!(stamp() > last);
        last = stamp();
    }
    assert!(last - first < 1_000_000, "{}", last - first);
}

#[tokio::test(start_paused = true)]
async fn new_metadata_may_be_made_from_the_old() {
    let world = World::of(&["a"]);
    let client = world.orders(1).await;
    let pairs = ["a", "b"].map(|key| (key, "1"));
    let pairs = pairs.into_iter().map(|(key, value)| {
        let known = client.own_instance().unwrap().metadata.iter().count();
        (key, format!("{value} beside {known}"))
    });
    client.update_metadata(pairs);
    let metadata = client.own_instance().unwrap().metadata;
    assert_eq!(metadata.get("b").map(|text| &**text), Some("1 beside 0"));
}

/// client.md §13: whoever was asked before the status changed is not heard any more.
#[tokio::test(start_paused = true)]
async fn a_late_answer_of_the_health_check_changes_nothing() {
    let world = World::of(&["a"]);
    let check = |_current| async {
        pass(secs(5)).await;
        Some(InstanceStatus::Up)
    };
    let client = world
        .registering(1, orders())
        .health_check(check)
        .start()
        .await
        .unwrap();
    pass(secs(1)).await;
    client.set_status(InstanceStatus::OutOfService);
    pass(secs(10)).await;
    let status = client.own_instance().unwrap().status;
    assert_eq!(status, InstanceStatus::OutOfService);
}
