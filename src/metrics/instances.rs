//! `eureka_server_instances`: Spring's one metric of a Eureka server, kept up to date change by change.
//!
//! It is written here and not by the recorder, which can never forget a series: an application that is gone is
//! gone from the page. At most [`MAX_APPLICATIONS`] have series of their own, those first by name.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use metrics_exporter_prometheus::formatting::{
    sanitize_label_value, write_help_line, write_type_line,
};

use super::{MAX_APPLICATIONS, SERVER_INSTANCES};
use crate::model::{InstanceStatus, Text};

const HELP: &str = "Instances by application and status";
/// The label of all applications that have no series of their own; names of real ones are in capitals.
const OTHER: &str = "other";

/// Instances of an application by [`InstanceStatus::index`].
type Counts = [i64; InstanceStatus::ALL.len()];

/// How many instances of each status every application has.
#[derive(Clone, Default)]
pub struct InstanceGauges {
    apps: Arc<Mutex<BTreeMap<Text, Counts>>>,
    /// Whether they are left out of the page.
    pub hidden: bool,
}

impl InstanceGauges {
    /// An instance of `app` came (`from` is `None`), changed its status, or went (`to` is `None`).
    pub fn moved(&self, app: &Text, from: Option<InstanceStatus>, to: Option<InstanceStatus>) {
        if from == to {
            return;
        }
        let mut apps = self.apps.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = apps.entry(app.clone()).or_default();
        if let Some(from) = from {
            counts[from.index()] -= 1;
        }
        if let Some(to) = to {
            counts[to.index()] += 1;
        }
        if *counts == Counts::default() {
            apps.remove(app);
        }
    }

    /// Writes a line per application and status that has instances. The registry is held up only while the counts
    /// are copied.
    pub(super) fn write(&self, page: &mut String) {
        if self.hidden {
            return;
        }
        let apps = self
            .apps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        write_help_line(page, SERVER_INSTANCES, None, None, HELP);
        write_type_line(page, SERVER_INSTANCES, None, None, "gauge");
        for (app, counts) in apps.iter().take(MAX_APPLICATIONS) {
            write_counts(page, &sanitize_label_value(app), counts);
        }
        let mut others = Counts::default();
        for counts in apps.values().skip(MAX_APPLICATIONS) {
            others.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        }
        write_counts(page, OTHER, &others);
        page.push('\n');
    }
}

fn write_counts(page: &mut String, app: &str, counts: &Counts) {
    for status in InstanceStatus::ALL {
        let count = counts[status.index()];
        if count != 0 {
            let status = status.as_str();
            // Writing to a text cannot fail.
            _ = writeln!(
                page,
                "{SERVER_INSTANCES}{{application=\"{app}\",status=\"{status}\"}} {count}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use InstanceStatus::{Down, Up};

    use super::*;

    fn lines(gauges: &InstanceGauges) -> Vec<String> {
        let mut page = String::new();
        gauges.write(&mut page);
        let lines = page.lines().filter(|line| line.contains('{'));
        lines
            .map(|line| line.replace(SERVER_INSTANCES, ""))
            .collect()
    }

    #[test]
    fn what_is_hidden_is_counted_and_not_shown() {
        let mut gauges = InstanceGauges::default();
        gauges.moved(&"A".into(), None, Some(Up));
        assert_eq!(lines(&gauges).len(), 1);
        gauges.hidden = true;
        assert_eq!(lines(&gauges).len(), 0);
    }

    #[test]
    fn an_instance_is_counted_where_it_is_and_an_application_without_any_is_not_shown() {
        let gauges = InstanceGauges::default();
        assert_eq!(lines(&gauges), [""; 0]);
        let (a, b): (Text, Text) = ("A".into(), "B\"\n".into());
        gauges.moved(&a, None, Some(Up));
        gauges.moved(&a, None, Some(Up));
        gauges.moved(&a, Some(Up), Some(Down));
        gauges.moved(&b, None, Some(Up));
        let a_down = r#"{application="A",status="DOWN"} 1"#;
        let (a_up, b_up) = (
            r#"{application="A",status="UP"} 1"#,
            r#"{application="B\"\n",status="UP"} 1"#,
        );
        assert_eq!(lines(&gauges), [a_down, a_up, b_up]);
        gauges.moved(&a, Some(Up), None);
        gauges.moved(&b, Some(Up), None);
        assert_eq!(lines(&gauges), [a_down]);
    }

    #[test]
    fn applications_beyond_the_limit_share_one_series() {
        let gauges = InstanceGauges::default();
        let app = |n: usize| Text::from(format!("APP-{n:06}"));
        for n in 0..MAX_APPLICATIONS + 2 {
            gauges.moved(&app(n), None, Some(Up));
        }
        let shown = lines(&gauges);
        assert_eq!(shown.len(), MAX_APPLICATIONS + 1);
        assert_eq!(
            shown.last().unwrap(),
            r#"{application="other",status="UP"} 2"#
        );
        // One of those with a series goes: the first of the others takes its place.
        gauges.moved(&app(0), Some(Up), None);
        let shown = lines(&gauges);
        assert_eq!(shown.len(), MAX_APPLICATIONS + 1);
        assert_eq!(
            shown.last().unwrap(),
            r#"{application="other",status="UP"} 1"#
        );
    }
}
