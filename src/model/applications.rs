//! Whole lists: how many instances of each status, the hash code, and a list as a reader holds it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{InstanceInfo, InstanceStatus, Text};

/// How many instances have each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatusCounts([usize; InstanceStatus::ALL.len()]);

impl StatusCounts {
    /// Counts one instance more.
    pub fn add(&mut self, status: InstanceStatus) {
        self.0[status.index()] += 1;
    }

    /// Counts one instance less.
    pub fn remove(&mut self, status: InstanceStatus) {
        let count = &mut self.0[status.index()];
        debug_assert!(*count > 0, "no {status} instance was counted");
        *count = count.saturating_sub(1);
    }

    /// Instances with this status.
    pub fn of(&self, status: InstanceStatus) -> usize {
        self.0[status.index()]
    }

    /// Instances in all.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// `apps__hashcode`: each status that occurs, by name, with its number (wire.md §8.1).
    pub fn hash_code(&self) -> String {
        let mut code = String::new();
        for status in InstanceStatus::ALL {
            let count = self.of(status);
            if count > 0 {
                // Writing to a String cannot fail.
                let _ = write!(code, "{status}_{count}_");
            }
        }
        code
    }
}

impl FromIterator<InstanceStatus> for StatusCounts {
    fn from_iter<I: IntoIterator<Item = InstanceStatus>>(statuses: I) -> Self {
        let mut counts = Self::default();
        statuses.into_iter().for_each(|status| counts.add(status));
        counts
    }
}

/// A list as it was read from a server: what a client or a node that starts holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applications {
    /// `versions__delta`, as sent.
    pub version: String,
    /// `apps__hashcode`, as sent.
    pub hash_code: String,
    /// Instances by application name, in the order of the list.
    pub apps: BTreeMap<Text, Vec<InstanceInfo>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_code_names_each_status_that_occurs_with_its_number() {
        use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};
        for (statuses, expected) in [
            (vec![], ""),
            (vec![Up, Down, Up], "DOWN_1_UP_2_"),
            (
                vec![Up, Up, Up, Down, OutOfService, Starting, Unknown],
                "DOWN_1_OUT_OF_SERVICE_1_STARTING_1_UNKNOWN_1_UP_3_",
            ),
        ] {
            let counts: StatusCounts = statuses.iter().copied().collect();
            assert_eq!(counts.hash_code(), expected);
            assert_eq!(counts.total(), statuses.len());
        }
    }
}
