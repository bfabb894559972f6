//! The renewals of the last hour, one figure a minute, for people.

use std::collections::VecDeque;

use actix::Message;

use super::actor::Figures;
use crate::model::EpochMillis;

/// Minutes that are remembered.
const KEPT: usize = 60;

/// Asks for them, oldest first.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "Vec<Sample>")]
pub struct TakeHistory;

/// The figures at the end of a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it ended.
    pub at: EpochMillis,
    /// Its figures.
    pub figures: Figures,
}

/// What is remembered.
#[derive(Debug, Default)]
pub(super) struct History(VecDeque<Sample>);

impl History {
    /// A minute is over.
    pub(super) fn note(&mut self, at: EpochMillis, figures: Figures) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Sample { at, figures });
    }

    /// All of it, oldest first.
    pub(super) fn samples(&self) -> Vec<Sample> {
        self.0.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sixty_minutes_are_kept_oldest_first() {
        let mut history = History::default();
        for minute in 1..=61 {
            let figures = Figures {
                renewals: minute,
                ..Figures::default()
            };
            history.note(minute * 60_000, figures);
        }
        let samples = history.samples();
        assert_eq!(samples.len(), KEPT);
        assert_eq!((samples[0].at, samples[0].figures.renewals), (120_000, 2));
        assert_eq!(samples[59].figures.renewals, 61);
    }
}
