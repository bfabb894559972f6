//! Scenarios 14–21, 25–27 and 81: orders about a status, orders taken back, metadata, and leaving.

use heureka::config::Mode;

use crate::scene::Scene;

/// i1, taken out of service by an operator.
async fn taken_out(scene: &Scene) {
    scene.announce("A/i1", "").await;
    assert_eq!(scene.order("A/i1", "value=OUT_OF_SERVICE").await, 200);
}

#[actix_web::test]
async fn scenario_14_an_order_sets_status_and_override_and_is_in_the_delta() {
    for scene in Scene::both() {
        taken_out(&scene).await;
        assert_eq!(
            scene.statuses("A/i1").await,
            "OUT_OF_SERVICE/OUT_OF_SERVICE"
        );
        let shown = scene.shown("A/i1").await;
        assert_eq!(shown["lastDirtyTimestamp"], "1000");
        assert_eq!(shown["actionType"], "MODIFIED");
        assert_eq!(scene.delta().await, ["A/i1 OUT_OF_SERVICE MODIFIED"]);
        assert_eq!(scene.overrides().await["i1"], "OUT_OF_SERVICE");
        let changes = "eureka_status_changes_total{origin=\"client\"}";
        assert_eq!(scene.count(changes).await, 1.0);
    }
}

#[actix_web::test]
async fn scenario_15_a_client_that_registers_as_up_does_not_undo_an_order() {
    for scene in Scene::both() {
        taken_out(&scene).await;
        scene.announce("A/i1", r#""lastDirtyTimestamp":2000"#).await;
        assert_eq!(
            scene.statuses("A/i1").await,
            "OUT_OF_SERVICE/OUT_OF_SERVICE"
        );
        assert_eq!(scene.shown("A/i1").await["lastDirtyTimestamp"], "2000");
    }
}

#[actix_web::test]
async fn scenario_16_what_a_client_says_against_itself_is_believed_over_an_order() {
    for scene in Scene::both() {
        taken_out(&scene).await;
        for status in ["STARTING", "DOWN"] {
            let more = format!(r#""status":"{status}""#);
            scene.announce("A/i1", &more).await;
            let expected = format!("{status}/OUT_OF_SERVICE");
            assert_eq!(scene.statuses("A/i1").await, expected);
            assert_eq!(scene.overrides().await["i1"], "OUT_OF_SERVICE");
        }
    }
}

#[actix_web::test]
async fn scenario_17_an_order_that_was_hidden_by_starting_comes_back_with_up() {
    for scene in Scene::both() {
        taken_out(&scene).await;
        scene.announce("A/i1", r#""status":"STARTING""#).await;
        scene.announce("A/i1", r#""status":"UP""#).await;
        assert_eq!(
            scene.statuses("A/i1").await,
            "OUT_OF_SERVICE/OUT_OF_SERVICE"
        );
    }
}

#[actix_web::test]
async fn scenario_18_an_order_taken_back_leaves_unknown_until_the_client_registers() {
    for scene in Scene::both() {
        taken_out(&scene).await;
        assert_eq!(scene.clear("A/i1", "").await, 200);
        assert_eq!(scene.statuses("A/i1").await, "UNKNOWN/UNKNOWN");
        assert_eq!(scene.overrides().await, serde_json::json!({}));
        assert_eq!(scene.beat("A/i1", "").await, 404);
        scene.announce("A/i1", "").await;
        assert_eq!(scene.statuses("A/i1").await, "UP/UNKNOWN");
        assert_eq!(scene.beat("A/i1", "").await, 200);
    }
}

#[actix_web::test]
async fn scenario_19_an_order_taken_back_with_a_value_gives_that_at_once() {
    for scene in Scene::both() {
        taken_out(&scene).await;
        assert_eq!(scene.clear("A/i1", "value=UP").await, 200);
        assert_eq!(scene.statuses("A/i1").await, "UP/UNKNOWN");
        assert_eq!(scene.delta().await, ["A/i1 UP MODIFIED"]);
        assert_eq!(scene.beat("A/i1", "").await, 200);
    }
}

#[actix_web::test]
async fn scenario_20_taking_back_an_order_that_nobody_gave_changes_nothing() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    let before = scene.revision();
    assert_eq!(scene.clear("A/i1", "value=DOWN").await, 200);
    assert_eq!(scene.statuses("A/i1").await, "UP/UNKNOWN");
    assert_eq!(
        scene.delta().await,
        ["A/i1 UP ADDED"],
        "no entry of its own"
    );
    assert_eq!(scene.revision(), before);
}

#[actix_web::test]
async fn scenario_21_ordering_the_status_it_has_renews_the_lease_and_records_no_order() {
    for scene in Scene::both() {
        scene.announce("A/i1", "").await;
        let before = scene.revision();
        scene.seconds(30).await;
        assert_eq!(scene.order("A/i1", "value=UP").await, 200);
        assert_eq!(scene.statuses("A/i1").await, "UP/UNKNOWN");
        assert_eq!(scene.overrides().await, serde_json::json!({}));
        assert_eq!(scene.revision(), before, "no delta entry");
        assert_eq!(scene.delta().await, ["A/i1 UP ADDED"]);
        let ahead = if scene.mode == Mode::Classic {
            90_000
        } else {
            0
        };
        let renewed = scene.lease_time("A/i1", "lastRenewalTimestamp").await;
        assert_eq!(renewed, 30_000 + ahead, "renewed");
        assert_eq!(scene.renewals("client").await, 0.0, "and not counted");
    }
}

/// With the fixed answer, 400 instead of Java's 500.
#[actix_web::test]
async fn scenario_25_an_order_with_a_word_that_is_no_status_is_refused_and_changes_nothing() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    let (before, shown) = (scene.revision(), scene.shown("A/i1").await);
    scene.seconds(10).await;
    for query in ["value=BOGUS", "value=up", "value=", ""] {
        assert_eq!(scene.order("A/i1", query).await, 400, "{query}");
    }
    assert_eq!(scene.clear("A/i1", "value=BOGUS").await, 400);
    assert_eq!(scene.revision(), before);
    assert_eq!(
        scene.shown("A/i1").await,
        shown,
        "not even the lease was renewed"
    );
}

/// That two cancels were asked for and one found nothing is told by the requests' own counter.
#[actix_web::test]
async fn scenario_26_the_second_of_two_cancels_finds_nothing_and_both_are_in_the_list() {
    for scene in Scene::both() {
        scene.announce("A/i1", "").await;
        assert_eq!(scene.cancel("A/i1").await, 200);
        assert_eq!(scene.cancel("A/i1").await, 404);
        assert_eq!(scene.answered("instance", "DELETE", 200).await, 1.0);
        assert_eq!(scene.answered("instance", "DELETE", 404).await, 1.0);
        let cancelled = "eureka_cancellations_total{origin=\"client\"}";
        assert_eq!(scene.count(cancelled).await, 1.0);
        let page = scene.get("/lastn").await.text();
        assert_eq!(page.matches("<td>A(i1)</td>").count(), 2 + 1, "{page}");
    }
}

/// What peers are told of it is a scenario of `events.rs`.
#[actix_web::test]
async fn scenario_27_metadata_are_merged_the_first_of_repeated_keys_counts_and_the_stamp_stays() {
    for scene in Scene::both() {
        scene
            .announce("A/i1", r#""metadata":{"b":"0","c":"4"}"#)
            .await;
        scene.seconds(10).await;
        assert_eq!(scene.add_metadata("A/i1", "a=1&a=2&b=3").await, 200);
        let shown = scene.shown("A/i1").await;
        let expected = serde_json::json!({"a": "1", "b": "3", "c": "4"});
        assert_eq!(shown["metadata"], expected);
        assert_eq!(shown["lastDirtyTimestamp"], "1000");
        assert_eq!(scene.delta().await, ["A/i1 UP ADDED"]);
        let registered = scene.lease_time("A/i1", "registrationTimestamp").await;
        assert_eq!(registered, 10_000, "a lease of its own");
    }
}

/// B-09, fixed: an override lives as long as the lease, however long nobody asks for it. DOWN hides it
/// from every heartbeat, which in Java lets it idle out after an hour.
#[actix_web::test]
async fn scenario_81_an_override_is_kept_while_the_lease_is_and_dies_with_it() {
    for scene in Scene::both() {
        taken_out(&scene).await;
        let down = r#""status":"DOWN","leaseInfo":{"durationInSecs":7200}"#;
        scene.announce("A/i1", down).await;
        scene
            .announce("A/beats", r#""overriddenStatus":"DOWN","status":"DOWN""#)
            .await;
        for _ in 0..61 {
            scene.seconds(60).await;
            assert_eq!(scene.beat("A/beats", "").await, 200);
        }
        assert_eq!(scene.overrides().await["i1"], "OUT_OF_SERVICE");
        assert_eq!(scene.overrides().await["beats"], "DOWN");
        scene.announce("A/i1", r#""status":"UP""#).await;
        assert_eq!(
            scene.statuses("A/i1").await,
            "OUT_OF_SERVICE/OUT_OF_SERVICE"
        );

        assert_eq!(scene.cancel("A/i1").await, 200);
        scene.announce("A/i1", "").await;
        assert_eq!(scene.statuses("A/i1").await, "UP/UNKNOWN");
    }
}
