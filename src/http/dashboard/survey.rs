//! Everything that is held, counted in one pass. It is read from what the registry publishes, so the registry is not
//! asked; it takes milliseconds, so it is done away from the workers.

use std::collections::BTreeMap;

use super::row::{Row, zone};
use crate::http::state::Http;
use crate::model::{InstanceStatus, Text};

/// All instances and what there is to say of them together.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// In no order.
    pub(super) rows: Vec<Row>,
    pub(super) statuses: [usize; 5],
    pub(super) overridden: usize,
    /// Kept by self-preservation.
    pub(super) kept: usize,
    /// Silent, and not kept.
    pub(super) silent: usize,
}

impl Survey {
    pub(super) fn of(http: &Http) -> Self {
        let now = http.clock.now();
        let all = http.published.index.all();
        Self::count(all.into_iter().map(|held| Row::of(held, now)).collect())
    }

    fn count(rows: Vec<Row>) -> Self {
        let mut survey = Self::default();
        for row in &rows {
            let info = row.info();
            survey.statuses[info.status.index()] += 1;
            survey.overridden += usize::from(info.override_status.is_some());
            match row.kept_since {
                Some(_) => survey.kept += 1,
                None => survey.silent += usize::from(row.is_silent),
            }
        }
        Self { rows, ..survey }
    }

    pub(super) fn count_of(&self, status: InstanceStatus) -> usize {
        self.statuses[status.index()]
    }

    /// Instances by application, these by name.
    pub(super) fn by_app(&self) -> BTreeMap<&Text, Vec<&Row>> {
        let mut by_app: BTreeMap<&Text, Vec<&Row>> = BTreeMap::new();
        for row in &self.rows {
            by_app.entry(&row.info().app).or_default().push(row);
        }
        by_app
    }

    /// Zones that are named, with how many are in each.
    pub(super) fn zones(&self) -> BTreeMap<&str, usize> {
        let mut zones = BTreeMap::new();
        for zone in self.rows.iter().map(|row| zone(row.info())) {
            if !zone.is_empty() {
                *zones.entry(zone).or_default() += 1;
            }
        }
        zones
    }

    /// Those that somebody should look at: what does not work first, then what was silent for longest.
    pub(super) fn odd(&self) -> Vec<&Row> {
        let mut odd: Vec<&Row> = self.rows.iter().filter(|row| row.is_odd()).collect();
        odd.sort_by_key(|row| {
            let (info, idle) = (row.info(), std::cmp::Reverse(row.idle));
            (rank(row), idle, info.app.clone(), info.id().clone())
        });
        odd
    }

    /// One for a moment, for tests.
    #[cfg(test)]
    pub(super) fn of_rows(
        infos: Vec<crate::model::InstanceInfo>,
        now: crate::clock::Moment,
    ) -> Self {
        let held = infos.into_iter().map(crate::registry::Held::sample);
        Self::count(held.map(|held| Row::of(held, now)).collect())
    }
}

fn rank(row: &Row) -> u8 {
    match row.info().status {
        InstanceStatus::Down | InstanceStatus::Unknown => 0,
        _ if row.kept_since.is_some() || row.is_silent => 1,
        InstanceStatus::OutOfService => 2,
        InstanceStatus::Starting => 3,
        InstanceStatus::Up => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::{InstanceInfo, samples};

    #[test]
    fn what_does_not_work_comes_first() {
        let with = |id: &str, status, ordered| InstanceInfo {
            status,
            override_status: ordered,
            ..samples::instance("A", id)
        };
        use InstanceStatus::{Down, OutOfService, Starting, Up};
        let survey = Survey::of_rows(
            vec![
                with("up", Up, None),
                with("starting", Starting, None),
                with("out", OutOfService, Some(OutOfService)),
                with("down", Down, None),
                with("forced", Up, Some(Up)),
            ],
            Moment { mono: 0, wall: 0 },
        );
        let odd: Vec<String> = survey
            .odd()
            .iter()
            .map(|row| row.info().id().to_string())
            .collect();
        assert_eq!(odd, ["down", "out", "starting", "forced"]);
        assert_eq!(
            (survey.overridden, survey.silent, survey.count_of(Up)),
            (2, 0, 2)
        );
    }
}
