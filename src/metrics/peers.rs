//! Handles of what goes to each peer. The label is the peer's URL, without credentials.
//!
//! The recorder cannot forget a series, so those of a peer that is gone are left out of the page: gone is a peer
//! whose handles nobody has any more. One that comes back counts on from where it was.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ::metrics::{
    Counter, Gauge, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram,
    gauge, histogram, with_local_recorder,
};
use metrics_exporter_prometheus::PrometheusRecorder;
use metrics_exporter_prometheus::formatting::sanitize_label_value;

use crate::model::Action;

const QUEUE_LENGTH: &str = "eureka_replication_queue_length";
const OLDEST: &str = "eureka_replication_oldest_seconds";
const BACKOFF: &str = "eureka_replication_backoff_seconds";
const UP: &str = "eureka_peer_up";
const LAST_CONTACT: &str = "eureka_peer_last_contact_timestamp_seconds";
pub(super) const LAG: &str = "eureka_replication_lag_seconds";
pub(super) const BATCH_SIZE: &str = "eureka_replication_batch_size";
const CALL_SECONDS: &str = "eureka_replication_seconds";
const BATCHES: &str = "eureka_replication_batches_total";
const ITEMS: &str = "eureka_replication_items_total";
const BYTES: &str = "eureka_replication_bytes_total";

/// Buckets from a millisecond to five minutes: how far a peer is behind.
pub(super) const LAGS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 10.0, 60.0, 300.0,
];
/// Buckets of items in a batch.
pub(super) const SIZES: [f64; 8] = [1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0];

const GAUGES: [(&str, &str); 5] = [
    (
        QUEUE_LENGTH,
        "Instances with changes that the peer has not got yet",
    ),
    (OLDEST, "Age of the oldest of these changes"),
    (BACKOFF, "Pause between attempts to reach the peer"),
    (UP, "1 while the peer takes what it is sent"),
    (LAST_CONTACT, "When the peer last took a batch"),
];
const COUNTERS: [(&str, &str); 3] = [
    (BATCHES, "Batches sent by what became of them"),
    (ITEMS, "Items sent or dropped by what became of them"),
    (BYTES, "Bytes of the batches sent"),
];
const HISTOGRAMS: [(&str, Unit, &str); 3] = [
    (LAG, Unit::Seconds, "Time from a change to its delivery"),
    (BATCH_SIZE, Unit::Count, "Items per batch"),
    (
        CALL_SECONDS,
        Unit::Seconds,
        "Time from a batch to its answer",
    ),
];

/// The text after `# HELP`.
pub(super) fn describe() {
    for (name, help) in GAUGES {
        describe_gauge!(name, help);
    }
    for (name, help) in COUNTERS {
        describe_counter!(name, help);
    }
    for (name, unit, help) in HISTOGRAMS {
        describe_histogram!(name, unit, help);
    }
}

/// Makes the handles of each peer.
#[derive(Clone)]
pub struct PeersMetrics {
    recorder: Arc<PrometheusRecorder>,
    /// Every peer that there ever was, and whether its handles are still held.
    known: Arc<Mutex<HashMap<String, Weak<()>>>>,
}

impl PeersMetrics {
    pub(super) fn new(recorder: Arc<PrometheusRecorder>) -> Self {
        Self {
            recorder,
            known: Arc::default(),
        }
    }

    /// The handles of the peer at this URL, which must be without credentials.
    pub fn of(&self, url: &str) -> PeerMetrics {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let held = known.get(url).and_then(Weak::upgrade).unwrap_or_default();
        known.insert(url.to_string(), Arc::downgrade(&held));
        with_local_recorder(&*self.recorder, || {
            PeerMetrics::new(&self.recorder, url, held)
        })
    }

    /// The page without the lines of peers that are gone.
    pub(super) fn without_gone(&self, page: String) -> String {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = known.iter().filter(|(_, held)| held.strong_count() == 0);
        let labels: Vec<_> = gone
            .map(|(url, _)| format!("{{peer=\"{}\"", sanitize_label_value(url)))
            .collect();
        if labels.is_empty() {
            return page;
        }
        let stays = |line: &&str| !labels.iter().any(|label| line.contains(label));
        page.split_inclusive('\n').filter(stays).collect()
    }
}

/// Handles of one peer.
pub struct PeerMetrics {
    recorder: Arc<PrometheusRecorder>,
    url: String,
    _held: Arc<()>,
    /// Instances with undelivered changes.
    pub queue_length: Gauge,
    /// Seconds since the first of these changes.
    pub oldest: Gauge,
    /// Seconds between attempts.
    pub backoff: Gauge,
    /// 1 while all is well.
    pub up: Gauge,
    /// Seconds since 1970.
    pub last_contact: Gauge,
    /// Seconds from a change to its delivery.
    pub lag: Histogram,
    /// Items per batch.
    pub batch_size: Histogram,
    /// Seconds from a batch to its answer.
    pub seconds: Histogram,
    /// Bytes sent.
    pub bytes: Counter,
    batches: HashMap<&'static str, Counter>,
    items: HashMap<(Action, &'static str), Counter>,
}

impl PeerMetrics {
    fn new(recorder: &Arc<PrometheusRecorder>, url: &str, held: Arc<()>) -> Self {
        let peer = || url.to_string();
        Self {
            recorder: recorder.clone(),
            url: peer(),
            _held: held,
            queue_length: gauge!(QUEUE_LENGTH, "peer" => peer()),
            oldest: gauge!(OLDEST, "peer" => peer()),
            backoff: gauge!(BACKOFF, "peer" => peer()),
            up: gauge!(UP, "peer" => peer()),
            last_contact: gauge!(LAST_CONTACT, "peer" => peer()),
            lag: histogram!(LAG, "peer" => peer()),
            batch_size: histogram!(BATCH_SIZE, "peer" => peer()),
            seconds: histogram!(CALL_SECONDS, "peer" => peer()),
            bytes: counter!(BYTES, "peer" => peer()),
            batches: HashMap::new(),
            items: HashMap::new(),
        }
    }

    /// A batch came to this end.
    pub fn batch(&mut self, result: &'static str) {
        let (recorder, url) = (&self.recorder, &self.url);
        let counter = self.batches.entry(result).or_insert_with(|| {
            with_local_recorder(
                &**recorder,
                || counter!(BATCHES, "peer" => url.clone(), "result" => result),
            )
        });
        counter.increment(1);
    }

    /// So many items came to this end.
    pub fn items(&mut self, action: Action, result: &'static str, count: u64) {
        if count == 0 {
            return;
        }
        let (recorder, url) = (&self.recorder, &self.url);
        let counter = self.items.entry((action, result)).or_insert_with(|| {
            let action = action.as_str();
            with_local_recorder(
                &**recorder,
                || counter!(ITEMS, "peer" => url.clone(), "action" => action, "result" => result),
            )
        });
        counter.increment(count);
    }
}

#[cfg(test)]
mod tests {
    use crate::metrics::Metrics;

    #[test]
    fn a_peer_that_is_gone_leaves_the_page_and_counts_on_when_it_is_back() {
        let metrics = Metrics::new();
        let (a, b) = ("http://a:1/eureka/", "http://a:12/eureka/");
        let mut first = metrics.peers.of(a);
        let _other = metrics.peers.of(b);
        first.batch("ok");
        first.up.set(1.0);
        // A replicator that takes over has handles before the one before has let go of them.
        let second = metrics.peers.of(a);
        drop(first);
        let of_a = format!("{{peer=\"{a}\"");
        assert!(metrics.render(&[]).contains(&of_a));
        drop(second);
        let page = metrics.render(&[]);
        assert!(!page.contains(&of_a), "{page}");
        assert!(
            page.contains(&format!("eureka_peer_up{{peer=\"{b}\"}} 0")),
            "{page}"
        );

        let mut back = metrics.peers.of(a);
        back.batch("ok");
        let line = format!("eureka_replication_batches_total{{peer=\"{a}\",result=\"ok\"}} 2");
        assert!(metrics.render(&[]).contains(&line));
    }
}
