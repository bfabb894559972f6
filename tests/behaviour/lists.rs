//! Scenarios 41–50, 53, 74 and 75: what readers get, and when.

use std::future::IntoFuture;

use heureka::config::{Config, Mode};

use crate::scene::{Scene, at_once, every_form, hash_codes, rows};
use crate::support::EPOCH;

#[actix_web::test]
async fn scenario_41_the_hash_code_counts_each_status_and_is_empty_for_nobody() {
    for scene in Scene::both() {
        let empty = scene.get("/eureka/apps").j().await.json();
        assert_eq!(empty["applications"]["apps__hashcode"], "");
        for n in 0..10 {
            let status = if n < 8 { "UP" } else { "DOWN" };
            let more = format!(r#""status":"{status}""#);
            scene.announce(&format!("A/i{n}"), &more).await;
        }
        scene.seconds(31).await;
        let list = scene.get("/eureka/apps").j().await.json();
        let expected = "DOWN_2_UP_8_".to_string();
        assert_eq!(hash_codes(&list), (expected.clone(), expected));
    }
}

#[actix_web::test]
async fn scenario_42_what_came_and_went_is_in_the_delta_once_as_deleted() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    assert_eq!(scene.delta().await, ["A/i1 UP ADDED"]);
    scene.seconds(100).await;
    scene.announce("A/i1", "").await;
    assert_eq!(scene.cancel("A/i1").await, 200);
    let delta = scene.get("/eureka/apps/delta").j().await.json();
    assert_eq!(rows(&delta), ["A/i1 UP DELETED"]);
    assert_eq!(
        delta["applications"]["apps__hashcode"], "",
        "the hash of all"
    );
}

#[actix_web::test]
async fn scenario_43_what_went_and_came_back_is_in_the_delta_once_as_added() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    assert_eq!(scene.cancel("A/i1").await, 200);
    scene.announce("A/i1", "").await;
    assert_eq!(scene.delta().await, ["A/i1 UP ADDED"]);
}

#[actix_web::test]
async fn scenario_44_a_change_is_in_the_delta_for_180_s_and_gone_with_the_sweep_after_that() {
    let scene = Scene::modern();
    scene.seconds(5).await;
    scene
        .announce("A/i1", r#""leaseInfo":{"durationInSecs":1000}"#)
        .await;
    scene.seconds(179).await;
    assert_eq!(scene.delta().await, ["A/i1 UP ADDED"], "at t + 179 s");
    scene.seconds(27).await;
    let delta = scene.get("/eureka/apps/delta").j().await.json();
    assert_eq!(rows(&delta), [""; 0], "after the sweep at 210 s");
    assert_eq!(delta["applications"]["apps__hashcode"], "UP_1_");
    assert_eq!(scene.apps().await, ["A/i1 UP ADDED"]);
    assert_eq!(scene.count("eureka_delta_entries").await, 0.0);
}

/// The scene begins at a whole multiple of 30 s: call it 12:00:00.
#[actix_web::test]
async fn scenario_45_the_read_only_copy_shows_a_change_after_its_refresh_and_not_before() {
    let scene = Scene::classic();
    scene.seconds(1).await;
    for form in every_form("apps") {
        assert!(!scene.read_form(&form).await.contains("i1"), "{form:?}");
    }
    scene.seconds(4).await;
    scene.announce("A/i1", "").await;
    scene.millis(24_900).await;
    for form in every_form("apps") {
        assert!(
            !scene.read_form(&form).await.contains("i1"),
            "12:00:29.9 {form:?}"
        );
    }
    scene.millis(200).await;
    for form in every_form("apps") {
        assert!(
            scene.read_form(&form).await.contains("i1"),
            "12:00:30.1 {form:?}"
        );
    }
    // instances are read from the registry itself, whatever the lists show
    scene.announce("A/i2", "").await;
    assert_eq!(scene.found("A/i2").await, 200);
    assert_eq!(scene.apps().await, ["A/i1 UP ADDED"]);
}

/// The default in `modern`, a setting in `classic`.
#[actix_web::test]
async fn scenario_46_without_the_read_only_copy_the_next_read_shows_the_change() {
    let mut fresh = Config::of(Mode::Classic);
    fresh.cache.timed_copy = None;
    for scene in [Scene::modern(), Scene::with(fresh)] {
        assert_eq!(scene.apps().await, [""; 0]);
        scene.announce("A/i1", "").await;
        assert_eq!(scene.apps().await, ["A/i1 UP ADDED"]);
        assert_eq!(scene.cancel("A/i1").await, 200);
        assert_eq!(scene.apps().await, [""; 0]);
    }
}

/// In `classic` too: that nothing is there is never kept (B-16).
#[actix_web::test]
async fn scenario_47_an_application_that_was_not_there_is_seen_at_once_when_it_comes() {
    for scene in Scene::both() {
        for form in every_form("apps/NEW") {
            let mut ask = scene.get(&form.0);
            for (name, value) in &form.1 {
                ask = ask.header(name, value);
            }
            assert_eq!(ask.await.status, 404, "{form:?}");
        }
        scene.announce("NEW/i1", "").await;
        for form in every_form("apps/NEW") {
            assert!(scene.read_form(&form).await.contains("i1"), "{form:?}");
        }
    }
}

/// B-14, fixed: each name of the old and of the new list, in each form.
#[actix_web::test]
async fn scenario_48_every_vip_of_an_instance_follows_its_changes_in_every_form() {
    let scene = Scene::modern();
    let vips = |list: &str| format!(r#""vipAddress":"{list}","secureVipAddress":"{list}""#);
    scene.announce("A/i1", &vips("a,b")).await;
    let lists = [
        "vips/a", "vips/b", "vips/c", "svips/a", "svips/b", "svips/c", "apps/A",
    ];
    let forms: Vec<_> = lists.iter().flat_map(|list| every_form(list)).collect();
    for form in &forms {
        scene.read_form(form).await;
    }

    assert_eq!(scene.order("A/i1", "value=DOWN").await, 200);
    for form in &forms {
        let body = scene.read_form(form).await;
        let listed = !form.0.ends_with("/c");
        assert_eq!(body.contains("i1"), listed, "{form:?}");
        assert_eq!(body.contains("DOWN"), listed, "{form:?}");
        assert!(!body.contains("UP_1_"), "{form:?}");
    }

    scene.announce("A/i1", &vips("b,c")).await;
    for form in &forms {
        let listed = !form.0.ends_with("/a");
        let body = scene.read_form(form).await;
        assert_eq!(body.contains("i1"), listed, "{form:?}");
    }
}

/// B-15, fixed. The reads are begun first and end after the registration, or the other way round.
#[actix_web::test]
async fn scenario_49_an_instance_that_registers_while_a_list_is_built_is_in_the_next_one() {
    for scene in Scene::both() {
        scene.announce("A/i1", "").await;
        for n in 2..12 {
            let name = format!("A/i{n}");
            let registration = scene.registration(&name, "").into_future();
            let read = || scene.get("/eureka/apps").j().into_future();
            let mut requests = vec![read(), read()];
            requests.insert(n % 3, registration);
            let answers = at_once(requests).await;
            assert!(answers.iter().all(|reply| reply.status < 300));
            if scene.mode == Mode::Classic {
                scene.seconds(31).await;
                assert_eq!(scene.beat("A/i1", "").await, 200);
            }
            let newest = format!("A/i{n} UP ADDED");
            assert!(
                scene.apps().await.contains(&newest),
                "{:?} {newest}",
                scene.mode
            );
        }
    }
}

#[actix_web::test]
async fn scenario_50_a_delta_that_is_switched_off_is_forbidden_and_nothing_else_is() {
    let mut config = Config::of(Mode::Modern);
    config.cache.disable_delta = true;
    let scene = Scene::with(config);
    scene.announce("A/i1", "").await;
    let reply = scene.get("/eureka/apps/delta").j().await;
    assert_eq!((reply.status, reply.body.len()), (403, 0));
    assert_eq!(scene.apps().await, ["A/i1 UP ADDED"]);
}

/// B-29 and B-50 for a node without peers: there is nothing to wait for.
#[actix_web::test]
async fn scenario_53_a_node_alone_serves_every_read_from_the_first_moment() {
    for scene in Scene::both() {
        for list in ["apps", "apps/delta", "vips/x", "svips/x"] {
            for form in every_form(list) {
                scene.read_form(&form).await;
            }
        }
        assert_eq!(scene.get("/eureka/apps/A").j().await.status, 404);
        assert_eq!(scene.found("A/i1").await, 404);
        assert_eq!(scene.get("/health/ready").await.status, 200);
        assert_eq!(scene.count("eureka_accepting_reads").await, 1.0);
        scene.announce("A/i1", "").await;
        assert_eq!(scene.found("A/i1").await, 200);
    }
}

#[actix_web::test]
async fn scenario_74_switching_an_aws_group_is_a_bad_request_where_there_is_no_aws() {
    let scene = Scene::modern();
    for query in ["value=DISABLED", "value=ENABLED"] {
        let reply = scene.put(&format!("/eureka/asg/g/status?{query}")).await;
        assert_eq!((reply.status, reply.body.len()), (400, 0), "{query}");
    }
}

#[actix_web::test]
async fn scenario_75_the_answer_to_a_heartbeat_is_empty_and_never_packed() {
    for scene in Scene::both() {
        scene.announce("A/i1", "").await;
        for (name, status) in [("A/i1", 200), ("A/none", 404)] {
            let beat = scene.put(&format!("/eureka/apps/{name}?status=UP"));
            let reply = beat.header("Accept-Encoding", "gzip").j().await;
            assert_eq!((reply.status, reply.body.len()), (status, 0));
            assert_eq!(reply.header("content-encoding"), None);
        }
    }
}

/// Nothing changes, so nothing makes a list new; the times in it are still never older than
/// `response-cache-auto-expiration-in-seconds`.
#[actix_web::test]
async fn times_in_lists_are_never_older_than_the_expiration() {
    let scene = Scene::modern();
    scene.announce("A/i1", "").await;
    let revision = scene.revision();
    for beats in 1..=12 {
        for path in ["apps", "apps/A", "vips/a"] {
            let list = scene.get(&format!("/eureka/{path}")).j().await.json();
            let apps = list["applications"]["application"].as_array();
            let app = apps.map_or(&list["application"], |apps| &apps[0]);
            let renewed = &app["instance"][0]["leaseInfo"]["lastRenewalTimestamp"];
            let now = EPOCH + (beats - 1) * 30_000;
            let age = now.saturating_sub(renewed.as_u64().unwrap());
            assert!(age <= 180_000, "{path} after {beats} beats: {age} ms");
            // After the first half of that time something was renewed at all.
            assert!(beats < 5 || renewed.as_u64() > Some(EPOCH), "{path}");
        }
        scene.seconds(30).await;
        assert_eq!(scene.beat("A/i1", "").await, 200);
    }
    assert_eq!(scene.revision(), revision);
}
