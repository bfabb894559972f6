//! Which of several instances is taken: a plain rule over what is known of each.

use std::time::Duration;

use crate::client::chance::Chance;

/// How instances are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Policy {
    /// One after the other, beginning anywhere.
    #[default]
    RoundRobin,
    /// By chance.
    Random,
    /// By chance, in proportion to `weight` in their metadata; 1 where there is none. Who has 0 is not taken while
    /// others have more.
    Weighted,
    /// By chance, the quicker ones more often: in proportion to how many answers each gives in the same time.
    ResponseTime,
    /// The one with the fewest requests of this client under way.
    LeastOutstanding,
}

/// What is known of a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) weight: f64,
    pub(super) takes: Option<Duration>,
    pub(super) under_way: usize,
}

/// The number of the one to take; `turn` counts the picks of this name. There must be one.
pub(super) fn choose(
    policy: Policy,
    candidates: &[Candidate],
    turn: usize,
    chance: &Chance,
) -> usize {
    match policy {
        Policy::RoundRobin => turn % candidates.len(),
        Policy::Random => chance.below(candidates.len()),
        Policy::Weighted => by_weight(candidates.iter().map(|one| one.weight), chance),
        Policy::ResponseTime => {
            let usual = mean_time(candidates);
            let speed = |one: &Candidate| 1.0 / one.takes.unwrap_or(usual).as_secs_f64().max(1e-6);
            by_weight(candidates.iter().map(speed), chance)
        }
        Policy::LeastOutstanding => {
            // Whoever is first in the row must not get all that comes while nothing is under way.
            let from = turn % candidates.len();
            let rotated = (from..candidates.len()).chain(0..from);
            let least = rotated.min_by_key(|at| candidates[*at].under_way);
            least.unwrap_or(from)
        }
    }
}

/// For those that have not answered yet.
fn mean_time(candidates: &[Candidate]) -> Duration {
    let known = candidates.iter().filter_map(|one| one.takes);
    let (count, sum) = known.fold((0, Duration::ZERO), |(count, sum), takes| {
        (count + 1, sum + takes)
    });
    match count {
        0 => Duration::from_millis(1),
        count => sum / count,
    }
}

fn by_weight(weights: impl ExactSizeIterator<Item = f64> + Clone, chance: &Chance) -> usize {
    let count = weights.len();
    let sum: f64 = weights.clone().sum();
    if sum <= 0.0 {
        return chance.below(count);
    }
    let mut left = chance.share() * sum;
    for (at, weight) in weights.enumerate() {
        if left < weight {
            return at;
        }
        left -= weight;
    }
    count - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(weight: f64, millis: Option<u64>, under_way: usize) -> Candidate {
        Candidate {
            weight,
            takes: millis.map(Duration::from_millis),
            under_way,
        }
    }

    /// How often each of three is taken in 3 000 turns.
    fn taken(policy: Policy, candidates: [Candidate; 3]) -> [usize; 3] {
        let chance = Chance::new(5);
        let mut counts = [0; 3];
        for turn in 7..3007 {
            counts[choose(policy, &candidates, turn, &chance)] += 1;
        }
        counts
    }

    #[test]
    fn each_policy_spreads_as_it_says() {
        let even = [candidate(1.0, None, 0); 3];
        assert_eq!(taken(Policy::RoundRobin, even), [1000; 3]);
        assert_eq!(taken(Policy::LeastOutstanding, even), [1000; 3]);
        let near = |counts: [usize; 3], expected: [usize; 3]| {
            let off = counts
                .iter()
                .zip(expected)
                .map(|(is, want)| is.abs_diff(want));
            assert!(off.max() < Some(150), "{counts:?}");
        };
        for policy in [Policy::Random, Policy::Weighted, Policy::ResponseTime] {
            near(taken(policy, even), [1000; 3]);
        }
        let weights = [0.0, 1.0, 2.0].map(|weight| candidate(weight, None, 0));
        near(taken(Policy::Weighted, weights), [0, 1000, 2000]);
        assert_eq!(taken(Policy::Weighted, weights)[0], 0);
        near(
            taken(Policy::Weighted, [candidate(0.0, None, 0); 3]),
            [1000; 3],
        );
        // One that has not answered yet counts as the mean of the others.
        let times = [Some(10), Some(30), None].map(|millis| candidate(1.0, millis, 0));
        near(taken(Policy::ResponseTime, times), [1636, 545, 818]);
        let busy = [2, 1, 3].map(|under_way| candidate(1.0, None, under_way));
        assert_eq!(taken(Policy::LeastOutstanding, busy), [0, 3000, 0]);
    }
}
