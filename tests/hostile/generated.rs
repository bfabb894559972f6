//! Requests by the thousand: good ones, spoilt at random. Every seed is one node and its requests.
//!
//! `HOSTILE_REQUESTS` says how many, `HOSTILE_SEED` where to begin; a failure names the seed that repeats it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use actix_web::http::Uri;
use heureka::model::ContentLimits;
use heureka::wire::{json, xml};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::spoil::{segment, spoilt};
use crate::support::{Ask, TestNode, members};
use crate::world::{World, encoded, well_formed};

/// Requests to one node; many instances are left over from them.
const PER_SEED: usize = 500;

/// A good body and whom it registers.
struct Good {
    body: Vec<u8>,
    is_json: bool,
    /// Application and id; none for a batch.
    names: Option<(String, String)>,
}

/// The bodies of real clients, and batches.
fn good_bodies() -> Vec<Good> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/registrations");
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut bodies: Vec<_> = paths.iter().map(|path| recorded(path)).collect();
    for action in [
        "Register",
        "Heartbeat",
        "Cancel",
        "StatusUpdate",
        "DeleteStatusOverride",
    ] {
        let info = members("A", "i", r#""metadata":{"a":"b"}"#);
        let item = format!(
            r#"{{"appName":"A","id":"i","lastDirtyTimestamp":1000,"status":"UP","overriddenStatus":"DOWN",
            "action":"{action}","instanceInfo":{{{info}}}}}"#
        );
        bodies.push(Good {
            body: format!(r#"{{"replicationList":[{item},{item}]}}"#).into_bytes(),
            is_json: true,
            names: None,
        });
    }
    bodies
}

fn recorded(path: &Path) -> Good {
    let text = fs::read_to_string(path).unwrap();
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let draft = match is_json {
        true => json::registration(&text, &ContentLimits::NONE),
        false => xml::registration(&text, &ContentLimits::NONE),
    };
    let draft = draft.unwrap();
    let app = draft.app.clone().unwrap().to_string();
    let info = draft.settle(&app, 0).unwrap();
    Good {
        names: Some((app, info.id().to_string())),
        body: text.into_bytes(),
        is_json,
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn spoilt_requests_by_the_thousand_spoil_nothing() {
    let requests = number("HOSTILE_REQUESTS", 20_000);
    let first = number("HOSTILE_SEED", 0);
    let end = first + requests.div_ceil(PER_SEED);
    let bodies = good_bodies();
    let next = AtomicUsize::new(first);
    let worker = || {
        let (mut accepted, mut refused) = (0, 0);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return (accepted, refused);
            }
            let (ok, not) = repeatable(seed, &bodies);
            (accepted, refused) = (accepted + ok, refused + not);
        }
    };
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get());
    let counts: Vec<(usize, usize)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    // Spoilt too little or too much, they would find nothing.
    let accepted: usize = counts.iter().map(|(accepted, _)| accepted).sum();
    let share = 100 * accepted / (PER_SEED * (end - first));
    assert!((20..80).contains(&share), "{share} % were accepted");
}

/// One seed, which is named if it fails.
fn repeatable(seed: usize, bodies: &[Good]) -> (usize, usize) {
    // A node's timers live as long as its system, so each seed gets one.
    let run = || actix::System::new().block_on(one_node(seed as u64, bodies));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        eprintln!("failed with HOSTILE_SEED={seed}");
        resume_unwind(panic)
    })
}

/// How many requests were accepted, and how many refused.
async fn one_node(seed: u64, bodies: &[Good]) -> (usize, usize) {
    let rng = &mut SmallRng::seed_from_u64(seed);
    let world = World::new().await;
    let (mut accepted, mut refused) = (0, 0);
    while accepted + refused < PER_SEED {
        let Some(ask) = request(&world.node, bodies, rng) else {
            continue;
        };
        let reply = world.send(ask).await;
        well_formed(&reply);
        match reply.status {
            ..400 => accepted += 1,
            _ => refused += 1,
        }
    }
    world.is_unspoiled().await;
    world.lists_are_whole().await;
    world.pages_are_whole().await;
    world.forget_the_others().await;
    (accepted, refused)
}

/// A request; none if no server could get it, since its path is none.
fn request<'n>(node: &'n TestNode, bodies: &[Good], rng: &mut SmallRng) -> Option<Ask<'n>> {
    let method = ["POST", "POST", "POST", "PUT", "PUT", "GET", "DELETE"].choose(rng)?;
    let good = bodies.choose(rng)?;
    let path = path(method, good, rng);
    Uri::try_from(&path).ok()?;
    let mut ask = node.request(method.parse().unwrap(), &path);
    if *method == "POST" || rng.random_ratio(1, 50) {
        ask = with_body(ask, good, rng);
    }
    for (name, value, one_in) in [
        ("Accept", "application/json", 2),
        ("Accept", "text/html", 30),
        ("Accept-Encoding", "gzip", 3),
        ("Content-Encoding", "gzip", 40),
        ("X-Eureka-Accept", "compact", 4),
        ("x-netflix-discovery-replication", "true", 4),
    ] {
        if rng.random_ratio(1, one_in) {
            ask = ask.header(name, value);
        }
    }
    Some(ask)
}

/// Mostly spoilt, mostly labelled as what it is.
fn with_body<'n>(ask: Ask<'n>, good: &Good, rng: &mut SmallRng) -> Ask<'n> {
    let body = match rng.random_ratio(1, 4) {
        true => good.body.clone(),
        false => spoilt(&good.body, good.is_json, rng),
    };
    let own = if good.is_json {
        "application/json"
    } else {
        "application/xml"
    };
    let odd = [
        "text/plain",
        "application/xml",
        "application/json;charset=iso-8859-1",
        "",
    ];
    let content_type = if rng.random_ratio(1, 20) {
        odd.choose(rng).unwrap()
    } else {
        own
    };
    ask.body(body).header("Content-Type", content_type)
}

/// Names of parameters, and their values.
const NAMES: [&str; 6] = [
    "value",
    "value",
    "lastDirtyTimestamp",
    "overriddenstatus",
    "k",
    "",
];
const VALUES: [&str; 9] = [
    "UP",
    "DOWN",
    "OUT_OF_SERVICE",
    "UNKNOWN",
    "1000",
    "999999999999999",
    "%00",
    "x+y",
    "",
];

/// Three times of four the path that fits the body, with something behind it now and then.
fn path(method: &str, good: &Good, rng: &mut SmallRng) -> String {
    let prefix = [
        "/eureka",
        "/eureka/v2",
        "/eureka/v1",
        "",
        "/eureka//",
        "/v2",
    ]
    .choose(rng)
    .unwrap();
    let mut path = match &good.names {
        _ if rng.random_ratio(1, 4) => format!("{prefix}/{}", odd_path(rng)),
        None => format!("{prefix}/peerreplication/batch/"),
        Some((app, _)) if method == "POST" => format!("{prefix}/apps/{}", encoded(app)),
        Some((app, id)) => format!("{prefix}/apps/{}/{}", encoded(app), encoded(id)),
    };
    if method != "POST" && rng.random_ratio(1, 3) {
        path += ["/status", "/metadata", "/", ";a=b"].choose(rng).unwrap();
    }
    if rng.random_ratio(1, 3) {
        path = format!(
            "{path}?{}={}",
            NAMES.choose(rng).unwrap(),
            VALUES.choose(rng).unwrap()
        );
    }
    path
}

fn odd_path(rng: &mut SmallRng) -> String {
    let first = ["apps", "apps", "instances", "vips", "svips", "asg"]
        .choose(rng)
        .unwrap();
    let mut path = first.to_string();
    for _ in 0..rng.random_range(0..5) {
        path = format!("{path}/{}", segment(rng));
    }
    path
}
