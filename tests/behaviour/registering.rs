//! Scenarios 1–6, 22–24, 28 and 78: instances come, come again, and contradict what is on file.

use std::future::IntoFuture;

use heureka::config::Mode;

use crate::scene::{Scene, at_once};
use crate::support::EPOCH;

#[actix_web::test]
async fn scenario_01_a_valid_registration_is_answered_204_and_shown_as_it_came() {
    for scene in Scene::both() {
        let reply = scene.registration("A/i1", "").await;
        assert_eq!((reply.status, reply.body.len()), (204, 0));
        let shown = scene.shown("A/i1").await;
        assert_eq!(shown["status"], "UP");
        assert_eq!(shown["leaseInfo"]["renewalIntervalInSecs"], 30);
        assert_eq!(shown["leaseInfo"]["durationInSecs"], 90);
        assert_eq!(shown["leaseInfo"]["registrationTimestamp"], EPOCH);
        assert_eq!(shown["leaseInfo"]["serviceUpTimestamp"], EPOCH);
        assert_eq!(shown["lastDirtyTimestamp"], "1000");
        assert_eq!(shown["actionType"], "ADDED");
    }
}

#[actix_web::test]
async fn scenario_02_a_registration_for_another_application_than_its_path_is_refused() {
    let scene = Scene::modern();
    let reply = scene.registration("A/i1", "\"app\":\"b\"").await;
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.text(),
        "Mismatched appName, expecting A but was B",
        "{}",
        reply.content_type()
    );
    assert_eq!(scene.revision(), 0, "nothing was stored");
}

#[actix_web::test]
async fn scenario_03_the_first_member_that_is_missing_is_named() {
    let scene = Scene::modern();
    for (more, text) in [
        (r#""hostName":null"#, "Missing hostname"),
        (r#""hostName":null,"ipAddr":null"#, "Missing hostname"),
        (r#""ipAddr":null"#, "Missing ip address"),
        (r#""ipAddr":null,"dataCenterInfo":{}"#, "Missing ip address"),
        (r#""dataCenterInfo":{}"#, "Missing dataCenterInfo Name"),
        (r#""dataCenterInfo":null"#, "Missing dataCenterInfo"),
    ] {
        let reply = scene.registration("A/i1", more).await;
        assert_eq!((reply.status, reply.text().as_str()), (400, text), "{more}");
    }
    assert_eq!(scene.revision(), 0, "nothing was stored");
    assert_eq!(
        scene
            .count("eureka_refused_total{reason=\"invalid\"}")
            .await,
        6.0
    );
}

#[actix_web::test]
async fn scenario_04_an_older_stamp_changes_nothing_but_begins_a_new_lease() {
    for scene in Scene::both() {
        let first = r#""lastDirtyTimestamp":200,"metadata":{"v":"first"}"#;
        scene.announce("A/i1", first).await;
        scene.seconds(50).await;
        let second = r#""lastDirtyTimestamp":100,"metadata":{"v":"second"}"#;
        scene.announce("A/i1", second).await;
        let shown = scene.shown("A/i1").await;
        assert_eq!(shown["metadata"]["v"], "first");
        assert_eq!(shown["lastDirtyTimestamp"], "200");
        let registered = scene.lease_time("A/i1", "registrationTimestamp").await;
        assert_eq!(registered, 50_000);
        let renewed = scene.lease_time("A/i1", "lastRenewalTimestamp").await;
        assert_eq!(renewed, 50_000);
    }
}

#[actix_web::test]
async fn scenario_05_an_equal_stamp_brings_its_content_in() {
    for scene in Scene::both() {
        let first = r#""lastDirtyTimestamp":200,"metadata":{"v":"first","w":"1"}"#;
        scene.announce("A/i1", first).await;
        let second = r#""lastDirtyTimestamp":200,"metadata":{"v":"second"}"#;
        scene.announce("A/i1", second).await;
        let shown = scene.shown("A/i1").await;
        assert_eq!(shown["metadata"], serde_json::json!({"v": "second"}));
        assert_eq!(shown["lastDirtyTimestamp"], "200");
    }
}

#[actix_web::test]
async fn scenario_06_the_first_time_up_stays_when_the_instance_registers_again() {
    for scene in Scene::both() {
        scene.seconds(1).await;
        scene.announce("A/i1", "").await;
        scene.seconds(50).await;
        scene.announce("A/i1", r#""lastDirtyTimestamp":2000"#).await;
        let up = scene.lease_time("A/i1", "serviceUpTimestamp").await;
        let registered = scene.lease_time("A/i1", "registrationTimestamp").await;
        assert_eq!((up, registered), (1_000, 51_000));
        // and through a time in which it is not UP
        let starting = r#""lastDirtyTimestamp":3000,"status":"STARTING""#;
        scene.announce("A/i1", starting).await;
        scene.announce("A/i1", r#""lastDirtyTimestamp":4000"#).await;
        let up = scene.lease_time("A/i1", "serviceUpTimestamp").await;
        assert_eq!(up, 1_000);
    }
}

/// In `modern` its own word counts, by a row of the design's table of modes.
#[actix_web::test]
async fn scenario_22_an_up_client_that_says_out_of_service_stays_up_in_classic_only() {
    for scene in Scene::both() {
        scene.announce("A/i1", "").await;
        scene.announce("A/i1", r#""status":"OUT_OF_SERVICE""#).await;
        let expected = match scene.mode {
            Mode::Classic => "UP/UNKNOWN",
            Mode::Modern => "OUT_OF_SERVICE/UNKNOWN",
        };
        assert_eq!(scene.statuses("A/i1").await, expected, "{:?}", scene.mode);
    }
}

/// In `modern` OUT_OF_SERVICE said by a client itself ends with its next registration as UP.
#[actix_web::test]
async fn scenario_23_out_of_service_without_an_override_is_pinned_for_clients_in_classic_only() {
    for scene in Scene::both() {
        scene.announce("A/i1", r#""status":"OUT_OF_SERVICE""#).await;
        scene.announce("A/i1", r#""status":"UP""#).await;
        let expected = match scene.mode {
            Mode::Classic => "OUT_OF_SERVICE/UNKNOWN",
            Mode::Modern => "UP/UNKNOWN",
        };
        assert_eq!(scene.statuses("A/i1").await, expected, "{:?}", scene.mode);
        // a heartbeat settles nothing anew
        assert_eq!(scene.beat("A/i1", "status=UP").await, 200);
        assert_eq!(scene.statuses("A/i1").await, expected, "{:?}", scene.mode);

        // a peer that says so is believed in either mode
        scene.announce_by_peer("A/i1", r#""status":"UP""#).await;
        assert_eq!(
            scene.statuses("A/i1").await,
            "UP/UNKNOWN",
            "{:?}",
            scene.mode
        );
        // and in classic, DOWN opens the way too
        scene.announce("A/i2", r#""status":"OUT_OF_SERVICE""#).await;
        scene.announce("A/i2", r#""status":"DOWN""#).await;
        scene.announce("A/i2", r#""status":"UP""#).await;
        assert_eq!(
            scene.statuses("A/i2").await,
            "UP/UNKNOWN",
            "{:?}",
            scene.mode
        );
    }
}

#[actix_web::test]
async fn scenario_24_a_registration_with_an_override_brings_it_into_force() {
    for scene in Scene::both() {
        let more = r#""status":"UP","overriddenstatus":"OUT_OF_SERVICE""#;
        scene.announce("A/i1", more).await;
        assert_eq!(
            scene.statuses("A/i1").await,
            "OUT_OF_SERVICE/OUT_OF_SERVICE"
        );
        let listed = scene.overrides().await;
        assert_eq!(listed, serde_json::json!({"i1": "OUT_OF_SERVICE"}));
        // it can introduce one and not replace it
        let more = r#""lastDirtyTimestamp":2000,"overriddenStatus":"DOWN""#;
        scene.announce("A/i1", more).await;
        assert_eq!(
            scene.statuses("A/i1").await,
            "OUT_OF_SERVICE/OUT_OF_SERVICE"
        );
    }
}

#[actix_web::test]
async fn scenario_28_of_1001_registrations_the_newest_thousand_are_listed_newest_first() {
    let scene = Scene::modern();
    for n in 0..=1000 {
        scene.announce(&format!("A/i{n}"), "").await;
    }
    let page = scene.get("/lastn").await.text();
    let rows: Vec<&str> = page
        .split("<td>A(")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    let expected: Vec<String> = (1..=1000).rev().map(|n| format!("i{n}")).collect();
    assert_eq!(rows, expected);
}

/// That `expected` grows by one belongs to self-preservation; here it is the number of leases.
#[actix_web::test]
async fn scenario_78_ten_registrations_of_one_id_at_once_make_one_lease() {
    for scene in Scene::both() {
        let ten = (0..10).map(|n| {
            let more = format!(r#""metadata":{{"n":"{n}"}}"#);
            let request = scene.registration("A/i1", &more);
            request.into_future()
        });
        let answers = at_once(ten).await;
        assert!(answers.iter().all(|reply| reply.status == 204));
        assert_eq!(scene.leases().await, 1.0);
        assert_eq!(scene.apps().await, ["A/i1 UP ADDED"]);
        let registered = "eureka_registrations_total{origin=\"client\"}";
        assert_eq!(scene.count(registered).await, 10.0);
    }
}
