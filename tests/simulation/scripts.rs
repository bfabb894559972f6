//! Plays every script of `tests/scenarios`.
//!
//! `SCRIPT=override` plays those whose name has that word, `SCENARIOS=DIR` those of another folder; `SEEDS=50` plays each so
//! often, with other chances, the first of which is `SEED=7`. `TRACE=1` shows all calls of those that fail, `TIMES=1` how long each takes, and
//! `UPDATE_SCENARIOS=1` writes what really happened into the scripts, for review.

use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::Instant;

use crate::script::{Played, play};

const SCENARIOS: &str = "tests/scenarios";

#[test]
fn every_script_answers_as_written() {
    let (scripts, next) = (scripts(), AtomicUsize::new(0));
    // Each world has one thread, and there are as many worlds at once as the machine carries.
    let play_some = || {
        let take = || scripts.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(take)
            .filter_map(|path| failure(path))
            .collect::<Vec<_>>()
    };
    let mut failures = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let players: Vec<_> = (0..threads).map(|_| scope.spawn(play_some)).collect();
        let played = players
            .into_iter()
            .flat_map(|player| player.join().unwrap());
        played.collect::<Vec<String>>()
    });
    failures.sort();
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

#[test]
fn a_mistake_in_a_script_is_named_with_its_line() {
    for (script, line, why) in [
        ("cluster n1\nn1 boil A/i1 -> 200", 2, "unknown: boil"),
        ("cluster n1\n\nn1 list", 3, "no answer is written; got none"),
        (
            "cluster n1\nwait 5s -> 200",
            2,
            "this command has no answer",
        ),
        (
            "cluster n1\nn1 list -> A/i1 UP",
            2,
            "expected A/i1 UP\n     got none",
        ),
        (
            "cluster n1\nn1 beat A/i1 twice -> 404",
            2,
            "unknown words: twice",
        ),
        ("cluster n1\ncut n1 n2", 2, "no node n2"),
        ("wait 5", 1, "no time: 5"),
    ] {
        let played = in_a_world_of_its_own(script, 0);
        assert_eq!(played.failure, Some((line, why.to_string())), "{script}");
    }
}

fn scripts() -> Vec<PathBuf> {
    let wanted = env::var("SCRIPT").unwrap_or_default();
    let folder = env::var("SCENARIOS").unwrap_or(SCENARIOS.to_string());
    let entries = fs::read_dir(folder).unwrap();
    let mut scripts: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.to_string_lossy().contains(&wanted));
    scripts.sort();
    scripts
}

fn failure(path: &Path) -> Option<String> {
    let script = fs::read_to_string(path).unwrap();
    let began = Instant::now();
    let failure = seeds().find_map(|seed| play_with(seed, &script, path));
    if env::var_os("TIMES").is_some() {
        eprintln!("{:>6} ms {}", began.elapsed().as_millis(), path.display());
    }
    failure
}

/// The first one, or so many of them.
fn seeds() -> Range<u64> {
    let number = |name, usual| env::var(name).map_or(usual, |text| text.parse().unwrap());
    let first = number("SEED", 0);
    first..first + number("SEEDS", 1)
}

fn play_with(seed: u64, script: &str, path: &Path) -> Option<String> {
    let played = in_a_world_of_its_own(script, seed);
    if env::var_os("UPDATE_SCENARIOS").is_some() {
        fs::write(path, &played.text).unwrap();
    }
    let (line, why) = played.failure?;
    if env::var_os("TRACE").is_some() {
        eprintln!("{}\n{}", path.display(), played.calls.join("\n"));
    }
    Some(format!("{}:{line}: {why} (seed {seed})", path.display()))
}

/// A node's timers live as long as its system, so each script gets one.
fn in_a_world_of_its_own(script: &str, seed: u64) -> Played {
    actix::System::new().block_on(play(script, seed))
}
