//! Group 6 and group 10: servers are lost and come back, and many clients spread.

use std::collections::BTreeMap;
use std::time::Duration;

use heureka::client::{Instance, Response};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::Instant;

use crate::world::{Got, Mood, World, orders, pass, secs};

/// Half a lease, and what the clock of a test may be off.
const HALF_A_LEASE: Duration = Duration::from_millis(45_100);

/// Requests of these methods that a server took, and the longest time without one, from the start until now.
fn good(world: &World, methods: &[&str], now: Duration) -> (usize, Duration) {
    let is_it = |got: &Got| methods.iter().any(|method| got.line.starts_with(method));
    let good = world
        .log()
        .into_iter()
        .filter(|got| got.status < 300 && is_it(got));
    let mut times = vec![Duration::ZERO];
    times.extend(good.map(|got| got.at));
    times.push(now);
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    (times.len() - 2, gaps.max().unwrap())
}

fn broken() -> Mood {
    Mood::Says(Response {
        status: 503,
        ..Response::default()
    })
}

/// Group 6: hours of servers that die, fall silent, say 503 and come back, one of them always well. No request outlives its
/// time, no list gets stale, and the lease is renewed often enough.
#[tokio::test(start_paused = true)]
async fn no_gap_between_heartbeats_is_longer_than_half_a_lease_while_one_server_lives() {
    for (count, seeds) in [(1, 0..1), (2, 0..3), (3, 0..3), (4, 0..3), (5, 0..3)] {
        for seed in seeds {
            let hosts = &["a", "b", "c", "d", "e"][..count];
            let began = Instant::now();
            let world = World::of(hosts);
            let client = world.client(seed).register(orders()).start().await;
            let client = client.unwrap();
            let mut chance = StdRng::seed_from_u64(seed);
            for _ in 0..150 {
                // The one that lives now is well before the one that lived is lost.
                let lives = chance.random_range(0..count);
                world.mood(hosts[lives], Mood::Well);
                pass(secs(15)).await;
                for (index, host) in hosts.iter().enumerate() {
                    let mood = match chance.random_range(0..5) {
                        _ if index == lives => Mood::Well,
                        0 => Mood::Dead,
                        1 => Mood::Silent,
                        2 => broken(),
                        _ => Mood::Well,
                    };
                    world.mood(host, mood);
                }
                pass(Duration::from_secs(chance.random_range(20..60))).await;
            }
            let now = began.elapsed();
            client.shutdown().await;
            let (_, gap) = good(&world, &["POST", "PUT"], now);
            assert!(gap <= HALF_A_LEASE, "{count} servers, seed {seed}: {gap:?}");
            let (beats, _) = good(&world, &["PUT"], now);
            let least = (now.as_secs() / 45) as usize;
            assert!(
                beats >= least,
                "{count} servers, seed {seed}: {beats} of {least}"
            );
            let (_, gap) = good(&world, &["GET"], now);
            assert!(gap <= secs(90), "{count} servers, seed {seed}: {gap:?}");
            assert!(
                world.overdue() <= Duration::from_millis(1),
                "{:?}",
                world.overdue()
            );
        }
    }
}

/// Group 6: the server of one's own is gone back to when the session is over.
#[tokio::test(start_paused = true)]
async fn a_client_stays_with_who_answered_and_goes_home_after_a_while() {
    let world = World::of(&["a", "b", "c"]);
    let _client = world.orders(1).await;
    pass(secs(100)).await;
    let home = world.log().last().unwrap().host.clone();
    assert!(world.log().iter().all(|got| got.host == home));
    world.mood(&home, Mood::Dead);
    pass(secs(60)).await;
    let refuge = world.log().last().unwrap().host.clone();
    assert_ne!(refuge, home);
    world.mood(&home, Mood::Well);
    pass(secs(8 * 60)).await;
    assert_eq!(world.log().last().unwrap().host, refuge);
    pass(secs(24 * 60)).await;
    assert_eq!(world.log().last().unwrap().host, home);
}

/// A server that says 503 is left alone for as long as it asks.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_well_is_avoided() {
    let world = World::of(&["a", "b"]);
    let client = world.registering(1, orders()).session_life(secs(1));
    let _client = client.start().await.unwrap();
    pass(secs(40)).await;
    let home = world.log()[0].host.clone();
    world.says(&home, 503);
    pass(secs(600)).await;
    let failures = world.log().iter().filter(|got| got.status == 503).count();
    let beats = world.log().iter().filter(|got| got.status == 200).count();
    assert!(beats >= 20, "{beats}");
    // Each time its pause is over the next request tries it.
    assert!(failures <= beats, "{failures} of {beats}");
}

/// Where all servers ask for it, nobody is asked before the first one may be; but no lease is lost by that.
#[tokio::test(start_paused = true)]
async fn servers_that_all_ask_for_a_pause_get_it() {
    let asks = |seconds| {
        Mood::Says(Response {
            status: 503,
            retry_after: Some(secs(seconds)),
            ..Response::default()
        })
    };
    for (seconds, registering, beating, reading) in [
        (20, secs(20), secs(20), secs(20)),
        // A minute at most, and a quarter of a lease for heartbeats.
        (3600, secs(60), secs(45) / 2, secs(60)),
    ] {
        for (method, at_least) in [("POST", registering), ("PUT", beating), ("GET", reading)] {
            let world = World::of(&["a", "b"]);
            let both = |mood: Mood| ["a", "b"].map(|host| world.mood(host, mood.clone()));
            if method != "PUT" {
                both(asks(seconds));
            }
            let client = match method {
                "GET" => world.client(1).start().await,
                _ => world.registering(1, orders()).start().await,
            };
            let _client = client.unwrap();
            if method == "PUT" {
                pass(secs(1)).await;
                both(asks(seconds));
            }
            pass(secs(300)).await;
            let refused = world.log().into_iter().filter(|got| got.status == 503);
            let times: Vec<_> = refused.map(|got| got.at).collect();
            // Each time it tries both.
            let rounds: Vec<_> = times.chunks(2).map(|both| both[0]).collect();
            assert!(rounds.len() >= 4, "{method} {seconds}: {times:?}");
            for gap in rounds.windows(2).map(|pair| pair[1] - pair[0]) {
                let longest = at_least.max(secs(30)) + secs(2);
                assert!(
                    gap >= at_least && gap <= longest,
                    "{method} {seconds}: {gap:?}"
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn clients_with_addresses_in_a_row_spread_over_the_servers() {
    let world = World::of(&["a", "b", "c"]);
    let mut clients = Vec::new();
    for number in 0..100_u64 {
        let instance = Instance::new("orders")
            .id(format!("i-{number}"))
            .host_name("h")
            .ip_addr(format!("10.0.{}.{}", number / 25, 10 + number % 25));
        let client = world.registering(number, instance).start().await;
        clients.push(client.unwrap());
    }
    pass(secs(2)).await;
    let mut counts = BTreeMap::<String, usize>::new();
    for got in world.log() {
        *counts.entry(got.host).or_default() += 1;
    }
    for (host, count) in &counts {
        assert!((27..=40).contains(count), "{host}: {counts:?}");
    }
    assert_eq!(counts.len(), 3);
}

/// Group 10: chi-square over thirty seconds, 1 000 clients started together, three intervals later.
#[tokio::test(start_paused = true)]
async fn clients_that_start_together_do_not_beat_together() {
    let world = World::of(&["a"]);
    let mut clients = Vec::new();
    for number in 0..1000 {
        let instance = orders().id(format!("i-{number}"));
        let client = world.registering(number, instance).start().await;
        clients.push(client.unwrap());
    }
    pass(secs(120)).await;
    for from in [1, 61] {
        let mut beats = [0_u32; 28];
        for got in world.log() {
            let second = got.at.as_secs().wrapping_sub(from) as usize;
            if got.line.starts_with("PUT") && second < beats.len() {
                beats[second] += 1;
            }
        }
        let expected = f64::from(beats.iter().sum::<u32>()) / beats.len() as f64;
        let chi: f64 = beats
            .iter()
            .map(|count| (f64::from(*count) - expected).powi(2) / expected)
            .sum();
        // 27 degrees of freedom: 55.5 is passed once in a thousand times.
        assert!(chi < 55.5, "{chi} {beats:?}");
    }
}
