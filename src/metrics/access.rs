//! Handles of who was not let through.

use std::sync::Arc;

use ::metrics::{Counter, counter};

use super::{AUTH_FAILURES, FETCHES_LIMITED};

/// Why a request was not let through; the label `reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthFailure {
    /// It came without credentials and needs some.
    Missing,
    /// Nobody has these credentials.
    Wrong,
    /// The token is no longer valid.
    Expired,
    /// The header cannot be read, or is of a kind that is not known here.
    Malformed,
    /// Too many wrong ones came from its address.
    Slowed,
    /// Too many passwords wait to be compared.
    Busy,
    /// Whoever asks has not the role for it.
    Forbidden,
    /// Whoever asks may register other applications only.
    OtherApplication,
    /// A page of another site made a browser send it.
    CrossSite,
}

const FAILURES: [&str; 9] = [
    "missing",
    "wrong",
    "expired",
    "malformed",
    "slowed",
    "busy",
    "forbidden",
    "other_application",
    "cross_site",
];

impl AuthFailure {
    /// The word used as a label.
    pub fn as_str(self) -> &'static str {
        FAILURES[self as usize]
    }
}

/// Handles of the guard.
#[derive(Clone)]
pub struct AccessMetrics {
    failures: Arc<[Counter; FAILURES.len()]>,
    /// By what was limited, and whether that had a consequence.
    limited: Arc<[[Counter; 2]; 2]>,
}

impl AccessMetrics {
    /// Must be called with the node's recorder as the local one.
    pub(super) fn new() -> Self {
        Self {
            failures: Arc::new(FAILURES.map(|reason| counter!(AUTH_FAILURES, "reason" => reason))),
            limited: Arc::new(["other", "full"].map(|kind| {
                ["counted", "refused"]
                    .map(|result| counter!(FETCHES_LIMITED, "kind" => kind, "result" => result))
            })),
        }
    }

    /// Eureka's own limiter found no room for a read, and it was refused or only counted.
    pub fn limited(&self, is_full: bool, is_refused: bool) {
        self.limited[usize::from(is_full)][usize::from(is_refused)].increment(1);
    }

    /// A request was not let through.
    pub fn failed(&self, reason: AuthFailure) {
        self.failures[reason as usize].increment(1);
    }
}
