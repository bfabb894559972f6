//! What the client library costs: a look-up, a pick, and a refresh with 10 000 instances.
//!
//!     cargo bench --no-default-features --features client --bench client
//!
//! Prints one line a figure, the best of several rounds. Times are this machine's. The server is in memory: a refresh
//! is reading the answer, merging it and putting the new catalogue in its place.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "what is measured is real")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use heureka::client::EurekaClient;

use many::{CHANGES, INSTANCES, Many};

#[path = "../tests/support/many.rs"]
mod many;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = Many::default();
    let client = EurekaClient::builder()
        .server("http://server/eureka/")
        .backend(server.clone())
        .fetch_interval(Duration::from_millis(20))
        .wait_fetched(Duration::from_secs(60))
        .start()
        .await
        .unwrap();
    let mut watch = client.watch().unwrap();
    let mut best = Duration::MAX;
    for _ in 0..50 {
        watch.next().await.unwrap();
        let answered = server.0.lock().unwrap().answered.unwrap();
        best = best.min(answered.elapsed());
    }
    println!("refresh, {CHANGES} of {INSTANCES} changed: {best:?}");
    client.shutdown().await;
    figure("look-up by name", || client.instances("App-17").len());
    figure("look-up by id", || {
        client.by_id("host-17:app-17:8080").map_or(0, |_| 1)
    });
    figure("pick of 50", || client.pick("app-17").map_or(0, |_| 1));
}

/// The best mean of several rounds.
fn figure(what: &str, mut work: impl FnMut() -> usize) {
    const TURNS: u32 = 100_000;
    let round = |_| {
        let began = Instant::now();
        for _ in 0..TURNS {
            black_box(work());
        }
        began.elapsed() / TURNS
    };
    let best = (0..10).map(round).min().unwrap_or_default();
    println!("{what}: {best:?}");
}
