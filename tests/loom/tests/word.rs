//! Every interleaving of renewing threads with the registry's changes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use loom::sync::atomic::AtomicU64;
use loom::thread;

// The trait and its functions are private to the registry; the file is compiled here once more.
#[path = "../../../src/registry/word.rs"]
#[allow(dead_code)]
mod word;

use word::{Cell, FOREVER, State, Word};

struct LoomCell(AtomicU64);

impl Cell for LoomCell {
    fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    fn store(&self, word: u64, order: Ordering) {
        self.0.store(word, order);
    }

    fn compare_exchange(&self, from: u64, to: u64) -> Result<u64, u64> {
        self.0.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
    }
}

/// A live lease that ends at 90.
fn lease() -> (Arc<LoomCell>, u32) {
    let cell = Arc::new(LoomCell(AtomicU64::new(Word::live(FOREVER, 0).0)));
    let generation = word::begin(&*cell, 90);
    (cell, generation)
}

fn renewing(
    cell: &Arc<LoomCell>,
    generation: u32,
    deadline: u64,
) -> thread::JoinHandle<Result<(), State>> {
    let cell = cell.clone();
    thread::spawn(move || word::renew(&*cell, generation, deadline))
}

#[test]
fn two_renewals_both_count_and_the_later_deadline_stays() {
    loom::model(|| {
        let (cell, generation) = lease();
        let first = renewing(&cell, generation, 120);
        let second = renewing(&cell, generation, 121);
        assert_eq!(first.join().unwrap(), Ok(()));
        assert_eq!(second.join().unwrap(), Ok(()));
        assert_eq!(word::read(&*cell).deadline(), 121);
    });
}

#[test]
fn a_removed_lease_is_never_revived() {
    loom::model(|| {
        let (cell, generation) = lease();
        let renewal = renewing(&cell, generation, 120);
        let before = word::end(&*cell, State::Removed);
        let renewed = renewal.join().unwrap();
        assert_eq!(word::read(&*cell).state(), State::Removed);
        assert_eq!(word::read(&*cell).deadline(), FOREVER);
        // A renewal that was acknowledged happened before the end.
        assert_eq!(renewed.is_ok(), before.deadline() == 120);
        assert!(matches!(renewed, Ok(()) | Err(State::Removed)));
    });
}

#[test]
fn a_lease_that_was_judged_goes_only_if_nobody_renewed_it() {
    loom::model(|| {
        let (cell, generation) = lease();
        let judged = word::read(&*cell);
        let renewal = renewing(&cell, generation, 120);
        let evicted = word::end_if(&*cell, judged, State::Removed);
        let renewed = renewal.join().unwrap();
        assert_eq!(renewed.is_ok(), !evicted, "either the heartbeat or the sweep, never both");
    });
}

#[test]
fn a_renewal_decided_on_an_older_record_never_counts_for_a_newer_one() {
    loom::model(|| {
        let (cell, old) = lease();
        let renewal = renewing(&cell, old, 120);
        let new = word::begin_generation(&*cell);
        let at_change = word::read(&*cell).deadline();
        let renewed = renewal.join().unwrap();
        let after = word::read(&*cell);
        assert_eq!(after.generation(), new);
        assert_eq!(after.deadline(), at_change, "nothing of the old record came after the change");
        assert_eq!(renewed.is_ok(), after.deadline() == 120);
    });
}

#[test]
fn a_slot_that_is_used_again_is_not_touched_by_whoever_knew_the_lease_before() {
    loom::model(|| {
        let (cell, old) = lease();
        let renewal = renewing(&cell, old, 500);
        word::end(&*cell, State::Replaced);
        let new = word::begin(&*cell, 200);
        let renewed = renewal.join().unwrap();
        assert!(matches!(renewed, Ok(()) | Err(State::Replaced)));
        assert_eq!(word::read(&*cell), Word::live(200, new));
    });
}
