//! Who renews, reads and drains while owners change: each until the owners are done.

use std::collections::HashMap;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use heureka::registry::Renewal;

use crate::log::Look;
use crate::world::{
    ABSENT, Counts, INSTANCES, Random, World, is_present, is_stable, number_of, renewal_of, shown,
};

/// Looks that one reader keeps for the comparison with the log.
const LOOKS: usize = 200_000;
/// After how many turns a thread lets others go first.
const TURNS: usize = 16;

fn until_over(world: &World, mut turn: impl FnMut()) {
    while !world.over.load(SeqCst) && !world.failed.load(SeqCst) {
        (0..TURNS).for_each(|_| turn());
        thread::yield_now();
    }
}

/// Renews whatever there is.
pub fn renew(world: &World, seed: u64) -> Counts {
    let (mut random, mut counts) = (Random::new(seed), Counts::default());
    until_over(world, || {
        renew_one(world, random.below(INSTANCES), &mut counts);
    });
    counts
}

fn renew_one(world: &World, number: usize, counts: &mut Counts) {
    let known = &world.instances[number];
    let before = known.version.load(SeqCst);
    known.begun.fetch_add(1, SeqCst);
    let now = world.moment(number);
    let renewal = world.published.renew(world.beat(number), now);
    let acked = matches!(renewal, Some(Renewal::InStep));
    let ended = if acked { &known.acked } else { &known.lost };
    ended.fetch_add(1, SeqCst);
    let stable = is_stable(before) && known.version.load(SeqCst) == before;
    match (&renewal, stable) {
        (Some(Renewal::InStep), true) => {
            assert!(is_present(before), "{} renewed after its end", known.id);
            known.note_latest(before, now.mono);
            counts.in_step += 1;
        }
        (Some(Renewal::Unknown), true) => {
            assert!(!is_present(before), "{} is there and unknown", known.id);
            counts.unknown += 1;
        }
        (other, true) => panic!("{}: nobody changes it, but {other:?}", known.id),
        (Some(Renewal::InStep), false) => counts.in_step_unsure += 1,
        (Some(Renewal::Unknown), false) => {}
        (None, false) => counts.asked += 1,
        (other, false) => panic!("{}: no beat had a stamp, but {other:?}", known.id),
    }
}

/// Looks at the index, at deadlines and at the revision.
pub fn read(world: &World, seed: u64) -> (Counts, Vec<Look>) {
    let (mut random, mut counts) = (Random::new(seed), Counts::default());
    let (mut looks, mut newest) = (Vec::new(), [0; INSTANCES]);
    until_over(world, || {
        let number = random.below(INSTANCES);
        let look = read_one(world, number, &mut counts);
        if look.saw != ABSENT {
            let went_back = look.saw < newest[number];
            assert!(!went_back, "{look:?}, after {}", newest[number]);
            newest[number] = look.saw;
        }
        if looks.len() < LOOKS {
            looks.push(look);
        }
    });
    (counts, looks)
}

fn read_one(world: &World, number: usize, counts: &mut Counts) -> Look {
    let known = &world.instances[number];
    let version = known.version.load(SeqCst);
    let latest = known.latest(version);
    let before = world.published.revision();
    let held = world.published.index.get(&known.key());
    let after = world.published.revision();
    assert!(after >= before, "the revision went back");
    let saw = held.as_ref().map_or(ABSENT, |held| shown(&held.info));
    let deadline = held.as_ref().map(|held| held.lease.deadline());
    let expected = known.shown.load(SeqCst);
    if is_stable(version) && known.version.load(SeqCst) == version {
        assert_eq!(saw, expected, "{} was acknowledged", known.id);
        match deadline {
            Some(deadline) => {
                world.check_deadline(number, deadline);
                let renewed = renewal_of(deadline);
                assert!(renewed >= latest, "{}: {renewed:?} < {latest:?}", known.id);
                counts.seen_present += 1;
            }
            None => counts.seen_absent += 1,
        }
    }
    Look {
        number,
        before,
        after,
        saw,
    }
}

/// What a peer was told.
#[derive(Default)]
pub struct Drained {
    /// The latest renewal of each record, when it was drained.
    pub newest: HashMap<(usize, u64), u64>,
    pub taken: u64,
    pub put_back: u64,
}

/// Drains the peer's slot in batches; sometimes the peer cannot be told.
pub fn drain(world: &World) -> Drained {
    let (mut random, mut drained) = (Random::new(300), Drained::default());
    until_over(world, || {
        drain_batch(world, &mut random, &mut drained);
    });
    // Whoever comes first may have found the slot empty while the last renewals were noted.
    while drain_batch(world, &mut random, &mut drained) > 0 {}
    drained
}

fn drain_batch(world: &World, random: &mut Random, drained: &mut Drained) -> usize {
    let batch = world.published.renewed.drain(0, 8);
    for held in &batch {
        if random.below(16) == 0 {
            world.published.renewed.put_back(0, held);
            drained.put_back += 1;
            continue;
        }
        let number = number_of(&held.info).expect("residents are not renewed");
        drained.taken += 1;
        if let Some(renewed) = renewal_of(held.lease.deadline()) {
            let newest = drained.newest.entry((number, shown(&held.info)));
            let newest = newest.or_default();
            *newest = renewed.max(*newest);
        }
    }
    batch.len()
}
