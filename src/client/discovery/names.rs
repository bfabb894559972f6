//! Names without regard to case, looked up without an allocation.
//!
//! Java folds application names and VIPs to upper case. A name in ASCII of usual length is folded on the stack.

use foldhash::{HashMap, HashMapExt};

use crate::model::Text;

/// The longest name that is folded on the stack.
const USUAL: usize = 256;

/// Values by name.
#[derive(Clone, Debug)]
pub(super) struct Names<V>(HashMap<Text, V>);

impl<V> Default for Names<V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<V> Names<V> {
    pub(super) fn get(&self, name: &str) -> Option<&V> {
        in_upper_case(name, |name| self.0.get(name))
    }

    /// Changes the value of a name, or a default one where there is none yet.
    pub(super) fn change(&mut self, name: &str, change: impl FnOnce(&mut V))
    where
        V: Default,
    {
        in_upper_case(name, |upper| match self.0.get_mut(upper) {
            Some(value) => change(value),
            // A key is made only for the first of a name.
            None => change(self.0.entry(upper.into()).or_default()),
        });
    }

    /// Gives a name a value, or takes it away.
    pub(super) fn set(&mut self, name: &str, value: Option<V>) {
        in_upper_case(name, |upper| match (value, self.0.get_mut(upper)) {
            (Some(value), Some(known)) => *known = value,
            (Some(value), None) => _ = self.0.insert(upper.into(), value),
            (None, _) => _ = self.0.remove(upper),
        });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Text, &V)> {
        self.0.iter()
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = (Text, V)> {
        self.0.into_iter()
    }
}

fn in_upper_case<T>(name: &str, then: impl FnOnce(&str) -> T) -> T {
    if !name.is_ascii() || name.len() > USUAL {
        return then(&name.to_uppercase());
    }
    let mut folded = [0; USUAL];
    let folded = &mut folded[..name.len()];
    folded.copy_from_slice(name.as_bytes());
    folded.make_ascii_uppercase();
    // ASCII stays ASCII.
    then(std::str::from_utf8(folded).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_any_case_and_any_language() {
        let mut names = Names::<usize>::default();
        let long = "x".repeat(300);
        for name in ["Orders", "ORDERS", "straße", &long] {
            names.change(name, |count| *count += 1);
        }
        for (name, count) in [
            ("orders", Some(2)),
            ("STRASSE", Some(1)),
            ("Straße", Some(1)),
            (&long.to_uppercase(), Some(1)),
            ("order", None),
            ("", None),
        ] {
            assert_eq!(names.get(name).copied(), count, "{name}");
        }
        names.set("orders", Some(7));
        names.set("Strasse", None);
        assert_eq!(names.get("Orders"), Some(&7));
        assert_eq!(names.get("straße"), None);
        assert_eq!(names.iter().count(), 2);
    }
}
