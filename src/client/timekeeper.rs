//! The client's clock: wall time follows the system's, unless the program gave a clock.
//!
//! A machine that slept, or whose clock was set, would otherwise stamp its record with a time that nobody else has. Stamps
//! rise all the same (`registration/record.rs`).

use crate::clock::{Clock, Moment};

/// A cheap, shared clock.
#[derive(Clone, Debug)]
pub(crate) struct Timekeeper {
    clock: Clock,
    follows_system: bool,
}

impl Timekeeper {
    /// The program's clock, else one that shows the system's time.
    pub(crate) fn new(given: Option<Clock>) -> Self {
        let follows_system = given.is_none();
        Self {
            clock: given.unwrap_or_else(Clock::system),
            follows_system,
        }
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Moment {
        if self.follows_system
            && let Some(step) = self.clock.follow_system()
        {
            tracing::info!(step, "the system's clock was set; following it");
        }
        self.clock.now()
    }
}
