//! The five statuses and the three kinds of change.

use std::fmt;

/// What an instance says of itself, or what an operator ordered.
///
/// The order is that of the hash code: by name (wire.md §8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InstanceStatus {
    /// Not able to take requests; a health check failed.
    Down,
    /// Taken out of rotation on purpose.
    OutOfService,
    /// Initialising; not yet to be used.
    Starting,
    /// Nobody knows. A heartbeat of such an instance is answered 404, so that it registers again.
    Unknown,
    /// Ready to take requests.
    Up,
}

impl InstanceStatus {
    /// All statuses, in the order of the hash code and of [`InstanceStatus::index`].
    pub const ALL: [InstanceStatus; 5] = [
        Self::Down,
        Self::OutOfService,
        Self::Starting,
        Self::Unknown,
        Self::Up,
    ];

    /// Eureka's constant, as it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Down => "DOWN",
            Self::OutOfService => "OUT_OF_SERVICE",
            Self::Starting => "STARTING",
            Self::Unknown => "UNKNOWN",
            Self::Up => "UP",
        }
    }

    /// Reads one of the five constants exactly; anything else is `None`.
    pub fn from_constant(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// Reads a status in a registration: case does not matter, an unknown word is
    /// [`InstanceStatus::Unknown`] (foreign-clients.md B16).
    pub fn from_body(text: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|s| s.as_str().eq_ignore_ascii_case(text))
            .unwrap_or(Self::Unknown)
    }

    /// A small number for tables of counters.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for InstanceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the last visible change of an instance was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionType {
    /// Registered, registered again, or given other metadata.
    Added,
    /// Its status or override changed.
    Modified,
    /// Cancelled or evicted; seen in deltas only.
    Deleted,
}

impl ActionType {
    /// Eureka's constant, as it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }

    /// Reads one of the three constants exactly.
    pub fn from_constant(text: &str) -> Option<Self> {
        [Self::Added, Self::Modified, Self::Deleted]
            .into_iter()
            .find(|a| a.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_sort_by_their_names_as_the_hash_code_wants() {
        let names = InstanceStatus::ALL.map(InstanceStatus::as_str);
        assert!(names.is_sorted());
        for (index, status) in InstanceStatus::ALL.into_iter().enumerate() {
            assert_eq!(status.index(), index);
            assert_eq!(InstanceStatus::from_constant(status.as_str()), Some(status));
        }
    }

    #[test]
    fn a_body_may_spell_a_status_in_any_case_and_a_query_only_exactly() {
        for (text, in_body, in_query) in [
            ("UP", InstanceStatus::Up, Some(InstanceStatus::Up)),
            ("up", InstanceStatus::Up, None),
            ("Out_Of_Service", InstanceStatus::OutOfService, None),
            ("BOGUS", InstanceStatus::Unknown, None),
            ("", InstanceStatus::Unknown, None),
        ] {
            assert_eq!(InstanceStatus::from_body(text), in_body, "{text}");
            assert_eq!(InstanceStatus::from_constant(text), in_query, "{text}");
        }
    }
}
