//! Changes instances that nobody else changes, one message after the other.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use heureka::model::{Extra, InstanceInfo, Origin, PeerItem, ReplicationItem as Item};
use heureka::registry::{ApplyBatch, Cancel, EvictExpired, Judged, Register, UpdateMetadata};

use crate::world::{ABSENT, Counts, INSTANCES, Known, Random, World, record};

/// How long an owner waits for a renewal between its look at a lease and the eviction, in turns.
const PATIENCE: usize = 2_000;

/// One owner and what it keeps.
pub struct Owner {
    world: Arc<World>,
    /// Its instances' numbers.
    own: Vec<usize>,
    random: Random,
    /// Registrations and updates so far.
    changes: u64,
    /// A judgement of long ago, by instance.
    outdated: Vec<Option<Judged>>,
    counts: Counts,
}

/// What an owner saw when it judged a lease.
struct Verdict {
    judged: Judged,
    /// Renewals that may have been there already, at most.
    acked_by_then: u64,
    /// Renewals begun by then, if all of them had ended.
    quiet: Option<u64>,
}

impl Owner {
    pub fn new(world: Arc<World>, number: usize, owners: usize) -> Self {
        Self {
            world,
            own: (number..INSTANCES).step_by(owners).collect(),
            random: Random::new(number as u64),
            changes: 0,
            outdated: vec![None; INSTANCES],
            counts: Counts::default(),
        }
    }

    pub async fn live(mut self, steps: usize) -> Counts {
        for _ in 0..steps {
            let own = self.random.below(self.own.len());
            let number = self.own[own];
            if !self.world.instances[number].is_present() {
                self.register(number).await;
                continue;
            }
            match self.random.below(9) {
                0 | 1 => self.register(number).await,
                2 => self.update(number).await,
                3 => self.cancel(number).await,
                4 => self.replace_by_peer(number).await,
                5 => self.evict_outdated(number).await,
                _ => self.evict(number).await,
            }
        }
        self.counts
    }

    fn known(&self, number: usize) -> &Known {
        &self.world.instances[number]
    }

    fn begin(&self, number: usize) {
        self.known(number).version.fetch_add(1, SeqCst);
    }

    /// The next record of an instance, whose registration begins.
    fn next_record(&mut self, number: usize) -> (u64, InstanceInfo) {
        self.keep_judgement(number);
        self.changes += 1;
        self.begin(number);
        let known = self.known(number);
        let info = record(&known.app, &known.id, self.changes);
        (self.changes, info)
    }

    /// The change is acknowledged: from now on everybody must see it.
    fn settle(&mut self, number: usize, shown: u64) {
        let known = self.known(number);
        known.shown.store(shown, SeqCst);
        let next = (known.version.load(SeqCst) | 3) + 1;
        let present = 2 * u64::from(shown != ABSENT);
        known.version.store(next + present, SeqCst);
    }

    async fn register(&mut self, number: usize) {
        let (n, info) = self.next_record(number);
        if self.random.below(2) == 0 {
            let answers = self.send_batch(vec![Item::Register(Box::new(info))]).await;
            assert_eq!(answers, [200]);
            self.counts.registered_by_peer += 1;
        } else {
            let by = Origin::Client.into();
            let register = Register { info, by };
            self.world.registry.send(register).await.unwrap().unwrap();
        }
        self.settle(number, n << 32);
        self.counts.registered += 1;
    }

    async fn update(&mut self, number: usize) {
        self.keep_judgement(number);
        self.changes += 1;
        let m = self.changes;
        let shown = self.known(number).shown.load(SeqCst);
        self.begin(number);
        let update = UpdateMetadata {
            key: self.known(number).key(),
            pairs: vec![("m".into(), m.to_string().into())],
            by: Origin::Client.into(),
        };
        let updated = self.world.registry.send(update).await.unwrap();
        assert_eq!(updated, Ok(()));
        self.settle(number, shown >> 32 << 32 | m);
        self.counts.updated += 1;
    }

    async fn cancel(&mut self, number: usize) {
        self.keep_judgement(number);
        self.begin(number);
        let key = self.known(number).key();
        if self.random.below(2) == 0 {
            let answers = self.send_batch(vec![Item::Cancel(key)]).await;
            assert_eq!(answers, [200]);
            self.counts.cancelled_by_peer += 1;
        } else {
            let by = Origin::Client.into();
            let cancelled = self.world.registry.send(Cancel { key, by }).await.unwrap();
            assert_eq!(cancelled, Ok(()));
        }
        self.settle(number, ABSENT);
        self.counts.cancelled += 1;
    }

    /// A peer's batch takes it away and brings it back, and asks for what is not there in between: nobody may see it gone
    /// after that, nor a lease of the one before it renewed.
    async fn replace_by_peer(&mut self, number: usize) {
        let (n, info) = self.next_record(number);
        let known = self.known(number);
        let beat = Item::Heartbeat {
            key: known.key(),
            last_dirty: Some(n),
            override_status: None,
        };
        let items = vec![
            Item::Cancel(known.key()),
            beat,
            Item::Cancel(known.key()),
            Item::Register(Box::new(info)),
        ];
        let answers = self.send_batch(items).await;
        assert_eq!(answers, [200, 404, 404, 200]);
        self.settle(number, n << 32);
        self.counts.replaced_by_peer += 1;
    }

    /// Sends a batch as a peer does; the answers' codes.
    async fn send_batch(&self, items: Vec<Item>) -> Vec<u16> {
        let plain = |item| PeerItem {
            item,
            extra: Extra::NONE,
        };
        let batch = ApplyBatch {
            items: items.into_iter().map(plain).collect(),
            by: Origin::Peer.into(),
        };
        let answers = self.world.registry.send(batch).await.unwrap();
        answers.iter().map(|answer| answer.status_code()).collect()
    }

    fn judge(&self, number: usize) -> Option<Verdict> {
        let known = self.known(number);
        // Read in this order, each number errs to the safe side.
        let ended = known.acked.load(SeqCst) + known.lost.load(SeqCst);
        let begun = known.begun.load(SeqCst);
        let held = self.world.published.index.get(&known.key())?;
        let word = held.lease.word();
        let lost = known.lost.load(SeqCst);
        Some(Verdict {
            judged: Judged { held, word },
            acked_by_then: known.begun.load(SeqCst) - lost,
            quiet: (ended == begun).then_some(begun),
        })
    }

    fn keep_judgement(&mut self, number: usize) {
        if let Some(verdict) = self.judge(number) {
            self.outdated[number] = Some(verdict.judged);
        }
    }

    /// Judges, sometimes waits for a renewal, and evicts: that must fail after a renewal, and must not fail
    /// without one.
    async fn evict(&mut self, number: usize) {
        let verdict = self.judge(number).expect("it is held");
        if self.random.below(2) == 0 {
            self.wait_for_renewal(number, verdict.acked_by_then).await;
        }
        let known = self.known(number);
        let version = known.version.load(SeqCst);
        let renewed = known.acked.load(SeqCst) > verdict.acked_by_then;
        self.begin(number);
        let gone = self.send_eviction(verdict.judged).await;
        let known = self.known(number);
        if gone {
            assert!(!renewed, "{} was renewed, and evicted", known.id);
            self.settle(number, ABSENT);
            self.counts.evicted += 1;
            return;
        }
        let begun = known.begun.load(SeqCst);
        let quiet = verdict.quiet == Some(begun);
        assert!(!quiet, "{} stayed, though nobody renewed it", known.id);
        self.settle_as_before(number, version);
        self.counts.refused_renewed += u64::from(renewed);
    }

    /// A judgement of a record that was replaced since is worth nothing.
    async fn evict_outdated(&mut self, number: usize) {
        let Some(judged) = self.outdated[number].take() else {
            return;
        };
        let version = self.known(number).version.load(SeqCst);
        self.begin(number);
        let gone = self.send_eviction(judged).await;
        assert!(!gone, "evicted for what it was: {}", self.known(number).id);
        self.settle_as_before(number, version);
        self.counts.refused_replaced += 1;
    }

    /// Nothing was changed, so the renewals up to here still count.
    fn settle_as_before(&mut self, number: usize, before: u64) {
        let shown = self.known(number).shown.load(SeqCst);
        let latest = self.known(number).latest(before);
        self.settle(number, shown);
        let known = self.known(number);
        if let Some(moment) = latest {
            known.note_latest(known.version.load(SeqCst), moment);
        }
    }

    async fn send_eviction(&self, judged: Judged) -> bool {
        let leases = vec![judged];
        let evict = EvictExpired { leases };
        self.world.registry.send(evict).await.unwrap() == 1
    }

    async fn wait_for_renewal(&self, number: usize, acked_by_then: u64) {
        for _ in 0..PATIENCE {
            if self.known(number).acked.load(SeqCst) > acked_by_then {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}
