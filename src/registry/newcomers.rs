//! New instances by application, to tell a deployment from a failure.
//!
//! Whoever replaces an instance starts a new one of the same application. So a silent lease whose last
//! heartbeat is older than a newcomer of its application is explained by it; one newcomer explains one
//! silent lease, or a single start during a failure would excuse a whole fleet.

use std::collections::VecDeque;

use crate::clock::Millis;

/// Newcomers remembered per application.
const KEPT: usize = 1000;

/// The newcomers of one application.
#[derive(Clone, Debug, Default)]
struct App {
    /// When they came, the newest first.
    came: VecDeque<Millis>,
    /// While a sweep counts: silent leases that are older than the newest, and the oldest heartbeat of
    /// these.
    silent: usize,
    oldest: i64,
}

/// Newcomers by the number of their application.
#[derive(Debug, Default)]
pub(super) struct Newcomers {
    apps: Vec<App>,
    /// Applications with silent leases, while a sweep counts.
    concerned: Vec<u32>,
}

impl Newcomers {
    /// An application got the number.
    pub(super) fn open(&mut self, number: u32) {
        let number = number as usize;
        self.apps
            .resize(self.apps.len().max(number + 1), App::default());
        self.apps[number] = App::default();
    }

    /// A new instance of the application was registered, or last renewed elsewhere, at this moment.
    pub(super) fn came(&mut self, number: u32, now: Millis) {
        let came = &mut self.apps[number as usize].came;
        // What a peer tells may be older than what is known.
        let place = came.partition_point(|known| *known > now);
        came.insert(place, now);
        came.truncate(KEPT);
    }

    /// A lease of the application is silent and was last renewed then.
    pub(super) fn silent(&mut self, number: u32, renewed: i64) {
        let Some(app) = self.apps.get_mut(number as usize) else {
            return;
        };
        if app
            .came
            .front()
            .is_none_or(|newest| *newest as i64 <= renewed)
        {
            return;
        }
        if app.silent == 0 {
            self.concerned.push(number);
            app.oldest = renewed;
        }
        app.silent += 1;
        app.oldest = app.oldest.min(renewed);
    }

    /// How many of the silent leases that were named since the last call are explained.
    pub(super) fn explained(&mut self) -> usize {
        let mut explained = 0;
        for number in self.concerned.drain(..) {
            let app = &mut self.apps[number as usize];
            let newer = app
                .came
                .iter()
                .take_while(|came| **came as i64 > app.oldest);
            explained += app.silent.min(newer.count());
            app.silent = 0;
        }
        explained
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(newcomers: &mut Newcomers, silent: &[(u32, i64)]) -> usize {
        for (app, renewed) in silent {
            newcomers.silent(*app, *renewed);
        }
        newcomers.explained()
    }

    #[test]
    fn a_newcomer_explains_one_silent_lease_of_its_application_that_is_older() {
        let mut newcomers = Newcomers::default();
        newcomers.open(0);
        newcomers.open(1);
        newcomers.came(0, 10_000);
        newcomers.came(0, 20_000);
        for (silent, expected) in [
            (vec![(0, 19_999)], 1),
            (vec![(0, 20_000)], 0),
            (vec![(1, 0)], 0),
            (vec![(0, 1), (0, 2), (0, 3)], 2),
            (vec![(0, 15_000), (0, 15_001)], 1),
            (vec![], 0),
        ] {
            assert_eq!(explained(&mut newcomers, &silent), expected, "{silent:?}");
        }
        newcomers.open(0);
        assert_eq!(
            explained(&mut newcomers, &[(0, 1)]),
            0,
            "another application has the number"
        );
    }

    #[test]
    fn a_fleet_is_not_excused_by_its_own_beginning() {
        let mut newcomers = Newcomers::default();
        newcomers.open(0);
        for n in 0..20 {
            newcomers.came(0, n);
        }
        newcomers.came(0, 90_000);
        let silent: Vec<_> = (0..20).map(|n| (0, 30_000 + n)).collect();
        assert_eq!(explained(&mut newcomers, &silent), 1);
    }
}
