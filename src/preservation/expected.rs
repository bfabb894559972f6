//! Clients expected to renew, and the threshold that follows (server.md §9.1–9.4).
//!
//! The number follows the registry by exactly one per instance that comes or goes (I5; the reference gets
//! stuck at zero, B-03, and counts concurrent first registrations twice, B-04).

use crate::config::PreservationConfig;

/// Expected clients beside those that are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    config: PreservationConfig,
    clients: u64,
    present: u64,
    is_open: bool,
}

impl Expected {
    /// Nobody is there, and a configured number is expected until the node opens.
    pub(super) fn new(config: PreservationConfig) -> Self {
        Self {
            config,
            clients: config.first_count,
            present: 0,
            is_open: false,
        }
    }

    /// Open for traffic: from now on another configured number is expected beside those that are there.
    pub(super) fn open(&mut self) {
        if !self.is_open {
            self.is_open = true;
            let beside = self.clients.saturating_sub(self.config.first_count);
            self.clients = beside + self.config.open_count;
        }
    }

    /// Other settings from now on; who is expected stays.
    pub(super) fn reconfigure(&mut self, config: PreservationConfig) {
        self.config = config;
    }

    /// An instance came.
    pub(super) fn appeared(&mut self) {
        self.clients += 1;
        self.present += 1;
    }

    /// An instance went.
    pub(super) fn disappeared(&mut self) {
        self.clients = self.clients.saturating_sub(1);
        self.present = self.present.saturating_sub(1);
    }

    /// Compares with those that are there: follows them upwards, and downwards by less than the share
    /// that is protected, or all the way where nothing is protected (§9.4).
    pub(super) fn update(&mut self) {
        let kept = self.config.percent * self.clients as f64;
        if self.present as f64 > kept || !self.config.enabled {
            self.clients = self.present;
        }
    }

    /// Clients expected.
    pub(super) fn clients(&self) -> u64 {
        self.clients
    }

    /// Renewals per minute that the last minute must exceed, cut off as in the reference.
    pub(super) fn threshold(&self) -> u64 {
        let per_client = 60.0 / self.config.expected_interval.as_secs() as f64;
        // `as` saturates.
        (self.clients as f64 * per_client * self.config.percent) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Mode;

    fn with(clients: u64, edit: impl FnOnce(&mut PreservationConfig)) -> Expected {
        let mut config = PreservationConfig::of(Mode::Classic);
        edit(&mut config);
        Expected {
            config,
            clients,
            present: 0,
            is_open: true,
        }
    }

    /// server.md §9.1, the numbers that were run there; scenario 34.
    #[test]
    fn the_threshold_is_cut_off_as_in_the_reference() {
        for (clients, expected) in [
            (0, 0),
            (1, 1),
            (2, 3),
            (5, 8),
            (6, 10),
            (7, 11),
            (10, 17),
            (20, 34),
            (50, 85),
            (51, 86),
            (100, 170),
        ] {
            assert_eq!(with(clients, |_| ()).threshold(), expected, "{clients}");
        }
        let every_15 = |config: &mut PreservationConfig| {
            config.expected_interval = Duration::from_secs(15);
        };
        assert_eq!(with(18, every_15).threshold(), 61);
    }

    /// server.md scenarios 32 and 33.
    #[test]
    fn an_update_follows_upwards_and_a_little_downwards() {
        for (clients, present, enabled, after, threshold) in [
            (100, 85, true, 100, 170),
            (100, 86, true, 86, 146),
            (100, 300, true, 300, 510),
            (100, 3, false, 3, 5),
            (0, 10, true, 10, 17),
        ] {
            let mut expected = with(clients, |config| config.enabled = enabled);
            expected.present = present;
            expected.update();
            assert_eq!(
                (expected.clients(), expected.threshold()),
                (after, threshold)
            );
        }
    }

    /// I5, B-03; scenario 31 with the repaired answer.
    #[test]
    fn every_instance_counts_once_from_the_first_on() {
        let mut expected = with(0, |_| ());
        for _ in 0..10 {
            expected.appeared();
        }
        assert_eq!((expected.clients(), expected.threshold()), (10, 17));
        for _ in 0..11 {
            expected.disappeared();
        }
        assert_eq!(expected.clients(), 0);
    }

    /// server.md §9.3 and scenarios 29 and 30: Spring's phantom client.
    #[test]
    fn with_the_phantom_client_six_are_the_first_that_are_not_protected_for_ever() {
        for clients in 1..=7u64 {
            let mut expected = Expected::new(PreservationConfig::of(Mode::Classic));
            expected.open();
            (0..clients).for_each(|_| expected.appeared());
            assert_eq!(
                2 * clients > expected.threshold(),
                clients >= 6,
                "{clients}"
            );
        }
    }

    /// config.md §1.6: one number counts until the node opens, the other one from then on.
    #[test]
    fn who_is_expected_before_the_node_opens_is_another_number() {
        let mut config = PreservationConfig::of(Mode::Classic);
        (config.first_count, config.open_count) = (7, 2);
        let mut expected = Expected::new(config);
        let mut found = vec![expected.clients()];
        expected.appeared();
        found.push(expected.clients());
        for _ in 0..2 {
            expected.open();
            found.push(expected.clients());
        }
        assert_eq!(found, [7, 8, 3, 3]);
    }
}
