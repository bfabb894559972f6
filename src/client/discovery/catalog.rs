//! All instances as a program looks at them: immutable, shared, and found by name without an allocation.
//!
//! A new catalogue takes the place of the old one as a whole; whoever looks at the old one keeps it. The order of
//! instances means nothing. Of a new catalogue only the applications that changed are put together, and the virtual host
//! names of their instances; all else is taken from the one before.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet};

use super::listing::{Listing, Members, Shared};
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
    /// What it was made of.
    members: Members,
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
    /// The catalogue of a listing that follows the one that this was made of, with the same filter.
    pub(super) fn after(&self, listing: &Listing, filter: Filter) -> Self {
        let mut next = self.clone();
        next.count = listing.len();
        let changed = self.changed(listing);
        let mut vips = VipChanges::default();
        for name in &changed {
            let old = self.apps.get(name);
            let new = listing
                .members(name)
                .map(|members| App::of(members, filter));
            if let Some(old) = old {
                next.forget_ids(old);
                vips.touch(&old.usable);
            }
            if let Some(new) = &new {
                next.learn_ids(new);
                vips.add(&new.usable);
            }
            next.apps.set(name, new);
        }
        let stays = |info: &&Shared| !changed.contains(&info.app);
        put_in(&mut next.vips, vips.plain, stays);
        put_in(&mut next.secure_vips, vips.secure, stays);
        if next.ids.len() != next.count {
            next.find_ids(listing);
        }
        next
    }

    /// Applications that are new, different or gone.
    fn changed(&self, listing: &Listing) -> HashSet<Text> {
        let is_new = |(name, members): &(&Text, &Members)| {
            let known = self.apps.get(name);
            known.is_none_or(|known| !Arc::ptr_eq(&known.members, members))
        };
        let gone = self.apps.iter().map(|(name, _)| name);
        let gone = gone.filter(|name| listing.members(name).is_none());
        let changed = listing.apps().filter(is_new).map(|(name, _)| name);
        changed.chain(gone).cloned().collect()
    }

    fn forget_ids(&mut self, app: &App) {
        for info in &app.all {
            let is_it = |known: &Shared| Arc::ptr_eq(known, info);
            if self.ids.get(info.id()).is_some_and(is_it) {
                self.ids.remove(info.id());
            }
        }
    }

    fn learn_ids(&mut self, app: &App) {
        for info in &app.all {
            let known = self.ids.entry(info.id().clone());
            known.or_insert_with(|| info.clone());
        }
    }

    /// Where applications share an id, the one that was forgotten may have stood in front of another.
    fn find_ids(&mut self, listing: &Listing) {
        self.ids = HashMap::with_capacity(listing.len());
        for info in listing.iter() {
            let known = self.ids.entry(info.id().clone());
            known.or_insert_with(|| info.clone());
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
    fn of(members: &Members, filter: Filter) -> Self {
        let all: Vec<Shared> = members.values().cloned().collect();
        let usable = all.iter().filter(|info| filter.keeps(info));
        let usable: Vec<Shared> = usable.cloned().collect();
        let is_same = usable.len() == all.len();
        let all = Instances::of(all);
        let usable = if is_same {
            all.clone()
        } else {
            Instances::of(usable)
        };
        Self {
            members: members.clone(),
            all,
            usable,
        }
    }
}

/// Virtual host names of instances that came or went, and who came.
#[derive(Default)]
struct VipChanges {
    plain: Names<Vec<Shared>>,
    secure: Names<Vec<Shared>>,
}

impl VipChanges {
    fn touch(&mut self, went: &[Shared]) {
        self.each(went, |_, _| {});
    }

    fn add(&mut self, came: &[Shared]) {
        self.each(came, |list, run| list.extend_from_slice(run));
    }

    /// Instances of an application have mostly the same names, so they are taken in runs.
    fn each(&mut self, instances: &[Shared], mut change: impl FnMut(&mut Vec<Shared>, &[Shared])) {
        for run in instances.chunk_by(|a, b| a.vip_address == b.vip_address) {
            for vip in parts(run[0].vips()) {
                self.plain.change(vip, |list| change(list, run));
            }
        }
        for run in instances.chunk_by(|a, b| a.secure_vip_address == b.secure_vip_address) {
            for vip in parts(run[0].secure_vips()) {
                self.secure.change(vip, |list| change(list, run));
            }
        }
    }
}

/// Of each of these names, those who stay and those who came.
fn put_in(
    names: &mut Names<Instances>,
    came: Names<Vec<Shared>>,
    stays: impl Fn(&&Shared) -> bool,
) {
    for (name, mut list) in came.into_iter() {
        if let Some(known) = names.get(&name) {
            list.extend(known.iter().filter(&stays).cloned());
        }
        let list = (!list.is_empty()).then(|| Instances::of(list));
        names.set(&name, list);
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
    use proptest::prelude::*;

    use super::*;
    use crate::model::samples;

    fn listing() -> Listing {
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
        listing
    }

    fn catalog(filter: Filter) -> Catalog {
        Catalog::default().after(&listing(), filter)
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

    /// Everything that can be asked of a catalogue.
    fn content(catalog: &Catalog) -> Vec<(String, Vec<String>)> {
        let sorted = |instances: &Instances| {
            let mut lines: Vec<_> = instances
                .iter()
                .map(|info| format!("{:?} {}", info.key(), info.last_dirty))
                .collect();
            lines.sort_unstable();
            lines
        };
        let mut content = vec![(format!("{}", catalog.len()), Vec::new())];
        for (name, app) in catalog.apps.iter() {
            content.push((format!("app {name}"), sorted(&app.all)));
            content.push((format!("usable {name}"), sorted(&app.usable)));
        }
        for (name, list) in catalog.vips.iter() {
            content.push((format!("vip {name}"), sorted(list)));
        }
        for (name, list) in catalog.secure_vips.iter() {
            content.push((format!("secure {name}"), sorted(list)));
        }
        let ids = catalog
            .ids
            .keys()
            .map(|id| (format!("id {id}"), Vec::new()));
        content.extend(ids);
        content.sort_unstable();
        content
    }

    proptest! {
        /// Whatever changes, what follows from the catalogue before is what is made anew.
        #[test]
        fn a_catalogue_that_follows_is_the_one_made_anew(
            steps in prop::collection::vec((0..3_u8, 0..4_u8, 0..4_u8, 0..5_usize), 1..60),
        ) {
            let mut listing = Listing::default();
            let mut catalog = Catalog::default();
            for (stamp, (app, id, vip, status)) in steps.into_iter().enumerate() {
                // Applications share ids, and VIPs.
                let (app, id) = (format!("A{app}"), format!("i{id}"));
                let mut info = samples::instance(&app, &id);
                info.last_dirty = stamp as u64;
                info.status = InstanceStatus::ALL[status];
                info.vip_address = [None, Some("v".into()), Some("V, w".into()), Some(" ".into())][usize::from(vip)].clone();
                info.secure_vip_address = info.vip_address.clone();
                let one = listing.clone();
                match vip {
                    0 => _ = listing.remove(&info.key()),
                    _ => listing.put(Arc::new(info)),
                }
                // What was handed out before is not touched.
                prop_assert!(one.iter().all(|info| info.last_dirty != stamp as u64));
                catalog = catalog.after(&listing, Filter::Up);
                let anew = Catalog::default().after(&listing, Filter::Up);
                prop_assert_eq!(content(&catalog), content(&anew));
                for info in listing.iter() {
                    let found = catalog.by_id(info.id()).unwrap();
                    prop_assert!(listing.find(&found.app, found.id()).is_some_and(|known| Arc::ptr_eq(known, &found)));
                }
            }
        }
    }
}
