//! The node as an instance of its own registry, so that it and its peers show each other as replicas (server.md
//! §14.4): registered at the start, UP as soon as it serves lists, renewed like any other, gone when it stops.
//!
//! Its registration and heartbeats are those of a client of this node, so they reach the peers as all others do.

use std::sync::Arc;
use std::time::Duration;

use actix::Addr;
use tokio::time::sleep;

use super::Gate;
use crate::clock::Clock;
use crate::model::{By, Extra, InstanceInfo, InstanceStatus, Origin, Who};
use crate::registry::{Beat, Cancel, Published, Register, Registry, Renew, Renewal};

/// How often it looks whether lists are served by now.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The node's own registration.
#[derive(Clone)]
pub struct OwnInstance {
    /// The record as it is once lists are served.
    pub info: InstanceInfo,
    /// Where it is registered.
    pub registry: Addr<Registry>,
    /// How it is renewed.
    pub published: Arc<Published>,
    /// What its status depends on.
    pub gate: Arc<Gate>,
    /// The time.
    pub clock: Clock,
}

impl OwnInstance {
    /// Registers, and renews for ever.
    pub async fn run(self) {
        if !self.gate.is_open() {
            self.register(InstanceStatus::Starting).await;
            while !self.gate.is_open() {
                sleep(LOOK_EVERY).await;
            }
        }
        self.register(self.info.status).await;
        let interval = Duration::from_secs(self.info.lease.renewal_interval_secs.into());
        loop {
            sleep(interval).await;
            if !self.renew().await {
                self.register(self.info.status).await;
            }
        }
    }

    /// Deregisters.
    pub async fn leave(&self) {
        let cancel = Cancel {
            key: self.info.key(),
            by: By::only(Who::Node),
        };
        // It may be gone already, and so may the registry: then there is nothing to leave.
        let _ = self.registry.send(cancel).await;
    }

    async fn register(&self, status: InstanceStatus) {
        let info = InstanceInfo {
            status,
            last_dirty: self.clock.now().wall,
            ..self.info.clone()
        };
        let register = Register {
            info,
            by: By::only(Who::Node),
        };
        if let Ok(Err(reason)) = self.registry.send(register).await {
            tracing::warn!(%reason, "this node cannot register itself");
        }
    }

    /// Whether it is still registered.
    async fn renew(&self) -> bool {
        let key = self.info.key();
        let beat = Beat {
            extra: &Extra::NONE,
            app: &key.app,
            id: &key.id,
            last_dirty: None,
            override_status: None,
            origin: Origin::Client,
        };
        let renewal = match self.published.renew(beat, self.clock.now()) {
            Some(renewal) => renewal,
            None => {
                let renew = Renew {
                    extra: Extra::NONE,
                    key,
                    last_dirty: None,
                    override_status: None,
                    origin: Origin::Client,
                };
                self.registry.send(renew).await.unwrap_or(Renewal::InStep)
            }
        };
        !matches!(renewal, Renewal::Unknown)
    }
}
