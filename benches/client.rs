//! What the client library costs: a look-up, a pick, and a refresh with 10 000 instances.
//!
//!     cargo bench --no-default-features --features client --bench client
//!
//! Prints one line a figure, the best of several rounds. Times are this machine's. The server is in memory: a refresh
//! is reading the answer, merging it and putting the new catalogue in its place.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "what is measured is real")]

use std::fmt::Write;
use std::hint::black_box;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use heureka::client::{Backend, CallFailed, EurekaClient, Pending, Request, Response, ServiceAt};

const INSTANCES: usize = 10_000;
const APPS: usize = 200;
/// Instances that are different in each delta.
const CHANGES: usize = 100;

/// A server that has many instances, of which some change from delta to delta.
#[derive(Clone, Default)]
struct Many(Arc<Mutex<Asked>>);

#[derive(Default)]
struct Asked {
    times: usize,
    /// When the last answer was handed out.
    answered: Option<Instant>,
}

fn instance(out: &mut String, number: usize, version: usize) {
    let app = number % APPS;
    write!(
        out,
        r#"{{"name":"APP-{app}","instance":[{{"instanceId":"host-{number}:app-{app}:8080","hostName":"host-{number}","app":"APP-{app}","ipAddr":"10.0.0.1","status":"UP","port":{{"$":8080,"@enabled":"true"}},"dataCenterInfo":{{"name":"MyOwn"}},"metadata":{{"version":"{version}","zone":"z1"}},"vipAddress":"app-{app}","secureVipAddress":"app-{app}","actionType":"MODIFIED","lastDirtyTimestamp":"1"}}]}}"#
    )
    .unwrap();
}

fn list(instances: impl Iterator<Item = (usize, usize)>) -> String {
    let head = r#"{"applications":{"versions__delta":"1","apps__hashcode":"#;
    let mut list = format!("{head}\"UP_{INSTANCES}_\",\"application\":[");
    for (position, (number, version)) in instances.enumerate() {
        if position > 0 {
            list.push(',');
        }
        instance(&mut list, number, version);
    }
    list.push_str("]}}");
    list
}

impl Backend for Many {
    fn send(&self, request: Request) -> Pending<Result<Response, CallFailed>> {
        let mut asked = self.0.lock().unwrap();
        asked.times += 1;
        let version = asked.times;
        let body = match request.url.ends_with("delta") {
            true => list((0..CHANGES).map(|number| (number * 97 % INSTANCES, version))),
            false => list((0..INSTANCES).map(|number| (number, 0))),
        };
        asked.answered = Some(Instant::now());
        Box::pin(async move {
            Ok(Response {
                status: 200,
                body: body.into(),
                ..Response::default()
            })
        })
    }

    fn addresses(&self, _host: &str) -> Pending<io::Result<Vec<IpAddr>>> {
        Box::pin(async { Err(io::ErrorKind::NotFound.into()) })
    }

    fn texts(&self, _name: &str) -> Pending<io::Result<Vec<String>>> {
        Box::pin(async { Err(io::ErrorKind::NotFound.into()) })
    }

    fn services(&self, _name: &str) -> Pending<io::Result<Vec<ServiceAt>>> {
        Box::pin(async { Err(io::ErrorKind::NotFound.into()) })
    }
}

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
