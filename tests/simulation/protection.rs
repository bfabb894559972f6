//! Self-preservation by silence: never empty a registry because the network failed, never keep the dead
//! because the registry is small.

use std::time::Duration;

use heureka::config::{Config, Mode};
use rand::RngExt;

use crate::fleet::{Fleet, each_seed};

const SEEDS: u64 = 100;
/// A lease of the usual terms.
const LEASE: u64 = 90_000;
/// A sweep looks once a second.
const SWEEP: u64 = 1_000;
const HOLD_MAX: u64 = 600_000;

fn modern() -> Config {
    Config::of(Mode::Modern)
}

/// The same with a shorter hold, so that large fleets need not beat for so long.
fn modern_with_hold(millis: u64) -> Config {
    let mut config = modern();
    config.preservation.hold_max = Duration::from_millis(millis);
    config
}

fn minutes(n: u64) -> Duration {
    Duration::from_secs(60 * n)
}

#[test]
fn one_dead_of_a_few_goes_at_the_end_of_its_lease() {
    for count in [1, 2, 3, 9] {
        each_seed(SEEDS, |seed| async move {
            let mut fleet = Fleet::settled(modern(), seed, count).await;
            let pause = fleet.rng.random_range(0..60_000);
            fleet.run(Duration::from_millis(pause)).await;
            fleet.silence("i-0");
            let end = fleet.last_beat("i-0") + LEASE;
            fleet.run_until(end).await;
            assert!(fleet.lists("i-0").await, "not before its end");
            fleet.run_until(end + SWEEP + 1).await;
            assert!(!fleet.lists("i-0").await, "{count} instances");
            assert_eq!(fleet.listed().await.len(), count - 1);
            assert_eq!(fleet.metric("eureka_self_preservation_active"), 0.0);
        });
    }
}

/// Runs while a reader, and nobody else, is heard every 30 s.
async fn run_with_a_reader(fleet: &mut Fleet, until: u64) {
    while fleet.now() < until {
        fleet.hear();
        let next = (fleet.now() + 30_000).min(until);
        fleet.run_until(next).await;
    }
}

#[test]
fn all_dead_of_two_or_three_stay_for_hold_max_while_somebody_is_heard() {
    for count in [2, 3] {
        each_seed(SEEDS, |seed| async move {
            let mut fleet = Fleet::settled(modern(), seed, count).await;
            fleet.silence_all();
            let ids: Vec<String> = (0..count).map(|n| format!("i-{n}")).collect();
            let ends: Vec<u64> = ids.iter().map(|id| fleet.last_beat(id) + LEASE).collect();
            let first = *ends.iter().min().unwrap();
            let last = *ends.iter().max().unwrap();
            run_with_a_reader(&mut fleet, last + 2 * SWEEP).await;
            assert_eq!(fleet.metric("eureka_leases_held"), count as f64);
            assert_eq!(fleet.metric("eureka_self_preservation_active"), 1.0);
            run_with_a_reader(&mut fleet, first + HOLD_MAX).await;
            assert_eq!(fleet.listed().await.len(), count, "nobody goes before that");
            run_with_a_reader(&mut fleet, last + HOLD_MAX + 12 * SWEEP).await;
            assert_eq!(fleet.listed().await.len(), 0);
            // The figure is renewed by the next quiet sweep.
            fleet.run(Duration::from_secs(11)).await;
            assert_eq!(fleet.metric("eureka_leases_held"), 0.0);
        });
    }
}

#[test]
fn a_node_that_hears_nobody_keeps_everybody_and_all_are_well_when_they_beat_again() {
    for (count, seeds) in [(20, SEEDS), (1000, SEEDS)] {
        each_seed(seeds, |seed| async move {
            let mut fleet = Fleet::settled(modern(), seed, count).await;
            fleet.silence_all();
            fleet.run(minutes(15)).await;
            assert_eq!(fleet.listed().await.len(), count);
            assert_eq!(fleet.metric("eureka_leases_held"), count as f64);
            fleet.wake_all();
            fleet.run(minutes(2)).await;
            assert_eq!(fleet.listed().await.len(), count);
            assert_eq!(fleet.registered_again, 0, "nobody was told to register");
            assert_eq!(fleet.metric("eureka_leases_held"), 0.0);
            assert_eq!(fleet.metric("eureka_self_preservation_active"), 0.0);
            assert_eq!(
                fleet.metric("eureka_evictions_total{reason=\"expired\"}"),
                0.0
            );
        });
    }
}

#[test]
fn half_a_fleet_is_held_and_goes_after_hold_max() {
    const HOLD: u64 = 120_000;
    each_seed(SEEDS, |seed| async move {
        let mut fleet = Fleet::settled(modern_with_hold(HOLD), seed, 1000).await;
        for n in 0..500 {
            fleet.silence(&format!("i-{n}"));
        }
        let begin = fleet.now();
        fleet.run_until(begin + LEASE + HOLD - 30_000).await;
        assert_eq!(fleet.listed().await.len(), 1000);
        assert_eq!(fleet.metric("eureka_leases_held"), 500.0);
        fleet.run_until(begin + LEASE + HOLD + 3 * SWEEP).await;
        assert_eq!(fleet.listed().await.len(), 500);
        assert_eq!(fleet.registered_again, 0);
    });
}

#[test]
fn one_newcomer_during_a_failure_excuses_one_instance_and_not_the_fleet() {
    each_seed(SEEDS, |seed| async move {
        let mut fleet = Fleet::settled(modern(), seed, 20).await;
        fleet.silence_all();
        fleet.run(Duration::from_secs(60)).await;
        fleet.add("A", "new", 30, 90).await;
        fleet.run(minutes(5)).await;
        assert_eq!(fleet.listed().await.len(), 21);
        assert_eq!(fleet.metric("eureka_leases_silent"), 19.0);
    });
}

#[test]
fn a_rolling_replacement_is_no_reason_to_keep_the_old_ones() {
    each_seed(SEEDS, |seed| async move {
        let mut fleet = Fleet::settled(modern(), seed, 20).await;
        let mut ends = Vec::new();
        for n in 0..20 {
            fleet.add("A", &format!("new-{n}"), 30, 90).await;
            let pause = fleet.rng.random_range(10_000..40_000);
            fleet.run(Duration::from_millis(pause)).await;
            let old = format!("i-{n}");
            fleet.silence(&old);
            ends.push((fleet.last_beat(&old) + LEASE, old));
            for (end, old) in &ends {
                let due = *end + SWEEP < fleet.now();
                assert!(!due || !fleet.lists(old).await, "{old} was kept");
            }
        }
        fleet.run(minutes(2)).await;
        assert_eq!(fleet.listed().await.len(), 20);
        assert_eq!(fleet.metric("eureka_self_preservation_active"), 0.0);
    });
}

#[test]
fn scaling_in_by_cancels_never_starts_the_protection() {
    each_seed(SEEDS, |seed| async move {
        let mut fleet = Fleet::settled(modern(), seed, 50).await;
        for n in 0..20 {
            fleet.cancel(&format!("i-{n}")).await;
            let pause = fleet.rng.random_range(0..3_000);
            fleet.run(Duration::from_millis(pause)).await;
            assert_eq!(fleet.metric("eureka_self_preservation_active"), 0.0);
        }
        fleet.silence("i-40");
        fleet
            .run_until(fleet.last_beat("i-40") + LEASE + SWEEP + 1)
            .await;
        assert_eq!(fleet.listed().await.len(), 29);
        assert_eq!(fleet.metric("eureka_self_preservation_active"), 0.0);
    });
}

#[test]
fn clients_whose_lease_is_as_short_as_their_interval_do_not_flap() {
    each_seed(SEEDS, |seed| async move {
        let mut fleet = Fleet::new(modern(), seed);
        fleet.jitter = 1_500;
        for n in 0..10 {
            fleet.add("A", &format!("i-{n}"), 30, 30).await;
        }
        fleet.run(minutes(30)).await;
        assert_eq!(fleet.registered_again, 0);
        assert_eq!(
            fleet.metric("eureka_evictions_total{reason=\"expired\"}"),
            0.0
        );
        assert_eq!(fleet.metric("eureka_leases_lengthened_total"), 10.0);
    });
}

#[test]
fn in_the_minutes_after_a_start_nobody_goes_but_the_dead_and_these_on_time() {
    each_seed(SEEDS, |seed| async move {
        let mut fleet = Fleet::new(modern(), seed);
        for n in 0..30 {
            fleet.add("A", &format!("i-{n}"), 30, 90).await;
            let pause = fleet.rng.random_range(0..2_000);
            fleet.run(Duration::from_millis(pause)).await;
        }
        fleet.silence("i-29");
        let end = fleet.last_beat("i-29") + LEASE;
        fleet.run_until(end + SWEEP + 1).await;
        assert_eq!(fleet.listed().await.len(), 29);
        fleet.run(minutes(3)).await;
        assert_eq!(fleet.listed().await.len(), 29);
        assert_eq!(
            fleet.metric("eureka_evictions_total{reason=\"expired\"}"),
            1.0
        );
    });
}

#[test]
fn clients_that_stop_for_40_seconds_and_go_on_are_never_touched() {
    each_seed(SEEDS, |seed| async move {
        let mut fleet = Fleet::settled(modern(), seed, 40).await;
        fleet.silence_all();
        fleet.run(Duration::from_secs(40)).await;
        fleet.wake_all();
        fleet.run(minutes(5)).await;
        assert_eq!(fleet.listed().await.len(), 40);
        assert_eq!(fleet.registered_again, 0);
        assert_eq!(fleet.metric("eureka_self_preservation_active"), 0.0);
    });
}
