//! What came of the requests, kind by kind.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use hyper::StatusCode;

use super::link::{Answer, NoAnswer};

/// What clients ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Register,
    Beat,
    Full,
    Delta,
    Leave,
}

impl Kind {
    pub(super) const ALL: [Kind; 5] = [
        Self::Register,
        Self::Beat,
        Self::Full,
        Self::Delta,
        Self::Leave,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Register => "registrations",
            Self::Beat => "heartbeats",
            Self::Full => "full lists",
            Self::Delta => "deltas",
            Self::Leave => "cancellations",
        }
    }

    /// The status of success.
    fn wanted(self) -> StatusCode {
        match self {
            Self::Register => StatusCode::NO_CONTENT,
            _ => StatusCode::OK,
        }
    }
}

/// What came of requests of one kind.
pub(super) struct Tally {
    /// Microseconds of those that were answered as they should be.
    pub(super) times: Histogram<u64>,
    /// Bytes of their bodies.
    pub(super) bytes: u64,
    /// Answered 503: come again.
    pub(super) refused: u64,
    /// Anything else, by what it was.
    pub(super) failed: BTreeMap<String, u64>,
}

impl Tally {
    fn new() -> Self {
        // Up to a minute with three digits; what is longer counts as a minute. These bounds are valid ones.
        let times = Histogram::new_with_bounds(1, 60_000_000, 3);
        Self {
            times: times.expect("valid bounds"),
            bytes: 0,
            refused: 0,
            failed: BTreeMap::new(),
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.times.len() + self.refused + self.failures()
    }

    pub(super) fn failures(&self) -> u64 {
        self.failed.values().sum()
    }
}

/// All tallies.
pub(super) struct Figures([Tally; Kind::ALL.len()]);

/// What a client has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Done,
    /// Not held there: register.
    Unknown,
    /// Come again.
    Again,
}

impl Figures {
    pub(super) fn new() -> Self {
        Self(Kind::ALL.map(|_| Tally::new()))
    }

    pub(super) fn of(&self, kind: Kind) -> &Tally {
        &self.0[kind as usize]
    }

    /// Requests that were answered as none should be.
    pub(super) fn failures(&self) -> u64 {
        self.0.iter().map(Tally::failures).sum()
    }

    /// All requests.
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(Tally::count).sum()
    }

    /// Enters what came of one request, which took `time` from when it was due. A heartbeat of an instance that the
    /// server does not hold is answered 404, which counts as a failure: nobody should forget a living one.
    pub(super) fn enter(
        &mut self,
        kind: Kind,
        time: Duration,
        answer: Result<Answer, NoAnswer>,
    ) -> Verdict {
        let tally = &mut self.0[kind as usize];
        let mut failed = |what: String| *tally.failed.entry(what).or_default() += 1;
        match answer {
            Ok(answer) if answer.status == kind.wanted() => {
                tally.times.saturating_record(time.as_micros() as u64);
                tally.bytes += answer.bytes;
                Verdict::Done
            }
            Ok(answer) if answer.status == StatusCode::SERVICE_UNAVAILABLE => {
                tally.refused += 1;
                Verdict::Again
            }
            Ok(answer) => {
                failed(format!("answered {}", answer.status.as_u16()));
                match answer.status {
                    StatusCode::NOT_FOUND => Verdict::Unknown,
                    _ => Verdict::Again,
                }
            }
            Err(error) => {
                failed(error.to_string());
                Verdict::Again
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_has_its_place_and_says_what_is_next() {
        let mut figures = Figures::new();
        let mut enter = |kind, status: u16| {
            let status = StatusCode::from_u16(status).unwrap();
            let answer = Ok(Answer { status, bytes: 10 });
            figures.enter(kind, Duration::from_millis(2), answer)
        };
        assert_eq!(enter(Kind::Beat, 200), Verdict::Done);
        assert_eq!(enter(Kind::Beat, 404), Verdict::Unknown);
        assert_eq!(enter(Kind::Beat, 503), Verdict::Again);
        assert_eq!(enter(Kind::Register, 204), Verdict::Done);
        assert_eq!(enter(Kind::Register, 200), Verdict::Again);
        let late = figures.enter(Kind::Delta, Duration::from_secs(99), Err(NoAnswer::TooLate));
        assert_eq!(late, Verdict::Again);

        let beats = figures.of(Kind::Beat);
        assert_eq!((beats.times.len(), beats.bytes, beats.refused), (1, 10, 1));
        assert_eq!((beats.failures(), beats.count()), (1, 3));
        assert!(beats.times.max().abs_diff(2_000) <= 2);
        assert_eq!(figures.of(Kind::Register).failures(), 1);
        assert_eq!(figures.of(Kind::Delta).failures(), 1);
        assert_eq!(figures.of(Kind::Full).count(), 0);
    }
}
