//! The client in the hands of a program.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;

use super::balance::Balancer;
use super::discovery::View;
use super::ending::Ending;
use super::event::Event;
use super::instance::lease_terms;
use super::registration::Own;
use crate::model::{InstanceInfo, InstanceStatus};

/// A client of a Eureka registry; clones are the same client.
///
/// It works as long as one of them is there. [`EurekaClient::shutdown`] takes the registration back; a client that is
/// dropped without it does so in the background, if the runtime goes on for long enough.
#[derive(Clone)]
pub struct EurekaClient(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) own: Option<Arc<Own>>,
    pub(super) view: Option<Arc<View>>,
    pub(super) balancer: Balancer,
    pub(super) events: broadcast::Sender<Event>,
    /// Held by who shuts down, so that another one waits for it.
    pub(super) ending: tokio::sync::Mutex<Ending>,
    pub(super) patience: Duration,
}

impl EurekaClient {
    /// What this client registers of itself, as it is now.
    pub fn own_instance(&self) -> Option<InstanceInfo> {
        let own = self.0.own.as_ref()?;
        Some(own.record().info().clone())
    }

    /// Whether a server has the registration, as far as this client heard.
    pub fn is_registered(&self) -> bool {
        let own = self.0.own.as_ref();
        own.is_some_and(|own| own.standing.borrow().registered)
    }

    /// How long ago a server last confirmed the registration; `None` if none ever did.
    pub fn since_confirmed(&self) -> Option<Duration> {
        let own = self.0.own.as_ref()?;
        let confirmed = own.standing.borrow().confirmed?;
        Some(Duration::from_millis(
            own.clock.now().mono.saturating_sub(confirmed),
        ))
    }

    /// Waits until a server has the registration, at most this long; returns whether one has. Without a registration
    /// it returns at once.
    pub async fn wait_registered(&self, within: Duration) -> bool {
        let Some(own) = &self.0.own else {
            return false;
        };
        let mut standing = own.standing.subscribe();
        let registered = standing.wait_for(|standing| standing.registered);
        tokio::time::timeout(within, registered).await.is_ok()
    }

    /// Sets this instance's status. The servers hear of it at once, or, when it changes often, within half of the
    /// replication interval; then they hear the latest.
    pub fn set_status(&self, status: InstanceStatus) {
        if let Some(own) = &self.0.own {
            own.change(|info| info.status = status);
        }
    }

    /// Adds pairs to this instance's metadata; an empty value takes a key away.
    pub fn update_metadata<K, V>(&self, pairs: impl IntoIterator<Item = (K, V)>)
    where
        K: AsRef<str>,
        V: AsRef<str>,
    {
        let Some(own) = &self.0.own else {
            return;
        };
        let pairs = pairs.into_iter();
        let pairs = pairs.map(|(key, value)| (key.as_ref().into(), value.as_ref().into()));
        // Before the record is locked: the program may look at it while it makes them.
        let pairs: Vec<_> = pairs.collect();
        own.change(|info| {
            let merged = info.metadata.with(pairs);
            let kept = merged.iter().filter(|(_, value)| !value.is_empty());
            info.metadata = kept
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
        });
    }

    /// Changes the lease; see [`Instance::lease`](super::Instance::lease).
    pub fn set_lease(&self, renewal: Duration, duration: Duration) {
        if let Some(own) = &self.0.own {
            own.change(|info| info.lease = lease_terms(renewal, duration));
        }
    }

    /// What happens from now on. Who does not keep up misses the oldest.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.0.events.subscribe()
    }

    /// Takes the registration back and ends all work. When it returns, no request of this client is under way and none
    /// will follow; it takes no longer than the shutdown time-out, whatever the servers do. A second call only waits for
    /// the first, also where nobody waits for that any more. What watches the registry ends, and the last event is
    /// [`Event::Stopped`].
    pub async fn shutdown(&self) {
        self.leave(Duration::ZERO).await;
    }

    /// The same, but the instance is DOWN for `drain` before, so that others look elsewhere while it still answers.
    pub async fn drain_and_shutdown(&self, drain: Duration) {
        self.leave(drain).await;
    }

    /// Waits until the program is told to stop, by SIGTERM or Ctrl-C, and then does
    /// [`EurekaClient::drain_and_shutdown`]. From the first call on these signals do not end the program by themselves:
    /// it ends when its `main` does.
    pub async fn shutdown_on_signal(&self, drain: Duration) -> std::io::Result<()> {
        use tokio::signal;
        #[cfg(unix)]
        {
            let mut term = signal::unix::signal(signal::unix::SignalKind::terminate())?;
            tokio::select! {
                _ = term.recv() => {}
                told = signal::ctrl_c() => told?,
            }
        }
        #[cfg(not(unix))]
        signal::ctrl_c().await?;
        self.drain_and_shutdown(drain).await;
        Ok(())
    }

    async fn leave(&self, drain: Duration) {
        let mut ending = self.0.ending.lock().await;
        if ending.finish(drain, self.0.patience).await {
            // Nobody needs to listen.
            _ = self.0.events.send(Event::Stopped);
        }
    }
}

impl std::fmt::Debug for EurekaClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.own_instance().map(|info| info.key());
        f.debug_struct("EurekaClient")
            .field("instance", &id)
            .field("is_registered", &self.is_registered())
            .finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let ending = self.ending.get_mut();
        ending.abort();
        if ending.is_registering() {
            tracing::warn!(
                "a Eureka client was dropped without shutdown(); it deregisters in the background"
            );
        }
    }
}
