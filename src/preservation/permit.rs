//! The judgement: may leases that have ended go? A pure rule in three variants, its answer is data.
//!
//! *Threshold* is the reference's decision bit for bit: nothing goes unless the last minute's renewals exceed
//! the threshold, and then at most the unprotected share of all leases, at random (server.md §7, §9.3).
//! *Adaptive* judges silence, not expiry, since beats are spread over the interval and leases never run out
//! together: nothing goes while more than max(1, 15 %) of all leases are silent. *Off*: everything goes.

use std::fmt;

use super::actor::Figures;
use crate::config::{PreservationConfig, Protection};

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Leases that have ended.
    pub due: usize,
    /// Leases that are silent.
    pub silent: usize,
    /// Leases in all.
    pub total: usize,
}

/// Whether ended leases may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permit {
    /// All of them.
    Granted,
    /// This many, chosen at random.
    Limited(usize),
    /// None of them.
    Withheld(Reason),
}

/// Why not, with the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Too many are silent.
    Silence {
        /// Silent leases.
        silent: usize,
        /// How many may be.
        allowed: usize,
        /// Leases in all.
        total: usize,
    },
    /// Too few renewals.
    Renewals {
        /// Of the last full minute.
        renewals: u64,
        /// What they must exceed.
        threshold: u64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silence {
                silent,
                allowed,
                total,
            } => write!(
                f,
                "{silent} of {total} leases are silent, more than the {allowed} that may be: \
                 the network may have failed, ended leases are kept"
            ),
            Self::Renewals {
                renewals,
                threshold,
            } => write!(
                f,
                "{renewals} renewals in the last minute, not more than the {threshold} wanted: \
                 the network may have failed, ended leases are kept"
            ),
        }
    }
}

/// Adaptive: silent leases in percent of all, above which nothing goes.
const SILENT_PERCENT: usize = 15;

/// Judges.
pub fn permit(config: &PreservationConfig, figures: Figures, judgement: Judgement) -> Permit {
    match config.protection {
        Protection::Off => Permit::Granted,
        Protection::Adaptive => by_silence(judgement),
        Protection::Threshold if figures.allow_expiry(config.enabled) => {
            Permit::Limited(limit(judgement.total, config.percent))
        }
        Protection::Threshold => Permit::Withheld(Reason::Renewals {
            renewals: figures.renewals,
            threshold: figures.threshold,
        }),
    }
}

fn by_silence(judgement: Judgement) -> Permit {
    let Judgement { silent, total, .. } = judgement;
    // One silent instance is never a network; of seven, two are.
    let too_many = silent > 1 && silent * 100 > total * SILENT_PERCENT;
    if too_many {
        let allowed = (total * SILENT_PERCENT / 100).max(1);
        return Permit::Withheld(Reason::Silence {
            silent,
            allowed,
            total,
        });
    }
    Permit::Granted
}

/// How many leases one sweep may remove: the unprotected share, at least what the reference's arithmetic
/// gives (B-06).
fn limit(total: usize, percent: f64) -> usize {
    total - (total as f64 * percent) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    fn figures(renewals: u64, threshold: u64) -> Figures {
        Figures {
            renewals,
            expected: 0,
            threshold,
        }
    }

    fn judged(silent: usize, total: usize) -> Judgement {
        Judgement {
            due: 1,
            silent,
            total,
        }
    }

    /// Design §2: one dead of two goes, two of two stay; two of seven, too.
    #[test]
    fn adaptive_keeps_what_ended_while_more_than_one_and_15_percent_are_silent() {
        let config = PreservationConfig::of(Mode::Modern);
        for (silent, total, goes) in [
            (0, 0, true),
            (0, 1, true),
            (1, 1, true),
            (1, 2, true),
            (2, 2, false),
            (1, 3, true),
            (3, 3, false),
            (2, 7, false),
            (2, 13, false),
            (2, 14, true),
            (3, 20, true),
            (4, 20, false),
            (15, 100, true),
            (16, 100, false),
            (150, 1000, true),
            (151, 1000, false),
        ] {
            let permit = permit(&config, figures(0, 1000), judged(silent, total));
            assert_eq!(permit == Permit::Granted, goes, "{silent} of {total}");
        }
    }

    /// server.md §9.3, scenario 35, and §7 for the limits.
    #[test]
    fn threshold_decides_as_the_reference() {
        let mut config = PreservationConfig::of(Mode::Classic);
        let reason = Reason::Renewals {
            renewals: 86,
            threshold: 86,
        };
        for (enabled, renewals, threshold, expected) in [
            (true, 90, 86, Permit::Limited(8)),
            (true, 86, 86, Permit::Withheld(reason)),
            (false, 86, 86, Permit::Limited(8)),
            (false, 0, 0, Permit::Limited(8)),
        ] {
            config.enabled = enabled;
            let got = permit(&config, figures(renewals, threshold), judged(0, 50));
            assert_eq!(got, expected, "{enabled} {renewals} {threshold}");
        }
        config.enabled = true;
        let nothing_expected = permit(&config, figures(5, 0), judged(0, 50));
        assert!(
            matches!(nothing_expected, Permit::Withheld(_)),
            "a threshold of 0 never allows"
        );
    }

    /// server.md §7, the numbers that were run there, and scenario 36.
    #[test]
    fn a_limited_sweep_takes_at_most_what_the_reference_takes() {
        for (total, expected) in [
            (0, 0),
            (1, 1),
            (2, 1),
            (5, 1),
            (6, 1),
            (7, 2),
            (10, 2),
            (20, 3),
            (50, 8),
            (72, 11),
            (85, 13),
            (100, 15),
        ] {
            assert_eq!(limit(total, 0.85), expected, "of {total}");
        }
    }

    #[test]
    fn off_lets_everything_go() {
        let mut config = PreservationConfig::of(Mode::Modern);
        config.protection = Protection::Off;
        assert_eq!(
            permit(&config, figures(0, 10), judged(9, 9)),
            Permit::Granted
        );
    }

    #[test]
    fn a_reason_says_its_numbers_in_plain_words() {
        let reason = Reason::Silence {
            silent: 4,
            allowed: 3,
            total: 20,
        };
        assert_eq!(
            reason.to_string(),
            "4 of 20 leases are silent, more than the 3 that may be: the network may have failed, \
             ended leases are kept"
        );
    }
}
