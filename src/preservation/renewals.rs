//! Renewals of the last full minute (server.md §9.5).

/// Counts by the minute: the figure is always that of the last full one, 0 during the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PerMinute {
    before: u64,
    last: u64,
}

impl PerMinute {
    /// A minute is over; `total` is the count since the start.
    pub(super) fn tick(&mut self, total: u64) {
        self.last = total.saturating_sub(self.before);
        self.before = total;
    }

    /// The last full minute's count.
    pub(super) fn last(&self) -> u64 {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// server.md scenario 40.
    #[test]
    fn a_minute_s_count_shows_once_it_is_over_and_for_one_minute() {
        let mut rate = PerMinute::default();
        assert_eq!(rate.last(), 0);
        rate.tick(5);
        assert_eq!(rate.last(), 5);
        rate.tick(5);
        assert_eq!(rate.last(), 0);
    }
}
