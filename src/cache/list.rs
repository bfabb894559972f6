//! From a state of the registry to a body.

use std::sync::Arc;

use tokio::time::Instant;

use super::answers::View;
use super::block::Block;
use super::mirror::Mirror;
use super::views;
use crate::metrics::CacheMetrics;
use crate::model::{EpochMillis, InstanceInfo, StatusCounts, Text};
use crate::wire::packed::Member;
use crate::wire::rope::RopeBuilder;
use crate::wire::{Form, Rope, encode};

/// `versions__delta` of a full list (wire.md §3.1).
const FULL_VERSION: &str = "1";
/// `versions__delta` of a VIP list (wire.md §3.9).
const VIP_VERSION: &str = "-1";

/// One state of a list. Content and hash belong together (I2); it can be written on any thread.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// The revision of the last change it shows.
    pub(super) revision: u64,
    blocks: Vec<Arc<Block>>,
    frame: Frame,
    epoch: EpochMillis,
}

/// What stands around the instances.
#[derive(Clone, Debug)]
enum Frame {
    /// Applications with a version and a hash code.
    List(String, String),
    /// One application.
    Application(Text),
}

impl List {
    /// The state of a view, for a form; `None` for an application that has no instance.
    pub(super) fn of(mirror: &Mirror, view: &View, form: Form, epoch: EpochMillis) -> Option<Self> {
        let all = || mirror.counts.hash_code();
        let (blocks, frame) = match view {
            View::All => {
                let frame = Frame::List(FULL_VERSION.to_string(), all());
                (mirror.all.blocks().to_vec(), frame)
            }
            View::Delta => {
                // The version moves with every change, so that a client that remembers it never takes two
                // deltas for one; never zero, which some clients read as absent. The hash is that of
                // everything, so that a client can check itself after merging.
                let version = (mirror.revision() + 1).to_string();
                let frame = Frame::List(version, all());
                (mirror.delta.blocks().to_vec(), frame)
            }
            View::App(app) => {
                let shared = encode::is_same_everywhere(form);
                let blocks = application(mirror, app, shared);
                (blocks, Frame::Application(app.clone()))
            }
            View::Vip(vip) => selection(mirror, mirror.vips.of(vip), |info| {
                views::has(info.vip_address.as_ref(), vip)
            }),
            View::Svip(vip) => selection(mirror, mirror.secure_vips.of(vip), |info| {
                views::has(info.secure_vip_address.as_ref(), vip)
            }),
        };
        if blocks.is_empty() && matches!(frame, Frame::Application(_)) {
            return None;
        }
        Some(Self {
            revision: mirror.revision(),
            blocks,
            frame,
            epoch,
        })
    }

    /// Blocks that have to be written or packed before the list can be put together.
    pub(super) fn missing(&self, form: Form, gzip: bool) -> usize {
        let blocks = self.blocks.iter();
        blocks.filter(|block| !block.has(form, gzip)).count()
    }

    /// The body; blocks that are there already are not written again.
    pub(super) fn write(&self, form: Form, gzip: bool, metrics: &CacheMetrics) -> Rope {
        let started = Instant::now();
        let (rope, histogram) = match gzip {
            true => (self.write_packed(form), &metrics.deflate_seconds),
            false => (self.write_plain(form), &metrics.publish_seconds),
        };
        histogram.record(started.elapsed());
        rope
    }

    fn write_plain(&self, form: Form) -> Rope {
        let mut rope = RopeBuilder::default();
        self.texts(form, |text, block| {
            rope.write(text);
            if let Some(block) = block {
                rope.push(block.plain(form, self.epoch).clone());
            }
        });
        rope.finish()
    }

    fn write_packed(&self, form: Form) -> Rope {
        let (mut member, mut packer) = (Member::default(), None);
        self.texts(form, |text, block| {
            member.write(text);
            if let Some(block) = block {
                member.push(block.packed(form, self.epoch, &mut packer));
            }
        });
        member.finish()
    }

    /// Each block with the text before it, and the text at the end.
    fn texts(&self, form: Form, mut write: impl FnMut(&[u8], Option<&Block>)) {
        let mut text = Vec::new();
        let (head, tail) = self.ends(form);
        text.extend_from_slice(&head);
        let is_list = matches!(self.frame, Frame::List(..));
        let mut before = None;
        for block in &self.blocks {
            let [first, last] = block.apps().map_or([None; 2], |apps| apps.map(Some));
            if is_list || before.is_some() {
                encode::list_joint(&mut text, form, before, first);
            }
            write(&text, Some(block));
            text.clear();
            before = last;
        }
        if is_list {
            encode::list_joint(&mut text, form, before, None);
        }
        text.extend_from_slice(&tail);
        write(&text, None);
    }

    /// What stands before and after everything else.
    fn ends(&self, form: Form) -> (Vec<u8>, Vec<u8>) {
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        match &self.frame {
            Frame::List(version, hash_code) => {
                let empty = self.blocks.is_empty();
                encode::list_head(&mut head, form, version, hash_code);
                encode::list_tail(&mut tail, form, version, hash_code, empty);
            }
            Frame::Application(name) => {
                encode::application_head(&mut head, form, name);
                encode::application_tail(&mut tail, form);
            }
        }
        (head, tail)
    }
}

/// Blocks of one application. Whole ones are shared with the list of everything where they look the same.
fn application(mirror: &Mirror, app: &Text, shared: bool) -> Vec<Arc<Block>> {
    let blocks = mirror.all.of_app(app);
    let blocks = blocks.map(|block| match shared {
        true => some_of(block, |info| info.app == *app),
        false => {
            let held = block.held().iter();
            let held = held.filter(|held| held.info.app == *app).cloned();
            Arc::new(Block::alone(held.collect()))
        }
    });
    blocks.filter(|block| !block.held().is_empty()).collect()
}

/// Blocks of the instances in `apps` that are wanted, with a hash of their own.
fn selection<'m>(
    mirror: &'m Mirror,
    apps: impl Iterator<Item = &'m Text>,
    wanted: impl Fn(&InstanceInfo) -> bool,
) -> (Vec<Arc<Block>>, Frame) {
    let mut blocks = Vec::new();
    for app in apps {
        for block in mirror.all.of_app(app) {
            let block = some_of(block, |info| info.app == *app && wanted(info));
            if !block.held().is_empty() {
                blocks.push(block);
            }
        }
    }
    let held = blocks.iter().flat_map(|block| block.held());
    let counts: StatusCounts = held.map(|held| held.info.status).collect();
    (
        blocks,
        Frame::List(VIP_VERSION.to_string(), counts.hash_code()),
    )
}

/// The instances of a block that are wanted; the block itself if that is all.
fn some_of(block: &Arc<Block>, wanted: impl Fn(&InstanceInfo) -> bool) -> Arc<Block> {
    let all = block.held().iter();
    let some: Vec<_> = all.filter(|held| wanted(&held.info)).cloned().collect();
    if some.len() == block.held().len() {
        return block.clone();
    }
    Arc::new(Block::of(some))
}
