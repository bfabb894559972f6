//! An instance's own key–value pairs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Text;

/// Pairs sorted by key, each key once; shared, never changed. A slice, not a tree: nearly every instance has
/// a handful of pairs, and a tree takes hundreds of bytes for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata(Arc<[(Text, Text)]>);

impl Metadata {
    /// Pairs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Text> {
        let at = self
            .0
            .binary_search_by(|(name, _)| (**name).cmp(key))
            .ok()?;
        Some(&self.0[at].1)
    }

    /// All pairs, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// These pairs and more; a new value takes the place of an old one.
    pub fn with(&self, more: impl IntoIterator<Item = (Text, Text)>) -> Self {
        let old = self.iter().map(|(key, value)| (key.clone(), value.clone()));
        old.chain(more).collect()
    }

    /// Puts equal texts in the place of keys and values, where nobody else holds these pairs.
    #[cfg(feature = "server")]
    pub(crate) fn replace(&mut self, mut text: impl FnMut(&mut Text)) {
        for (key, value) in Arc::get_mut(&mut self.0).into_iter().flatten() {
            text(key);
            text(value);
        }
    }
}

/// The last of several values of a key counts.
impl FromIterator<(Text, Text)> for Metadata {
    fn from_iter<I: IntoIterator<Item = (Text, Text)>>(pairs: I) -> Self {
        pairs.into_iter().collect::<BTreeMap<_, _>>().into()
    }
}

impl From<BTreeMap<Text, Text>> for Metadata {
    fn from(pairs: BTreeMap<Text, Text>) -> Self {
        if pairs.is_empty() {
            return Self::default();
        }
        Self(pairs.into_iter().collect())
    }
}

impl<const N: usize> From<[(Text, Text); N]> for Metadata {
    fn from(pairs: [(Text, Text); N]) -> Self {
        pairs.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(metadata: &Metadata) -> Vec<(&str, &str)> {
        metadata.iter().map(|(k, v)| (&**k, &**v)).collect()
    }

    #[test]
    fn pairs_are_sorted_found_by_key_and_the_last_value_counts() {
        let metadata: Metadata = [("b", "1"), ("a", "2"), ("b", "3")]
            .map(|(k, v)| (k.into(), v.into()))
            .into();
        assert_eq!(pairs(&metadata), [("a", "2"), ("b", "3")]);
        assert_eq!(metadata.get("b").map(|value| &**value), Some("3"));
        assert_eq!(metadata.get("c"), None);
        let more = metadata.with([("c", "4"), ("a", "5")].map(|(k, v)| (k.into(), v.into())));
        assert_eq!(pairs(&more), [("a", "5"), ("b", "3"), ("c", "4")]);
        assert_eq!((metadata.len(), more.len()), (2, 3));
        assert!(Metadata::default().is_empty());
    }
}
