//! All instances as a program looks at them: immutable, shared, and found by name without an allocation.
//!
//! A new catalogue takes the place of the old one as a whole; whoever looks at the old one keeps it. The order of
//! instances means nothing.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::listing::{Listing, Shared};
use super::names::Names;
use crate::model::{InstanceInfo, InstanceStatus, Text};

/// Instances in a row, shared: a clone costs a reference count.
#[derive(Clone, Default)]
pub struct Instances(Option<Arc<[Shared]>>);

/// Which instances are in the lists that are handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// Those with status UP, as servers list it; what Java's clients do.
    #[default]
    Up,
    /// Those that are UP by their override, if they have one, else by their status: for servers that list the two
    /// apart.
    EffectivelyUp,
    /// All.
    All,
}

/// All instances that the client knows.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    apps: Names<App>,
    vips: Names<Instances>,
    secure_vips: Names<Instances>,
    ids: HashMap<Text, Shared>,
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct App {
    all: Instances,
    usable: Instances,
}

impl Filter {
    fn keeps(self, info: &InstanceInfo) -> bool {
        match self {
            Self::All => true,
            Self::Up => info.status == InstanceStatus::Up,
            Self::EffectivelyUp => {
                info.override_status.unwrap_or(info.status) == InstanceStatus::Up
            }
        }
    }
}

impl Catalog {
    pub(super) fn of(listing: &Listing, filter: Filter) -> Self {
        let mut apps = Names::default();
        let mut vips = Names::<Vec<Shared>>::default();
        let mut secure_vips = Names::<Vec<Shared>>::default();
        let mut ids = HashMap::with_capacity(listing.len());
        for (name, instances) in listing.apps() {
            let all: Vec<Shared> = instances.cloned().collect();
            for info in &all {
                ids.entry(info.id().clone()).or_insert_with(|| info.clone());
            }
            let usable: Vec<Shared> = all
                .iter()
                .filter(|info| filter.keeps(info))
                .cloned()
                .collect();
            for info in &usable {
                for vip in parts(info.vips()) {
                    vips.change(vip, |list| list.push(info.clone()));
                }
                for vip in parts(info.secure_vips()) {
                    secure_vips.change(vip, |list| list.push(info.clone()));
                }
            }
            apps.change(name, |app: &mut App| *app = App::of(all, usable));
        }
        Self {
            apps,
            vips: vips.map(Instances::of),
            secure_vips: secure_vips.map(Instances::of),
            ids,
            count: listing.len(),
        }
    }

    /// The usable instances of the application of this name, in any case; where there is none, those of the VIP of this
    /// name. Spring's service ids are VIPs, which are application names unless somebody set them apart.
    pub fn instances(&self, name: &str) -> Instances {
        match self.apps.get(name) {
            Some(app) => app.usable.clone(),
            None => self.by_vip(name),
        }
    }

    /// All instances of an application, whatever their status.
    pub fn all_instances(&self, app: &str) -> Instances {
        let app = self.apps.get(app);
        app.map(|app| app.all.clone()).unwrap_or_default()
    }

    /// The usable instances of a virtual host name, in any case.
    pub fn by_vip(&self, vip: &str) -> Instances {
        self.vips.get(vip).cloned().unwrap_or_default()
    }

    /// The usable instances of a secure virtual host name, in any case.
    pub fn by_secure_vip(&self, vip: &str) -> Instances {
        self.secure_vips.get(vip).cloned().unwrap_or_default()
    }

    /// The instance of this id, byte for byte, whatever its status. Where applications share an id it is one of
    /// them.
    pub fn by_id(&self, id: &str) -> Option<Arc<InstanceInfo>> {
        self.ids.get(id).cloned()
    }

    /// The names of all applications, in upper case and in no order.
    pub fn apps(&self) -> impl Iterator<Item = &str> {
        self.apps.iter().map(|(name, _)| &**name)
    }

    /// Instances in all, whatever their status.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl App {
    fn of(all: Vec<Shared>, usable: Vec<Shared>) -> Self {
        let is_same = usable.len() == all.len();
        let all = Instances::of(all);
        let usable = if is_same {
            all.clone()
        } else {
            Instances::of(usable)
        };
        Self { all, usable }
    }
}

/// Java does not trim them, and then finds nothing (client.md §8).
fn parts<'v>(vips: impl Iterator<Item = &'v str>) -> impl Iterator<Item = &'v str> {
    vips.map(str::trim).filter(|vip| !vip.is_empty())
}

impl Instances {
    fn of(instances: Vec<Shared>) -> Self {
        Self((!instances.is_empty()).then(|| instances.into()))
    }

    /// Whether these are the very same records.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let pairs = || self.iter().zip(other.iter());
        self.len() == other.len() && pairs().all(|(one, other)| Arc::ptr_eq(one, other))
    }
}

impl Deref for Instances {
    type Target = [Arc<InstanceInfo>];

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().unwrap_or_default()
    }
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|info| info.key()))
            .finish()
    }
}

impl<'i> IntoIterator for &'i Instances {
    type Item = &'i Arc<InstanceInfo>;
    type IntoIter = std::slice::Iter<'i, Arc<InstanceInfo>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    fn catalog(filter: Filter) -> Catalog {
        let mut listing = Listing::default();
        for (app, id, status, ordered) in [
            ("ORDERS", "o1", InstanceStatus::Up, None),
            (
                "ORDERS",
                "o2",
                InstanceStatus::Down,
                Some(InstanceStatus::Up),
            ),
            (
                "BILLING",
                "b1",
                InstanceStatus::Up,
                Some(InstanceStatus::OutOfService),
            ),
        ] {
            let mut info = samples::instance(app, id);
            info.status = status;
            info.override_status = ordered;
            info.vip_address = Some(format!("{}, Shop,", app.to_lowercase()).into());
            info.secure_vip_address = Some("safe".into());
            listing.put(Arc::new(info));
        }
        Catalog::of(&listing, filter)
    }

    fn ids(instances: &Instances) -> Vec<&str> {
        let mut ids: Vec<_> = instances.iter().map(|info| info.id().as_str()).collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn instances_are_found_by_application_vip_secure_vip_and_id() {
        let catalog = catalog(Filter::Up);
        for (found, expected) in [
            (catalog.instances("orders"), vec!["o1"]),
            (catalog.instances("shop"), vec!["b1", "o1"]),
            (catalog.instances("nobody"), vec![]),
            (catalog.all_instances("Orders"), vec!["o1", "o2"]),
            (catalog.all_instances("shop"), vec![]),
            (catalog.by_vip("SHOP"), vec!["b1", "o1"]),
            (catalog.by_vip(" Shop"), vec![]),
            (catalog.by_vip(""), vec![]),
            (catalog.by_secure_vip("SAFE"), vec!["b1", "o1"]),
        ] {
            assert_eq!(ids(&found), expected);
        }
        assert_eq!(&*catalog.by_id("o2").unwrap().app, "ORDERS");
        assert!(catalog.by_id("O2").is_none());
        let mut apps: Vec<_> = catalog.apps().collect();
        apps.sort_unstable();
        assert_eq!((apps, catalog.len()), (vec!["BILLING", "ORDERS"], 3));
    }

    #[test]
    fn what_is_usable_is_a_matter_of_choice() {
        for (filter, expected) in [
            (Filter::Up, vec!["b1", "o1"]),
            (Filter::EffectivelyUp, vec!["o1", "o2"]),
            (Filter::All, vec!["b1", "o1", "o2"]),
        ] {
            assert_eq!(ids(&catalog(filter).by_vip("shop")), expected, "{filter:?}");
        }
    }
}
