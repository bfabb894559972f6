//! What a program asks of the registry: nothing here waits for a server, and nothing is allocated.

use std::sync::Arc;
use std::time::Duration;

use super::discovery::{Catalog, CatalogWatch, Freshness, Instances, InstancesWatch};
use super::handle::EurekaClient;
use crate::model::{InstanceInfo, InstanceStatus};

impl EurekaClient {
    fn look<T: Default>(&self, at: impl FnOnce(&Catalog) -> T) -> T {
        let view = self.0.view.as_ref();
        view.map(|view| view.look(at)).unwrap_or_default()
    }

    /// The instances of an application, or else of a virtual host name; see [`Catalog::instances`]. Empty where nobody
    /// knows the name.
    pub fn instances(&self, name: &str) -> Instances {
        self.look(|catalog| catalog.instances(name))
    }

    /// All instances of an application, whatever their status.
    pub fn all_instances(&self, app: &str) -> Instances {
        self.look(|catalog| catalog.all_instances(app))
    }

    /// The instances of a virtual host name.
    pub fn by_vip(&self, vip: &str) -> Instances {
        self.look(|catalog| catalog.by_vip(vip))
    }

    /// The instances of a secure virtual host name.
    pub fn by_secure_vip(&self, vip: &str) -> Instances {
        self.look(|catalog| catalog.by_secure_vip(vip))
    }

    /// The instance of this id, whatever its status.
    pub fn by_id(&self, id: &str) -> Option<Arc<InstanceInfo>> {
        self.look(|catalog| catalog.by_id(id))
    }

    /// Everything, as it is now.
    pub fn catalog(&self) -> Arc<Catalog> {
        let view = self.0.view.as_ref();
        view.map(|view| view.catalog()).unwrap_or_default()
    }

    /// Everything, whenever it changes; `None` where the client follows no registry.
    pub fn watch(&self) -> Option<CatalogWatch> {
        Some(self.0.view.as_ref()?.watch())
    }

    /// The instances of a name, now and whenever one of them changes; `None` where the client follows no registry.
    pub fn watch_instances(&self, name: &str) -> Option<InstancesWatch> {
        Some(InstancesWatch::new(self.watch()?, name))
    }

    /// How old the list is: since a server last answered, or since the copy on disk was written. `None` where there is
    /// neither.
    pub fn registry_age(&self) -> Option<Duration> {
        self.0.view.as_ref()?.age()
    }

    /// Whether the list can be trusted to be new.
    pub fn freshness(&self) -> Freshness {
        let view = self.0.view.as_ref();
        view.map_or(Freshness::NeverConnected, |view| view.freshness())
    }

    /// How many instances are shown though the servers suddenly do not list them; see
    /// [`Builder::doubt_short_lists_for`](super::Builder::doubt_short_lists_for).
    pub fn doubted(&self) -> usize {
        self.0.view.as_ref().map_or(0, |view| view.kept())
    }

    /// This instance's status in the registry, with what an operator ordered; `None` where it is not in the list.
    pub fn remote_status(&self) -> Option<InstanceStatus> {
        self.0.view.as_ref()?.remote_status()
    }

    /// Waits until a server has told what instances there are, at most this long; returns whether one has.
    pub async fn wait_fetched(&self, within: Duration) -> bool {
        match &self.0.view {
            Some(view) => view.wait_connected(within).await,
            None => false,
        }
    }
}
