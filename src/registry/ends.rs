//! Orders that end by themselves: which there are, and what becomes of them when their time is over.
//!
//! Every node ends what it holds by its own clock, and finds the same end (`Order::ended`): whoever is first tells the
//! others like of any order, and who finds it out himself knows already. Nodes of other kinds are told by all.

use std::collections::HashMap;

use super::Registry;
use super::status::Changed;
use crate::clock::Moment;
use crate::model::{By, EpochMillis, InstanceKey, Who};

/// Ends to come, one at most for an instance.
#[derive(Debug, Default)]
pub(super) struct Ends {
    all: HashMap<InstanceKey, EpochMillis>,
    /// None is earlier.
    earliest: EpochMillis,
}

impl Ends {
    /// Notes when the order about an instance ends, or that it does not.
    pub(super) fn note(&mut self, key: &InstanceKey, end: Option<EpochMillis>) {
        match end {
            Some(end) => {
                let earliest = if self.all.is_empty() {
                    end
                } else {
                    self.earliest
                };
                self.earliest = earliest.min(end);
                self.all.insert(key.clone(), end);
            }
            None if self.all.is_empty() => {}
            None => _ = self.all.remove(key),
        }
    }

    /// Takes those whose time is over.
    fn take(&mut self, now: EpochMillis) -> Vec<InstanceKey> {
        if self.all.is_empty() || now < self.earliest {
            return Vec::new();
        }
        let due = self.all.extract_if(|_, end| *end <= now);
        let due = due.map(|(key, _)| key).collect();
        self.earliest = self.all.values().copied().min().unwrap_or_default();
        due
    }
}

impl Registry {
    /// Ends the orders whose time is over.
    pub(super) fn end_orders(&mut self) {
        let now = self.clock.now();
        for key in self.ends.take(now.wall) {
            self.begin("end the order for", Some(&key));
            let changed = self.end_due(&key, now);
            if changed.is_some() {
                let by = By::only(Who::Node);
                self.publish_order(&key, changed, &by, "the time of an override is over");
            }
        }
    }

    fn end_due(&mut self, key: &InstanceKey, now: Moment) -> Changed {
        let held = self.table.get(key)?.held.clone();
        let order = held.version.order()?;
        let ended = order.ends().filter(|end| *end <= now.wall);
        let ended = ended.map(|_| order.ended())?;
        self.table.stamps.saw(ended.stamp);
        self.table.order(&held, ended.into(), None, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_whose_time_is_over_are_taken_once_and_of_each_instance_the_last_end_counts() {
        let key = |id: &str| InstanceKey::new("A", id);
        let mut ends = Ends::default();
        assert!(ends.take(u64::MAX).is_empty());
        for (id, end) in [
            ("1", Some(10)),
            ("2", Some(20)),
            ("3", Some(5)),
            ("1", Some(30)),
            ("3", None),
            ("4", None),
        ] {
            ends.note(&key(id), end);
        }
        for (now, due) in [
            (9, None),
            (20, Some("2")),
            (29, None),
            (31, Some("1")),
            (99, None),
        ] {
            let due: Vec<_> = due.map(key).into_iter().collect();
            assert_eq!(ends.take(now), due, "{now}");
        }
        ends.note(&key("5"), Some(7));
        assert_eq!(ends.take(7), [key("5")]);
    }
}
