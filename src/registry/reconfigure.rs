//! Settings of the registry that change while it runs.

use std::sync::atomic::Ordering;

use actix::{Context, Handler, Message};

use super::actor::Registry;
use crate::config::RegistryConfig;

/// Takes from other settings whether heartbeats compare `lastDirtyTimestamp`.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Reconfigure(pub RegistryConfig);

impl Handler<Reconfigure> for Registry {
    type Result = ();

    fn handle(&mut self, Reconfigure(config): Reconfigure, _: &mut Context<Self>) {
        let compares = config.sync_when_timestamp_differs;
        self.table.config.sync_when_timestamp_differs = compares;
        self.published.compares.store(compares, Ordering::Relaxed);
    }
}
