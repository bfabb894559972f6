//! Which instances are asked for, and in which order: the query of the list. Pure. A word that is not known is as good
//! as none: people edit addresses by hand.

use std::cmp::Ordering;

use form_urlencoded::{Serializer, parse};

use super::row::{Row, version, zone};
use crate::model::InstanceStatus;

/// Rows on one page.
pub(super) const PER_PAGE: usize = 100;
/// Bytes of a search that are looked for.
const LONGEST: usize = 200;

/// The kinds of instances that can be asked for beside the five statuses, and what people read.
const KINDS: [(&str, &str); 4] = [
    ("odd", "needs attention"),
    ("overridden", "overridden"),
    ("kept", "kept by self-preservation"),
    ("silent", "silent"),
];

/// The columns that can be sorted by, and what people read.
pub(super) const COLUMNS: [(&str, &str); 7] = [
    ("app", "Application"),
    ("id", "Instance"),
    ("status", "Status"),
    ("zone", "Zone"),
    ("version", "Version"),
    ("beat", "Last heartbeat"),
    ("end", "Lease ends"),
];

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    /// Words that must all be found.
    pub(super) search: String,
    pub(super) app: String,
    pub(super) zone: String,
    /// A status or one of [`KINDS`]; everything, if empty.
    pub(super) show: &'static str,
    /// A column; by application and id, if empty.
    pub(super) sort: &'static str,
    pub(super) is_descending: bool,
    /// Counts from 1.
    pub(super) page: usize,
}

impl Filter {
    pub(super) fn of(query: &str) -> Self {
        let mut filter = Self {
            page: 1,
            ..Self::default()
        };
        for (name, value) in parse(query.as_bytes()) {
            match &*name {
                "q" => filter.search = beginning(&value),
                "app" => filter.app = value.into_owned(),
                "zone" => filter.zone = value.into_owned(),
                "show" => filter.show = known(shown().map(|(name, _)| name), &value),
                "sort" => filter.sort = known(COLUMNS.into_iter().map(|(name, _)| name), &value),
                "dir" => filter.is_descending = value == "desc",
                "page" => filter.page = value.parse().unwrap_or(1).max(1),
                _ => {}
            }
        }
        filter
    }

    /// The query that asks for this.
    pub(super) fn query(&self) -> String {
        let page = self.page.to_string();
        let direction = if self.is_descending { "desc" } else { "" };
        let pairs = [
            ("q", &*self.search),
            ("app", &self.app),
            ("zone", &self.zone),
            ("show", self.show),
            ("sort", self.sort),
            ("dir", direction),
            ("page", if self.page > 1 { &page } else { "" }),
        ];
        let mut query = Serializer::new(String::new());
        query.extend_pairs(pairs.into_iter().filter(|(_, value)| !value.is_empty()));
        query.finish()
    }

    /// The same from another page on.
    pub(super) fn on_page(&self, page: usize) -> Self {
        Self {
            page,
            ..self.clone()
        }
    }

    /// The same by a column, the other way round if it is by that one already.
    pub(super) fn sorted_by(&self, column: &'static str) -> Self {
        let is_descending = self.sort == column && !self.is_descending;
        Self {
            sort: column,
            is_descending,
            page: 1,
            ..self.clone()
        }
    }

    /// Whether an instance is asked for; `words` are those of the search, see [`Filter::words`].
    pub(super) fn takes(&self, row: &Row, words: &[String]) -> bool {
        let info = row.info();
        let is_of_app = self.app.is_empty() || info.app.eq_ignore_ascii_case(&self.app);
        let is_of_zone = self.zone.is_empty() || zone(info) == self.zone;
        is_of_app && is_of_zone && self.is_kind(row) && words.iter().all(|word| has(row, word))
    }

    /// The words of the search, in lower case.
    pub(super) fn words(&self) -> Vec<String> {
        self.search
            .to_lowercase()
            .split_whitespace()
            .map(str::to_string)
            .collect()
    }

    fn is_kind(&self, row: &Row) -> bool {
        match self.show {
            "" => true,
            "odd" => row.is_odd(),
            "overridden" => row.info().override_status.is_some(),
            "kept" => row.kept_since.is_some(),
            "silent" => row.is_silent,
            status => row.info().status.as_str() == status,
        }
    }

    /// The order of two instances.
    pub(super) fn compare(&self, a: &Row, b: &Row) -> Ordering {
        let (left, right) = (a.info(), b.info());
        let by_column = match self.sort {
            "id" => left.id().cmp(right.id()),
            "status" => left.status.cmp(&right.status),
            "zone" => zone(left).cmp(zone(right)),
            "version" => version(left).cmp(version(right)),
            "beat" => a.idle.cmp(&b.idle),
            "end" => a.deadline.cmp(&b.deadline),
            _ => left.app.cmp(&right.app),
        };
        let by_column = if self.is_descending {
            by_column.reverse()
        } else {
            by_column
        };
        let by_name = || (&left.app, left.id()).cmp(&(&right.app, right.id()));
        by_column.then_with(by_name)
    }
}

/// All that can be shown: the five statuses and the kinds.
pub(super) fn shown() -> impl Iterator<Item = (&'static str, &'static str)> {
    let statuses = InstanceStatus::ALL.into_iter().rev();
    statuses
        .map(|status| (status.as_str(), status.as_str()))
        .chain(KINDS)
}

fn known(mut words: impl Iterator<Item = &'static str>, given: &str) -> &'static str {
    words.find(|word| *word == given).unwrap_or_default()
}

fn beginning(text: &str) -> String {
    let end = (0..=text.len().min(LONGEST))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or(0)].to_string()
}

/// Whether a word is found anywhere in what an instance says of itself.
fn has(row: &Row, word: &str) -> bool {
    let info = row.info();
    let names = [&*info.app, info.id(), info.status.as_str()];
    names.into_iter().any(|text| contains(text, word))
        || info.texts().any(|(_, text)| contains(text, word))
        || info
            .metadata
            .iter()
            .any(|(key, value)| contains(key, word) || contains(value, word))
}

/// Whether a text contains a word in lower case, whatever the case of the text.
fn contains(text: &str, word: &str) -> bool {
    let (bytes, wanted) = (text.as_bytes(), word.as_bytes());
    if text.is_ascii() {
        let mut places = bytes.windows(wanted.len().max(1));
        return wanted.is_empty() || places.any(|place| place.eq_ignore_ascii_case(wanted));
    }
    text.to_lowercase().contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::{InstanceInfo, samples};
    use crate::registry::Held;

    fn row(info: InstanceInfo) -> Row {
        Row::of(Held::sample(info), Moment { mono: 0, wall: 0 })
    }

    fn sample() -> Row {
        row(InstanceInfo {
            metadata: [
                ("zone".into(), "Zürich-1".into()),
                ("version".into(), "2.1".into()),
            ]
            .into(),
            ..samples::instance("ORDERS", "orders:1")
        })
    }

    #[test]
    fn what_is_asked_for_is_found_by_any_of_its_words_and_all_filters_hold() {
        let row = sample();
        for (query, is_taken) in [
            ("", true),
            ("q=", true),
            ("q=ord", true),
            ("q=ORDERS:1", true),
            ("q=10.0.0+host-1", true),
            ("q=zürich", true),
            ("q=up", true),
            ("q=ord+nothing", false),
            ("app=orders", true),
            ("app=order", false),
            ("zone=Z%C3%BCrich-1", true),
            ("zone=z", false),
            ("show=UP", true),
            ("show=DOWN", false),
            ("show=odd", false),
            ("show=nonsense", true),
            ("app=orders&show=UP&q=2.1", true),
        ] {
            let filter = Filter::of(query);
            assert_eq!(filter.takes(&row, &filter.words()), is_taken, "{query}");
        }
    }

    #[test]
    fn a_filter_comes_back_from_its_query_and_odd_words_are_none() {
        for (query, same) in [
            ("", ""),
            (
                "q=a%26b+c&app=X&zone=z&show=odd&sort=beat&dir=desc&page=3",
                "q=a%26b+c&app=X&zone=z&show=odd&sort=beat&dir=desc&page=3",
            ),
            ("page=0", ""),
            ("page=-1&sort=x&dir=up&show=%3Cscript%3E&other=1", ""),
            ("page=99999999999999999999999", ""),
        ] {
            let filter = Filter::of(query);
            assert_eq!(filter.query(), same, "{query}");
            assert_eq!(Filter::of(&filter.query()), filter);
        }
        let long = Filter::of(&format!("q={}", "é".repeat(5000)));
        assert_eq!(long.search.len(), LONGEST);
    }

    #[test]
    fn a_column_is_sorted_one_way_and_then_the_other() {
        let first = Filter::of("page=4").sorted_by("beat");
        assert_eq!(first.query(), "sort=beat");
        assert_eq!(first.sorted_by("beat").query(), "sort=beat&dir=desc");
        assert_eq!(
            first.sorted_by("beat").sorted_by("beat").query(),
            "sort=beat"
        );
        assert_eq!(
            first.sorted_by("beat").sorted_by("zone").query(),
            "sort=zone"
        );
    }

    #[test]
    fn equal_ones_are_in_the_order_of_their_names() {
        let rows: Vec<Row> = [("B", "1"), ("A", "2"), ("A", "1")]
            .map(|(app, id)| row(samples::instance(app, id)))
            .into();
        for query in ["", "sort=status&dir=desc", "sort=zone"] {
            let mut sorted = rows.clone();
            let filter = Filter::of(query);
            sorted.sort_by(|a, b| filter.compare(a, b));
            let names: Vec<String> = sorted
                .iter()
                .map(|row| row.info().key().to_string())
                .collect();
            assert_eq!(names, ["A/1", "A/2", "B/1"], "{query}");
        }
    }
}
