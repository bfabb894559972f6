//! The registry on a thread of its own, and what the oracle knows of each instance.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;

use actix::{Actor, Addr};
use heureka::clock::{Clock, Moment};
use heureka::config::{Mode, RegistryConfig};
use heureka::metrics::Metrics;
use heureka::model::{Extra, InstanceInfo, InstanceKey, Origin};
use heureka::registry::{Beat, Published, Register, Registry};

use crate::log::Log;
use crate::others::Drained;

/// Instances that are changed and renewed.
pub const INSTANCES: usize = 16;
/// Instances that nobody touches. They leave few of the first 1024 places for leases free, so that a place
/// is used again soon after its lease has ended.
pub const RESIDENTS: usize = 1_024 - INSTANCES - 1;
/// What is to be seen of an instance that is not held.
pub const ABSENT: u64 = u64::MAX;

/// A lease's duration in milliseconds.
const DURATION: u64 = 90_000;
/// No clock of this test comes here by itself: what is later than this is a renewal's moment.
const FIRST_RENEWAL: u64 = 1_000_000;

/// What the oracle knows of an instance.
#[derive(Debug)]
pub struct Known {
    pub app: String,
    pub id: String,
    /// Odd while its owner changes it; absent at multiples of four, present at the even numbers between.
    pub version: AtomicU64,
    /// The numbers of its registration and of its update of metadata.
    pub shown: AtomicU64,
    /// Renewals that were begun, acknowledged, and answered in another way.
    pub begun: AtomicU64,
    pub acked: AtomicU64,
    pub lost: AtomicU64,
    /// The version at which the latest renewal was acknowledged for certain, and its moment.
    latest: AtomicU64,
}

impl Known {
    fn new(number: usize) -> Self {
        Self {
            app: format!("APP-{}", number % 4),
            id: format!("i{number}"),
            version: AtomicU64::new(0),
            shown: AtomicU64::new(ABSENT),
            begun: AtomicU64::new(0),
            acked: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            latest: AtomicU64::new(0),
        }
    }

    pub fn key(&self) -> InstanceKey {
        InstanceKey::new(&self.app, &self.id)
    }

    pub fn is_present(&self) -> bool {
        is_present(self.version.load(SeqCst))
    }

    /// A renewal was acknowledged while nothing changed from `version` on.
    pub fn note_latest(&self, version: u64, moment: u64) {
        assert!(moment < 1 << 32 && version < 1 << 32);
        self.latest.fetch_max(version << 32 | moment, SeqCst);
    }

    /// The latest renewal that counts at `version`.
    pub fn latest(&self, version: u64) -> Option<u64> {
        let latest = self.latest.load(SeqCst);
        (latest >> 32 == version).then_some(latest & 0xffff_ffff)
    }
}

pub fn is_stable(version: u64) -> bool {
    version.is_multiple_of(2)
}

pub fn is_present(version: u64) -> bool {
    version % 4 == 2
}

/// Everything that the threads share.
pub struct World {
    pub registry: Addr<Registry>,
    pub published: Arc<Published>,
    pub log: Addr<Log>,
    pub instances: Vec<Known>,
    /// Moments handed out so far.
    moments: AtomicU64,
    pub over: AtomicBool,
    pub failed: AtomicBool,
}

impl World {
    pub async fn start() -> Self {
        let metrics = Metrics::new().registry;
        let config = RegistryConfig::of(Mode::Modern);
        let published = Arc::new(Published::new(config, metrics.renewals.clone()));
        assert_eq!(published.renewed.open(), Some(0));
        let (ready, started) = tokio::sync::oneshot::channel();
        let shown = published.clone();
        thread::spawn(move || {
            let system = actix::System::new();
            system.block_on(async move {
                let log = Log::new().start();
                let listeners = vec![log.clone().recipient()];
                let registry = Registry::new(Clock::system(), metrics, shown, listeners).start();
                assert!(ready.send((registry, log)).is_ok());
            });
            system.run()
        });
        let (registry, log) = started.await.unwrap();
        for n in 0..RESIDENTS {
            let info = record("RESIDENTS", &format!("resident-{n}"), 1);
            let origin = Origin::Client;
            registry
                .send(Register {
                    info,
                    by: origin.into(),
                })
                .await
                .unwrap()
                .unwrap();
        }
        Self {
            registry,
            published,
            log,
            instances: (0..INSTANCES).map(Known::new).collect(),
            moments: AtomicU64::new(0),
            over: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        }
    }

    /// A moment later than any before; it says whose renewal it is for.
    pub fn moment(&self, number: usize) -> Moment {
        let n = self.moments.fetch_add(1, SeqCst);
        let mono = FIRST_RENEWAL + n * INSTANCES as u64 + number as u64;
        Moment { mono, wall: mono }
    }

    pub fn beat(&self, number: usize) -> Beat<'_> {
        Beat {
            extra: &Extra::NONE,
            app: &self.instances[number].app,
            id: &self.instances[number].id,
            last_dirty: None,
            override_status: None,
            origin: Origin::Client,
        }
    }

    /// A lease ends 90 s after its registration, or after a renewal of this very instance.
    pub fn check_deadline(&self, number: usize, deadline: u64) {
        let Some(renewed) = renewal_of(deadline) else {
            return;
        };
        let n = (renewed - FIRST_RENEWAL) / INSTANCES as u64;
        let whose = (renewed - FIRST_RENEWAL) as usize % INSTANCES;
        assert_eq!(whose, number, "a renewal stretched another lease");
        assert!(n < self.moments.load(SeqCst), "{n} never was");
    }

    /// The counter has every renewal that was acknowledged, and no other.
    pub fn check_renewals(&self, counts: &Counts) {
        let acked: u64 = self
            .instances
            .iter()
            .map(|one| one.acked.load(SeqCst))
            .sum();
        assert_eq!(self.published.renewals(), acked);
        assert_eq!(counts.in_step + counts.in_step_unsure, acked);
    }
}

/// The renewal from which a lease counts; `None` if it counts from its registration.
pub fn renewal_of(deadline: u64) -> Option<u64> {
    (deadline >= FIRST_RENEWAL).then(|| deadline - DURATION)
}

/// What is to be seen of a record: the number of its registration, and of its metadata.
pub fn shown(info: &InstanceInfo) -> u64 {
    let m = info.metadata.get("m").map_or(0, |m| m.parse().unwrap());
    assert!(info.last_dirty < 1 << 31 && m < 1 << 32);
    info.last_dirty << 32 | m
}

/// Which instance it is, if it is not a resident.
pub fn number_of(info: &InstanceInfo) -> Option<usize> {
    info.id().strip_prefix('i')?.parse().ok()
}

pub fn record(app: &str, id: &str, n: u64) -> InstanceInfo {
    InstanceInfo {
        instance_id: Some(id.into()),
        last_dirty: n,
        ..InstanceInfo::new(app, id, "10.0.0.1")
    }
}

/// A stream of numbers that is the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed + 1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

macro_rules! counts {
    ($($(#[$what:meta])* $name:ident,)*) => {
        /// How often each kind of outcome occurred.
        #[derive(Debug, Default)]
        pub struct Counts { $($(#[$what])* pub $name: u64,)* }

        impl Counts {
            pub fn add(&mut self, other: Self) { $(self.$name += other.$name;)* }

            /// An oracle that was never asked has not said yes.
            pub fn check_everything_happened(&self, drained: &Drained) {
                $(assert!(self.$name > 0, concat!(stringify!($name), " never occurred: {:?}"), self);)*
                assert!(drained.taken > 0 && drained.put_back > 0, "nothing was drained");
            }
        }
    };
}

counts! {
    /// Renewals acknowledged while the instance was there and stable.
    in_step,
    /// The same, while it was being changed.
    in_step_unsure,
    /// Renewals answered "unknown" while it was absent and stable.
    unknown,
    /// Renewals that the registry had to decide.
    asked,
    registered,
    registered_by_peer,
    /// Taken away and brought back by one batch of a peer.
    replaced_by_peer,
    updated,
    cancelled,
    cancelled_by_peer,
    /// Evictions of a lease that nobody renewed in between.
    evicted,
    /// Evictions refused because of a renewal since the look.
    refused_renewed,
    /// Evictions refused because the record that was judged is another one by now.
    refused_replaced,
    /// Reads of a stable instance that was there, and of one that was not.
    seen_present,
    seen_absent,
    /// Looks compared with the log.
    looks,
}
