//! Clients that beat, fall silent, come back, and register again when they are told to.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::future::Future;
use std::time::Duration;

use heureka::config::Config;
use heureka::model::{ContentLimits, Extra, InstanceInfo, LeaseTerms, Origin};
use heureka::registry::{Beat, Cancel, Register, Renewal, TakeSnapshot};
use heureka::wire::json;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::support::{TestNode, members};

/// Runs a case with each seed, in a world of its own.
pub fn each_seed<F: Future<Output = ()>>(seeds: u64, case: impl Fn(u64) -> F) {
    for seed in 0..seeds {
        // A node's timers live as long as its system, so each seed gets one.
        let run = std::panic::AssertUnwindSafe(|| actix::System::new().block_on(case(seed)));
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("failed with seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

/// Beats are sent at whole multiples of this, so that hours of a large fleet pass quickly.
const TICK: u64 = 250;

/// A client and when it beats next.
struct Client {
    info: InstanceInfo,
    interval: u64,
    next_beat: u64,
    last_beat: u64,
    silent: bool,
}

/// A node and its clients; all times are milliseconds since the node began.
pub struct Fleet {
    pub node: TestNode,
    /// What all instances have in common.
    pattern: InstanceInfo,
    pub rng: SmallRng,
    clients: BTreeMap<String, Client>,
    /// Beats to come, the next one first; those of clients that fell silent are skipped.
    beats: BinaryHeap<Reverse<(u64, String)>>,
    /// Registrations that clients made because a heartbeat was answered 404.
    pub registered_again: usize,
    /// Up to how many milliseconds late a heartbeat may be.
    pub jitter: u64,
}

impl Fleet {
    pub fn new(config: Config, seed: u64) -> Self {
        let body = format!("{{\"instance\":{{{}}}}}", members("A", "i", ""));
        Self {
            pattern: json::registration(&body, &ContentLimits::NONE)
                .unwrap()
                .settle("A", 0)
                .unwrap(),
            node: TestNode::with(config),
            rng: SmallRng::seed_from_u64(seed),
            clients: BTreeMap::new(),
            beats: BinaryHeap::new(),
            registered_again: 0,
            jitter: 0,
        }
    }

    pub fn now(&self) -> u64 {
        self.node.node.http.clock.now().mono
    }

    /// Adds a client of application `app` with lease terms in seconds, at a random phase.
    pub async fn add(&mut self, app: &str, id: &str, interval: u64, duration: u64) {
        let info = InstanceInfo {
            app: app.into(),
            instance_id: Some(id.into()),
            lease: LeaseTerms {
                renewal_interval_secs: interval as u32,
                duration_secs: duration as u32,
            },
            ..self.pattern.clone()
        };
        let now = self.now();
        let phase = self.rng.random_range(1..=interval * 1000);
        let client = Client {
            info: info.clone(),
            interval: interval * 1000,
            next_beat: now + phase,
            last_beat: now,
            silent: false,
        };
        self.beats.push(Reverse((client.next_beat, id.to_string())));
        self.clients.insert(id.to_string(), client);
        self.register(info).await;
    }

    /// `count` clients of one application with the usual terms, each of which has beaten once.
    pub async fn settled(config: Config, seed: u64, count: usize) -> Self {
        let mut fleet = Self::new(config, seed);
        for n in 0..count {
            fleet.add("A", &format!("i-{n}"), 30, 90).await;
        }
        fleet.run(Duration::from_secs(40)).await;
        fleet
    }

    async fn register(&mut self, info: InstanceInfo) {
        self.hear();
        let origin = Origin::Client;
        self.node
            .node
            .http
            .registry
            .ask(Register {
                info,
                by: origin.into(),
            })
            .await
            .unwrap()
            .unwrap();
    }

    /// Somebody asks the node for something.
    pub fn hear(&self) {
        let http = &self.node.node.http;
        http.published.heard(http.clock.now().mono);
    }

    /// The client beats no more.
    pub fn silence(&mut self, id: &str) {
        self.clients.get_mut(id).unwrap().silent = true;
    }

    pub fn silence_all(&mut self) {
        self.clients
            .values_mut()
            .for_each(|client| client.silent = true);
    }

    /// Silent clients beat again, each in its own time.
    pub fn wake_all(&mut self) {
        let now = self.now();
        for (id, client) in self.clients.iter_mut().filter(|(_, client)| client.silent) {
            client.silent = false;
            while client.next_beat <= now {
                client.next_beat += client.interval;
            }
            self.beats.push(Reverse((client.next_beat, id.clone())));
        }
    }

    pub fn last_beat(&self, id: &str) -> u64 {
        self.clients[id].last_beat
    }

    pub async fn cancel(&mut self, id: &str) {
        let client = self.clients.remove(id).unwrap();
        let cancel = Cancel {
            key: client.info.key(),
            by: Origin::Client.into(),
        };
        self.hear();
        self.node
            .node
            .http
            .registry
            .ask(cancel)
            .await
            .unwrap()
            .unwrap();
    }

    /// Ids that the node lists.
    pub async fn listed(&self) -> Vec<String> {
        let held = self
            .node
            .node
            .http
            .registry
            .ask(TakeSnapshot)
            .await
            .unwrap();
        held.iter().map(|held| held.info.id().to_string()).collect()
    }

    pub async fn lists(&self, id: &str) -> bool {
        self.listed().await.iter().any(|listed| listed == id)
    }

    /// Lets time pass; every client that is due beats.
    pub async fn run(&mut self, time: Duration) {
        self.run_until(self.now() + time.as_millis() as u64).await;
    }

    pub async fn run_until(&mut self, end: u64) {
        while let Some(Reverse((at, _))) = self.beats.peek().filter(|Reverse((at, _))| *at <= end) {
            let tick = at.next_multiple_of(TICK).min(end);
            self.wait_until(tick).await;
            self.beat_all().await;
        }
        self.wait_until(end).await;
    }

    async fn wait_until(&self, at: u64) {
        let pause = at.saturating_sub(self.now());
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }

    /// Every client that is due beats; those that are told to register do so.
    async fn beat_all(&mut self) {
        while let Some(Reverse((at, _))) = self.beats.peek() {
            if *at > self.now() {
                break;
            }
            let Some(Reverse((at, id))) = self.beats.pop() else {
                break;
            };
            if let Some(Renewal::Unknown | Renewal::Newer) = self.beat(&id, at) {
                self.registered_again += 1;
                self.register(self.clients[&id].info.clone()).await;
            }
        }
    }

    /// The heartbeat of a client that was due at `at`, unless it fell silent or was put off.
    fn beat(&mut self, id: &str, at: u64) -> Option<Renewal> {
        let now = self.node.node.http.clock.now();
        let jitter = self.rng.random_range(0..=self.jitter);
        let client = self.clients.get_mut(id)?;
        if client.silent || client.next_beat != at {
            return None;
        }
        client.last_beat = now.mono;
        client.next_beat = at + client.interval + jitter;
        self.beats.push(Reverse((client.next_beat, id.to_string())));
        let beat = Beat {
            extra: &Extra::NONE,
            app: &client.info.app,
            id,
            last_dirty: Some(client.info.last_dirty),
            override_status: None,
            origin: Origin::Client,
        };
        let published = &self.node.node.http.published;
        published.heard(now.mono);
        Some(published.renew(beat, now).expect("nothing visible changes"))
    }

    /// A metric without labels.
    pub fn metric(&self, name: &str) -> f64 {
        let page = self.node.node.http.metrics.render(&[]);
        let line = page
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
    }
}
