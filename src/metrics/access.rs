//! Handles of who was not let through.

use std::sync::Arc;

use ::metrics::{Counter, counter};

use super::AUTH_FAILURES;

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
}

const FAILURES: [&str; 8] = [
    "missing",
    "wrong",
    "expired",
    "malformed",
    "slowed",
    "busy",
    "forbidden",
    "other_application",
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
}

impl AccessMetrics {
    /// Must be called with the node's recorder as the local one.
    pub(super) fn new() -> Self {
        Self {
            failures: Arc::new(FAILURES.map(|reason| counter!(AUTH_FAILURES, "reason" => reason))),
        }
    }

    /// A request was not let through.
    pub fn failed(&self, reason: AuthFailure) {
        self.failures[reason as usize].increment(1);
    }
}
