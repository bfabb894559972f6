//! Not to believe at once that most instances are gone.
//!
//! A server that was just restarted, or that lost sight of its clients, hands out an empty or a short list. *Who is
//! missing in a full list that has less than half of what was shown is kept for a while, or until as many are listed as were
//! before; who is in it counts at once.*
//! Where servers name nobody who leaves, because there are only full lists, a few that leave in good order look the same as a loss:
//! there a small list is doubted only when it is empty.
//! What a delta names as gone is gone: that is something the server saw, not something that it lacks. When
//! the list stays short for that while it is believed. Time in which no server answered proves little: no gap between two
//! answers counts for more than half of the while, so that it takes three of them.

use std::time::Duration;

use tokio::time::Instant;

use super::listing::Listing;
use crate::model::InstanceKey;

/// From how many instances on a list can be short where servers name nobody who leaves.
const MANY: usize = 10;

/// What is kept although the servers do not list it.
#[derive(Debug)]
pub(super) struct Doubt {
    /// How long a short list must stay short.
    patience: Duration,
    case: Option<Case>,
}

#[derive(Debug)]
struct Case {
    /// For how long the list was seen to be short, and when last.
    short_for: Duration,
    seen: Instant,
    /// How many there were before.
    before: usize,
    kept: Listing,
}

impl Doubt {
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            patience,
            case: None,
        }
    }

    /// A full list has come while `shown` was shown, from servers that name who leaves by deltas, or do not.
    pub(super) fn full(&mut self, shown: &Listing, said: &Listing, names_who_leaves: bool) {
        let now = Instant::now();
        let is_judged = names_who_leaves || shown.len() >= MANY || said.len() == 0;
        let is_short = is_judged && said.len() * 2 < shown.len() && !self.patience.is_zero();
        if self.case.is_none() && !is_short {
            return;
        }
        let case = self.case.get_or_insert_with(|| Case {
            short_for: Duration::ZERO,
            seen: now,
            before: shown.len(),
            kept: Listing::default(),
        });
        for missing in shown.missing_in(said) {
            case.kept.put(missing.clone());
        }
    }

    /// A delta names one that is gone.
    pub(super) fn gone(&mut self, key: &InstanceKey) {
        if let Some(case) = &mut self.case {
            case.kept.remove(key);
        }
    }

    /// What to show of what the servers say, now; nothing where that is all of it.
    pub(super) fn shown(&mut self, said: &Listing) -> Option<Listing> {
        let case = self.case.as_mut()?;
        case.short_for += case.seen.elapsed().min(self.patience / 2);
        case.seen = Instant::now();
        let nobody_is_missing = case.kept.missing_in(said).next().is_none();
        let is_whole = nobody_is_missing || said.len() >= case.before;
        if is_whole || case.short_for >= self.patience {
            self.case = None;
            return None;
        }
        let mut shown = said.clone();
        for kept in case.kept.missing_in(said) {
            shown.put(kept.clone());
        }
        Some(shown)
    }

    /// How many are shown although the servers do not list them, at most.
    pub(super) fn kept(&self) -> usize {
        self.case.as_ref().map_or(0, |case| case.kept.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::samples;

    fn listing(ids: &[&str]) -> Listing {
        let mut listing = Listing::default();
        for id in ids {
            listing.put(Arc::new(samples::instance("A", id)));
        }
        listing
    }

    fn ids(doubt: &mut Doubt, said: &Listing) -> Vec<String> {
        let listing = doubt.shown(said).unwrap_or_else(|| said.clone());
        listing.iter().map(|info| info.id().to_string()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_that_is_suddenly_short_is_believed_only_when_it_stays_so() {
        let mut doubt = Doubt::new(Duration::from_secs(90));
        let before = listing(&["1", "2", "3", "4"]);
        let half = listing(&["1", "2"]);
        doubt.full(&before, &half, true);
        assert_eq!(ids(&mut doubt, &half), ["1", "2"]);
        // Who is in it counts at once, who is missing is kept.
        let short = listing(&["1", "9"]);
        let before = listing(&["1", "2", "3", "4", "5"]);
        doubt.full(&before, &short, true);
        let now = ids(&mut doubt, &short);
        assert_eq!(now, ["1", "2", "3", "4", "5", "9"]);
        assert_eq!(doubt.kept(), 4);
        doubt.gone(&InstanceKey::new("A", "2"));
        assert_eq!(ids(&mut doubt, &short), ["1", "3", "4", "5", "9"]);
        // An even shorter one changes nothing of that.
        let none = listing(&[]);
        for seconds in [30, 30, 29] {
            tokio::time::advance(Duration::from_secs(seconds)).await;
            assert_eq!(ids(&mut doubt, &short).len(), 5);
        }
        doubt.full(&listing(&["1", "3", "4", "5", "9"]), &none, true);
        assert_eq!(ids(&mut doubt, &none), ["1", "3", "4", "5", "9"]);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(ids(&mut doubt, &none).is_empty());
        assert_eq!(doubt.kept(), 0);
    }

    /// A server that comes back empty, dies, and hours later comes back empty once more.
    #[tokio::test(start_paused = true)]
    async fn hours_without_an_answer_prove_nothing() {
        let mut doubt = Doubt::new(Duration::from_secs(90));
        let (before, none) = (listing(&["1", "2"]), listing(&[]));
        doubt.full(&before, &none, true);
        for (hours, shown) in [(0, 2), (5, 2), (5, 0)] {
            tokio::time::advance(Duration::from_secs(hours * 3600)).await;
            doubt.full(&before, &none, true);
            assert_eq!(ids(&mut doubt, &none).len(), shown, "{hours}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_list_is_whole_again_nothing_is_kept() {
        let mut doubt = Doubt::new(Duration::from_secs(90));
        let before = listing(&["1", "2", "3", "4"]);
        doubt.full(&before, &listing(&[]), true);
        // Half of them are back, and the others are still on their way.
        let half = listing(&["1", "2", "7"]);
        doubt.full(&before, &half, true);
        assert_eq!(ids(&mut doubt, &half), ["1", "2", "3", "4", "7"]);
        assert_eq!(doubt.kept(), 4);
        let back = listing(&["6", "7", "8", "9"]);
        assert_eq!(ids(&mut doubt, &back), ["6", "7", "8", "9"]);
        assert_eq!(doubt.kept(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn when_nobody_is_missing_any_more_a_later_loss_is_a_case_of_its_own() {
        let mut doubt = Doubt::new(Duration::from_secs(90));
        let (before, none) = (listing(&["1", "2", "3"]), listing(&[]));
        doubt.full(&before, &none, true);
        for id in ["2", "3"] {
            doubt.gone(&InstanceKey::new("A", id));
        }
        let left = listing(&["1"]);
        assert_eq!(ids(&mut doubt, &left), ["1"]);
        tokio::time::advance(Duration::from_secs(80)).await;
        doubt.full(&left, &none, true);
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(ids(&mut doubt, &none), ["1"]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_patience_everything_is_believed() {
        let mut doubt = Doubt::new(Duration::ZERO);
        doubt.full(&listing(&["1", "2"]), &listing(&[]), true);
        assert!(ids(&mut doubt, &listing(&[])).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn where_nobody_is_named_a_few_may_leave_at_once_but_not_all() {
        let names = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        for (before, now, shown) in [(9, 1, 1), (9, 0, 9), (1, 0, 1), (10, 4, 10), (10, 5, 5)] {
            let mut doubt = Doubt::new(Duration::from_secs(90));
            let said = listing(&names[..now]);
            doubt.full(&listing(&names[..before]), &said, false);
            assert_eq!(ids(&mut doubt, &said).len(), shown, "{before} {now}");
        }
    }
}
