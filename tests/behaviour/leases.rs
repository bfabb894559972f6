//! Scenarios 7–13, 37 and 38: heartbeats, what they find out, and leases that end.

use std::time::Duration;

use heureka::config::{Config, Mode, Sweep};
use heureka::registry::{EvictExpired, TakeOverdue};

use crate::scene::{Scene, settle, unprotected};
use crate::support::EPOCH;

/// Both modes agree about a lease that nobody renewed.
#[actix_web::test]
async fn scenario_07_a_lease_that_was_never_renewed_ends_after_its_duration() {
    for scene in Scene::both_unprotected() {
        scene.announce("A/i1", "").await;
        scene.seconds(90).await;
        assert_eq!(
            scene.found("A/i1").await,
            200,
            "{:?} at 90.000 s",
            scene.mode
        );
        scene.millis(1).await;
        assert_eq!(
            scene.found("A/i1").await,
            404,
            "{:?} at 90.001 s",
            scene.mode
        );
    }
}

/// B-01: `classic` doubles, `modern` is exact.
#[actix_web::test]
async fn scenario_08_a_renewed_lease_lives_twice_its_duration_in_classic_and_once_in_modern() {
    for scene in Scene::both_unprotected() {
        let (shown, last) = match scene.mode {
            Mode::Classic => (120_000, 210_000),
            Mode::Modern => (30_000, 120_000),
        };
        scene.announce("A/i1", "").await;
        scene.seconds(30).await;
        assert_eq!(scene.beat("A/i1", "").await, 200);
        let renewed = scene.lease_time("A/i1", "lastRenewalTimestamp").await;
        assert_eq!(renewed, shown, "{:?}", scene.mode);
        scene.millis(last - 30_000).await;
        assert_eq!(
            scene.found("A/i1").await,
            200,
            "{:?} at {last} ms",
            scene.mode
        );
        scene.millis(1).await;
        assert_eq!(
            scene.found("A/i1").await,
            404,
            "{:?} 1 ms later",
            scene.mode
        );
    }
}

#[actix_web::test]
async fn scenario_09_a_heartbeat_of_nobody_is_counted_as_unknown_and_as_no_renewal() {
    let scene = Scene::modern();
    assert_eq!(scene.beat("A/zz", "").await, 404);
    let unknown = "eureka_renewals_total{origin=\"client\",result=\"unknown\"}";
    assert_eq!(scene.count(unknown).await, 1.0);
    assert_eq!(scene.renewals("client").await, 0.0);
}

#[actix_web::test]
async fn scenario_10_whatever_stamp_a_client_s_heartbeat_has_the_lease_is_renewed_and_counted() {
    for scene in Scene::both() {
        scene.announce("A/i1", r#""lastDirtyTimestamp":100"#).await;
        let ahead = match scene.mode {
            Mode::Classic => 90_000,
            Mode::Modern => 0,
        };
        for (nth, (query, status)) in [
            ("lastDirtyTimestamp=100", 200),
            ("lastDirtyTimestamp=50", 200),
            ("lastDirtyTimestamp=150", 404),
            ("", 200),
        ]
        .into_iter()
        .enumerate()
        {
            scene.seconds(10).await;
            assert_eq!(scene.beat("A/i1", query).await, status, "{query}");
            let renewed = scene.lease_time("A/i1", "lastRenewalTimestamp").await;
            assert_eq!(renewed, 10_000 * (nth as u64 + 1) + ahead, "{query}");
            assert_eq!(scene.renewals("client").await, nth as f64 + 1.0, "{query}");
        }
        assert_eq!(scene.shown("A/i1").await["lastDirtyTimestamp"], "100");
    }
}

#[actix_web::test]
async fn scenario_11_a_peer_with_an_older_copy_gets_ours_and_one_with_a_newer_is_asked_for_it() {
    for scene in Scene::both() {
        scene.announce("A/i1", r#""lastDirtyTimestamp":100"#).await;
        for (stamp, status) in [(100, 200), (50, 409), (150, 404)] {
            let reply = scene
                .beat_by_peer("A/i1", &format!("lastDirtyTimestamp={stamp}"))
                .await;
            assert_eq!(reply.status, status, "{stamp}");
            match status {
                409 => {
                    let instance = &reply.json()["instance"];
                    assert_eq!(instance["lastDirtyTimestamp"], "100");
                    assert_eq!(instance["instanceId"], "i1");
                }
                _ => assert_eq!(reply.body.len(), 0, "{stamp}"),
            }
        }
        assert_eq!(scene.renewals("peer").await, 3.0);
    }
}

/// With the fixed answer (B-12): the delta shows what the heartbeat changed.
#[actix_web::test]
async fn scenario_12_an_override_in_a_peer_s_newer_heartbeat_takes_effect_with_the_next_one() {
    let scene = Scene::modern();
    scene.announce("A/i1", r#""lastDirtyTimestamp":100"#).await;
    let query = "lastDirtyTimestamp=150&overriddenstatus=OUT_OF_SERVICE";
    assert_eq!(scene.beat_by_peer("A/i1", query).await.status, 404);
    assert_eq!(scene.statuses("A/i1").await, "UP/OUT_OF_SERVICE");
    assert_eq!(scene.overrides().await["i1"], "OUT_OF_SERVICE");

    assert_eq!(scene.beat("A/i1", "lastDirtyTimestamp=100").await, 200);
    assert_eq!(
        scene.statuses("A/i1").await,
        "OUT_OF_SERVICE/OUT_OF_SERVICE"
    );
    assert_eq!(scene.delta().await, ["A/i1 OUT_OF_SERVICE MODIFIED"]);
    assert_eq!(scene.apps().await, ["A/i1 OUT_OF_SERVICE MODIFIED"]);
    assert_eq!(scene.shown("A/i1").await["lastDirtyTimestamp"], "100");
}

#[actix_web::test]
async fn scenario_13_without_comparing_stamps_every_heartbeat_of_a_peer_is_in_step() {
    let mut config = Config::of(Mode::Modern);
    config.registry.sync_when_timestamp_differs = false;
    let scene = Scene::with(config);
    scene.announce("A/i1", r#""lastDirtyTimestamp":100"#).await;
    for stamp in [50, 150] {
        let reply = scene
            .beat_by_peer("A/i1", &format!("lastDirtyTimestamp={stamp}"))
            .await;
        assert_eq!((reply.status, reply.body.len()), (200, 0), "{stamp}");
        let query = format!("lastDirtyTimestamp={stamp}");
        assert_eq!(scene.beat("A/i1", &query).await, 200, "{stamp}");
    }
    assert_eq!(scene.shown("A/i1").await["lastDirtyTimestamp"], "100");
}

/// Time jumps over the second sweep's moment, so that it comes 10 ms late. `classic` only: `modern`
/// looks once a second and has nothing to make up for.
#[actix_web::test]
async fn scenario_37_a_sweep_that_comes_10_ms_late_gives_every_lease_10_ms_more() {
    let mut config = unprotected(Mode::Classic);
    config.cache.timed_copy = None;
    let scene = Scene::with(config);
    scene.millis(29_990).await;
    scene.announce("A/ends-119990", "").await;
    scene.millis(15).await;
    scene.announce("A/ends-120005", "").await;
    scene.millis(60_001 - 30_005).await;
    assert_eq!(scene.leases().await, 2.0, "the first sweep found nothing");

    tokio::time::advance(Duration::from_millis(60_010)).await;
    settle().await;
    assert_eq!(scene.node.http.clock.now().wall, EPOCH + 120_011);
    assert_eq!(scene.apps().await, ["A/ends-120005 UP ADDED"]);
    scene.seconds(61).await;
    assert_eq!(scene.apps().await, [""; 0], "the sweep after that takes it");
}

/// B-05, fixed: the lease is looked at again when it is removed.
#[actix_web::test]
async fn scenario_38_an_instance_that_beats_between_judgement_and_removal_survives() {
    let mut config = Config::of(Mode::Modern);
    config.eviction.sweep = Sweep::Every(Duration::from_secs(86_400));
    let scene = Scene::with(config);
    for name in ["A/beats", "A/registers", "A/silent"] {
        scene.announce(name, "").await;
    }
    scene.millis(90_001).await;
    let registry = scene.node.http.registry.addr();
    let overdue = registry
        .send(TakeOverdue {
            grace: 0,
            held_before: 0,
        })
        .await
        .unwrap();
    assert_eq!((overdue.due.len(), overdue.total), (3, 3));

    assert_eq!(scene.beat("A/beats", "").await, 200);
    scene.announce("A/registers", "").await;
    let leases = overdue.due;
    let evicted = registry.send(EvictExpired { leases }).await;
    assert_eq!(evicted.unwrap(), 1);
    assert_eq!(
        scene.apps().await,
        ["A/beats UP ADDED", "A/registers UP ADDED"]
    );
    assert_eq!(
        scene
            .count("eureka_evictions_total{reason=\"expired\"}")
            .await,
        1.0
    );
}

/// The whole way of a silent death: gone within a second of its lease's end in `modern`; in `classic`
/// with the sweep after it.
#[actix_web::test]
async fn a_silent_instance_leaves_the_lists_with_the_first_sweep_after_its_lease() {
    for (mode, last_listed) in [(Mode::Modern, 90_000), (Mode::Classic, 119_500)] {
        let mut config = unprotected(mode);
        config.cache.timed_copy = None;
        let scene = Scene::with(config);
        scene.announce("A/i1", "").await;
        scene.millis(last_listed).await;
        assert_eq!(scene.apps().await.len(), 1, "{mode:?}");
        scene.seconds(1).await;
        assert_eq!(scene.apps().await.len(), 0, "{mode:?}");
        assert_eq!(scene.delta().await, ["A/i1 UP DELETED"], "{mode:?}");
        assert_eq!(scene.beat("A/i1", "").await, 404, "{mode:?}");
    }
}
