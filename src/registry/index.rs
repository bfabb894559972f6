//! Where everybody may look an instance up without asking the registry.
//!
//! The registry alone writes, after its event is out and before the revision moves; readers never wait and
//! never allocate. Names of applications are folded while they are hashed and compared, so that a path
//! can be looked up as it came.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;
use papaya::{Equivalent, HashMap};

use super::Held;
use crate::model::InstanceKey;

/// All held instances by application and id.
#[derive(Debug, Default)]
pub struct Index {
    held: HashMap<Stored, Arc<Held>, RandomState>,
}

impl Index {
    /// The instance under `key`, if it is held.
    pub fn get(&self, key: &InstanceKey) -> Option<Arc<Held>> {
        self.with(&key.app, &key.id, Arc::clone)
    }

    /// What `look` makes of the instance with this id of the application `app`, which may be in any
    /// case.
    pub fn with<T>(&self, app: &str, id: &str, look: impl FnOnce(&Arc<Held>) -> T) -> Option<T> {
        if app.is_ascii() {
            return self.held.pin().get(&Sought { app, id }).map(look);
        }
        let app = app.to_uppercase();
        self.held.pin().get(&Sought { app: &app, id }).map(look)
    }

    /// Every instance, in no order.
    pub fn all(&self) -> Vec<Arc<Held>> {
        self.held.pin().values().cloned().collect()
    }

    /// The instances of an application by its name in upper case, in no order; takes a look at everything.
    pub fn of_app(&self, app: &str) -> Vec<Arc<Held>> {
        let all = self.held.pin();
        let of_app = all.iter().filter(|(stored, _)| *stored.0.app == *app);
        of_app.map(|(_, held)| held.clone()).collect()
    }

    /// Instances held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn insert(&self, key: InstanceKey, held: Arc<Held>) {
        self.held.pin().insert(Stored(key), held);
    }

    pub(super) fn remove(&self, key: &InstanceKey) {
        let (app, id) = (&*key.app, &*key.id);
        self.held.pin().remove(&Sought { app, id });
    }
}

/// A key as it is stored: the application in upper case.
#[derive(Debug, PartialEq, Eq)]
struct Stored(InstanceKey);

/// A key as it is sought: the application's ASCII letters in any case.
struct Sought<'k> {
    app: &'k str,
    id: &'k str,
}

impl Hash for Stored {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0.app, &self.0.id, state);
    }
}

impl Hash for Sought<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(self.app, self.id, state);
    }
}

impl Equivalent<Stored> for Sought<'_> {
    fn equivalent(&self, stored: &Stored) -> bool {
        *self.id == *stored.0.id && self.app.eq_ignore_ascii_case(&stored.0.app)
    }
}

/// The application's bytes in upper case, in pieces, then the id.
fn hash<H: Hasher>(app: &str, id: &str, state: &mut H) {
    let mut folded = [0; 64];
    for piece in app.as_bytes().chunks(folded.len()) {
        let folded = &mut folded[..piece.len()];
        folded.copy_from_slice(piece);
        folded.make_ascii_uppercase();
        state.write(folded);
    }
    id.hash(state);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    #[test]
    fn an_instance_is_found_by_its_exact_id_and_its_application_in_any_case() {
        let index = Index::default();
        let long = "a-name-that-is-longer-than-one-piece-of-the-hash-".repeat(3);
        for app in ["ORDERS", "ÉTÉ", &long.to_uppercase()] {
            let held = Held::sample(samples::instance(app, "i:1"));
            index.insert(InstanceKey::new(app, "i:1"), held);
        }
        for (app, id, found) in [
            ("ORDERS", "i:1", true),
            ("orders", "i:1", true),
            ("OrDeRs", "i:1", true),
            ("ORDERS", "I:1", false),
            ("ORDER", "i:1", false),
            ("été", "i:1", true),
            (&*long, "i:1", true),
            ("", "", false),
        ] {
            assert_eq!(index.with(app, id, |_| ()).is_some(), found, "{app} {id}");
        }
        index.remove(&InstanceKey::new("orders", "i:1"));
        assert_eq!(index.len(), 2);
    }
}
