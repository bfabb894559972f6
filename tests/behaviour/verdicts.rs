//! Verdicts of server.md §20 that no scenario tells already, and the table that says where each one is.

use heureka::config::{Config, Mode};

use crate::scene::Scene;

/// Internally; the list of overrides still has plain ids, as in the reference.
#[actix_web::test]
async fn b08_an_override_is_of_one_instance_and_not_of_every_one_with_its_id() {
    let scene = Scene::modern();
    scene.announce("A/i", "").await;
    scene.announce("B/i", "").await;
    assert_eq!(scene.order("A/i", "value=OUT_OF_SERVICE").await, 200);
    scene.announce("B/i", r#""lastDirtyTimestamp":2000"#).await;
    assert_eq!(scene.beat("B/i", "").await, 200);
    assert_eq!(scene.statuses("A/i").await, "OUT_OF_SERVICE/OUT_OF_SERVICE");
    assert_eq!(scene.statuses("B/i").await, "UP/UNKNOWN");
    assert_eq!(scene.cancel("B/i").await, 200);
    assert_eq!(scene.overrides().await["i"], "OUT_OF_SERVICE");
}

/// In Java such a client is told 404 for ever: its stamp is older than the one that the order raised.
#[actix_web::test]
async fn b10_a_client_whose_order_was_taken_back_gets_out_of_unknown_with_its_old_stamp() {
    for scene in Scene::both() {
        scene.announce("A/i1", "").await;
        let order = "value=OUT_OF_SERVICE&lastDirtyTimestamp=5000";
        assert_eq!(scene.order("A/i1", order).await, 200);
        assert_eq!(scene.clear("A/i1", "").await, 200);
        assert_eq!(scene.beat("A/i1", "lastDirtyTimestamp=1000").await, 404);
        scene.announce("A/i1", "").await;
        assert_eq!(scene.statuses("A/i1").await, "UP/UNKNOWN");
        assert_eq!(scene.shown("A/i1").await["lastDirtyTimestamp"], "5000");
        assert_eq!(scene.beat("A/i1", "lastDirtyTimestamp=1000").await, 200);
    }
}

/// With equal stamps. It is silent about an override it does not know, which removes none.
#[actix_web::test]
async fn b13_a_lost_order_is_made_up_for_by_the_next_heartbeat_of_the_peer_that_has_it() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    let beat = "lastDirtyTimestamp=1000&overriddenstatus=OUT_OF_SERVICE";
    let ordinary = r#"{"appName":"A","id":"i1","lastDirtyTimestamp":1000,"action":"Heartbeat"}"#;
    assert_eq!(scene.beat_by_peer("A/i1", beat).await.status, 200);
    assert_eq!(
        scene.statuses("A/i1").await,
        "OUT_OF_SERVICE/OUT_OF_SERVICE"
    );
    assert_eq!(scene.delta().await, ["A/i1 OUT_OF_SERVICE MODIFIED"]);
    assert_eq!(scene.batch(ordinary).await[0]["statusCode"], 200);
    assert_eq!(
        scene.statuses("A/i1").await,
        "OUT_OF_SERVICE/OUT_OF_SERVICE"
    );

    // the order is taken back here: the peer, which has not heard of it, does not bring it back
    assert_eq!(scene.clear("A/i1", "value=UP").await, 200);
    scene.seconds(60).await;
    assert_eq!(scene.beat_by_peer("A/i1", beat).await.status, 200);
    assert_eq!(scene.statuses("A/i1").await, "UP/UNKNOWN");
}

/// In the read-only copy: a thousand names that nobody has would fill it for ever, and one of them would
/// be hidden for half a minute when it comes.
#[actix_web::test]
async fn b16_what_nobody_has_is_not_kept() {
    let scene = Scene::classic();
    for n in 0..1100 {
        let vip = scene.list(&format!("vips/nobody-{n}")).await;
        assert_eq!(vip, [""; 0]);
        let app = scene.get(&format!("/eureka/apps/NOBODY-{n}")).j().await;
        assert_eq!(app.status, 404);
        let regions = format!("/eureka/apps/A?regions=nowhere-{n}");
        assert_eq!(scene.get(&regions).j().await.status, 404);
    }
    scene
        .announce("NOBODY-7/i1", r#""vipAddress":"nobody-7""#)
        .await;
    for list in ["apps/NOBODY-7", "vips/nobody-7"] {
        assert_eq!(scene.list(list).await, ["NOBODY-7/i1 UP ADDED"], "at once");
    }
    // there is room: the list is copied, and shows a change with the refresh only
    assert_eq!(scene.order("NOBODY-7/i1", "value=DOWN").await, 200);
    for list in ["apps/NOBODY-7", "vips/nobody-7"] {
        assert_eq!(
            scene.list(list).await,
            ["NOBODY-7/i1 UP ADDED"],
            "from the copy"
        );
    }
}

#[actix_web::test]
async fn b22_an_item_of_a_batch_that_is_refused_says_so_and_costs_the_others_nothing() {
    let scene = Scene::modern();
    let item = |id: &str, host: &str| {
        format!(
            r#"{{"appName":"A","id":"{id}","action":"Register","instanceInfo":{{"instanceId":"{id}","hostName":"{host}",
               "app":"A","ipAddr":"1.1.1.1","dataCenterInfo":{{"name":"MyOwn"}}}}}}"#
        )
    };
    let items = [item("i1", "h"), item("i2", ""), item("i3", "h")].join(",");
    let answers = scene.batch(&items).await;
    let codes: Vec<_> = answers
        .iter()
        .map(|item| item["statusCode"].as_u64())
        .collect();
    assert_eq!(codes, [Some(200), Some(400), Some(200)]);
    assert_eq!(scene.apps().await, ["A/i1 UP ADDED", "A/i3 UP ADDED"]);
}

#[actix_web::test]
async fn b31_the_status_document_is_answered_in_json_without_a_health_nobody_asked_for() {
    let scene = Scene::modern();
    let reply = scene.get("/eureka/status").j().await;
    assert_eq!(reply.status, 200);
    assert!(reply.json()["instanceInfo"].is_object());
    assert!(!reply.text().contains("healthy"));
    let xml = scene.get("/eureka/status").await.text();
    assert!(
        xml.starts_with("<com.netflix.eureka.util.StatusInfo>"),
        "{xml}"
    );
    assert!(!xml.contains("isHeathly"));
}

#[actix_web::test]
async fn b34_below_a_context_path_the_tree_is_found_with_and_without_its_version() {
    let mut config = Config::of(Mode::Modern);
    config.http.context_path = "/ctx".to_string();
    let scene = Scene::with(config);
    for path in [
        "/ctx/eureka/apps",
        "/ctx/eureka/v2/apps",
        "/ctx/v2/apps",
        "/ctx/apps",
    ] {
        assert_eq!(scene.get(path).j().await.status, 200, "{path}");
    }
    for path in ["/eureka/apps", "/ctx/eureka/v2/v2/apps"] {
        assert_eq!(scene.get(path).j().await.status, 404, "{path}");
    }
}

#[actix_web::test]
async fn b35_the_overrides_are_listed_with_and_without_the_prefixes() {
    let scene = Scene::modern();
    scene.announce("A/i1", r#""overriddenStatus":"DOWN""#).await;
    for prefix in ["", "/v2", "/eureka", "/eureka/v2"] {
        let reply = scene
            .get(&format!("{prefix}/serverinfo/statusoverrides"))
            .j()
            .await;
        assert_eq!(
            (reply.status, reply.json()["i1"].as_str()),
            (200, Some("DOWN")),
            "{prefix}"
        );
    }
}

#[actix_web::test]
async fn b36_xml_maps_statuses_down_below_v1_only() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    assert_eq!(scene.order("A/i1", "value=OUT_OF_SERVICE").await, 200);
    for read in [
        "apps",
        "apps/delta",
        "apps/A",
        "apps/A/i1",
        "instances/i1",
        "vips/a",
    ] {
        for (version, shown) in [
            ("", "OUT_OF_SERVICE"),
            ("/v2", "OUT_OF_SERVICE"),
            ("/v1", "DOWN"),
        ] {
            let body = scene.get(&format!("/eureka{version}/{read}")).await.text();
            let wanted = format!("<status>{shown}</status>");
            assert!(body.contains(&wanted), "{version} {read}: {body}");
            let kept = "<overriddenstatus>OUT_OF_SERVICE</overriddenstatus>";
            assert!(body.contains(kept), "{version} {read}");
        }
    }
}

/// As in the reference; what is ours is that an update happens whole or not at all.
#[actix_web::test]
async fn b39_metadata_last_until_the_client_registers_again_and_come_whole_or_not_at_all() {
    let scene = Scene::modern();
    scene.announce("A/i1", r#""metadata":{"own":"1"}"#).await;
    assert_eq!(scene.add_metadata("A/i1", "a=1&=2&b=3").await, 400);
    let own = serde_json::json!({"own": "1"});
    assert_eq!(scene.shown("A/i1").await["metadata"], own);
    assert_eq!(scene.add_metadata("A/i1", "a=1&b=3").await, 200);
    assert_eq!(scene.shown("A/i1").await["metadata"]["b"], "3");
    scene.announce("A/i1", r#""metadata":{"own":"1"}"#).await;
    assert_eq!(scene.shown("A/i1").await["metadata"], own);
}

/// Java renews, orders and then fails. Here nothing has happened when the answer is 400.
#[actix_web::test]
async fn b42_a_request_with_a_parameter_that_means_nothing_is_refused_before_it_does_anything() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    scene.announce("A/i2", r#""overriddenStatus":"DOWN""#).await;
    let before = (
        scene.shown("A/i1").await,
        scene.shown("A/i2").await,
        scene.revision(),
    );
    scene.seconds(10).await;
    let bad = "lastDirtyTimestamp=yesterday";
    let unknown = "lastDirtyTimestamp=2000&overriddenstatus=ASLEEP";
    assert_eq!(scene.beat("A/i1", bad).await, 400);
    assert_eq!(scene.beat_by_peer("A/i1", bad).await.status, 400);
    assert_eq!(scene.beat_by_peer("A/i1", unknown).await.status, 400);
    assert_eq!(scene.order("A/i1", &format!("value=DOWN&{bad}")).await, 400);
    assert_eq!(scene.clear("A/i2", &format!("value=UP&{bad}")).await, 400);
    assert_eq!(scene.clear("A/i2", "value=AWAKE").await, 400);
    let after = (
        scene.shown("A/i1").await,
        scene.shown("A/i2").await,
        scene.revision(),
    );
    assert_eq!(after, before);
    assert_eq!(
        scene.renewals("client").await + scene.renewals("peer").await,
        0.0
    );
    // a client's word about overrides is not looked at, right or wrong
    assert_eq!(scene.beat("A/i1", "overriddenstatus=ASLEEP").await, 200);
}

/// Where each verdict is put to the test: its number, the file, the test's name.
const TESTED: &str = "
B-01 tests/behaviour/leases.rs scenario_08_a_renewed_lease_lives_twice_its_duration_in_classic_and_once_in_modern
B-04 tests/behaviour/invariants.rs i5_the_number_of_leases_changes_by_one_for_each_instance_that_comes_or_goes
B-05 tests/behaviour/leases.rs scenario_38_an_instance_that_beats_between_judgement_and_removal_survives
B-06 tests/behaviour/invariants.rs i7_a_sweep_takes_at_most_its_limit_of_those_that_have_ended_and_nobody_else
B-07 tests/behaviour/registering.rs scenario_23_out_of_service_without_an_override_is_pinned_for_clients_in_classic_only
B-08 tests/behaviour/verdicts.rs b08_an_override_is_of_one_instance_and_not_of_every_one_with_its_id
B-09 tests/behaviour/statuses.rs scenario_81_an_override_is_kept_while_the_lease_is_and_dies_with_it
B-10 tests/behaviour/verdicts.rs b10_a_client_whose_order_was_taken_back_gets_out_of_unknown_with_its_old_stamp
B-11 tests/behaviour/statuses.rs scenario_21_ordering_the_status_it_has_renews_the_lease_and_records_no_order
B-12 tests/behaviour/invariants.rs i4_every_change_of_a_status_is_in_the_delta
B-13 tests/behaviour/verdicts.rs b13_a_lost_order_is_made_up_for_by_the_next_heartbeat_of_the_peer_that_has_it
B-14 tests/behaviour/lists.rs scenario_48_every_vip_of_an_instance_follows_its_changes_in_every_form
B-15 tests/behaviour/lists.rs scenario_49_an_instance_that_registers_while_a_list_is_built_is_in_the_next_one
B-16 tests/behaviour/verdicts.rs b16_what_nobody_has_is_not_kept
B-22 tests/behaviour/verdicts.rs b22_an_item_of_a_batch_that_is_refused_says_so_and_costs_the_others_nothing
B-29 tests/behaviour/lists.rs scenario_53_a_node_alone_serves_every_read_from_the_first_moment
B-31 tests/behaviour/verdicts.rs b31_the_status_document_is_answered_in_json_without_a_health_nobody_asked_for
B-33 tests/behaviour/events.rs b33_a_cancel_is_told_once_and_one_of_nobody_not_at_all
B-34 tests/behaviour/verdicts.rs b34_below_a_context_path_the_tree_is_found_with_and_without_its_version
B-35 tests/behaviour/verdicts.rs b35_the_overrides_are_listed_with_and_without_the_prefixes
B-36 tests/behaviour/verdicts.rs b36_xml_maps_statuses_down_below_v1_only
B-39 tests/behaviour/verdicts.rs b39_metadata_last_until_the_client_registers_again_and_come_whole_or_not_at_all
B-40 tests/behaviour/events.rs b40_a_stale_registration_is_told_with_the_record_that_stays
B-42 tests/behaviour/verdicts.rs b42_a_request_with_a_parameter_that_means_nothing_is_refused_before_it_does_anything
B-48 tests/behaviour/invariants.rs i2_a_delta_and_its_hash_code_tell_of_the_same_moment
B-50 tests/behaviour/lists.rs scenario_53_a_node_alone_serves_every_read_from_the_first_moment
";

/// Verdicts that do not concern a node alone, with what they wait for or why there is nothing to test.
const ELSEWHERE: &str = "
B-02 B-03 self-preservation: the expected number of clients
B-17 B-18 B-28 B-43 remote regions, which there are none of
B-19 B-20 B-21 B-23 B-24 B-25 B-26 B-27 B-41 B-44 B-45 B-46 B-47 B-49 peers: finding and telling them
B-30 peers: a start that fails; that a port in use ends the process is in sockets.rs
B-32 peers: the page names none yet
B-37 there is no such filter
B-38 the limiter, which is not there yet
";

#[test]
fn every_verdict_is_tested_somewhere_or_has_a_reason_not_to_be() {
    let mut named: Vec<&str> = Vec::new();
    for row in TESTED.trim().lines() {
        let [verdict, file, test] = row.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let source = std::fs::read_to_string(file).unwrap();
        assert!(
            source.contains(&format!("fn {test}(")),
            "{verdict}: no {test} in {file}"
        );
        named.push(verdict);
    }
    let elsewhere = ELSEWHERE
        .split_whitespace()
        .filter(|word| word.starts_with("B-"));
    named.extend(elsewhere);
    named.sort_unstable();
    let all: Vec<String> = (1..=50).map(|n| format!("B-{n:02}")).collect();
    assert_eq!(named, all);
}
