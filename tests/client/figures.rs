//! What a client counts, and that the guide has all of it.

use std::collections::BTreeMap;
use std::fs;

use metrics::with_local_recorder;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use tokio::runtime::Builder;

use crate::world::{Mood, World, orders, pass, secs};

/// Values by name and labels, `name{operation,outcome}`; of histograms how many were recorded.
fn figures(snapshotter: &Snapshotter) -> BTreeMap<String, f64> {
    let mut figures = BTreeMap::new();
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        let key = key.key();
        let labels: Vec<_> = key
            .labels()
            .filter(|label| label.key() != "client")
            .map(|label| label.value())
            .collect();
        let value = match value {
            DebugValue::Counter(count) => count as f64,
            DebugValue::Gauge(value) => value.into_inner(),
            DebugValue::Histogram(values) => values.len() as f64,
        };
        let client = key.labels().find(|label| label.key() == "client");
        assert_eq!(client.unwrap().value(), "ORDERS");
        figures.insert(format!("{}{{{}}}", key.name(), labels.join(",")), value);
    }
    figures
}

async fn live() {
    let world = World::of(&["a", "b"]);
    world.put("BILLING", "b1", "UP");
    let client = world.client(1).register(orders()).start().await.unwrap();
    pass(secs(100)).await;
    // A 404, and a server that dies.
    world.take("ORDERS", "i");
    pass(secs(31)).await;
    let home = world.log().last().unwrap().host.clone();
    world.mood(&home, Mood::Dead);
    pass(secs(61)).await;
    assert!(client.is_registered());
    world.lose("BILLING", "b1");
    pass(secs(31)).await;
}

fn figures_of_a_life() -> BTreeMap<String, f64> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    with_local_recorder(&recorder, || runtime.block_on(live()));
    figures(&snapshotter)
}

#[test]
fn what_a_client_does_can_be_read_off_its_figures() {
    let figures = figures_of_a_life();
    let figure = |name: &str| {
        let found = figures.get(&format!("eureka_client_{name}"));
        *found.unwrap_or_else(|| panic!("{name}: {figures:#?}"))
    };
    let epoch = crate::world::EPOCH as f64 / 1000.0;
    assert_eq!(figure("requests_total{register,answered}"), 2.0);
    assert_eq!(figure("reregistrations_total{}"), 1.0);
    assert!(figure("requests_total{heartbeat,answered}") >= 6.0);
    assert!(
        figure("requests_total{heartbeat,failed}") + figure("requests_total{delta,failed}") >= 1.0
    );
    assert_eq!(figure("requests_total{cancel,answered}"), 0.0);
    assert!(figure("requests_total{all,answered}") >= 2.0);
    assert!(figure("request_seconds{delta}") >= 4.0);
    assert!(figure("hash_mismatches_total{}") >= 1.0);
    assert_eq!(figure("registered{}"), 1.0);
    assert!(figure("confirmed_timestamp_seconds{}") > epoch + 150.0);
    assert!(figure("fetched_timestamp_seconds{}") > epoch + 190.0);
    assert_eq!(figure("instances{}"), 1.0);
    assert_eq!(figure("doubted_instances{}"), 0.0);
    assert_eq!(figure("servers{}"), 2.0);
    assert!(figure("avoided_servers{}") <= 1.0);
}

#[test]
fn the_guide_has_every_figure() {
    let guide = fs::read_to_string("docs/client.md").unwrap();
    let figures = figures_of_a_life();
    let names = figures.keys().map(|key| key.split('{').next().unwrap());
    let missing: Vec<_> = names
        .filter(|name| !guide.contains(&format!("`{name}{{client")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(figures.len() >= 11);
}
