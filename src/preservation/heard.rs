//! For how long this node heard from anybody.
//!
//! A hold must not end because a node that is cut off from everybody has waited long enough: its clock runs
//! only while a client or a peer was heard within the last minute.

use crate::clock::Millis;

/// Silence of everybody for longer than this stops the clock.
const WITHIN: Millis = 60_000;

/// A clock that stands still while nobody is heard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeardClock {
    heard: Millis,
    looked: Millis,
}

impl HeardClock {
    /// Moves the clock to `now`; `last_heard` is when somebody was last heard.
    pub(super) fn advance(&mut self, now: Millis, last_heard: Millis) -> Millis {
        // Between two looks the clock ran until a minute after the last word.
        let ran_until = now.min(last_heard.saturating_add(WITHIN));
        self.heard += ran_until.saturating_sub(self.looked);
        self.looked = now;
        self.heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_for_a_minute_after_the_last_word_and_then_stands() {
        let mut clock = HeardClock::default();
        for (now, last_heard, expected) in [
            (10_000, 5_000, 10_000),
            (60_000, 5_000, 60_000),
            (70_000, 5_000, 65_000),
            (900_000, 5_000, 65_000),
            (901_000, 900_500, 66_000),
            (902_000, 901_999, 67_000),
        ] {
            assert_eq!(clock.advance(now, last_heard), expected, "{now}");
        }
    }
}
