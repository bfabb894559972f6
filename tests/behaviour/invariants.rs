//! The invariants of server.md §19, by number. I6, I8 and I9 are in `events.rs`; I1 and I3 again with
//! threads in `concurrency.rs`, I2 and I11 with random changes in `properties`. I10 comes with peers.

use std::collections::BTreeMap;
use std::future::IntoFuture;

use heureka::config::{Config, Mode, Sweep};
use heureka::model::LeaseTimes;
use heureka::registry::{TakeRecent, TakeSnapshot};
use serde_json::Value;

use crate::scene::{Scene, at_once, every_form, hash_codes, instances, later, unprotected};
use crate::support::EPOCH;

/// Each registration says the same number in five places; a mix of two would differ in them.
#[actix_web::test]
async fn i1_a_reader_sees_the_state_before_or_after_a_change_and_never_a_mix() {
    let scene = Scene::modern();
    let more = |n: usize| {
        format!(
            r#""lastDirtyTimestamp":{n},"metadata":{{"n":"{n}"}},"vipAddress":"{n}","asgName":"{n}",
               "statusPageUrl":"{n}""#
        )
    };
    scene.announce("A/i1", &more(0)).await;
    let mut requests = Vec::new();
    for n in 1..40 {
        requests.push(later(n, scene.registration("A/i1", &more(n))));
        let read = ["apps", "apps/delta", "apps/A", "apps/A/i1", "instances/i1"][n % 5];
        requests.push(later(n, scene.get(&format!("/eureka/{read}")).j()));
    }
    let answers = at_once(requests).await;
    let mut seen = 0;
    for reply in answers.iter().filter(|reply| reply.status == 200) {
        let body = reply.json();
        let mut found = instances(&body);
        found.extend(body.get("instance").cloned());
        found.retain(Value::is_object);
        assert_eq!(found.len(), 1, "{body}");
        let n = found[0]["lastDirtyTimestamp"].as_str().unwrap();
        for member in ["vipAddress", "asgName", "statusPageUrl"] {
            assert_eq!(found[0][member], n, "{body}");
        }
        assert_eq!(found[0]["metadata"]["n"], n, "{body}");
        seen += 1;
    }
    assert_eq!(seen, 39);
}

/// What a client holds that read everything once and then merges each delta into it.
#[derive(Default)]
struct Merged(BTreeMap<String, Value>);

impl Merged {
    /// Merges a list and says which hash code it has now.
    fn merge(&mut self, list: &Value) -> String {
        for instance in instances(list) {
            let name = format!("{}/{}", instance["app"], instance["instanceId"]);
            match instance["actionType"].as_str() {
                Some("DELETED") => self.0.remove(&name),
                _ => self.0.insert(name, instance),
            };
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for instance in self.0.values() {
            *counts
                .entry(instance["status"].as_str().unwrap())
                .or_default() += 1;
        }
        counts
            .iter()
            .map(|(status, n)| format!("{status}_{n}_"))
            .collect()
    }
}

#[actix_web::test]
async fn i2_a_delta_and_its_hash_code_tell_of_the_same_moment() {
    let scene = Scene::modern();
    for n in 0..8 {
        scene.announce(&format!("A/i{n}"), "").await;
    }
    let before = scene.get("/eureka/apps").j().await.json();
    let mut asks = Vec::new();
    for n in 0..8 {
        let status = ["DOWN", "OUT_OF_SERVICE", "STARTING"][n % 3];
        let path = format!("/eureka/apps/A/i{n}");
        asks.push(scene.put(&format!("{path}/status?value={status}")));
        asks.push(scene.get("/eureka/apps/delta").j());
        if n % 4 == 1 {
            asks.push(scene.delete(&path));
            asks.push(scene.get("/eureka/apps/delta").j());
        }
    }
    let requests = asks.into_iter().enumerate();
    let requests = requests.map(|(turn, ask)| later(turn, ask));
    let answers = at_once(requests).await;
    let mut hashes = Vec::new();
    for delta in answers.iter().filter(|reply| !reply.body.is_empty()) {
        let mut merged = Merged::default();
        merged.merge(&before);
        let (said, _) = hash_codes(&delta.json());
        assert_eq!(merged.merge(&delta.json()), said);
        hashes.push(said);
    }
    assert_eq!(hashes.len(), 10);
    hashes.dedup();
    assert!(
        hashes.len() > 1,
        "the deltas are of different moments: {hashes:?}"
    );
}

/// Each way to change A/i1 in turn, at moments of their own; whether it is there afterwards.
async fn change(scene: &Scene, step: usize) -> bool {
    scene.millis(10).await;
    let name = "A/i1";
    let override_of_peer = "lastDirtyTimestamp=1000&overriddenstatus=OUT_OF_SERVICE";
    let status = match step {
        0 => return is_done(scene.registration(name, "").await.status),
        1 => {
            return is_done(
                scene
                    .registration(name, r#""metadata":{"a":"b"}"#)
                    .await
                    .status,
            );
        }
        2 => scene.order(name, "value=DOWN").await,
        3 => scene.clear(name, "value=UP").await,
        4 => scene.add_metadata(name, "k=v").await,
        5 => {
            // a peer's word about an override counts when this node gave none for 90 s
            for _ in 0..2 {
                scene.seconds(50).await;
                assert_eq!(scene.beat(name, "").await, 200);
            }
            scene.beat_by_peer(name, override_of_peer).await.status
        }
        6 => {
            scene
                .beat_by_peer(name, "lastDirtyTimestamp=2000&overriddenstatus=UP")
                .await
                .status
        }
        7 => scene.beat(name, "").await,
        8 => scene.clear(name, "").await,
        _ => scene.cancel(name).await,
    };
    assert_eq!(status, if step == 6 { 404 } else { 200 }, "step {step}");
    step < 9
}

fn is_done(status: u16) -> bool {
    assert_eq!(status, 204);
    true
}

/// By the moment of the change, which every form of every list shows.
#[actix_web::test]
async fn i3_every_answer_after_an_acknowledged_change_shows_it_whatever_its_form() {
    let scene = Scene::modern();
    let lists = ["apps", "apps/delta", "apps/A", "vips/a"];
    let forms: Vec<_> = lists.iter().flat_map(|list| every_form(list)).collect();
    for step in 0..10 {
        let before = scene.revision();
        let stays = change(&scene, step).await;
        assert_eq!(scene.revision(), before + 1, "step {step} is a change");
        let moment = scene.node.http.clock.now().wall.to_string();
        for form in &forms {
            let delta = form.0.ends_with("/delta");
            if !stays && form.0.ends_with("/A") {
                assert_eq!(scene.get(&form.0).await.status, 404);
                continue;
            }
            let body = scene.read_form(form).await;
            assert_eq!(
                body.contains(&moment),
                stays || delta,
                "step {step} {form:?}"
            );
            assert_eq!(body.contains("i1"), stays || delta, "step {step} {form:?}");
        }
    }
}

/// For a client that never reads the full list again. B-12: heartbeats that change a status, too.
#[actix_web::test]
async fn i4_every_change_of_a_status_is_in_the_delta() {
    let scene = Scene::modern();
    let mut merged = Merged::default();
    scene.announce("B/other", "").await;
    for step in 0..10 {
        change(&scene, step).await;
        let delta = scene.get("/eureka/apps/delta").j().await.json();
        let full = scene.get("/eureka/apps").j().await.json();
        let (said, counted) = hash_codes(&full);
        assert_eq!(said, counted, "step {step}");
        assert_eq!(merged.merge(&delta), counted, "step {step}");
        assert_eq!(hash_codes(&delta).0, said, "step {step}");
    }
    scene.seconds(95).await;
    let delta = scene.get("/eureka/apps/delta").j().await.json();
    assert_eq!(merged.merge(&delta), "", "evicted");
    assert_eq!(hash_codes(&delta).0, "");
}

/// `expected` comes with self-preservation; it will follow this number.
#[actix_web::test]
async fn i5_the_number_of_leases_changes_by_one_for_each_instance_that_comes_or_goes() {
    let scene = Scene::modern();
    let ten = (0..10).map(|_| scene.registration("A/i1", "").into_future());
    at_once(ten.collect::<Vec<_>>()).await;
    assert_eq!(scene.leases().await, 1.0, "ten first registrations at once");
    scene.announce("A/i1", r#""lastDirtyTimestamp":2000"#).await;
    assert_eq!(scene.leases().await, 1.0, "the same one again");
    scene.announce("B/i1", "").await;
    assert_eq!(
        scene.leases().await,
        2.0,
        "another application, the same id"
    );
    scene.announce_by_peer("A/i2", "").await;
    assert_eq!(scene.leases().await, 3.0, "a peer's");
    assert_eq!(scene.add_metadata("A/i1", "a=1").await, 200);
    assert_eq!(scene.order("A/i1", "value=DOWN").await, 200);
    assert_eq!(scene.leases().await, 3.0, "changes are not arrivals");
    let both = [
        scene.delete("/eureka/apps/A/i1"),
        scene.delete("/eureka/apps/A/i1"),
    ];
    let statuses = at_once(both.map(IntoFuture::into_future)).await;
    assert_eq!(
        statuses.iter().filter(|reply| reply.status == 200).count(),
        1
    );
    assert_eq!(
        scene.leases().await,
        2.0,
        "gone once, though asked for twice"
    );
    scene
        .batch(r#"{"appName":"A","id":"i2","action":"Cancel"}"#)
        .await;
    assert_eq!(scene.leases().await, 1.0, "by a peer");
    scene.seconds(92).await;
    assert_eq!(scene.leases().await, 0.0, "by its end");
    assert_eq!(scene.count("eureka_applications").await, 0.0);
}

/// The limit is the reference's, in `classic`, and holds with self-preservation off (B-06); that leases are looked at again at the removal is
/// scenario 38, that nothing is passed on is scenario 39.
#[actix_web::test]
async fn i7_a_sweep_takes_at_most_its_limit_of_those_that_have_ended_and_nobody_else() {
    let scene = Scene::with(unprotected(Mode::Classic));
    for n in 0..20 {
        scene.announce(&format!("A/dead-{n}"), "").await;
    }
    for sweep in 0..6 {
        // six that live, of twenty-six in the first sweep that finds anything
        for n in 0..6 {
            scene.announce(&format!("A/alive-{n}"), "").await;
        }
        scene.seconds(if sweep == 0 { 61 } else { 60 }).await;
        let left = [26, 22, 18, 15, 12, 10][sweep];
        assert_eq!(scene.leases().await, f64::from(left), "after sweep {sweep}");
    }
    for n in 0..6 {
        assert_eq!(scene.found(&format!("A/alive-{n}")).await, 200);
    }
}

#[actix_web::test]
async fn i11_a_stamp_never_goes_back_whoever_says_what() {
    let scene = Scene::modern();
    scene
        .announce("A/i1", r#""lastDirtyTimestamp":500000"#)
        .await;
    let mut highest = 500_000;
    for stamp in [
        499_999, 440_001, 439_999, 1, 0, 600_000, 600_000, 599_000, 2,
    ] {
        let more = format!(r#""lastDirtyTimestamp":{stamp}"#);
        let order = format!("value=DOWN&lastDirtyTimestamp={stamp}");
        let clear = format!("value=UP&lastDirtyTimestamp={stamp}");
        for kind in 0..6 {
            match kind {
                0 => scene.announce("A/i1", &more).await,
                1 => scene.announce_by_peer("A/i1", &more).await,
                2 => assert_eq!(scene.order("A/i1", &order).await, 200),
                3 => assert_eq!(scene.clear("A/i1", &clear).await, 200),
                4 => assert_eq!(scene.add_metadata("A/i1", "a=b").await, 200),
                _ => {
                    _ = scene
                        .beat("A/i1", &format!("lastDirtyTimestamp={stamp}"))
                        .await
                }
            }
            let shown = scene.shown("A/i1").await;
            let held: u64 = shown["lastDirtyTimestamp"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap();
            assert!(
                held >= highest,
                "{held} after {highest}, kind {kind}, stamp {stamp}"
            );
            highest = held;
        }
    }
}

/// Everything that is held, with the times of the leases.
async fn whole(scene: &Scene) -> Vec<(heureka::model::InstanceInfo, LeaseTimes)> {
    let held = scene
        .node
        .http
        .registry
        .addr()
        .send(TakeSnapshot)
        .await
        .unwrap();
    let copy = held
        .iter()
        .map(|held| ((*held.info).clone(), held.lease.times(EPOCH)));
    copy.collect()
}

#[actix_web::test]
async fn i12_no_read_changes_anything_that_is_held() {
    let mut config = Config::of(Mode::Modern);
    config.eviction.sweep = Sweep::Every(std::time::Duration::from_secs(86_400));
    let scene = Scene::with(config);
    scene.announce("A/i1", r#""vipAddress":"v""#).await;
    scene
        .announce(
            "A/ended",
            r#""leaseInfo":{"durationInSecs":1,"renewalIntervalInSecs":1}"#,
        )
        .await;
    assert_eq!(scene.order("A/i1", "value=OUT_OF_SERVICE").await, 200);
    scene.seconds(20).await;
    let registry = scene.node.http.registry.addr();
    let recent = registry.send(TakeRecent).await.unwrap();
    let (before, revision) = (whole(&scene).await, scene.revision());

    let lists = "apps apps/ apps/delta apps/A apps/NONE apps/A/i1 apps/A/ended apps/A/none vips/v
        vips/none svips/v instances/i1 instances/none status apps?regions=x";
    for list in lists.split_whitespace() {
        for (path, headers) in every_form(list) {
            let mut ask = scene.get(&path);
            for (name, value) in headers {
                ask = ask.header(name, value);
            }
            assert!(ask.await.status < 500, "{path}");
        }
    }
    let others = [
        "/",
        "/lastn",
        "/metrics",
        "/actuator/health",
        "/serverinfo/statusoverrides",
    ];
    for path in others {
        assert_eq!(scene.get(path).await.status, 200, "{path}");
    }
    assert_eq!(whole(&scene).await, before);
    assert_eq!(scene.revision(), revision);
    assert_eq!(registry.send(TakeRecent).await.unwrap(), recent);
}
