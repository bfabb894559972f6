//! The registry as server.md describes it, kept by hand: no actors, no sharing, no bytes.
//!
//! Written from §3–§8 and §10 with the verdicts of §20 and the two modes, not from the code. Moments are
//! milliseconds since the node began.

use std::collections::BTreeMap;

/// One of the five constants.
pub type Status = &'static str;
/// Application in upper case, and id.
pub type Key = (String, String);

pub const STATUSES: [Status; 5] = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"];

/// What differs between the modes, as far as one list of instances goes.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// A renewed lease lives twice its duration (B-01).
    pub doubled: bool,
    /// A client's UP or OUT_OF_SERVICE does not replace the other one (B-07).
    pub pinned: bool,
}

/// What a client sends of an instance; absent members are `None`.
#[derive(Clone, Debug)]
pub struct Sent {
    pub status: Option<Status>,
    pub ordered: Option<Status>,
    pub stamp: u64,
    pub metadata: BTreeMap<String, String>,
    pub vip: Option<String>,
    pub secure_vip: Option<String>,
    /// Interval and duration in seconds.
    pub lease: Option<(u64, u64)>,
    /// `None` is a data centre of one's own, otherwise Amazon's with its metadata.
    pub amazon: Option<BTreeMap<String, String>>,
    pub port: Option<(u64, bool)>,
    pub secure_port: Option<(u64, bool)>,
    pub page: Option<String>,
    pub group: Option<String>,
}

/// A registered instance.
#[derive(Clone, Debug)]
pub struct Record {
    pub app: String,
    pub id: String,
    pub sent: Sent,
    pub status: Status,
    pub ordered: Option<Status>,
    /// Whether the order came after what the instance said of itself: then it holds whatever that was (§8.1).
    is_last_word: bool,
    pub stamp: u64,
    pub action: &'static str,
    pub updated: u64,
    pub lease: Lease,
    /// When an override was last given or taken back here.
    ordered_at: Option<u64>,
}

/// Its lease.
#[derive(Clone, Debug)]
pub struct Lease {
    pub registered: u64,
    pub evicted: Option<u64>,
    pub up: Option<u64>,
    life: u64,
    ahead: u64,
    /// What it is counted from, and since when: the present one last.
    bases: Vec<(u64, u64)>,
}

impl Lease {
    fn new(sent: &Sent, rules: Rules, now: u64) -> Self {
        let (interval, duration) = sent.lease.unwrap_or((30, 90));
        let (life, ahead) = match rules.doubled {
            true => (duration * 1000, duration * 1000),
            false => ((duration * 1000).max(interval * 2250), 0),
        };
        Self {
            registered: now,
            evicted: None,
            up: None,
            life,
            ahead,
            bases: vec![(now, now)],
        }
    }

    fn renew(&mut self, now: u64) {
        self.bases.push((now, now + self.ahead));
    }

    fn is_over(&self, now: u64) -> bool {
        now > self.base() + self.life
    }

    fn base(&self) -> u64 {
        self.bases.last().unwrap().1
    }

    /// Whether `base` is what a list may say that was written at some moment since `since`.
    pub fn may_show(&self, base: u64, since: u64) -> bool {
        let next = self
            .bases
            .iter()
            .skip(1)
            .map(|(from, _)| *from)
            .chain([u64::MAX]);
        let mut spans = self.bases.iter().zip(next);
        spans.any(|((_, shown), until)| *shown == base && until >= since)
    }
}

/// Everything that is held, and what changed lately.
#[derive(Debug)]
pub struct Model {
    pub rules: Rules,
    pub held: BTreeMap<Key, Record>,
    /// The record as it is, or as it was when it went; and when that was.
    pub delta: BTreeMap<Key, (Record, u64)>,
    /// Visible changes so far.
    pub revision: u64,
    pub now: u64,
    /// When the last visible change was.
    pub changed: u64,
}

impl Model {
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            held: BTreeMap::new(),
            delta: BTreeMap::new(),
            revision: 0,
            now: 0,
            changed: 0,
        }
    }

    /// Lets time pass: leases end with the sweep of each second, the delta is cleared every half minute.
    pub fn pass(&mut self, millis: u64) {
        let end = self.now + millis;
        while self.now < end {
            self.now = (self.now / 1000 + 1) * 1000;
            if self.now > end {
                break;
            }
            let now = self.now;
            let over = self
                .held
                .iter()
                .filter(|(_, record)| record.lease.is_over(now));
            for key in over.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
                self.remove(&key);
            }
            if now.is_multiple_of(30_000) {
                self.delta.retain(|_, (_, at)| now - *at < 180_000);
            }
        }
        self.now = end;
    }

    fn visible(&mut self, key: &Key, record: Record) {
        self.delta.insert(key.clone(), (record, self.now));
        self.revision += 1;
        self.changed = self.now;
    }

    fn remove(&mut self, key: &Key) {
        let mut record = self.held.remove(key).unwrap();
        (record.action, record.updated) = ("DELETED", self.now);
        record.lease.evicted = Some(self.now);
        self.visible(key, record);
    }

    /// Which status wins (§8.3).
    fn wins(
        &self,
        own: Status,
        ordered: Option<Status>,
        before: Option<Status>,
        peer: bool,
    ) -> Status {
        let in_service = |status: Status| status == "UP" || status == "OUT_OF_SERVICE";
        match (ordered, before) {
            _ if !in_service(own) => own,
            (Some(ordered), _) => ordered,
            (_, Some(before)) if self.rules.pinned && !peer && in_service(before) => before,
            _ => own,
        }
    }

    pub fn register(&mut self, key: &Key, sent: Sent, peer: bool) -> u16 {
        let before = self.held.get(key).cloned();
        let mut record = Record {
            app: key.0.clone(),
            id: key.1.clone(),
            status: sent.status.unwrap_or("UP"),
            ordered: sent.ordered.filter(|status| *status != "UNKNOWN"),
            is_last_word: false,
            stamp: sent.stamp,
            action: "ADDED",
            updated: self.now,
            lease: Lease::new(&sent, self.rules, self.now),
            ordered_at: before.as_ref().and_then(|before| before.ordered_at),
            sent,
        };
        if let Some(before) = &before {
            if before.stamp > record.stamp {
                self.came_late(before, &mut record, peer);
            }
            record.ordered = before.ordered.or(record.ordered);
            record.lease.up = before.lease.up;
        }
        let status_before = before.map(|before| before.status);
        record.status = match record.ordered {
            Some(ordered) if record.is_last_word => ordered,
            ordered => self.wins(record.status, ordered, status_before, peer),
        };
        if record.status == "UP" {
            record.lease.up.get_or_insert(self.now);
        }
        self.held.insert(key.clone(), record.clone());
        self.visible(key, record);
        204
    }

    /// A registration with an older stamp: a clock set back, or what is on file stays.
    fn came_late(&self, before: &Record, record: &mut Record, peer: bool) {
        if !peer && before.stamp - record.stamp > 60_000 {
            record.stamp = before.stamp + 1;
            return;
        }
        let said = record.status;
        record.sent = before.sent.clone();
        record.lease = Lease::new(&before.sent, self.rules, self.now);
        (record.stamp, record.ordered) = (before.stamp, before.ordered);
        record.is_last_word = before.is_last_word;
        record.status = match (before.status, before.ordered) {
            ("UNKNOWN", None) => said,
            _ => before.status,
        };
    }

    pub fn beat(
        &mut self,
        key: &Key,
        stamp: Option<u64>,
        ordered: Option<Status>,
        peer: bool,
    ) -> u16 {
        let Some(record) = self.held.get(key) else {
            return 404;
        };
        let mut record = record.clone();
        let other = |status: &Status| *status != "UNKNOWN" && Some(*status) != record.ordered;
        let said = ordered.filter(|status| peer && other(status));
        let quiet = record.ordered_at.is_none_or(|at| self.now - at >= 90_000);
        if record.status == "UNKNOWN" {
            return 404;
        }
        record.lease.renew(self.now);
        let newer = stamp.is_some_and(|stamp| stamp > record.stamp);
        let older = stamp.is_some_and(|stamp| stamp < record.stamp);
        let before = (record.status, record.ordered);
        // One that was stored with a newer stamp takes effect now (scenario 12).
        if let Some(ordered) = record.ordered.filter(|_| record.is_last_word) {
            record.status = ordered;
        }
        let adopted = said.filter(|_| quiet && stamp == Some(record.stamp));
        record.status = adopted.unwrap_or(record.status);
        if let Some(ordered) = adopted.or(said.filter(|_| newer)) {
            (record.ordered, record.is_last_word) = (Some(ordered), true);
        }
        if before != (record.status, record.ordered) {
            self.modified(key, record);
        } else {
            self.silently(key, record);
        }
        match (newer, older && peer) {
            (true, _) => 404,
            (_, true) => 409,
            _ => 200,
        }
    }

    /// A change of the lease alone: seen in what is written from now on, and nobody is told.
    fn silently(&mut self, key: &Key, record: Record) {
        if let Some((listed, _)) = self.delta.get_mut(key) {
            *listed = record.clone();
        }
        self.held.insert(key.clone(), record);
    }

    fn modified(&mut self, key: &Key, mut record: Record) {
        (record.action, record.updated) = ("MODIFIED", self.now);
        if record.status == "UP" {
            record.lease.up.get_or_insert(self.now);
        }
        self.held.insert(key.clone(), record.clone());
        self.visible(key, record);
    }

    /// The instance, unless its lease is over: orders and metadata take it for gone then.
    fn present(&self, key: &Key) -> Option<Record> {
        let record = self.held.get(key)?;
        (!record.lease.is_over(self.now)).then(|| record.clone())
    }

    pub fn order(&mut self, key: &Key, status: Status, stamp: Option<u64>) -> u16 {
        let Some(mut record) = self.present(key) else {
            return 404;
        };
        record.lease.renew(self.now);
        if record.status == status {
            self.silently(key, record);
            return 200;
        }
        (record.status, record.ordered) = (status, Some(status));
        record.is_last_word = true;
        record.stamp = record.stamp.max(stamp.unwrap_or(0));
        record.ordered_at = Some(self.now);
        self.modified(key, record);
        200
    }

    pub fn clear(&mut self, key: &Key, status: Option<Status>, stamp: Option<u64>) -> u16 {
        let Some(mut record) = self.present(key) else {
            return 404;
        };
        record.lease.renew(self.now);
        if record.ordered.is_none() {
            self.silently(key, record);
            return 200;
        }
        (record.status, record.ordered) = (status.unwrap_or("UNKNOWN"), None);
        record.is_last_word = true;
        record.stamp = record.stamp.max(stamp.unwrap_or(0));
        record.ordered_at = Some(self.now);
        self.modified(key, record);
        200
    }

    pub fn add_metadata(&mut self, key: &Key, pairs: &BTreeMap<String, String>) -> u16 {
        let Some(mut record) = self.present(key) else {
            return 404;
        };
        if pairs.is_empty() {
            record.lease.renew(self.now);
            self.silently(key, record);
            return 200;
        }
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        record.sent.metadata.extend(pairs);
        let up = record.lease.up;
        record.lease = Lease::new(&record.sent, self.rules, self.now);
        record.lease.up = up;
        // A registration like any other, so that an order that was stored takes effect (§8.4).
        if let Some(ordered) = record.ordered.filter(|_| record.is_last_word) {
            record.status = ordered;
        }
        record.is_last_word = false;
        if record.status == "UP" {
            record.lease.up.get_or_insert(self.now);
        }
        (record.action, record.updated) = ("ADDED", self.now);
        self.held.insert(key.clone(), record.clone());
        self.visible(key, record);
        200
    }

    pub fn cancel(&mut self, key: &Key) -> u16 {
        if !self.held.contains_key(key) {
            return 404;
        }
        self.remove(key);
        200
    }

    /// The hash code of these records.
    pub fn hash_code<'r>(records: impl Iterator<Item = &'r Record>) -> String {
        let mut counts: BTreeMap<Status, usize> = BTreeMap::new();
        records.for_each(|record| *counts.entry(record.status).or_default() += 1);
        counts
            .iter()
            .map(|(status, n)| format!("{status}_{n}_"))
            .collect()
    }
}
