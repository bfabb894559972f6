//! Which applications have instances with a virtual host name: an index, so that a read does not search
//! everything.

use std::collections::BTreeMap;

use crate::model::Text;

/// Applications by an element of their instances' VIP lists, each with the number of instances that have it;
/// nearly always there is one application. Elements are compared exactly: no case folding, no trimming
/// (wire.md §3.9).
#[derive(Debug, Default)]
pub(super) struct VipIndex {
    by_vip: BTreeMap<Text, Vec<(Text, usize)>>,
}

impl VipIndex {
    /// An instance of `app` has this list.
    pub(super) fn add(&mut self, list: Option<&Text>, app: &Text) {
        for vip in elements(list) {
            // A list of one element is the element, and shared.
            let whole = list.filter(|list| ***list == *vip);
            let apps = match self.by_vip.get_mut(vip) {
                Some(apps) => apps,
                None => {
                    let vip = whole.cloned().unwrap_or_else(|| vip.into());
                    self.by_vip.entry(vip).or_default()
                }
            };
            match apps.binary_search_by(|(name, _)| name.cmp(app)) {
                Ok(at) => apps[at].1 += 1,
                Err(at) => apps.insert(at, (app.clone(), 1)),
            }
        }
    }

    /// An instance of `app` that had this list is gone.
    pub(super) fn remove(&mut self, list: Option<&Text>, app: &Text) {
        for vip in elements(list) {
            let Some(apps) = self.by_vip.get_mut(vip) else {
                continue;
            };
            if let Ok(at) = apps.binary_search_by(|(name, _)| name.cmp(app)) {
                apps[at].1 -= 1;
                if apps[at].1 == 0 {
                    apps.remove(at);
                }
            }
            if apps.is_empty() {
                self.by_vip.remove(vip);
            }
        }
    }

    /// Applications that have instances with this element, sorted.
    pub(super) fn of(&self, vip: &str) -> impl Iterator<Item = &Text> {
        let apps = self.by_vip.get(vip).into_iter().flatten();
        apps.map(|(app, _)| app)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_vip.len()
    }
}

/// Whether a list has this element.
pub(super) fn has(list: Option<&Text>, vip: &str) -> bool {
    elements(list).any(|element| element == vip)
}

/// The elements of a list that are not empty.
pub(super) fn elements(list: Option<&Text>) -> impl Iterator<Item = &str> {
    let all = list.into_iter().flat_map(|list| list.split(','));
    all.filter(|vip| !vip.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_lasts_as_long_as_the_last_instance_that_has_it() {
        let (mut index, app) = (VipIndex::default(), Text::from("A"));
        let list = Text::from("a,b,,a");
        index.add(Some(&list), &app);
        index.add(Some(&"a".into()), &app);
        index.add(None, &app);
        assert_eq!(index.of("a").collect::<Vec<_>>(), [&app]);
        index.remove(Some(&list), &app);
        assert_eq!((index.of("a").count(), index.of("b").count()), (1, 0));
        index.remove(Some(&"a".into()), &app);
        assert_eq!((index.of("a").count(), index.len()), (0, 0));
    }
}
