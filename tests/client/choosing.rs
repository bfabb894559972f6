//! Which instance gets the next request: turns, zones, failures, retries.

use std::collections::BTreeMap;

use heureka::client::{EurekaClient, Policy, Unanswered};

use crate::world::{World, pass, secs};

/// How often each instance is picked in so many turns.
fn picks(client: &EurekaClient, turns: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for _ in 0..turns {
        let picked = client.pick("billing").unwrap();
        *counts.entry(picked.id().to_string()).or_default() += 1;
        picked.succeeded();
    }
    counts
}

fn three() -> World {
    let world = World::of(&["a"]);
    for id in ["b1", "b2", "b3"] {
        world.put("BILLING", id, "UP");
    }
    world.put("BILLING", "b4", "DOWN");
    world
}

/// client.md §20.10: a refresh is no reason to begin anew.
#[tokio::test(start_paused = true)]
async fn each_gets_its_turn_also_across_refreshes() {
    let world = three();
    let client = world.reader().await;
    let mut counts = BTreeMap::<String, usize>::new();
    for turn in 0..30 {
        for (id, count) in picks(&client, 1) {
            *counts.entry(id).or_default() += count;
        }
        world.put("OTHER", &format!("o{turn}"), "UP");
        pass(secs(31)).await;
    }
    assert_eq!(counts.values().copied().collect::<Vec<_>>(), [10, 10, 10]);
    let error = client.pick("nobody").unwrap_err();
    assert_eq!(error.to_string(), "no instance of \"nobody\" is known");
}

#[tokio::test(start_paused = true)]
async fn the_own_zone_is_preferred_while_anyone_is_in_it() {
    let world = three();
    world.put("BILLING", "near", "UP");
    world.metadata("BILLING", "near", "zone", "z1");
    let near = world.client(1).zone("z1").wait_fetched(secs(9));
    let client = near.start().await.unwrap();
    assert_eq!(picks(&client, 8).len(), 1);
    world.take("BILLING", "near");
    pass(secs(31)).await;
    assert_eq!(picks(&client, 9).len(), 3);
    world.put("BILLING", "near", "UP");
    let any = world
        .client(1)
        .zone("z1")
        .prefer_instances_of_own_zone(false);
    let client = any.wait_fetched(secs(9)).start().await.unwrap();
    assert_eq!(picks(&client, 8).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn who_fails_in_a_row_is_left_alone_and_comes_back() {
    let world = three();
    let client = world.reader().await;
    let mut failures = 0;
    while failures < 3 {
        let picked = client.pick("billing").unwrap();
        match picked.id().as_str() {
            "b1" => {
                failures += 1;
                picked.failed();
            }
            _ => picked.succeeded(),
        }
    }
    assert_eq!(picks(&client, 30).get("b1"), None);
    pass(secs(11)).await;
    assert_eq!(picks(&client, 30).get("b1"), Some(&10));
    // When most fail, the fault is elsewhere: nobody is left alone.
    for _ in 0..30 {
        client.pick("billing").unwrap().failed();
    }
    let picked = || client.pick("billing").unwrap().id().to_string();
    let ids: std::collections::BTreeSet<_> = (0..3).map(|_| picked()).collect();
    assert_eq!(ids.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_least_busy_one_is_picked() {
    let world = three();
    let client = world
        .client(1)
        .policy(Policy::LeastOutstanding)
        .wait_fetched(secs(9));
    let client = client.start().await.unwrap();
    let held: Vec<_> = (0..3).map(|_| client.pick("billing").unwrap()).collect();
    let mut ids: Vec<_> = held.iter().map(|picked| picked.id().to_string()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["b1", "b2", "b3"]);
    let mut held = held;
    let freed = held.remove(1).id().to_string();
    assert_eq!(client.pick("billing").unwrap().id().as_str(), freed);
}

#[tokio::test(start_paused = true)]
async fn a_call_goes_on_to_the_next_instance_and_to_none_twice() {
    let world = three();
    let client = world.reader().await;
    let mut asked = Vec::new();
    let answer: Result<(), _> = client
        .call("billing", 9, |url| {
            asked.push(url.clone());
            async move { Err(url) }
        })
        .await;
    assert_eq!(answer, Err(Unanswered::Failed(asked[2].clone())));
    asked.sort();
    let urls = ["b1", "b2", "b3"].map(|id| format!("http://{id}.example:7001"));
    assert_eq!(asked, urls);
    let good = client.call("billing", 3, |url| async move {
        match url.contains("b2") {
            true => Ok(url),
            false => Err("no"),
        }
    });
    assert_eq!(good.await, Ok(urls[1].clone()));
    let nobody = client
        .call("nobody", 3, |url| async move { Err::<(), _>(url) })
        .await;
    assert!(matches!(nobody, Err(Unanswered::NoInstance(_))));
}
