//! What lists cost without HTTP: the first writing, one change later, the delta, and memory.
//!
//!     cargo bench --bench lists [-- INSTANCES]
//!
//! Prints one line a figure, the median and the worst of many rounds; 10 000 and 100 000 instances unless a
//! number is given. Times are this machine's.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use heureka::cache::{View, Want};
use heureka::clock::Clock;
use heureka::config::{Config, Mode};
use heureka::model::{InstanceInfo, Metadata, Origin};
use heureka::node::{self, Node, Placement};
use heureka::registry::{Cancel, Register, UpdateMetadata};
use heureka::wire::{Form, Rope};
use tokio::time::Instant;

fn main() {
    let given = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let sizes = given.map_or(vec![10_000, 100_000], |size| vec![size]);
    for instances in sizes {
        actix::System::new().block_on(async {
            let world = World::with(instances).await;
            world.first_writing().await;
            world.one_change().await;
            world.delta().await;
            world.one_application().await;
        });
    }
}

struct World {
    node: Node,
    instances: usize,
    /// Changes so far; every change makes a difference.
    changes: Cell<usize>,
}

/// An instance as a Spring client registers it: about 1.1 kB of JSON.
fn instance(n: usize) -> InstanceInfo {
    let (app, address) = (
        format!("SERVICE-{:04}", n % 200),
        [n >> 16, n >> 8, n].map(|n| n & 255),
    );
    let [a, b, c] = address;
    let (name, host) = (
        app.to_lowercase(),
        format!("ip-10-{a}-{b}-{c}.example.internal"),
    );
    let text = |text: String| Some(text.into());
    InstanceInfo {
        instance_id: text(format!("{host}:{name}:8080")),
        home_page_url: text(format!("http://{host}:8080/")),
        status_page_url: text(format!("http://{host}:8080/actuator/info")),
        health_check_url: text(format!("http://{host}:8080/actuator/health")),
        vip_address: text(name.clone()),
        secure_vip_address: text(name),
        metadata: metadata(n),
        last_updated: 1_700_000_000_000 + n as u64 * 1377,
        last_dirty: 1_700_000_000_000 + n as u64 * 777,
        ..InstanceInfo::new(&app, &host, &format!("10.{a}.{b}.{c}"))
    }
}

fn metadata(n: usize) -> Metadata {
    let zone = format!("zone-{}", n % 3);
    let pairs = [("management.port", "8080"), ("zone", &zone)];
    pairs.map(|(key, value)| (key.into(), value.into())).into()
}

impl World {
    async fn with(instances: usize) -> Self {
        let before = resident();
        let clock = Clock::system();
        let config = Config::of(Mode::Modern);
        let identity = node::identity(&config, 0, &clock);
        let network = node::network(&config, &identity);
        let node = Node::assemble(
            config,
            clock,
            identity,
            Placement::OwnThreads,
            Rc::new(network),
        );
        let world = Self {
            node,
            instances,
            changes: Cell::new(0),
        };
        let started = Instant::now();
        for n in 0..instances {
            world.register(n).await;
        }
        let seconds = started.elapsed().as_secs_f64();
        println!("{instances} instances");
        println!(
            "  registered at             {:>9.0} a second",
            instances as f64 / seconds
        );
        world.memory("registered", before);
        world
    }

    async fn register(&self, n: usize) {
        let register = Register {
            info: instance(n),
            by: Origin::Client.into(),
        };
        let registry = self.node.http.registry.addr();
        registry.send(register).await.unwrap().unwrap();
    }

    /// Instances are spread over applications and blocks.
    fn some(&self, round: usize) -> usize {
        round * 7919 % self.instances
    }

    async fn change(&self, n: usize) {
        self.changes.set(self.changes.get() + 1);
        let pair = ("change".into(), self.changes.get().to_string().into());
        let update = UpdateMetadata {
            key: instance(n).key(),
            pairs: vec![pair],
            by: Origin::Client.into(),
        };
        let registry = self.node.http.registry.addr();
        registry.send(update).await.unwrap().unwrap();
    }

    async fn read(&self, view: View, form: Form, gzip: bool) -> Rope {
        let want = Want { view, form, gzip };
        self.node.http.reader.read(want).await.unwrap().unwrap()
    }

    async fn first_writing(&self) {
        let before = resident();
        for (form, gzip) in [
            (Form::Json, true),
            (Form::Json, false),
            (Form::Xml, true),
            (Form::Xml, false),
        ] {
            let started = Instant::now();
            let body = self.read(View::All, form, gzip).await;
            let per_instance = body.len() / self.instances;
            let coding = if gzip { "gzip" } else { "plain" };
            println!(
                "  first {form:?} {coding:<16} {:>9.2} ms, {per_instance} bytes an instance",
                millis(started.elapsed())
            );
            self.memory("more", before);
        }
    }

    async fn one_change(&self) {
        for (form, gzip) in [(Form::Json, true), (Form::Json, false), (Form::Xml, true)] {
            let mut took = Vec::new();
            for round in 0..200 {
                self.change(self.some(round)).await;
                let started = Instant::now();
                self.read(View::All, form, gzip).await;
                took.push(started.elapsed());
            }
            show(
                &format!(
                    "one change, {form:?} {}",
                    if gzip { "gzip" } else { "plain" }
                ),
                took,
            );
        }
    }

    async fn delta(&self) {
        for n in 0..2_000 {
            self.change(self.some(n + 1000)).await;
        }
        self.read(View::Delta, Form::Json, true).await;
        let mut took = Vec::new();
        for round in 0..200 {
            self.change(self.some(round + 1000)).await;
            let started = Instant::now();
            self.read(View::Delta, Form::Json, true).await;
            took.push(started.elapsed());
        }
        show("one change, delta of 2 000", took);
    }

    async fn one_application(&self) {
        let (mut changed, mut other) = (Vec::new(), Vec::new());
        for round in 0..200 {
            self.change(7 + 200 * (round % 50)).await;
            for (name, took) in [("SERVICE-0007", &mut changed), ("SERVICE-0008", &mut other)] {
                let started = Instant::now();
                self.read(View::App(name.into()), Form::Json, true).await;
                took.push(started.elapsed());
            }
        }
        show("application with a change", changed);
        show("application without", other);
        let registry = self.node.http.registry.addr();
        let key = instance(7).key();
        let cancel = Cancel {
            key,
            by: Origin::Client.into(),
        };
        registry.send(cancel).await.unwrap().unwrap();
    }

    fn memory(&self, what: &str, before: usize) {
        let bytes = resident().saturating_sub(before) / self.instances;
        println!("  {what:<25} {bytes:>9} bytes of memory an instance");
    }
}

/// Bytes of this process in memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok());
    kib.unwrap_or(0) * 1024
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn show(what: &str, mut took: Vec<Duration>) {
    took.sort();
    let (median, worst) = (took[took.len() / 2], took[took.len() - 1]);
    println!(
        "  {what:<25} {:>9.3} ms, at worst {:.3} ms",
        millis(median),
        millis(worst)
    );
}
