//! What must hold of every batch whatsoever: for the fuzzer, and for its seeds in the tests.
//!
//! Each item has one answer, the registry agrees with itself and with its index, and whatever it holds
//! afterwards can be read by everybody.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{Published, Registry};
use crate::clock::Clock;
use crate::config::{Mode, RegistryConfig};
use crate::metrics::{Metrics, RegistryMetrics};
use crate::model::{By, ContentLimits, Who};
use crate::wire::checks::check_record;
use crate::wire::replication::{ReadItem, read_batch, write_answers};

thread_local! {
    /// Made once: figures do not matter here, and making them takes longer than a batch.
    static METRICS: OnceCell<RegistryMetrics> = const { OnceCell::new() };
}

/// Reads `body` as a batch and carries it out twice: on nothing, and on what it left.
pub fn check_batch(body: &[u8]) {
    let Ok(body) = std::str::from_utf8(body) else {
        return;
    };
    if read_batch(body, 0, &ContentLimits::NONE).is_err() {
        return;
    }
    let metrics = METRICS.with(|made| made.get_or_init(|| Metrics::new().registry).clone());
    for mode in [Mode::Modern, Mode::Classic] {
        let renewals = metrics.renewals.clone();
        let published = Arc::new(Published::new(RegistryConfig::of(mode), renewals));
        let clock = Clock::starting_at(1_000);
        let mut registry = Registry::new(clock, metrics.clone(), published, vec![]);
        carry_out(&mut registry, body);
        carry_out(&mut registry, body);
    }
}

fn carry_out(registry: &mut Registry, body: &str) {
    let items: Vec<ReadItem> =
        read_batch(body, 1, &ContentLimits::NONE).expect("it was read before");
    let mut answers = Vec::new();
    for item in items.into_iter().flatten() {
        let key = item.key();
        answers.push(registry.apply(item, &By::only(Who::Peer)));
        registry.table.assert_consistent();
        let held = registry.table.get(&key).is_some();
        assert_eq!(registry.published.index.get(&key).is_some(), held, "{key}");
    }
    assert_eq!(registry.published.index.len(), registry.table.len());
    let body = write_answers(&answers, false);
    let body: serde_json::Value = serde_json::from_slice(&body).expect("an answer is JSON");
    let written = body["responseList"].as_array().map(Vec::len);
    assert_eq!(written, Some(answers.len()));
    for held in registry.table.iter() {
        check_record(&held.info);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::checks::replay;

    #[test]
    fn whatever_batch_the_fuzzer_found_is_carried_out_as_it_must_be() {
        assert!(replay("batch", check_batch) > 10);
    }
}
