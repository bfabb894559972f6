//! The last hour of renewals against the threshold, as lines in a box. Pure.

use super::words::grouped;
use crate::preservation::Sample;

/// Size of the box.
pub(super) const WIDTH: usize = 600;
pub(super) const HEIGHT: usize = 120;
/// Minutes from edge to edge.
const MINUTES: usize = 60;

/// Two lines, the newest minute at the right edge.
#[derive(Debug, Default)]
pub(super) struct Chart {
    /// Points of the line, empty before there are two.
    pub(super) renewals: String,
    pub(super) threshold: String,
    /// What is under the line of renewals.
    pub(super) area: String,
    /// What the upper edge stands for.
    pub(super) top: String,
    /// The same for those who do not see it.
    pub(super) words: String,
}

impl Chart {
    pub(super) fn of(samples: &[Sample]) -> Self {
        let highest = samples
            .iter()
            .map(|s| s.figures.renewals.max(s.figures.threshold))
            .max();
        let top = round_up(highest.unwrap_or(0));
        let of = |figure: fn(&Sample) -> u64| line(samples.iter().map(figure), samples.len(), top);
        let renewals = of(|sample| sample.figures.renewals);
        Self {
            area: area(&renewals),
            threshold: of(|sample| sample.figures.threshold),
            renewals,
            top: grouped(top),
            words: words(samples),
        }
    }

    /// Whether there is anything to see.
    pub(super) fn is_drawn(&self) -> bool {
        !self.renewals.is_empty()
    }
}

fn line(values: impl Iterator<Item = u64>, count: usize, top: u64) -> String {
    if count < 2 {
        return String::new();
    }
    let step = WIDTH as f64 / (MINUTES - 1) as f64;
    let first = WIDTH as f64 - step * (count - 1) as f64;
    let points = values.enumerate().map(|(at, value)| {
        let x = first + step * at as f64;
        let y = HEIGHT as f64 * (1.0 - value as f64 / top as f64);
        format!("{x:.1},{y:.1}")
    });
    points.collect::<Vec<_>>().join(" ")
}

/// The line and the lower edge under it.
fn area(line: &str) -> String {
    match line.split_once(',') {
        Some((first, _)) => format!("{first},{HEIGHT} {line} {WIDTH},{HEIGHT}"),
        None => String::new(),
    }
}

/// The next number of the kind 1, 2 or 5 with zeros behind it, so that the edge does not tremble.
fn round_up(value: u64) -> u64 {
    let mut unit: u64 = 1;
    loop {
        for edge in [1, 2, 5].map(|digit: u64| digit.saturating_mul(unit)) {
            if edge >= value {
                return edge;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

fn words(samples: &[Sample]) -> String {
    let Some(last) = samples.last() else {
        return "The first figure comes a minute after the start.".to_string();
    };
    let renewals = samples.iter().map(|sample| sample.figures.renewals);
    let (least, most) = (
        renewals.clone().min().unwrap_or(0),
        renewals.max().unwrap_or(0),
    );
    format!(
        "Renewals a minute over the last {} min: between {} and {}, last {}; threshold {}.",
        samples.len(),
        grouped(least),
        grouped(most),
        grouped(last.figures.renewals),
        grouped(last.figures.threshold)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preservation::Figures;

    fn samples(renewals: &[u64]) -> Vec<Sample> {
        let sample = |(minute, renewals): (usize, &u64)| Sample {
            at: minute as u64 * 60_000,
            figures: Figures {
                renewals: *renewals,
                expected: 0,
                threshold: 10,
            },
        };
        renewals.iter().enumerate().map(sample).collect()
    }

    #[test]
    fn the_newest_minute_is_at_the_right_edge_and_all_fits_in_the_box() {
        let chart = Chart::of(&samples(&[0, 20]));
        assert_eq!(chart.renewals, "589.8,120.0 600.0,0.0");
        assert_eq!(chart.area, "589.8,120 589.8,120.0 600.0,0.0 600,120");
        assert_eq!(chart.threshold, "589.8,60.0 600.0,60.0");
        assert_eq!(chart.top, "20");
        let hour = Chart::of(&samples(&[7; 60]));
        assert!(hour.renewals.starts_with("0.0,") && hour.renewals.ends_with("600.0,36.0"));
    }

    #[test]
    fn there_is_no_line_before_the_second_minute() {
        assert!(!Chart::of(&[]).is_drawn());
        assert!(!Chart::of(&samples(&[5])).is_drawn());
        assert!(Chart::of(&samples(&[0, 0])).is_drawn());
        assert!(Chart::of(&samples(&[u64::MAX, u64::MAX])).is_drawn());
    }

    #[test]
    fn the_upper_edge_is_a_round_number() {
        for (value, edge) in [(0, 1), (1, 1), (3, 5), (10, 10), (11, 20), (5001, 10_000)] {
            assert_eq!(round_up(value), edge, "{value}");
        }
    }
}
