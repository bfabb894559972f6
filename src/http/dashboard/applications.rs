//! The table of applications, as Spring's page has it: zones, and for each status how many and which; but not all of
//! them, where there are many.

use std::collections::BTreeMap;

use form_urlencoded::Serializer;

use super::row::{Row, page_of, tone, zone};
use super::survey::Survey;
use super::words::short;
use crate::model::{InstanceStatus, Text};

/// Applications on one page.
pub(super) const PER_PAGE: usize = 100;
/// Instances that are named, of each status of an application.
const NAMED: usize = 6;
/// Zones that are named, of an application.
const ZONES: usize = 5;

/// One row of the table.
pub(super) struct App {
    pub(super) name: String,
    /// The address of the list of its instances, within the folder of all pages.
    pub(super) page: String,
    pub(super) zones: String,
    pub(super) statuses: Vec<Status>,
}

/// The instances of one status within an application.
pub(super) struct Status {
    pub(super) name: &'static str,
    pub(super) tone: &'static str,
    pub(super) count: usize,
    pub(super) instances: Vec<Link>,
    /// Instances that are not named.
    pub(super) more: usize,
    pub(super) more_page: String,
}

/// An instance and the address of its page.
pub(super) struct Link {
    pub(super) id: String,
    pub(super) page: String,
}

/// The rows of a page, which counts from 1, and how many applications there are.
pub(super) fn applications(survey: &Survey, page: usize) -> (Vec<App>, usize) {
    let by_app = survey.by_app();
    let count = by_app.len();
    let shown = by_app
        .into_iter()
        .skip((page - 1) * PER_PAGE)
        .take(PER_PAGE);
    (shown.map(|(name, rows)| app(name, rows)).collect(), count)
}

fn app(name: &Text, mut rows: Vec<&Row>) -> App {
    rows.sort_by(|a, b| a.info().id().cmp(b.info().id()));
    App {
        name: short(name),
        page: list_of(name, None),
        zones: zones(&rows),
        statuses: statuses(name, &rows),
    }
}

/// The address of the list of an application's instances.
fn list_of(app: &str, status: Option<InstanceStatus>) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("app", app);
    if let Some(status) = status {
        query.append_pair("show", status.as_str());
    }
    format!("instances?{}", query.finish())
}

fn statuses(app: &Text, rows: &[&Row]) -> Vec<Status> {
    // UP first: the usual one.
    let statuses = InstanceStatus::ALL.into_iter().rev();
    let shown = statuses.filter_map(|status| {
        let of_status: Vec<&&Row> = rows
            .iter()
            .filter(|row| row.info().status == status)
            .collect();
        let named = of_status.iter().take(NAMED).map(|row| Link {
            id: short(row.info().id()),
            page: page_of(row.info()),
        });
        (!of_status.is_empty()).then(|| Status {
            name: status.as_str(),
            tone: tone(status),
            count: of_status.len(),
            instances: named.collect(),
            more: of_status.len().saturating_sub(NAMED),
            more_page: list_of(app, Some(status)),
        })
    });
    shown.collect()
}

/// Zones as the instances name them, with how many are in each.
fn zones(rows: &[&Row]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for zone in rows
        .iter()
        .map(|row| zone(row.info()))
        .filter(|zone| !zone.is_empty())
    {
        *counts.entry(zone).or_default() += 1;
    }
    let words = counts
        .iter()
        .take(ZONES)
        .map(|(zone, n)| format!("{} ({n})", short(zone)));
    let mut words: Vec<String> = words.collect();
    if counts.len() > ZONES {
        words.push(format!("{} more", counts.len() - ZONES));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::samples;

    #[test]
    fn the_first_of_each_status_are_named_and_the_rest_counted() {
        let mut infos: Vec<_> = (0..9)
            .map(|n| samples::instance("A", &format!("i{n}")))
            .collect();
        infos[8].status = InstanceStatus::Down;
        infos[3].metadata = [("zone".into(), "z".into())].into();
        let survey = Survey::of_rows(infos, Moment { mono: 0, wall: 0 });
        let (apps, count) = applications(&survey, 1);
        assert_eq!((apps.len(), count), (1, 1));
        let statuses: Vec<_> = apps[0]
            .statuses
            .iter()
            .map(|s| (s.name, s.count, s.instances.len(), s.more))
            .collect();
        assert_eq!(statuses, [("UP", 8, 6, 2), ("DOWN", 1, 1, 0)]);
        assert_eq!(apps[0].zones, "z (1)");
        assert_eq!(apps[0].statuses[0].more_page, "instances?app=A&show=UP");
        assert!(applications(&survey, 2).0.is_empty());
    }
}
