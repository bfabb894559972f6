//! The reference's numbers in classic mode: server.md scenarios 29–36, row by row.
//!
//! 31 has the repaired answer (B-03: every instance counts from the first on); 32–34 are tables beside the
//! arithmetic in `preservation/expected.rs`.

use std::time::Duration;

use heureka::config::{Config, Mode};
use heureka::preservation::{Describe, Standing};

use crate::fleet::{Fleet, each_seed};

fn classic() -> Config {
    Config::of(Mode::Classic)
}

fn figures(fleet: &Fleet) -> (f64, f64, f64) {
    (
        fleet.metric("eureka_renewals_expected"),
        fleet.metric("eureka_renewals_threshold"),
        fleet.metric("eureka_renewals_last_minute"),
    )
}

async fn standing(fleet: &Fleet) -> Standing {
    fleet
        .node
        .node
        .http
        .preservation
        .ask(Describe)
        .await
        .unwrap()
}

async fn with_clients(config: Config, seed: u64, count: usize) -> Fleet {
    let mut fleet = Fleet::new(config, seed);
    for n in 0..count {
        fleet.add("A", &format!("i-{n}"), 30, 90).await;
    }
    fleet
}

#[test]
fn scenario_29_six_clients_are_enough_for_leases_to_end() {
    each_seed(20, |seed| async move {
        let mut fleet = with_clients(classic(), seed, 6).await;
        fleet.run(Duration::from_secs(125)).await;
        assert_eq!(figures(&fleet), (7.0, 11.0, 12.0));
        assert_eq!(standing(&fleet).await.withheld, None);
        assert_eq!(fleet.metric("eureka_self_preservation_active"), 0.0);
    });
}

#[test]
fn scenario_30_five_are_not_and_that_alarms_nobody_for_five_minutes() {
    each_seed(20, |seed| async move {
        let mut fleet = with_clients(classic(), seed, 5).await;
        fleet.run(Duration::from_secs(299)).await;
        assert_eq!(figures(&fleet), (6.0, 10.0, 10.0));
        let before = standing(&fleet).await;
        assert!(before.withheld.is_some() && !before.alarming);
        fleet.run(Duration::from_secs(2)).await;
        assert!(standing(&fleet).await.alarming);

        // So nobody is ever removed, however long it is dead.
        fleet.silence("i-0");
        fleet.run(Duration::from_secs(3600)).await;
        assert!(fleet.lists("i-0").await);
    });
}

#[test]
fn scenario_31_without_the_phantom_every_client_counts_from_the_first_on() {
    each_seed(20, |seed| async move {
        let mut config = classic();
        config.preservation.open_count = 0;
        let mut fleet = with_clients(config, seed, 10).await;
        assert_eq!(figures(&fleet), (10.0, 17.0, 0.0));
        fleet.run(Duration::from_secs(125)).await;
        assert_eq!(figures(&fleet), (10.0, 17.0, 20.0));
    });
}

#[test]
fn scenario_32_the_phantom_goes_with_the_first_comparison() {
    each_seed(5, |seed| async move {
        let mut fleet = with_clients(classic(), seed, 100).await;
        assert_eq!(fleet.metric("eureka_renewals_expected"), 101.0);
        fleet.run(Duration::from_secs(901)).await;
        assert_eq!(fleet.metric("eureka_renewals_expected"), 100.0);
    });
}

#[test]
fn scenario_35_five_of_fifty_go_within_the_limit() {
    each_seed(20, |seed| async move {
        let mut fleet = with_clients(classic(), seed, 50).await;
        fleet.run(Duration::from_secs(55)).await;
        for n in 0..5 {
            fleet.silence(&format!("i-{n}"));
        }
        // Never more than two minutes after its last heartbeat, and at the end two lifes after it.
        fleet.run_until(175_000).await;
        assert_eq!(figures(&fleet), (51.0, 86.0, 90.0));
        assert_eq!(fleet.listed().await.len(), 50);
        fleet.run_until(301_000).await;
        assert_eq!(fleet.listed().await.len(), 45);
        assert_eq!(figures(&fleet), (46.0, 78.0, 90.0));
    });
}

#[test]
fn scenario_36_a_dead_registry_drains_by_fifteen_percent_a_sweep() {
    each_seed(20, |seed| async move {
        let mut config = classic();
        config.preservation.enabled = false;
        let mut fleet = with_clients(config, seed, 100).await;
        fleet.silence_all();
        let mut left = Vec::new();
        for sweep in 2..=5 {
            fleet.run_until(sweep * 60_000 + 500).await;
            left.push(fleet.listed().await.len());
        }
        assert_eq!(left, [85, 72, 61, 51]);
    });
}

#[test]
fn nothing_ends_in_the_first_minute_because_no_minute_was_counted_yet() {
    each_seed(5, |seed| async move {
        let fleet = with_clients(classic(), seed, 50).await;
        let standing = standing(&fleet).await;
        assert_eq!(
            standing.withheld.as_deref(),
            Some(
                "0 renewals in the last minute, not more than the 86 wanted: \
                 the network may have failed, ended leases are kept"
            )
        );
    });
}
