//! Renewals race with registrations, updates of metadata, cancels, peers' batches, evictions and reads, on real threads,
//! and an oracle says of each answer whether it may be so.
//!
//! Some instances are changed, each by one owner; anybody else renews, reads and drains all the while.
//!
//! | file | who |
//! |---|---|
//! | `world.rs` | the registry on a thread of its own, and what the oracle knows of each instance |
//! | `owner.rs` | changes its instances, one message after the other, as a client or by a peer's batch; evicts what it has judged |
//! | `others.rs` | renewers, readers, and a peer that drains its slot |
//! | `log.rs` | every event by its revision: what a look at the index may have shown |
//!
//! The owners' steps are counted and bound everything else. `STRESS_STEPS` sets how many.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

mod log;
mod others;
mod owner;
mod world;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use heureka::registry::TakeSnapshot;
use log::{Log, Look, TakeLog};
use others::Drained;
use owner::Owner;
use world::{Counts, INSTANCES, RESIDENTS, World};

const OWNERS: usize = 8;
const RENEWERS: u64 = 2;
const READERS: u64 = 2;

fn steps() -> usize {
    let steps = std::env::var("STRESS_STEPS");
    steps.map_or(4_000, |steps| steps.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_renewals_changes_evictions_and_reads_agree_with_an_oracle() {
    let world = Arc::new(World::start().await);
    let start = |seed: u64, work: fn(&World, u64) -> Counts| {
        let world = world.clone();
        thread::spawn(move || work(&world, seed))
    };
    let renewers: Vec<_> = (0..RENEWERS)
        .map(|seed| start(100 + seed, others::renew))
        .collect();
    let readers: Vec<_> = (0..READERS)
        .map(|seed| {
            let world = world.clone();
            thread::spawn(move || others::read(&world, 200 + seed))
        })
        .collect();
    let peer = {
        let world = world.clone();
        thread::spawn(move || others::drain(&world))
    };
    let owners: Vec<_> = (0..OWNERS)
        .map(|number| tokio::spawn(Owner::new(world.clone(), number, OWNERS).live(steps())))
        .collect();

    let mut counts = Counts::default();
    for owner in owners {
        // Whoever fails ends the others, or the test would wait for ever.
        let owned = owner.await;
        world.failed.fetch_or(owned.is_err(), SeqCst);
        counts.add(owned.unwrap());
    }
    world.over.store(true, SeqCst);
    let mut looks = Vec::new();
    renewers
        .into_iter()
        .for_each(|renewer| counts.add(renewer.join().unwrap()));
    for reader in readers {
        let (counted, looked) = reader.join().unwrap();
        counts.add(counted);
        looks.extend(looked);
    }
    let drained = peer.join().unwrap();

    world.check_renewals(&counts);
    check_end(&world, &drained).await;
    check_looks(&world.log.send(TakeLog).await.unwrap(), &looks, &mut counts);
    println!(
        "{counts:?}, drained {}, put back {}",
        drained.taken, drained.put_back
    );
    counts.check_everything_happened(&drained);
}

/// What is held at the end is what the owners left there, and the peer was told of what was renewed last.
async fn check_end(world: &World, drained: &Drained) {
    let snapshot = world.registry.send(TakeSnapshot).await.unwrap();
    let held: HashMap<_, _> = snapshot
        .iter()
        .map(|held| (held.info.id().to_string(), held))
        .collect();
    let present = world.instances.iter().filter(|one| one.is_present());
    let present = present.count();
    assert_eq!(held.len(), RESIDENTS + present);
    assert_eq!(world.published.index.len(), RESIDENTS + present);
    for number in 0..INSTANCES {
        let one = &world.instances[number];
        let Some(held) = held.get(&one.id).filter(|_| one.is_present()) else {
            assert!(!held.contains_key(&one.id), "{} is held still", one.id);
            continue;
        };
        let shown = world::shown(&held.info);
        assert_eq!(shown, one.shown.load(SeqCst), "{}", one.id);
        world.check_deadline(number, held.lease.deadline());
        let renewed = world::renewal_of(held.lease.deadline());
        let told = drained.newest.get(&(number, shown)).copied();
        assert_eq!(told, renewed, "the peer was told of {}", one.id);
    }
    for (id, resident) in held.iter().filter(|(id, _)| id.starts_with("resident")) {
        let renewed = world::renewal_of(resident.lease.deadline());
        assert_eq!(renewed, None, "nobody renewed {id}");
    }
}

/// Each look at the index at some revision showed what the log has there, or what was just coming.
fn check_looks(log: &Log, looks: &[Look], counts: &mut Counts) {
    log.check_itself();
    for look in looks {
        log.check(look);
        counts.looks += 1;
    }
}
