//! In the place of figures, where the feature `metrics` is off: nothing is counted.

use std::time::Duration;

use super::operation::Operation;
use crate::model::EpochMillis;

/// What came of a try at one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered,
    Refused,
    Failed,
}

/// No handles.
#[derive(Clone)]
pub(crate) struct Figures;

impl Figures {
    pub(crate) fn new(_client: &str) -> Self {
        Self
    }

    pub(crate) fn tried(&self, _operation: &Operation, _outcome: Outcome, _took: Duration) {}

    pub(crate) fn registered(&self, _at: Option<EpochMillis>) {}

    pub(crate) fn unknown(&self) {}

    pub(crate) fn fetched(&self, _at: EpochMillis, _instances: usize, _doubted: usize) {}

    pub(crate) fn mismatch(&self) {}

    pub(crate) fn servers(&self, _all: usize, _avoided: usize) {}
}
