//! What the registry costs without HTTP: heartbeats, a peer's batches, sweeps, an end of many leases at once.
//!
//!     cargo bench --bench registry
//!
//! Prints one line a figure, the best of several rounds; for comparing two builds in one sitting. Times are
//! this machine's.

#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "the registry's time is paused; what is measured is real"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix::{Actor, Addr};
use heureka::clock::{Clock, Moment};
use heureka::config::{Mode, RegistryConfig};
use heureka::journal::Journal;
use heureka::metrics::Metrics;
use heureka::model::{Extra, InstanceInfo, Origin, PeerItem, ReplicationItem};
use heureka::registry::{
    ApplyBatch, Beat, EvictExpired, Held, Judged, Published, Register, Registry, TakeOverdue,
    TakeSnapshot,
};

fn main() {
    actix::System::new().block_on(async {
        tokio::time::pause();
        let with_journal = World::with(10_000, true).await;
        with_journal.heartbeats(10_000);
        println!("both again without the journal, as all below");
        for leases in [10_000, 100_000, 1_000_000] {
            let world = World::with(leases, false).await;
            world.heartbeats(leases);
            world.batches(leases).await;
            world.sweep(leases).await;
            if leases == 10_000 {
                world.all_end_together(leases).await;
            }
        }
    });
}

struct World {
    clock: Clock,
    published: Arc<Published>,
    registry: Addr<Registry>,
}

fn instance(n: usize) -> InstanceInfo {
    let (app, host) = (format!("SERVICE-{}", n % 200), format!("host-{n}"));
    InstanceInfo {
        instance_id: Some(format!("{host}:service-{}:8080", n % 200).into()),
        last_dirty: 1,
        ..InstanceInfo::new(&app, &host, "10.0.0.1")
    }
}

impl World {
    async fn with(leases: usize, has_journal: bool) -> Self {
        let (clock, metrics) = (Clock::system(), Metrics::new().registry);
        let journal = has_journal.then(|| Journal::new(10_000, clock.clone()).start());
        let config = RegistryConfig::of(Mode::Modern);
        let published = Arc::new(Published::new(config, metrics.renewals.clone()));
        let listeners = journal.iter().map(|journal| journal.clone().recipient());
        let listeners = listeners.collect();
        let registry = Registry::new(clock.clone(), metrics, published.clone(), listeners);
        let registry = match journal {
            Some(journal) => registry.telling(journal.recipient()).start(),
            None => registry.start(),
        };
        let begin = Instant::now();
        for n in 0..leases {
            let register = Register {
                info: instance(n),
                by: Origin::Client.into(),
            };
            registry.send(register).await.unwrap().unwrap();
        }
        report(
            "register, by message",
            leases,
            begin.elapsed() / leases as u32,
        );
        Self {
            clock,
            published,
            registry,
        }
    }

    fn heartbeats(&self, leases: usize) {
        self.published.renewed.open();
        self.published.renewed.open();
        let apps: Vec<_> = (0..200).map(|n| format!("service-{n}")).collect();
        let ids: Vec<_> = (0..leases)
            .map(|n| format!("host-{n}:service-{}:8080", n % 200))
            .collect();
        let best = best_of(5, || {
            let begin = Instant::now();
            for (n, id) in ids.iter().enumerate() {
                self.beat(&apps[n % 200], id, self.clock.now());
            }
            begin.elapsed() / leases as u32
        });
        report("heartbeat, in step, two peers' slots", leases, best);
    }

    /// Batches of 250 from a peer of this kind: registrations of what is held, and heartbeats that go to the registry.
    async fn batches(&self, leases: usize) {
        let held = self.registry.send(TakeSnapshot).await.unwrap();
        let now = self.clock.now();
        let (mut registrations, mut beats) = (Vec::new(), Vec::new());
        for slice in held.chunks(250).take(20) {
            let item = |item: ReplicationItem, held: &Held| PeerItem {
                item,
                extra: held.extra(now),
            };
            let register = |held: &Arc<Held>| {
                let info = Box::new((*held.info).clone());
                item(ReplicationItem::Register(info), held)
            };
            let beat = |held: &Arc<Held>| {
                let beat = ReplicationItem::Heartbeat {
                    key: held.info.key(),
                    last_dirty: Some(1),
                    override_status: None,
                };
                item(beat, held)
            };
            for (kind, items) in [
                (&mut registrations, slice.iter().map(register).collect()),
                (&mut beats, slice.iter().map(beat).collect()),
            ] {
                let begin = Instant::now();
                let by = Origin::Peer.into();
                let batch = ApplyBatch { items, by };
                self.registry.send(batch).await.unwrap();
                kind.push(begin.elapsed());
            }
        }
        for (what, mut times) in [("registrations", registrations), ("heartbeats", beats)] {
            times.sort();
            let median = times[times.len() / 2];
            report(&format!("batch of 250 {what}, median"), leases, median);
            let longest = times[times.len() - 1];
            report(&format!("batch of 250 {what}, longest"), leases, longest);
        }
    }

    /// Sweeps as they are a second apart, while leases are renewed at all phases of half a minute.
    async fn sweep(&self, leases: usize) {
        let take = TakeOverdue {
            grace: 0,
            held_before: 0,
        };
        let held = self.registry.send(TakeSnapshot).await.unwrap();
        let mut times = Vec::new();
        for second in 0..90 {
            tokio::time::advance(Duration::from_secs(1)).await;
            for held in held.iter().skip(second % 30).step_by(30) {
                self.beat(&held.info.app, held.info.id(), self.clock.now());
            }
            let begin = Instant::now();
            let overdue = self.registry.send(take).await.unwrap();
            times.push(begin.elapsed());
            assert_eq!(overdue.total, leases);
        }
        let times = &mut times[30..];
        times.sort();
        report("sweep, all beating, median", leases, times[30]);
        report("sweep, all beating, longest", leases, times[59]);
    }

    fn beat(&self, app: &str, id: &str, now: Moment) {
        let beat = Beat {
            extra: &Extra::NONE,
            app,
            id,
            last_dirty: Some(1),
            override_status: None,
            origin: Origin::Client,
        };
        assert!(self.published.renew(beat, now).is_some());
    }

    /// All leases are taken for ended, and go in slices; what a request waits for is the longest slice.
    async fn all_end_together(&self, leases: usize) {
        let held = self.registry.send(TakeSnapshot).await.unwrap();
        let judged = held.into_iter().map(|held| Judged {
            word: held.lease.word(),
            held,
        });
        let judged: Vec<Judged> = judged.collect();
        let (begin, mut longest) = (Instant::now(), Duration::ZERO);
        let mut evicted = 0;
        for slice in judged.chunks(250) {
            let slice_begin = Instant::now();
            let leases = slice.to_vec();
            evicted += self.registry.send(EvictExpired { leases }).await.unwrap();
            longest = longest.max(slice_begin.elapsed());
        }
        assert_eq!(evicted, leases);
        report("all leases end together", leases, begin.elapsed());
        report("longest slice of that", 250, longest);
    }
}

fn best_of(rounds: usize, round: impl Fn() -> Duration) -> Duration {
    (0..rounds).map(|_| round()).min().unwrap()
}

fn report(what: &str, of: usize, time: Duration) {
    println!(
        "{what:<40} {of:>9} leases {:>12.3} µs",
        time.as_secs_f64() * 1e6
    );
}
