//! Putting a client together from its settings, and starting its tasks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;

use super::backend::Backend;
use super::builder::Builder;
use super::chance::Chance;
use super::discovery::{Refresher, View};
use super::error::StartError;
use super::event::Event;
use super::handle::{EurekaClient, Inner};
use super::http::HttpBackend;
use super::registration::{Leave, Own, Registrar, keep_asking};
use super::servers::{Asker, Pool, Session, Zone, in_order};
use crate::clock::Clock;
use crate::model::{InstanceInfo, NodeUrl, without_credentials};

/// Events that may wait for who is slow to hear them.
const EVENTS: usize = 64;

/// What the tasks of one client have in common.
struct Ground {
    chance: Arc<Chance>,
    pool: Arc<Pool>,
    asker: Asker,
    clock: Clock,
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
        let instance = self.instance.take();
        let has_health = self.health.is_some();
        let info = instance.map(|instance| instance.into_info(has_health));
        let info = info.transpose()?;
        let ground = self.ground(info.as_ref())?;
        let own = info.map(|info| Arc::new(Own::new(info, ground.clock.clone())));
        let leave = own.as_ref().map(|own| self.registrar(&ground, own));
        let mut helpers = Vec::new();
        helpers.extend(own.as_ref().and_then(|own| self.health_task(own)));
        let view = self.fetches.then(|| {
            let (view, task) = self.refresher(&ground, own.as_deref());
            helpers.push(task);
            view
        });
        Ok(EurekaClient(Arc::new(Inner {
            own,
            view,
            events: ground.events,
            leave: Mutex::new(leave),
            helpers: Mutex::new(helpers),
            patience: self.shutdown_timeout,
        })))
    }

    fn ground(&mut self, own: Option<&InstanceInfo>) -> Result<Ground, StartError> {
        let chance = Arc::new(Chance::new(self.seed.unwrap_or_else(rand::random)));
        let spread = own.map_or_else(|| chance.number(), spread_number);
        let order = self.order(spread, &chance)?;
        Ok(Ground {
            pool: Arc::new(Pool::new(order, chance.clone())),
            asker: self.asker(own)?,
            clock: self.clock.clone().unwrap_or_else(Clock::system),
            events: broadcast::channel(EVENTS).0,
            chance,
        })
    }

    fn session(&self, ground: &Ground) -> Session {
        Session {
            pool: ground.pool.clone(),
            asker: ground.asker.clone(),
            chance: ground.chance.clone(),
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

    /// The servers in their order.
    fn order(&self, spread: u64, chance: &Chance) -> Result<Vec<NodeUrl>, StartError> {
        let mut zones: Vec<Zone> = Vec::new();
        for (zone, urls) in &self.servers {
            let urls = urls.split(',').map(str::trim).filter(|url| !url.is_empty());
            let servers: Result<Vec<NodeUrl>, _> = urls
                .map(|url| {
                    url.parse().map_err(|_| StartError::BadServer {
                        url: without_credentials(url),
                    })
                })
                .collect();
            match zones.iter_mut().find(|known| known.name == *zone) {
                Some(known) => known.servers.extend(servers?),
                None => zones.push(Zone {
                    name: zone.clone(),
                    servers: servers?,
                }),
            }
        }
        let first = zones.first().map(|zone| zone.name.clone());
        let own = self.zone.clone().or(first);
        let order = in_order(zones, own.as_deref(), self.prefer_own_zone, spread, chance);
        match order.is_empty() {
            true => Err(StartError::NoServers),
            false => Ok(order),
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
