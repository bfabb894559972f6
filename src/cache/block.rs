//! A run of neighbouring instances, written and packed once for as long as none of them changes.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::model::{ActionType, EpochMillis, InstanceInfo, Text};
use crate::registry::Held;
use crate::wire::packed::{Packed, Packer};
use crate::wire::{Form, encode};

/// Blocks of about this many bytes (as JSON) are made: small enough to be written and packed anew in a
/// fraction of a millisecond, large enough to pack well.
pub(super) const TARGET: usize = 50_000;
/// What the names, numbers and marks of an instance take, beside its texts.
const FRAME: usize = 700;

/// Where an instance stands in a list: by application, then what was removed after what is there, then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) app: &'a str,
    pub(super) removed: bool,
    pub(super) id: &'a str,
}

impl Ord for Place<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Names of applications are shared, so that equal ones are nearly always the same.
        let apps = match std::ptr::eq(self.app, other.app) {
            true => Ordering::Equal,
            false => self.app.cmp(other.app),
        };
        let rest = || (self.removed, self.id).cmp(&(other.removed, other.id));
        apps.then_with(rest)
    }
}

impl PartialOrd for Place<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Place<'a> {
    pub(super) fn of(info: &'a InstanceInfo) -> Self {
        Self {
            app: &info.app,
            removed: info.action == ActionType::Deleted,
            id: info.id(),
        }
    }
}

/// Some instances in the order of their places, and what was written of them. Shared; whoever changes it
/// has a copy with nothing written.
#[derive(Debug, Default)]
pub(super) struct Block {
    held: Vec<Arc<Held>>,
    weight: usize,
    /// The applications of the first and the last, kept here because putting a list together asks every
    /// block for them.
    apps: Option<[Text; 2]>,
    /// The id of the first and whether it was removed, kept here for those who look for a block.
    first: Option<(bool, Text)>,
    /// Whether it is part of an application that is a document of its own.
    alone: bool,
    written: [Written; Form::ALL.len()],
}

/// One form: plain, packed, or both. Whatever comes second is made from the first, so that they say the same.
#[derive(Clone, Debug, Default)]
struct Written {
    plain: OnceLock<Bytes>,
    packed: OnceLock<Packed>,
}

impl Clone for Block {
    fn clone(&self) -> Self {
        Self::of(self.held.clone())
    }
}

impl Block {
    pub(super) fn of(held: Vec<Arc<Held>>) -> Self {
        let mut block = Self {
            weight: held.iter().map(weight).sum(),
            held,
            apps: None,
            first: None,
            alone: false,
            written: Default::default(),
        };
        block.changed();
        block
    }

    /// Some instances of one application that is a document of its own.
    pub(super) fn alone(held: Vec<Arc<Held>>) -> Self {
        Self {
            alone: true,
            ..Self::of(held)
        }
    }

    pub(super) fn held(&self) -> &[Arc<Held>] {
        &self.held
    }

    /// About how many bytes it takes as JSON.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// The applications of its first and of its last instance.
    pub(super) fn apps(&self) -> Option<[&str; 2]> {
        let [first, last] = self.apps.as_ref()?;
        Some([first, last])
    }

    pub(super) fn first(&self) -> Option<Place<'_>> {
        let ([app, _], (removed, id)) = self.apps.as_ref().zip(self.first.as_ref())?;
        let removed = *removed;
        Some(Place { app, removed, id })
    }

    pub(super) fn last(&self) -> Option<Place<'_>> {
        self.held.last().map(|held| Place::of(&held.info))
    }

    fn find(&self, place: Place<'_>) -> Result<usize, usize> {
        let order = |held: &Arc<Held>| -> Ordering { Place::of(&held.info).cmp(&place) };
        self.held.binary_search_by(order)
    }

    pub(super) fn get(&self, place: Place<'_>) -> Option<&Arc<Held>> {
        Some(&self.held[self.find(place).ok()?])
    }

    /// Puts an instance in its place and returns the one that was there.
    pub(super) fn put(&mut self, held: Arc<Held>) -> Option<Arc<Held>> {
        self.weight += weight(&held);
        let before = match self.find(Place::of(&held.info)) {
            Ok(at) => Some(std::mem::replace(&mut self.held[at], held)),
            Err(at) => {
                self.held.insert(at, held);
                None
            }
        };
        self.weight -= before.as_ref().map_or(0, weight);
        self.changed();
        before
    }

    /// Takes an instance out.
    pub(super) fn remove(&mut self, place: Place<'_>) -> Option<Arc<Held>> {
        let held = self.held.remove(self.find(place).ok()?);
        self.weight -= weight(&held);
        self.changed();
        Some(held)
    }

    /// Keeps about half and returns the rest, which is not empty if there were two instances.
    pub(super) fn split(&mut self) -> Self {
        let half = self.weight / 2;
        let mut sum = 0;
        let middle = self.held.iter().position(|held| {
            sum += weight(held);
            sum > half
        });
        let last = self.held.len().saturating_sub(1);
        let rest = self
            .held
            .split_off(middle.unwrap_or(last).clamp(1, last.max(1)));
        *self = Self::of(std::mem::take(&mut self.held));
        Self::of(rest)
    }

    /// Takes over what the next block has.
    pub(super) fn append(&mut self, next: &Self) {
        self.held.extend_from_slice(&next.held);
        self.weight += next.weight;
        self.changed();
    }

    fn changed(&mut self) {
        let app = |held: &Arc<Held>| held.info.app.clone();
        let ends = self.held.first().zip(self.held.last());
        self.apps = ends.map(|(first, last)| [app(first), app(last)]);
        self.first = self.held.first().map(|held| {
            let place = Place::of(&held.info);
            (place.removed, held.info.id().clone())
        });
        self.written = Default::default();
    }

    /// The same block without what was written in a form, packed or not.
    pub(super) fn without(&self, form: Form, gzip: bool) -> Self {
        let mut written = self.written.clone();
        let dropped = &mut written[form.index()];
        match gzip {
            true => dropped.packed = OnceLock::new(),
            false => dropped.plain = OnceLock::new(),
        }
        Self {
            written,
            ..self.clone()
        }
    }

    /// Whether anything was written of it.
    pub(super) fn is_written(&self) -> bool {
        let any = |one: &Written| one.plain.get().is_some() || one.packed.get().is_some();
        self.written.iter().any(any)
    }

    /// Whether it is there in a form, packed or not as asked.
    pub(super) fn has(&self, form: Form, gzip: bool) -> bool {
        let written = &self.written[form.index()];
        match gzip {
            true => written.packed.get().is_some(),
            false => written.plain.get().is_some(),
        }
    }

    /// Its text; between two applications it has what a list has there.
    pub(super) fn plain(&self, form: Form, epoch: EpochMillis) -> &Bytes {
        let written = &self.written[form.index()];
        written.plain.get_or_init(|| match written.packed.get() {
            Some(packed) => packed.unpack(),
            None => Bytes::from(self.write(form, epoch).into_boxed_slice()),
        })
    }

    /// Its text, packed; a packer is made when the first is needed.
    pub(super) fn packed(
        &self,
        form: Form,
        epoch: EpochMillis,
        packer: &mut Option<Packer>,
    ) -> &Packed {
        let written = &self.written[form.index()];
        written.packed.get_or_init(|| {
            let packer = packer.get_or_insert_with(Packer::default);
            match written.plain.get() {
                Some(plain) => packer.pack(plain),
                None => packer.pack(&self.write(form, epoch)),
            }
        })
    }

    fn write(&self, form: Form, epoch: EpochMillis) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.weight);
        let mut before = None;
        for held in &self.held {
            let app = Some(&*held.info.app);
            if before.is_some() {
                encode::list_joint(&mut out, form, before, app);
            }
            before = app;
            encode::member(&mut out, form, self.alone, held.listed(epoch));
        }
        out
    }
}

fn weight(held: &Arc<Held>) -> usize {
    let info = &held.info;
    let pairs = info.metadata.iter();
    let pairs = pairs.map(|(key, value)| key.len() + value.len() + 6);
    let texts = info.texts().map(|(_, text)| text.len());
    FRAME + info.app.len() + pairs.sum::<usize>() + texts.sum::<usize>()
}
