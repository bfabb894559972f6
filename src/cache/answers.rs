//! What is published: finished lists that are handed out without asking anybody.
//!
//! The cache's actor alone writes here. Everything and the delta each carry the revision they show. Views
//! (an application, a VIP) are taken away when something in them changes, so one that is there shows all
//! changes up to [`Answers::revision`]; they are bounded in number, and what does not exist is never kept
//! (B-16).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;
use papaya::HashMap;

use crate::model::Text;
use crate::wire::{Form, Rope};

/// Views kept; further ones are written each time.
const MAX_VIEWS: usize = 1000;

/// Which list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Everything.
    All,
    /// What changed lately.
    Delta,
    /// One application, by its name in upper case.
    App(Text),
    /// Instances that share a virtual host name.
    Vip(Text),
    /// The same for TLS.
    Svip(Text),
}

/// A list in a form, packed or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Want {
    /// Which list.
    pub view: View,
    /// In which form.
    pub form: Form,
    /// Whether packed.
    pub gzip: bool,
}

/// A list in blocks, finished.
#[derive(Debug)]
struct Finished {
    revision: u64,
    body: Rope,
}

/// Plain and packed, in every form.
type Cells<T> = [[T; 2]; Form::ALL.len()];

/// The published lists.
#[derive(Debug, Default)]
pub struct Answers {
    revision: AtomicU64,
    all: Cells<ArcSwapOption<Finished>>,
    delta: Cells<ArcSwapOption<Finished>>,
    views: HashMap<View, Arc<Cells<OnceLock<Rope>>>>,
}

impl Answers {
    /// The list as of `revision` or later, if it is there.
    pub fn get(&self, want: &Want, revision: u64) -> Option<Rope> {
        if let Some(cell) = self.cell(want) {
            let finished = cell.load();
            let fresh = finished.as_ref().filter(|list| list.revision >= revision);
            return Some(fresh?.body.clone());
        }
        // In this order: what is there after the number was read has all changes up to the number.
        if self.revision.load(Ordering::Acquire) < revision {
            return None;
        }
        let views = self.views.pin();
        let cells = views.get(&want.view)?;
        cells[want.form.index()][usize::from(want.gzip)]
            .get()
            .cloned()
    }

    /// Publishes a list in blocks that shows everything up to `revision`.
    pub(super) fn put(&self, want: &Want, body: &Rope, revision: u64) {
        if let Some(cell) = self.cell(want) {
            let body = body.clone();
            cell.store(Some(Arc::new(Finished { revision, body })));
        }
    }

    /// Publishes a view.
    pub(super) fn put_view(&self, want: &Want, body: &Rope) {
        let views = self.views.pin();
        let cells = match views.get(&want.view) {
            Some(cells) => cells,
            None if views.len() < MAX_VIEWS => {
                views.get_or_insert_with(want.view.clone(), Arc::default)
            }
            None => return,
        };
        // The actor alone writes, so the cell is empty; if it were not, it would hold the same.
        _ = cells[want.form.index()][usize::from(want.gzip)].set(body.clone());
    }

    /// Takes back a view that has changed.
    pub(super) fn take_back(&self, view: &View) {
        self.views.pin().remove(view);
    }

    /// Whether no view is published.
    pub(super) fn has_no_views(&self) -> bool {
        self.views.is_empty()
    }

    /// Says that all changes up to `revision` are known here. Views that they change are taken back before.
    pub(super) fn reached(&self, revision: u64) {
        self.revision.store(revision, Ordering::Release);
    }

    /// Takes the lists in blocks back; the next reader has them put together anew.
    pub(super) fn take_lists_back(&self) {
        self.all.iter().flatten().for_each(|cell| cell.store(None));
        self.take_delta_back();
    }

    /// Takes the delta back.
    pub(super) fn take_delta_back(&self) {
        self.delta
            .iter()
            .flatten()
            .for_each(|cell| cell.store(None));
    }

    /// Takes every view back.
    pub(super) fn take_views_back(&self) {
        self.views.pin().clear();
    }

    fn cell(&self, want: &Want) -> Option<&ArcSwapOption<Finished>> {
        let cells = match want.view {
            View::All => &self.all,
            View::Delta => &self.delta,
            View::App(_) | View::Vip(_) | View::Svip(_) => return None,
        };
        Some(&cells[want.form.index()][usize::from(want.gzip)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(view: View, form: Form, gzip: bool) -> Want {
        Want { view, form, gzip }
    }

    fn put(answers: &Answers, want: &Want, text: &str, revision: u64) {
        let body = Rope::from(text.as_bytes().to_vec());
        answers.put(want, &body, revision);
        if answers.cell(want).is_none() {
            answers.put_view(want, &body);
        }
    }

    fn get(answers: &Answers, want: &Want, revision: u64) -> Option<String> {
        let body = answers.get(want, revision)?;
        Some(String::from_utf8(body.joined()).unwrap())
    }

    fn wants() -> Vec<Want> {
        let mut wants = Vec::new();
        let (app, vip) = (View::App("A".into()), View::Vip("A".into()));
        for view in [View::All, View::Delta, app, vip, View::Svip("A".into())] {
            for form in Form::ALL {
                wants.extend([false, true].map(|gzip| want(view.clone(), form, gzip)));
            }
        }
        wants
    }

    #[test]
    fn every_list_form_and_coding_has_a_place_of_its_own() {
        let answers = Answers::default();
        for (n, want) in wants().iter().enumerate() {
            assert_eq!(get(&answers, want, 0), None);
            put(&answers, want, &n.to_string(), 0);
        }
        for (n, want) in wants().iter().enumerate() {
            assert_eq!(get(&answers, want, 0), Some(n.to_string()), "{want:?}");
        }
        answers.take_lists_back();
        answers.take_views_back();
        assert!(wants().iter().all(|want| get(&answers, want, 0).is_none()));
    }

    #[test]
    fn nothing_is_handed_out_that_lacks_a_change_the_reader_knows_of() {
        let answers = Answers::default();
        let (all, app) = (View::All, View::App("A".into()));
        let [all, app] = [all, app].map(|view| want(view, Form::Json, true));
        put(&answers, &all, "7", 7);
        put(&answers, &app, "7", 7);
        answers.reached(7);
        let both = |revision| [&all, &app].map(|want| get(&answers, want, revision).is_some());
        assert_eq!(both(7), [true, true]);
        assert_eq!(both(8), [false, false]);
        // A change elsewhere.
        answers.reached(8);
        assert_eq!(both(8), [false, true]);
        answers.take_back(&app.view);
        answers.reached(9);
        assert_eq!(both(9), [false, false]);
    }

    #[test]
    fn views_are_bounded_in_number() {
        let answers = Answers::default();
        for n in 0..MAX_VIEWS + 50 {
            let view = View::Vip(n.to_string().into());
            answers.put_view(&want(view, Form::Json, false), &Rope::default());
        }
        assert_eq!(answers.views.len(), MAX_VIEWS);
    }
}
