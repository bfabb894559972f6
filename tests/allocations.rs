//! What the client library takes of memory: nothing for a look-up, and little for an instance (client.md §21 group 11).
//!
//! In a binary of its own, because everything in it uses an allocator that counts, thread by thread.

#![cfg(feature = "client")]
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Duration;

use allocation_counter::measure;
use heureka::client::EurekaClient;
use tokio::runtime::{Builder, Runtime};

use many::{INSTANCES, Many};

#[path = "support/many.rs"]
#[allow(dead_code, reason = "the benchmark asks it for more")]
mod many;

/// All tasks of the client are on the thread of the test.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

async fn client() -> EurekaClient {
    let builder = EurekaClient::builder()
        .server("http://server/eureka/")
        .backend(Many::default())
        .wait_fetched(Duration::from_secs(60));
    builder.start().await.unwrap()
}

#[test]
fn a_look_up_allocates_nothing() {
    let runtime = runtime();
    let client = runtime.block_on(client());
    let _inside = runtime.enter();
    type LookUp = fn(&EurekaClient) -> usize;
    let look_ups: [(&str, LookUp); 10] = [
        ("instances", |client| client.instances("App-17").len()),
        ("instances of nobody", |client| {
            1 + client.instances("nobody").len()
        }),
        ("all_instances", |client| {
            client.all_instances("app-17").len()
        }),
        ("by_vip", |client| client.by_vip("APP-17").len()),
        ("by_secure_vip", |client| {
            client.by_secure_vip("app-17").len()
        }),
        ("by_id", |client| {
            usize::from(client.by_id("host-17:app-17:8080").is_some())
        }),
        ("catalog", |client| client.catalog().len()),
        ("registry_age", |client| {
            usize::from(client.registry_age().is_some())
        }),
        ("freshness", |client| 1 + client.freshness() as usize),
        ("remote_status", |client| {
            1 + usize::from(client.remote_status().is_some())
        }),
    ];
    for (name, look_up) in look_ups {
        // What a thread keeps for itself comes with its first look-up.
        assert!(look_up(&client) > 0, "{name} finds something");
        let used = measure(|| {
            for _ in 0..100 {
                black_box(look_up(&client));
            }
        });
        assert_eq!((used.count_total, used.bytes_total), (0, 0), "{name}");
    }
    // And the counter counts.
    assert_eq!(measure(|| drop(black_box(Box::new(1)))).count_total, 1);
}

#[test]
fn an_instance_in_the_list_takes_less_than_two_kilobytes() {
    let runtime = runtime();
    let mut kept = None;
    let used = measure(|| kept = Some(runtime.block_on(client())));
    let each = used.bytes_current / INSTANCES as i64;
    println!("{each} bytes for each of {INSTANCES} instances");
    assert_eq!(kept.unwrap().catalog().len(), INSTANCES);
    assert!((100..2000).contains(&each), "{each}");
}
