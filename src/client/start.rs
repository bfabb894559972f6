//! Putting a client together from its settings, and starting its tasks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;

use super::backend::Backend;
use super::balance::Balancer;
use super::builder::Builder;
use super::chance::Chance;
use super::discovery::{Refresher, View};
use super::ending::Ending;
use super::error::StartError;
use super::event::Event;
use super::figures::Figures;
use super::handle::{EurekaClient, Inner};
use super::http::HttpBackend;
use super::registration::{Leave, Own, Registrar, keep_asking};
use super::servers::{Asker, Pool, Resolver, Session, Zone};
use super::timekeeper::Timekeeper;
use crate::model::{InstanceInfo, without_credentials};

/// Events that may wait for who is slow to hear them.
const EVENTS: usize = 64;

/// What the tasks of one client have in common.
struct Ground {
    chance: Arc<Chance>,
    pool: Arc<Pool>,
    asker: Asker,
    clock: Timekeeper,
    figures: Figures,
    events: broadcast::Sender<Event>,
}

impl Builder {
    /// Starts the client on the current tokio runtime. Nothing is waited for unless it was asked for.
    pub async fn start(self) -> Result<EurekaClient, StartError> {
        let (registered, fetched) = (self.wait_registered, self.wait_fetched);
        let client = self.assemble()?;
        match client.wait_for(registered, fetched).await {
            Ok(()) => Ok(client),
            Err(error) => {
                client.shutdown().await;
                Err(error)
            }
        }
    }

    fn assemble(mut self) -> Result<EurekaClient, StartError> {
        self.bound_times();
        let instance = self
            .instance
            .take()
            .filter(|_| self.registers && self.is_enabled);
        self.fetches &= self.is_enabled;
        let has_health = self.health.is_some();
        let info = instance.map(|instance| instance.into_info(has_health));
        let info = info.transpose()?;
        self.adopt_zone(info.as_ref());
        let ground = self.ground(info.as_ref())?;
        let own = info.map(|info| Arc::new(Own::new(info, ground.clock.clone())));
        let leave = own.as_ref().map(|own| self.registrar(&ground, own));
        let mut helpers = Vec::from_iter(self.resolver(&ground));
        helpers.extend(own.as_ref().and_then(|own| self.health_task(own)));
        let view = self.fetches.then(|| {
            let (view, task) = self.refresher(&ground, own.as_deref());
            helpers.push(task);
            view
        });
        Ok(EurekaClient(Arc::new(Inner {
            own,
            view,
            balancer: Balancer::new(self.balance, ground.chance),
            events: ground.events,
            ending: tokio::sync::Mutex::new(Ending::new(helpers, leave)),
            patience: self.shutdown_timeout,
        })))
    }

    /// Instances of the own zone are preferred where there is one: the builder's, or that of the own metadata.
    fn adopt_zone(&mut self, own: Option<&InstanceInfo>) {
        let said = own.and_then(|own| own.metadata.get("zone"));
        let said = said.map(ToString::to_string);
        self.balance.zone = match self.prefer_near {
            true => self.sources.own_zone.clone().or(said),
            false => None,
        };
    }

    fn ground(&mut self, own: Option<&InstanceInfo>) -> Result<Ground, StartError> {
        let chance = Arc::new(Chance::new(self.seed.unwrap_or_else(rand::random)));
        self.sources.spread = own.map_or_else(|| chance.number(), spread_number);
        self.read_servers()?;
        let given = self.sources.given(&chance);
        Ok(Ground {
            pool: Arc::new(Pool::new(given, chance.clone())),
            asker: self.asker(own)?,
            clock: Timekeeper::new(self.clock.clone()),
            figures: Figures::new(own.map_or("reader", |own| &own.app)),
            events: broadcast::channel(EVENTS).0,
            chance,
        })
    }

    fn session(&self, ground: &Ground) -> Session {
        Session {
            pool: ground.pool.clone(),
            asker: ground.asker.clone(),
            chance: ground.chance.clone(),
            figures: ground.figures.clone(),
            per_server: self.request_timeout,
            life: self.session_life,
            pin: Mutex::default(),
        }
    }

    /// Starts the task that speaks for the instance. It outlives the handle: taking the registration back is the last
    /// thing it does.
    fn registrar(&self, ground: &Ground, own: &Arc<Own>) -> mpsc::Sender<Leave> {
        let (way, orders) = mpsc::channel(1);
        let registrar = Registrar::new(
            own.clone(),
            self.session(ground),
            ground.chance.clone(),
            self.registrar,
            ground.events.clone(),
        );
        tokio::spawn(registrar.run(orders));
        way
    }

    /// Starts the task that follows the registry.
    fn refresher(&self, ground: &Ground, own: Option<&Own>) -> (Arc<View>, JoinHandle<()>) {
        let refresher = Refresher::new(
            self.session(ground),
            ground.chance.clone(),
            ground.clock.clone(),
            ground.events.clone(),
            own.map(|own| own.record().key()),
            self.discovery.clone(),
        );
        let view = refresher.view.clone();
        (view, tokio::spawn(refresher.run()))
    }

    fn health_task(&self, own: &Arc<Own>) -> Option<JoinHandle<()>> {
        let health = self.health.clone()?;
        let every = self.registrar.replication_interval;
        Some(tokio::spawn(keep_asking(own.clone(), health, every)))
    }

    /// Starts looking up servers, where there is anything to be looked up.
    fn resolver(&self, ground: &Ground) -> Option<JoinHandle<()>> {
        let resolver = Resolver {
            sources: self.sources.clone(),
            backend: ground.asker.backend.clone(),
            chance: ground.chance.clone(),
            pool: ground.pool.clone(),
            every: self.look_up_every,
        };
        let is_needed = self.is_enabled && self.sources.are_names();
        is_needed.then(|| tokio::spawn(resolver.run()))
    }

    /// Reads the URLs of servers.
    fn read_servers(&mut self) -> Result<(), StartError> {
        for (zone, urls) in &self.servers {
            let urls = urls.split(',').map(str::trim).filter(|url| !url.is_empty());
            let read = |url: &str| {
                url.parse().map_err(|_| StartError::BadServer {
                    url: without_credentials(url),
                })
            };
            let servers = urls.map(read).collect::<Result<_, _>>()?;
            let name = zone.clone();
            self.sources.given.push(Zone { name, servers });
        }
        match self.is_enabled && self.sources.are_empty() {
            true => Err(StartError::NoServers),
            false => Ok(()),
        }
    }

    fn asker(&mut self, own: Option<&InstanceInfo>) -> Result<Asker, StartError> {
        let backend: Arc<dyn Backend> = match self.backend.take() {
            Some(backend) => backend,
            None => Arc::new(HttpBackend::new(self.http.clone())?),
        };
        // Servers count who asks, and spare clients of this name their limits (client.md §11.6).
        let mut headers = vec![
            ("accept", "application/json".to_string()),
            ("discoveryidentity-name", "DefaultClient".to_string()),
            ("discoveryidentity-version", "1.4".to_string()),
        ];
        headers.extend(own.map(|own| ("discoveryidentity-id", own.ip_addr.to_string())));
        Ok(Asker {
            backend,
            credentials: self.credentials.clone(),
            follow_redirects: self.follow_redirects,
            headers,
        })
    }
}

impl EurekaClient {
    async fn wait_for(
        &self,
        registered: Option<Duration>,
        fetched: Option<Duration>,
    ) -> Result<(), StartError> {
        let late = |what, within| Err(StartError::NotInTime { what, within });
        if let Some(within) = fetched
            && self.0.view.is_some()
            && !self.wait_fetched(within).await
        {
            return late("the first list", within);
        }
        match registered {
            Some(within) if self.0.own.is_some() && !self.wait_registered(within).await => {
                late("the registration", within)
            }
            _ => Ok(()),
        }
    }
}

/// The number by which a client finds its first server: of clients with addresses or ports in a row each begins at
/// another one.
fn spread_number(own: &InstanceInfo) -> u64 {
    let address = match own.ip_addr.parse() {
        Ok(std::net::IpAddr::V4(address)) => u64::from(address.to_bits()),
        Ok(std::net::IpAddr::V6(address)) => address.to_bits() as u64,
        Err(_) => 0,
    };
    address.wrapping_add(u64::from(own.port.number))
}
