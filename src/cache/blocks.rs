//! Instances in order, in blocks: small applications share one, big ones are split.
//!
//! A change touches one block, or two where blocks are split or joined; all others stay as they were
//! written. Copying all of it, for somebody who writes it elsewhere, costs a reference count per block.

use std::sync::Arc;

use super::block::{Block, Place, TARGET};
use crate::registry::Held;
use crate::wire::Form;

/// A heavier block is split.
const MAX: usize = TARGET * 4 / 3;
/// A lighter block is joined to a neighbour if both together are light enough.
const MIN: usize = TARGET / 3;

/// All instances of a list; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// None of them is empty.
    blocks: Vec<Arc<Block>>,
    len: usize,
    /// Where the last round of [`Blocks::renew_some`] ended.
    renewed: Option<Arc<Held>>,
}

impl Blocks {
    /// Instances in all.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn blocks(&self) -> &[Arc<Block>] {
        &self.blocks
    }

    /// Blocks with instances of an application; in the first and the last there may be others.
    pub(super) fn of_app<'b>(&'b self, app: &'b str) -> impl Iterator<Item = &'b Arc<Block>> {
        let before = |block: &Arc<Block>| block.apps().is_some_and(|[_, last]| last < app);
        let blocks = self.blocks[self.blocks.partition_point(before)..].iter();
        blocks.take_while(move |block| block.apps().is_some_and(|[first, _]| first <= app))
    }

    /// The number of the block where a place is, or would be.
    fn position(&self, place: Place<'_>) -> usize {
        let after = |block: &Arc<Block>| block.first().is_some_and(|first| first <= place);
        self.blocks.partition_point(after).saturating_sub(1)
    }

    pub(super) fn get(&self, place: Place<'_>) -> Option<&Arc<Held>> {
        self.blocks.get(self.position(place))?.get(place)
    }

    /// Puts an instance in its place and returns the one that was there.
    pub(super) fn put(&mut self, held: Arc<Held>) -> Option<Arc<Held>> {
        if self.blocks.is_empty() {
            self.blocks.push(Arc::default());
        }
        let at = self.position(Place::of(&held.info));
        let block = Arc::make_mut(&mut self.blocks[at]);
        let before = block.put(held);
        if block.weight() > MAX && block.held().len() > 1 {
            let rest = block.split();
            self.blocks.insert(at + 1, Arc::new(rest));
        }
        self.len += usize::from(before.is_none());
        before
    }

    /// Takes an instance out.
    pub(super) fn remove(&mut self, place: Place<'_>) -> Option<Arc<Held>> {
        let at = self.position(place);
        // Looked for first: a block that is not changed stays as it was written.
        self.blocks.get(at)?.get(place)?;
        let block = Arc::make_mut(&mut self.blocks[at]);
        let removed = block.remove(place);
        self.len -= usize::from(removed.is_some());
        if block.held().is_empty() {
            self.blocks.remove(at);
        } else if block.weight() < MIN {
            self.join(at);
        }
        removed
    }

    /// Joins a light block to the neighbour before it or after it.
    fn join(&mut self, at: usize) {
        for first in [at.checked_sub(1), Some(at)].into_iter().flatten() {
            let [one, next, ..] = &mut self.blocks[first..] else {
                continue;
            };
            if one.weight() + next.weight() <= TARGET {
                let next = next.clone();
                Arc::make_mut(one).append(&next);
                self.blocks.remove(first + 1);
                return;
            }
        }
    }

    /// Forgets what was written of the next blocks, so many that after `rounds` rounds all of them have had
    /// their turn; returns whether anything was forgotten.
    pub(super) fn renew_some(&mut self, round: usize, rounds: usize) -> bool {
        let (all, round) = (self.blocks.len(), round % rounds);
        let mut forgotten = false;
        for _ in all * round / rounds..all * (round + 1) / rounds {
            let at = self.next_to_renew();
            let Some(block) = self.blocks.get_mut(at) else {
                break;
            };
            if block.is_written() {
                *block = Arc::new(Block::clone(block));
                forgotten = true;
            }
            self.renewed = block.held().last().cloned();
        }
        forgotten
    }

    fn next_to_renew(&self) -> usize {
        let Some(renewed) = &self.renewed else {
            return 0;
        };
        let last = Place::of(&renewed.info);
        let before = |block: &Arc<Block>| block.last().is_some_and(|place| place <= last);
        match self.blocks.partition_point(before) {
            end if end == self.blocks.len() => 0,
            next => next,
        }
    }

    /// Forgets everything that was written in a form, packed or not.
    pub(super) fn forget(&mut self, form: Form, gzip: bool) {
        for block in &mut self.blocks {
            if block.has(form, gzip) {
                *block = Arc::new(block.without(form, gzip));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::samples;

    fn held(app: &str, id: &str) -> Arc<Held> {
        Held::sample(samples::instance(app, id))
    }

    fn place<'a>(app: &'a str, id: &'a str) -> Place<'a> {
        Place {
            app,
            removed: false,
            id,
        }
    }

    fn ids(blocks: &Blocks) -> Vec<String> {
        let all = blocks.blocks.iter().flat_map(|block| block.held());
        all.map(|held| held.info.key().to_string()).collect()
    }

    /// All that holds of blocks whatever was done to them.
    fn check(blocks: &Blocks, model: &BTreeMap<(String, String), u16>) {
        let expected: Vec<_> = model
            .keys()
            .map(|(app, id)| format!("{app}/{id}"))
            .collect();
        assert_eq!(ids(blocks), expected);
        assert_eq!(blocks.len(), model.len());
        for block in &blocks.blocks {
            assert!(!block.held().is_empty());
            assert!(block.weight() <= MAX, "{}", block.weight());
        }
        let light = |two: &[Arc<Block>]| two[0].weight() + two[1].weight() <= MIN;
        assert!(!blocks.blocks.windows(2).any(light), "two light neighbours");
    }

    #[test]
    fn after_any_changes_the_order_is_kept_and_blocks_are_neither_large_nor_tiny() {
        for seed in 0..20 {
            let mut rng = SmallRng::seed_from_u64(seed);
            let (mut blocks, mut model) = (Blocks::default(), BTreeMap::new());
            for step in 0..2_000_u16 {
                // Grows for a while, then shrinks.
                let app = format!("APP-{}", rng.random_range(0..30));
                let id = rng.random_range(0..20).to_string();
                if rng.random_bool(if step < 1_000 { 0.8 } else { 0.1 }) {
                    let before = blocks.put(held(&app, &id));
                    assert_eq!(before.is_none(), model.insert((app, id), step).is_none());
                } else {
                    let removed = blocks.remove(place(&app, &id));
                    assert_eq!(removed.is_some(), model.remove(&(app, id)).is_some());
                }
                if step % 100 == 0 {
                    check(&blocks, &model);
                }
            }
            check(&blocks, &model);
            for app in ["APP-0", "APP-29", "APP-3", "APP-99"] {
                let held = blocks.of_app(app).flat_map(|block| block.held());
                let found = held.filter(|held| *held.info.app == *app).count();
                assert_eq!(found, model.keys().filter(|(name, _)| name == app).count());
            }
        }
    }

    fn many() -> Blocks {
        let mut blocks = Blocks::default();
        for n in 0..500 {
            blocks.put(held(&format!("APP-{:02}", n % 20), &n.to_string()));
        }
        assert!(blocks.blocks.len() >= 7, "{}", blocks.blocks.len());
        blocks
    }

    fn written(blocks: &Blocks) -> usize {
        let has = |block: &&Arc<Block>| block.has(Form::Json, true);
        blocks.blocks.iter().filter(has).count()
    }

    fn write(blocks: &Blocks) {
        let mut packer = None;
        for block in &blocks.blocks {
            block.packed(Form::Json, 0, &mut packer);
            block.plain(Form::Xml, 0);
        }
    }

    #[test]
    fn a_change_costs_one_block_and_a_copy_is_not_touched() {
        let mut blocks = many();
        write(&blocks);
        let (copy, all) = (blocks.clone(), blocks.blocks.len());
        blocks.put(held("APP-03", "3"));
        assert_eq!((written(&blocks), written(&copy)), (all - 1, all));
        assert!(blocks.remove(place("APP-03", "none")).is_none());
        assert_eq!(written(&blocks), all - 1);
        blocks.remove(place("APP-19", "19"));
        assert_eq!((written(&blocks), copy.len()), (all - 2, 500));
        blocks.forget(Form::Json, true);
        assert_eq!(written(&blocks), 0);
        assert!(
            blocks
                .blocks
                .iter()
                .filter(|block| block.has(Form::Xml, false))
                .count()
                == all - 2
        );
    }

    #[test]
    fn in_as_many_rounds_as_said_every_block_is_renewed_and_no_more_than_needed_in_one() {
        for rounds in [1, 3, 60] {
            let mut blocks = many();
            write(&blocks);
            let all = blocks.blocks.len();
            for round in 0..rounds {
                let before = written(&blocks);
                let forgotten = blocks.renew_some(round + 7 * rounds, rounds);
                let renewed = before - written(&blocks);
                assert!(renewed <= all.div_ceil(rounds), "{rounds}");
                assert_eq!(forgotten, renewed > 0);
            }
            assert_eq!(written(&blocks), 0, "{rounds}");
        }
    }

    #[test]
    fn plain_and_packed_say_the_same_whichever_was_first() {
        let mut packer = None;
        for packed_first in [false, true] {
            let blocks = many();
            for block in &blocks.blocks {
                // The second is asked for at another time, which shows in every stamp.
                let (plain, packed) = if packed_first {
                    let packed = block.packed(Form::Json, 1, &mut packer).clone();
                    (block.plain(Form::Json, 2), packed)
                } else {
                    let plain = block.plain(Form::Json, 1);
                    (plain, block.packed(Form::Json, 2, &mut packer).clone())
                };
                assert!(packed.unpack() == plain);
            }
        }
    }
}
