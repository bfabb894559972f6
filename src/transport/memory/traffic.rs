//! What went over which way: counters for every pair, and the last bodies to look at.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use bytes::Bytes;
use flate2::read::GzDecoder;
use serde::Deserialize;
use tokio::time::Instant;

use super::Arrived;
use super::world::Spot;

/// Calls that are kept to look at.
const KEPT: usize = 20_000;

/// What went from one node to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Attempts to connect that failed.
    pub unreached: usize,
    /// Requests sent, whether or not they arrived.
    pub calls: usize,
    /// Bytes of their bodies.
    pub bytes: usize,
    /// Items of their batches, by action.
    pub items: BTreeMap<String, usize>,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Sent {
    /// When.
    pub at: Instant,
    /// Host and port of the caller.
    pub from: String,
    /// Host and port of the one that was asked.
    pub to: String,
    /// GET or POST.
    pub method: &'static str,
    /// With the query.
    pub path: String,
    /// Whether its body was packed.
    pub packed: bool,
    /// Unpacked.
    pub body: Bytes,
    /// The items of its batch.
    pub items: Vec<Item>,
    /// Whether it said who asks.
    pub signed: bool,
    /// Status and body of the answer, where one came back.
    pub answer: Option<(u16, Bytes)>,
}

/// What an item of a batch is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// What to do.
    pub action: String,
    /// The application.
    pub app_name: String,
    /// The instance.
    pub id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Batch {
    replication_list: Vec<Item>,
}

/// The book of all calls.
#[derive(Debug, Default)]
pub(super) struct Book {
    by_pair: BTreeMap<(Spot, Spot), Traffic>,
    calls: VecDeque<Sent>,
    /// How many were kept once and are no more.
    dropped: usize,
}

impl Book {
    /// Writes down a call; returns its number.
    pub(super) fn sent(&mut self, from: &Spot, to: &Spot, arrived: &Arrived) -> usize {
        let body = plain(arrived);
        let items = items(arrived, &body);
        let traffic = self.traffic_mut(from, to);
        traffic.calls += 1;
        traffic.bytes += arrived.body.len();
        for item in &items {
            *traffic.items.entry(item.action.clone()).or_default() += 1;
        }
        self.calls.push_back(Sent {
            at: Instant::now(),
            from: from.to_string(),
            to: to.to_string(),
            method: arrived.method,
            path: arrived.path.clone(),
            packed: is_packed(arrived),
            body,
            items,
            signed: arrived.sign.is_some(),
            answer: None,
        });
        if self.calls.len() > KEPT {
            self.calls.pop_front();
            self.dropped += 1;
        }
        self.dropped + self.calls.len() - 1
    }

    /// The answer to call `number` came back.
    pub(super) fn answered(&mut self, number: usize, status: u16, body: &Bytes) {
        let place = number.checked_sub(self.dropped);
        if let Some(sent) = place.and_then(|place| self.calls.get_mut(place)) {
            sent.answer = Some((status, body.clone()));
        }
    }

    /// Nobody was reached.
    pub(super) fn unreached(&mut self, from: &Spot, to: &Spot) {
        self.traffic_mut(from, to).unreached += 1;
    }

    fn traffic_mut(&mut self, from: &Spot, to: &Spot) -> &mut Traffic {
        let pair = (from.clone(), to.clone());
        self.by_pair.entry(pair).or_default()
    }

    pub(super) fn traffic(&self, from: &Spot, to: &Spot) -> Traffic {
        let pair = (from.clone(), to.clone());
        self.by_pair.get(&pair).cloned().unwrap_or_default()
    }

    pub(super) fn calls(&self) -> Vec<Sent> {
        self.calls.iter().cloned().collect()
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

fn is_packed(arrived: &Arrived) -> bool {
    let coding = ("content-encoding", "gzip");
    arrived.headers.contains(&coding)
}

/// The body without its coding; as it is, where it cannot be unpacked.
fn plain(arrived: &Arrived) -> Bytes {
    let mut plain = Vec::new();
    match is_packed(arrived)
        && GzDecoder::new(&arrived.body[..])
            .read_to_end(&mut plain)
            .is_ok()
    {
        true => plain.into(),
        false => arrived.body.clone(),
    }
}

fn items(arrived: &Arrived, body: &[u8]) -> Vec<Item> {
    if arrived.method != "POST" {
        return Vec::new();
    }
    let batch: Option<Batch> = serde_json::from_slice(body).ok();
    batch
        .map(|batch| batch.replication_list)
        .unwrap_or_default()
}

/// The unpacked body of what arrives.
pub(super) fn unpacked(arrived: &Arrived) -> Bytes {
    plain(arrived)
}
