//! Random schedules, and an oracle that knows what must be there in the end.
//!
//! `EXPLORE=2000` says how many, `EXPLORE_FROM=7` the first seed. A schedule that fails is made shorter and printed as a
//! script: in a file of a folder `DIR`, `SEED=7 SCENARIOS=DIR TRACE=1 cargo test --test simulation scripts` plays it again.
//!
//! | file | has |
//! |---|---|
//! | `schedule.rs` | what clients and operators do, drawn from a seed |
//! | `faults.rs` | what goes wrong meanwhile |
//! | `run.rs` | plays it, and looks after every line |
//! | `book.rs` | what was acknowledged, and what may be the last word |
//! | `look.rs` | what a node holds and answers |
//! | `ways.rs` | whether anything is wrong just now |
//! | `shrink.rs` | the shortest schedule that fails alike |

mod book;
mod faults;
mod look;
mod run;
mod schedule;
mod shrink;
mod ways;

use std::env;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use run::{Failure, run};
use schedule::{LEAST_ACTIONS, LEAST_FAULTS, Schedule};

/// Schedules where nobody says how many.
const USUALLY: u64 = 200;
/// After so many that failed no others are played.
const ENOUGH: usize = 3;

#[test]
fn schedules_end_as_their_clients_say() {
    let first = number("EXPLORE_FROM", 0);
    let end = first + number("EXPLORE", USUALLY);
    let (next, failed) = (AtomicU64::new(first), AtomicUsize::new(0));
    let explore = || {
        let take = || {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            (seed < end && failed.load(Ordering::Relaxed) < ENOUGH).then_some(seed)
        };
        let tell = |seed| {
            let told = told(seed)?;
            failed.fetch_add(1, Ordering::Relaxed);
            Some(told)
        };
        std::iter::from_fn(take)
            .filter_map(tell)
            .collect::<Vec<_>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let explorers: Vec<_> = (0..threads).map(|_| scope.spawn(explore)).collect();
        let found = explorers
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        found.collect()
    });
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

#[test]
fn schedules_are_long_and_full_of_faults() {
    for seed in 0..200 {
        let schedule = Schedule::of(seed);
        assert!(schedule.actions >= LEAST_ACTIONS && schedule.faults >= LEAST_FAULTS);
    }
}

fn number(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap())
}

fn play(schedule: &Schedule) -> Result<(), Failure> {
    actix::System::new().block_on(run(schedule))
}

/// What is wrong with this schedule, and the script that shows it.
fn told(seed: u64) -> Option<String> {
    let schedule = Schedule::of(seed);
    let failure = play(&schedule).err()?;
    let (schedule, failure) = match env::var_os("EXPLORE_WHOLE") {
        Some(_) => (schedule, failure),
        None => shrink::shrink(schedule, failure, play),
    };
    let Failure { kind, why, line } = failure;
    let script = schedule.script();
    Some(format!(
        "explored seed {seed}, line {line}: {kind}: {why}\n\n# SEED={seed}\n{script}"
    ))
}
