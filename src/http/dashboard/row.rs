//! One instance at one moment: what tables show of it, and what they are sorted by.

use std::sync::Arc;

use form_urlencoded::Serializer;

use super::words::{ago, short, span};
use crate::clock::{Millis, Moment};
use crate::model::{DataCenter, InstanceInfo, InstanceStatus};
use crate::registry::Held;

/// How an instance stands now.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) held: Arc<Held>,
    /// Since its last heartbeat.
    pub(super) idle: Millis,
    /// When its lease ends, or ended.
    pub(super) deadline: Millis,
    /// Since when self-preservation keeps it.
    pub(super) kept_since: Option<Millis>,
    /// No heartbeat for longer than there should be.
    pub(super) is_silent: bool,
}

impl Row {
    pub(super) fn of(held: Arc<Held>, now: Moment) -> Self {
        let idle = held.lease.idle(now);
        Self {
            idle,
            deadline: held.lease.deadline(),
            kept_since: held.lease.hold(now).map(|hold| hold.since),
            is_silent: idle > held.info.lease.silence(),
            held,
        }
    }

    pub(super) fn info(&self) -> &InstanceInfo {
        &self.held.info
    }

    /// Whether somebody should look at it.
    pub(super) fn is_odd(&self) -> bool {
        let info = self.info();
        let is_up = info.status == InstanceStatus::Up;
        !is_up || info.override_status.is_some() || self.is_silent || self.kept_since.is_some()
    }
}

/// The zone of an instance, as it names it.
pub(super) fn zone(info: &InstanceInfo) -> &str {
    let own = info.metadata.get("zone");
    let amazon = || match &info.data_center {
        DataCenter::Amazon(metadata) => metadata.get("availability-zone"),
        DataCenter::MyOwn | DataCenter::Netflix => None,
    };
    own.or_else(amazon).map_or("", |zone| zone)
}

/// The version of an instance, as it names it.
pub(super) fn version(info: &InstanceInfo) -> &str {
    info.metadata.get("version").map_or("", |version| version)
}

/// The address of an instance's page, within the folder of all.
pub(super) fn page_of(info: &InstanceInfo) -> String {
    page_of_key(&info.app, info.id())
}

/// The same, where one knows no more than its key.
pub(super) fn page_of_key(app: &str, id: &str) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("app", app).append_pair("id", id);
    format!("instance?{}", query.finish())
}

/// A row of a table, in words.
pub(super) struct Shown {
    pub(super) app: String,
    pub(super) id: String,
    pub(super) page: String,
    pub(super) status: &'static str,
    pub(super) tone: &'static str,
    /// What is out of the ordinary.
    pub(super) marks: Vec<&'static str>,
    pub(super) zone: String,
    pub(super) version: String,
    pub(super) beat: String,
    pub(super) ends: String,
}

impl Shown {
    pub(super) fn of(row: &Row, now: Moment) -> Self {
        let info = row.info();
        let marks = [
            (info.override_status.is_some(), "overridden"),
            (row.kept_since.is_some(), "kept"),
            (row.is_silent, "silent"),
        ];
        Self {
            app: short(&info.app),
            id: short(info.id()),
            page: page_of(info),
            status: info.status.as_str(),
            tone: tone(info.status),
            marks: marks
                .into_iter()
                .filter_map(|(is_so, mark)| is_so.then_some(mark))
                .collect(),
            zone: short(zone(info)),
            version: short(version(info)),
            beat: ago(row.idle),
            ends: ends(row.deadline, now),
        }
    }
}

/// The colour of a status.
pub(super) fn tone(status: InstanceStatus) -> &'static str {
    match status {
        InstanceStatus::Up => "good",
        InstanceStatus::Starting | InstanceStatus::OutOfService => "notice",
        InstanceStatus::Down | InstanceStatus::Unknown => "bad",
    }
}

/// When a lease ends, or how long ago it did.
pub(super) fn ends(deadline: Millis, now: Moment) -> String {
    match deadline.checked_sub(now.mono) {
        Some(left) => format!("in {}", span(left)),
        None => ago(now.mono - deadline),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    fn at(mono: Millis) -> Moment {
        Moment { mono, wall: mono }
    }

    #[test]
    fn a_row_says_what_is_out_of_the_ordinary() {
        let held = Held::sample(samples::instance("A", "i 1&<"));
        for (now, beat, ends, marks) in [
            (10_000, "10 s ago", "in 80 s", vec![]),
            (36_001, "36 s ago", "in 53 s", vec!["silent"]),
            (100_000, "100 s ago", "10 s ago", vec!["silent"]),
        ] {
            let row = Row::of(held.clone(), at(now));
            assert_eq!(row.is_odd(), !marks.is_empty(), "{now}");
            let shown = Shown::of(&row, at(now));
            assert_eq!(
                (&*shown.beat, &*shown.ends, shown.marks),
                (beat, ends, marks)
            );
            assert_eq!(shown.page, "instance?app=A&id=i+1%26%3C");
        }
    }

    #[test]
    fn the_zone_is_the_instance_s_own_word_or_amazon_s() {
        let mut info = samples::instance("A", "i");
        assert_eq!(zone(&info), "");
        let pairs = [("availability-zone".into(), "us-east-1c".into())];
        info.data_center = DataCenter::Amazon(pairs.into());
        assert_eq!(zone(&info), "us-east-1c");
        info.metadata = [("zone".into(), "a".into())].into();
        assert_eq!(zone(&info), "a");
    }
}
