//! Instances whose items may be what a peer cannot take.
//!
//! A batch that fails for a reason that may lie in one of its items makes all of them suspects; those who were in
//! it once too often go alone, and the one that fails alone is set aside. A heartbeat of an instance that was set
//! aside is not sent for a while, so that it spoils nobody's batch; a new change of it is tried, alone. Whoever
//! succeeds is no suspect any more. So the map holds what was in failed batches lately, and nothing in good times.

use std::collections::HashMap;

use crate::clock::Millis;
use crate::model::InstanceKey;

/// Failures in company after which an item goes alone.
const TOGETHER: u8 = 2;
/// Failures alone after which it is set aside, where nobody said that it is the item's fault.
const ALONE: u8 = 3;
/// Answers 5xx of its own after which it is set aside.
const OWN: u8 = 3;
/// Pause after an item's own failure.
const PAUSE: Millis = 500;
/// How long heartbeats of an instance that was set aside are not sent.
const ASIDE: Millis = 60_000;
/// Suspects that are remembered; beyond that all are acquitted.
const MOST: usize = 20_000;

/// Those who are under suspicion.
#[derive(Debug, Default)]
pub struct Suspects {
    of: HashMap<InstanceKey, Suspicion>,
}

#[derive(Debug, Default)]
struct Suspicion {
    together: u8,
    alone: u8,
    own: u8,
    not_before: Millis,
    aside_until: Millis,
}

/// How an item may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum May {
    /// With others.
    GoTogether,
    /// In a batch of its own.
    GoAlone,
    /// Not now.
    Wait,
}

impl Suspects {
    /// Whether nobody is under suspicion.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// How items of `key` may be sent.
    pub fn may(&self, key: &InstanceKey, now: Millis) -> May {
        match self.of.get(key) {
            None => May::GoTogether,
            Some(suspicion) if now < suspicion.not_before => May::Wait,
            Some(suspicion) if suspicion.together >= TOGETHER => May::GoAlone,
            Some(_) => May::GoTogether,
        }
    }

    /// Whether heartbeats of `key` are not sent at present.
    pub fn is_aside(&self, key: &InstanceKey, now: Millis) -> bool {
        let suspicion = self.of.get(key);
        suspicion.is_some_and(|suspicion| now < suspicion.aside_until)
    }

    /// A batch failed in which `key` was with others; `for_sure` if one of its items is to blame.
    pub fn failed_together(&mut self, key: &InstanceKey, for_sure: bool) {
        let suspicion = self.suspicion(key);
        suspicion.together = match for_sure {
            true => TOGETHER,
            false => suspicion.together.saturating_add(1),
        };
    }

    /// A batch failed in which `key` was alone; `for_sure` if the item is to blame. True: set it aside.
    pub fn failed_alone(&mut self, key: &InstanceKey, for_sure: bool, now: Millis) -> bool {
        let suspicion = self.suspicion(key);
        suspicion.alone = suspicion.alone.saturating_add(1);
        let aside = for_sure || suspicion.alone >= ALONE;
        if aside {
            suspicion.set_aside(now);
        }
        aside
    }

    /// The peer failed at this very item. True: set it aside.
    pub fn failed_itself(&mut self, key: &InstanceKey, now: Millis) -> bool {
        let suspicion = self.suspicion(key);
        suspicion.own = suspicion.own.saturating_add(1);
        suspicion.not_before = now + PAUSE;
        let aside = suspicion.own > OWN;
        if aside {
            suspicion.set_aside(now);
        }
        aside
    }

    /// The peer took an item of `key`.
    pub fn acquit(&mut self, key: &InstanceKey) {
        if !self.of.is_empty() {
            self.of.remove(key);
        }
    }

    fn suspicion(&mut self, key: &InstanceKey) -> &mut Suspicion {
        if self.of.len() >= MOST && !self.of.contains_key(key) {
            self.of.clear();
        }
        self.of.entry(key.clone()).or_default()
    }
}

impl Suspicion {
    fn set_aside(&mut self, now: Millis) {
        *self = Self {
            together: TOGETHER,
            aside_until: now + ASIDE,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_in_two_failed_batches_goes_alone_and_is_set_aside_after_three_more() {
        let (mut suspects, key) = (Suspects::default(), InstanceKey::new("A", "i"));
        suspects.failed_together(&key, false);
        assert_eq!(suspects.may(&key, 0), May::GoTogether);
        suspects.failed_together(&key, false);
        assert_eq!(suspects.may(&key, 0), May::GoAlone);
        let aside = [(); 3].map(|()| suspects.failed_alone(&key, false, 10));
        assert_eq!(aside, [false, false, true]);
        assert!(suspects.is_aside(&key, 10 + ASIDE - 1) && !suspects.is_aside(&key, 10 + ASIDE));
        assert_eq!(suspects.may(&key, 10), May::GoAlone);
        suspects.acquit(&key);
        assert_eq!(suspects.may(&key, 10), May::GoTogether);
        assert!(!suspects.is_aside(&key, 10));
    }

    #[test]
    fn who_is_to_blame_for_sure_goes_alone_and_aside_at_once() {
        let (mut suspects, key) = (Suspects::default(), InstanceKey::new("A", "i"));
        suspects.failed_together(&key, true);
        assert_eq!(suspects.may(&key, 0), May::GoAlone);
        assert!(suspects.failed_alone(&key, true, 0));
    }

    #[test]
    fn an_item_that_fails_itself_is_tried_three_times_more_with_pauses() {
        let (mut suspects, key) = (Suspects::default(), InstanceKey::new("A", "i"));
        let aside = [0, 500, 1000, 1500].map(|now| {
            let aside = suspects.failed_itself(&key, now);
            let wait = if aside { May::GoAlone } else { May::Wait };
            assert_eq!(suspects.may(&key, now), wait);
            aside
        });
        assert_eq!(aside, [false, false, false, true]);
    }
}
