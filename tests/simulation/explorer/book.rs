//! What was acknowledged, who knew of what, and so what must be there in the end.
//!
//! A *write* is a registration, a change of metadata, a cancellation, or an order about the status. One write is *after*
//! another if the node that took it knew the other. Of two of which neither is after the other either may win, and of
//! records that are so, the one with the newer `lastDirtyTimestamp` must. A write that no node held any more when one
//! crashed *may be lost*.

use std::collections::{BTreeMap, BTreeSet};

use heureka::model::{ChangeStamp, InstanceStatus, Ordered};

use super::look::{Content, View};

/// Writes by their numbers, one bit each.
pub type Set = u128;

#[derive(Clone, Debug)]
pub enum What {
    Record(View),
    Order(Ordered, ChangeStamp),
    Cancel,
}

#[derive(Clone, Debug)]
struct Write {
    what: What,
    /// All that it is after.
    after: Set,
    may_be_lost: bool,
    /// Its node died before all others had heard of it, or one of these was started where nobody could tell it.
    half_told: bool,
    /// The line that says it, and where.
    line: usize,
    node: String,
}

/// All writes of an instance.
#[derive(Clone, Debug, Default)]
pub struct Page {
    writes: Vec<Write>,
}

/// Of all instances.
#[derive(Debug, Default)]
pub struct Book {
    pages: BTreeMap<String, Page>,
    /// What nodes know of cancellations, by node and instance.
    cancels: BTreeMap<(String, String), Set>,
    /// What nodes held when somebody last looked.
    seen: BTreeMap<String, Content>,
}

/// What was done, where, and which line says so.
#[derive(Clone, Copy)]
pub struct Told<'t> {
    pub node: &'t str,
    pub verb: &'t str,
    pub name: &'t str,
    pub line: usize,
}

impl Page {
    fn find(&self, is_it: impl Fn(&What) -> bool) -> Option<usize> {
        self.writes.iter().position(|write| is_it(&write.what))
    }

    fn record(&self, made: ChangeStamp) -> Option<usize> {
        self.find(|what| matches!(what, What::Record(view) if view.made == made))
    }

    fn order(&self, at: ChangeStamp) -> Option<usize> {
        self.find(|what| matches!(what, What::Order(_, stamp) if *stamp == at))
    }

    /// All that a node knows that holds this.
    fn known(&self, view: &View) -> Set {
        let order = view
            .order
            .as_ref()
            .and_then(|order| self.order(order.stamp));
        let both = self.record(view.made).into_iter().chain(order);
        both.fold(0, |set, n| set | self.with_all_before(n))
    }

    fn with_all_before(&self, number: usize) -> Set {
        self.writes[number].after | (1 << number)
    }

    fn add(&mut self, what: What, after: Set, (line, node): (usize, &str)) {
        assert!(self.writes.len() < Set::BITS as usize, "too many writes");
        self.writes.push(Write {
            what,
            after,
            may_be_lost: false,
            half_told: false,
            line,
            node: node.to_string(),
        });
    }

    fn is_crossed(&self) -> bool {
        (0..self.writes.len()).any(|n| match &self.writes[n].what {
            What::Order(..) => self.may_end(n),
            What::Record(view) => (0..self.writes.len()).any(|cancel| {
                let cancels_newer =
                    |other| self.knows(cancel, other) && self.dirty(other) > view.dirty;
                self.is_cancel(cancel)
                    && self.is_beside(Some(n), cancel)
                    && (0..self.writes.len()).any(cancels_newer)
            }),
            What::Cancel => false,
        })
    }

    /// Whether it was cancelled at a node that did not know this order.
    fn may_end(&self, order: usize) -> bool {
        (0..self.writes.len()).any(|n| self.is_cancel(n) && self.is_beside(Some(n), order))
    }

    fn is_cancel(&self, number: usize) -> bool {
        matches!(self.writes[number].what, What::Cancel)
    }

    /// Whether another that cannot be lost is after it.
    fn is_over(&self, number: usize, by: impl Fn(&What) -> bool) -> bool {
        let is_after = |write: &Write| write.after & (1 << number) != 0;
        self.writes
            .iter()
            .any(|write| by(&write.what) && is_after(write) && !write.may_be_lost)
    }

    /// Records and cancellations that may be the last word.
    fn last_words(&self) -> Vec<usize> {
        let lives = |what: &What| !matches!(what, What::Order(..));
        let all = (0..self.writes.len()).filter(|n| lives(&self.writes[*n].what));
        let mut words: Vec<usize> = all.filter(|n| !self.is_over(*n, lives)).collect();
        if !words.iter().any(|n| self.is_cancel(*n)) {
            let sure = words.iter().filter(|n| !self.writes[**n].may_be_lost);
            let newest = sure.map(|n| self.dirty(*n)).max().unwrap_or(0);
            words.retain(|n| self.dirty(*n) >= newest);
        }
        words
    }

    fn dirty(&self, number: usize) -> u64 {
        match &self.writes[number].what {
            What::Record(view) => view.dirty,
            _ => 0,
        }
    }

    /// Whether something about it may be lost or stay at some nodes only: its node died before it could tell all, and
    /// of what another node said nothing is passed on.
    fn is_torn(&self) -> bool {
        let is_torn = |write: &Write| write.may_be_lost || write.half_told;
        self.writes.iter().any(is_torn)
    }

    /// What is wrong if this is what all nodes hold.
    fn verdict(&self, view: Option<&View>) -> Result<(), String> {
        let words = self.last_words();
        let Some(view) = view else {
            let must = words.iter().find(|n| !self.writes[**n].may_be_lost);
            let cancelled = words.iter().any(|n| self.is_cancel(*n));
            return match must {
                Some(n) if !cancelled => Err(format!("lost: {}", self.told(*n))),
                _ => Ok(()),
            };
        };
        let Some(record) = self.record(view.made) else {
            return Err(format!("nobody wrote {}", view.text()));
        };
        if !words.contains(&record) {
            let all: Vec<String> = words.iter().map(|n| self.told(*n)).collect();
            return Err(format!(
                "{} is not the last word, which is {}",
                view.text(),
                all.join(" or ")
            ));
        }
        self.is_as_written(record, view)?;
        self.order_verdict(record, view)
    }

    fn is_as_written(&self, record: usize, view: &View) -> Result<(), String> {
        let What::Record(written) = &self.writes[record].what else {
            return Ok(());
        };
        let same = (written.dirty, &written.metadata, written.said)
            == (view.dirty, &view.metadata, view.said);
        match same {
            true => Ok(()),
            false => Err(format!("written {}, held {}", written.text(), view.text())),
        }
    }

    fn order_verdict(&self, record: usize, view: &View) -> Result<(), String> {
        let held = view
            .order
            .as_ref()
            .and_then(|order| self.order(order.stamp));
        if let Some(order) = held.filter(|order| self.is_surely_over(*order, record)) {
            return Err(format!(
                "the order of line {} is over",
                self.writes[order].line
            ));
        }
        let must = (0..self.writes.len()).find(|n| {
            let is_set = matches!(self.writes[*n].what, What::Order(Ordered::Set(_), _));
            is_set && !self.writes[*n].may_be_lost && !self.may_be_over(*n)
        });
        let has_override = view.override_status.is_some();
        match must {
            Some(n) if held.is_none() || (!has_override && !self.is_beside(held, n)) => {
                Err(format!(
                    "{} has no order of line {}",
                    view.text(),
                    self.writes[n].line
                ))
            }
            _ => self.status_verdict(record, held, view),
        }
    }

    /// Whether neither is after the other.
    fn is_beside(&self, one: Option<usize>, other: usize) -> bool {
        one.is_some_and(|one| one == other || !(self.knows(one, other) || self.knows(other, one)))
    }

    /// Whether one write is after another.
    fn knows(&self, one: usize, other: usize) -> bool {
        self.writes[one].after & (1 << other) != 0
    }

    /// Whether an order is over, where this record was the last one: a later order took its place, or the record came
    /// after a cancellation that ended the order, and no other record that knew the order outlived that cancellation.
    fn is_surely_over(&self, order: usize, record: usize) -> bool {
        let before_record = self.writes[record].after;
        let outlived = |cancel: usize| {
            (0..self.writes.len()).any(|n| {
                let write = &self.writes[n];
                let is_before = before_record & (1 << n) != 0;
                let knows = |other: usize| write.after & (1 << other) != 0;
                let is_record = matches!(write.what, What::Record(_));
                is_record && is_before && knows(order) && !knows(cancel) && !self.knows(cancel, n)
            })
        };
        (0..self.writes.len()).any(|n| {
            let write = &self.writes[n];
            let ends = match write.what {
                // It may have gone with a cancellation before anybody else heard of it.
                What::Order(..) => !self.may_be_cancelled(n),
                What::Cancel => before_record & (1 << n) != 0 && !outlived(n),
                What::Record(_) => false,
            };
            ends && write.after & (1 << order) != 0 && !write.may_be_lost
        })
    }

    /// Whether an order may be over: by a later one, or by a cancellation that it does not know.
    fn may_be_over(&self, order: usize) -> bool {
        let is_later =
            |n: usize| matches!(self.writes[n].what, What::Order(..)) && self.knows(n, order);
        self.may_be_cancelled(order) || (0..self.writes.len()).any(is_later)
    }

    fn may_be_cancelled(&self, order: usize) -> bool {
        (0..self.writes.len()).any(|n| self.is_cancel(n) && !self.knows(order, n))
    }

    fn status_verdict(
        &self,
        record: usize,
        order: Option<usize>,
        view: &View,
    ) -> Result<(), String> {
        let said = view.said;
        let Some(order) = order else {
            return wants(view, view.override_status, &[said]);
        };
        let What::Order(what, _) = &self.writes[order].what else {
            return Ok(());
        };
        let (last, not_last) = match *what {
            Ordered::Set(status) => (status, believed(said, status)),
            Ordered::Cleared(status) => (status, said),
            Ordered::Ended => (said, said),
        };
        let allowed = match (self.knows(order, record), self.knows(record, order)) {
            (true, _) => vec![last],
            (_, true) => vec![not_last],
            _ => vec![last, not_last],
        };
        let override_status = match *what {
            Ordered::Set(status) => Some(status),
            _ => None,
        };
        wants(view, override_status, &allowed)
    }

    fn told(&self, number: usize) -> String {
        let write = &self.writes[number];
        match &write.what {
            What::Record(view) => format!("line {}: {}", write.line, view.text()),
            What::Order(what, _) => format!("line {}: {what:?}", write.line),
            What::Cancel => format!("line {}: cancelled", write.line),
        }
    }
}

/// What an instance that says this shows under an order that is older than its word.
fn believed(said: InstanceStatus, ordered: InstanceStatus) -> InstanceStatus {
    match said {
        InstanceStatus::Up | InstanceStatus::OutOfService => ordered,
        against_itself => against_itself,
    }
}

fn wants(
    view: &View,
    override_status: Option<InstanceStatus>,
    allowed: &[InstanceStatus],
) -> Result<(), String> {
    match allowed.contains(&view.status) && view.override_status == override_status {
        true => Ok(()),
        false => Err(format!(
            "{} must be one of {allowed:?} with override {override_status:?}",
            view.text()
        )),
    }
}

impl Book {
    /// Notes what nodes hold now: one that held something and does not any more has heard of a cancellation.
    pub fn saw(&mut self, node: &str, content: &Content) {
        let before = self.seen.insert(node.to_string(), content.clone());
        for (name, view) in before.unwrap_or_default() {
            if content.contains_key(&name) {
                continue;
            }
            let page = self.pages.entry(name.clone()).or_default();
            let known = page.known(&view);
            let heard = (0..page.writes.len())
                .filter(|n| page.is_cancel(*n) && page.writes[*n].after & known == known)
                .min_by_key(|n| page.writes[*n].after.count_ones());
            if let Some(cancel) = heard {
                let set = page.with_all_before(cancel);
                *self.cancels.entry((node.to_string(), name)).or_default() |= set;
            }
        }
    }

    /// A node acknowledged something other than a cancellation: this is what it held before and afterwards.
    pub fn took(&mut self, told: Told<'_>, before: Option<&View>, after: &View) {
        let Told {
            node,
            verb,
            name,
            line,
        } = told;
        let at = (node.to_string(), name.to_string());
        let cancels = self.cancels.get(&at).copied().unwrap_or(0);
        let page = self.pages.entry(name.to_string()).or_default();
        let mut known = cancels | before.map_or(0, |view| page.known(view));
        if page.record(after.made).is_none() {
            page.add(What::Record(after.clone()), known, (line, node));
        }
        let Some(order) = &after.order else {
            return;
        };
        // What came with a record stands for the end of one that a cancellation took away.
        if ["order", "clear"].contains(&verb) && page.order(order.stamp).is_none() {
            known |= page.known(after);
            page.add(What::Order(order.what, order.stamp), known, (line, node));
        }
    }

    /// A node acknowledged a cancellation.
    pub fn cancelled(&mut self, node: &str, name: &str, line: usize, before: Option<&View>) {
        let at = (node.to_string(), name.to_string());
        let cancels = self.cancels.entry(at).or_default();
        let page = self.pages.entry(name.to_string()).or_default();
        let known = *cancels | before.map_or(0, |view| page.known(view));
        page.add(What::Cancel, known, (line, node));
        *cancels |= page.with_all_before(page.writes.len() - 1);
    }

    /// A node died; this is what the others hold, as far as they live, of which there are so many.
    pub fn died(&mut self, node: &str, others: &BTreeMap<String, Content>, count: usize) {
        self.seen.remove(node);
        self.cancels.retain(|(at, _), _| at != node);
        for (name, page) in &mut self.pages {
            let known: Vec<Set> = others
                .iter()
                .map(|(other, content)| {
                    let cancels = self.cancels.get(&(other.clone(), name.clone()));
                    let held = content.get(name).map_or(0, |view| page.known(view));
                    held | cancels.copied().unwrap_or(0)
                })
                .collect();
            for (number, write) in page.writes.iter_mut().enumerate() {
                let knowing = known.iter().filter(|set| **set & (1 << number) != 0);
                let knowing = knowing.count();
                write.may_be_lost |= knowing == 0;
                write.half_told |= write.node == node && knowing < count;
            }
        }
    }

    /// A node started anew while others could not be reached: it may lack what only these hold, until somebody beats.
    pub fn started_apart(&mut self) {
        let writes = self.pages.values_mut().flat_map(|page| &mut page.writes);
        writes.for_each(|write| write.half_told = true);
    }

    /// What is wrong if this is what all nodes hold.
    pub fn verdict(&self, content: &Content, kept: &BTreeSet<String>) -> Result<(), String> {
        let sure = |name: &String| kept.contains(name) || !self.needs_beats(name);
        for (name, page) in self.pages.iter().filter(|(name, _)| sure(name)) {
            page.verdict(content.get(name))
                .map_err(|why| format!("{name}: {why}"))?;
        }
        let ghost = content.keys().find(|name| !self.pages.contains_key(*name));
        ghost.map_or(Ok(()), |name| Err(format!("{name} is a ghost")))
    }

    /// Instances about which nodes agree only after some heartbeats, or when the leases of those end that nobody beats
    /// for: what is torn, and what was cancelled at one node while something was done at another, in two cases. A late
    /// order cannot be told from one that is meant for what was registered since; and a change that is later than the
    /// cancellation, but of a record that is older than the cancelled one, is known only where it did not meet that.
    pub fn needs_beats(&self, name: &str) -> bool {
        let page = self.pages.get(name);
        page.is_some_and(|page| page.is_torn() || page.is_crossed())
    }
}
