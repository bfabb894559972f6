//! What is left to chance: start points, jitter, order. A seed repeats all of it, for simulations.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// The chance of one client.
#[derive(Debug)]
pub(crate) struct Chance(Mutex<StdRng>);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    fn rng(&self) -> MutexGuard<'_, StdRng> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A part of `whole`, from the share `least` up to all of it.
    pub(crate) fn part_of(&self, whole: Duration, least: f64) -> Duration {
        whole.mul_f64(self.rng().random_range(least..=1.0))
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&self, end: usize) -> usize {
        self.rng().random_range(0..end.max(1))
    }

    /// From 0 up to but not 1.
    pub(crate) fn share(&self) -> f64 {
        self.rng().random_range(0.0..1.0)
    }

    /// Any number.
    pub(crate) fn number(&self) -> u64 {
        self.rng().random()
    }

    pub(crate) fn shuffle<T>(&self, items: &mut [T]) {
        items.shuffle(&mut *self.rng());
    }
}
