//! What is published: the lists of one revision, each written when it is first asked for.
//!
//! Cells are filled once and never changed; a new revision gets new answers. Views are bounded in number,
//! and what does not exist is never kept (B-16).

use std::sync::OnceLock;

use bytes::Bytes;
use papaya::HashMap;

use crate::model::Text;
use crate::wire::Form;

/// Views kept per revision; further ones are written each time.
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

impl Want {
    /// The same list, not packed.
    pub(super) fn plain(&self) -> Want {
        Want {
            gzip: false,
            ..self.clone()
        }
    }
}

/// Plain and packed, in every form.
type Cells = [[OnceLock<Bytes>; 2]; Form::ALL.len()];

/// The lists of one revision.
#[derive(Debug, Default)]
pub struct Answers {
    /// The revision of the last change they show.
    pub revision: u64,
    all: Cells,
    delta: Cells,
    views: HashMap<Want, Bytes>,
}

impl Answers {
    /// Answers of which none is written yet.
    pub fn of(revision: u64) -> Self {
        Self {
            revision,
            ..Self::default()
        }
    }

    /// The list, if it is written.
    pub fn get(&self, want: &Want) -> Option<Bytes> {
        match self.cell(want) {
            Some(cell) => cell.get().cloned(),
            None => self.views.pin().get(want).cloned(),
        }
    }

    /// Keeps a list that was written.
    pub(super) fn put(&self, want: &Want, body: &Bytes) {
        match self.cell(want) {
            // The actor alone writes, so the cell is empty; if it were not, it would hold the same.
            Some(cell) => _ = cell.set(body.clone()),
            None if self.views.len() < MAX_VIEWS => {
                self.views.pin().insert(want.clone(), body.clone());
            }
            None => {}
        }
    }

    fn cell(&self, want: &Want) -> Option<&OnceLock<Bytes>> {
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

    #[test]
    fn every_list_form_and_coding_has_a_place_of_its_own() {
        let answers = Answers::of(7);
        let mut wants = Vec::new();
        for view in [
            View::All,
            View::Delta,
            View::App("A".into()),
            View::Vip("A".into()),
        ] {
            for form in Form::ALL {
                for gzip in [false, true] {
                    wants.push(want(view.clone(), form, gzip));
                }
            }
        }
        for (n, want) in wants.iter().enumerate() {
            assert_eq!(answers.get(want), None);
            answers.put(want, &Bytes::from(n.to_string()));
        }
        for (n, want) in wants.iter().enumerate() {
            assert_eq!(
                answers.get(want),
                Some(Bytes::from(n.to_string())),
                "{want:?}"
            );
        }
    }

    #[test]
    fn views_are_bounded_in_number() {
        let answers = Answers::of(1);
        for n in 0..MAX_VIEWS + 50 {
            let view = View::Vip(n.to_string().into());
            answers.put(&want(view, Form::Json, false), &Bytes::new());
        }
        assert_eq!(answers.views.len(), MAX_VIEWS);
    }
}
