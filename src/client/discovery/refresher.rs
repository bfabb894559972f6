//! The one task that keeps the catalogue: a full list, then deltas, and a full list again when these do not add up
//! (client.md §7).
//!
//! Whatever fails, what was shown stays. A failed refresh is tried again within seconds, a good one is followed by
//! the next after the interval, with a tenth of it by chance.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::time::{Instant, sleep};

use super::catalog::{Catalog, Filter};
use super::disk::Disk;
use super::doubt::Doubt;
use super::listing::{Changes, Listing};
use super::view::{Publisher, View};
use crate::client::backend::Response;
use crate::client::chance::Chance;
use crate::client::error::RequestFailed;
use crate::client::event::Event;
use crate::client::operation::Operation;
use crate::client::pause::Pauses;
use crate::client::servers::Session;
use crate::client::timekeeper::Timekeeper;
use crate::model::{Applications, InstanceKey};
use crate::wire::{json, one_line};

/// The first pause after a failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The copy on disk is not written more often.
const SAVE_AT_MOST: Duration = Duration::from_secs(60);

/// For what comes without a stamp: the present would make it another record each time.
const NO_STAMP: u64 = 0;

/// How the registry is followed.
#[derive(Clone, Debug)]
pub(crate) struct DiscoveryOptions {
    pub(crate) interval: Duration,
    pub(crate) deltas: bool,
    /// A full list at least so often, whatever the hash codes say.
    pub(crate) full_every: Duration,
    /// How long a list that is suddenly short is doubted.
    pub(crate) patience: Duration,
    pub(crate) filter: Filter,
    /// Only the instances of this VIP.
    pub(crate) only_vip: Option<String>,
    pub(crate) regions: Vec<String>,
    pub(crate) file: Option<std::path::PathBuf>,
}

impl Default for DiscoveryOptions {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(30),
            deltas: true,
            full_every: Duration::from_secs(600),
            patience: Duration::from_secs(90),
            filter: Filter::default(),
            only_vip: None,
            regions: Vec::new(),
            file: None,
        }
    }
}

/// The task.
pub(crate) struct Refresher {
    pub(crate) session: Session,
    pub(crate) chance: Arc<Chance>,
    pub(crate) clock: Timekeeper,
    pub(crate) events: broadcast::Sender<Event>,
    /// The own instance, whose status in the list is told.
    pub(crate) own: Option<InstanceKey>,
    pub(crate) options: DiscoveryOptions,
    pub(crate) view: Arc<View>,
    publisher: Publisher,
    memory: Memory,
}

/// How what the servers say came to be different from what is shown.
enum News {
    /// By a delta, which changed this.
    Delta(Changes),
    /// By a full list; this was shown before.
    Full(Listing),
}

/// What the task knows from before.
struct Memory {
    /// What the servers said last; nothing before the first full list.
    said: Option<Listing>,
    /// What is shown, where that is not just what was said.
    apart: Option<Listing>,
    doubt: Doubt,
    full_due: Instant,
    /// Whether the last server that was asked for a delta had none.
    has_no_deltas: bool,
    /// Whether the server's hash code fits its own full list; if not, it proves nothing.
    hash_fits: bool,
    saved: Option<Instant>,
    is_unsaved: bool,
}

impl Refresher {
    pub(crate) fn new(
        session: Session,
        chance: Arc<Chance>,
        clock: Timekeeper,
        events: broadcast::Sender<Event>,
        own: Option<InstanceKey>,
        options: DiscoveryOptions,
    ) -> Self {
        let (view, publisher) = View::new(clock.clone(), options.interval.saturating_mul(3));
        let memory = Memory {
            said: None,
            apart: None,
            doubt: Doubt::new(options.patience),
            full_due: Instant::now(),
            has_no_deltas: false,
            hash_fits: true,
            saved: None,
            is_unsaved: false,
        };
        Self {
            session,
            chance,
            clock,
            events,
            own,
            options,
            view: Arc::new(view),
            publisher,
            memory,
        }
    }

    /// Refreshes for ever.
    pub(crate) async fn run(mut self) {
        self.load().await;
        let mut pauses = Pauses::new(FIRST_PAUSE, self.options.interval);
        loop {
            let pause = match self.refresh().await {
                Ok(()) => {
                    pauses.reset();
                    self.chance.part_of(self.options.interval, 0.9)
                }
                Err(error) => {
                    tracing::warn!(%error, "the registry was not read and will be tried again");
                    self.tell(Event::RefreshFailed(error));
                    pauses.fail(&self.chance).max(self.session.pool.asks_for())
                }
            };
            self.save().await;
            sleep(pause).await;
        }
    }

    async fn refresh(&mut self) -> Result<(), RequestFailed> {
        if self.is_full_due() {
            return self.full(&[]).await;
        }
        let delta = self.delta().await?;
        self.memory.has_no_deltas = delta.is_none();
        let merged = match delta {
            Some(delta) => self.merge(delta),
            None => Err(Vec::new()),
        };
        match merged {
            Ok(()) => Ok(()),
            Err(gone) => self.full(&gone).await,
        }
    }

    fn is_full_due(&self) -> bool {
        let memory = &self.memory;
        !self.wants_deltas() || memory.said.is_none() || memory.full_due <= Instant::now()
    }

    fn wants_deltas(&self) -> bool {
        self.options.deltas && self.options.only_vip.is_none()
    }

    /// What changed of late; nothing where the server tells no changes.
    async fn delta(&self) -> Result<Option<Applications>, RequestFailed> {
        let regions = self.options.regions.clone();
        let read = |answer: &Response| match answer.status {
            200 if !answer.body.is_empty() => read_list(&answer.body).map(Some),
            _ => Ok(None),
        };
        self.ask(&Operation::Delta { regions }, read).await
    }

    /// The whole list. A server that has none for whoever asks is a sick one, or nobody else would ever be asked.
    async fn list(&self) -> Result<Applications, RequestFailed> {
        let regions = self.options.regions.clone();
        let operation = match self.options.only_vip.clone() {
            Some(vip) => Operation::Vip { vip, regions },
            None => Operation::All { regions },
        };
        let read = |answer: &Response| match answer.status {
            // Nobody has this VIP.
            404 => Ok(Applications::default()),
            200 if !answer.body.is_empty() => read_list(&answer.body),
            status => Err(format!("status {status} without a list")),
        };
        self.ask(&operation, read).await
    }

    async fn ask<T>(
        &self,
        operation: &Operation,
        read: impl Fn(&Response) -> Result<T, String>,
    ) -> Result<T, RequestFailed> {
        let within = self.options.interval.mul_f64(0.8);
        let (found, _) = self.session.ask(operation, within, read).await?;
        Ok(found)
    }

    /// Reads the whole list. Who was named as `gone` a moment ago needs no second thought.
    async fn full(&mut self, gone: &[InstanceKey]) -> Result<(), RequestFailed> {
        let list = self.list().await?;
        let names_who_leaves = self.wants_deltas() && !self.memory.has_no_deltas;
        let memory = &mut self.memory;
        let before = memory.said.take();
        // A copy from disk is no reason to doubt a server.
        let may_doubt = before.is_some();
        let shown = memory.apart.take().or(before).unwrap_or_default();
        let hash = list.hash_code.clone();
        let said = Listing::of(list, &shown);
        memory.hash_fits = said.hash_code() == hash;
        if may_doubt {
            memory.doubt.full(&shown, &said, names_who_leaves);
        }
        gone.iter().for_each(|key| memory.doubt.gone(key));
        memory.said = Some(said);
        memory.full_due = Instant::now() + self.chance.part_of(self.options.full_every, 0.75);
        self.show(News::Full(shown));
        Ok(())
    }

    /// Merges a delta, unless the result cannot be what the server has: then it says who is gone, and nothing else
    /// happens.
    fn merge(&mut self, delta: Applications) -> Result<(), Vec<InstanceKey>> {
        let memory = &mut self.memory;
        let hash = delta.hash_code.clone();
        let Some(said) = &mut memory.said else {
            return Err(Vec::new());
        };
        let (merged, changes, gone) = said.merged(delta);
        let own = merged.as_ref().unwrap_or(said).hash_code();
        if memory.hash_fits && own != hash {
            self.session.figures.mismatch();
            tracing::debug!(server = %one_line(&hash), own, "the delta does not add up");
            return Err(gone);
        }
        gone.iter().for_each(|key| memory.doubt.gone(key));
        if let Some(merged) = merged {
            *said = merged;
        }
        self.show(News::Delta(changes));
        Ok(())
    }

    /// Publishes what there is, if it is different from what is shown.
    fn show(&mut self, news: News) {
        self.view.fetched_now();
        let memory = &mut self.memory;
        let Some(said) = &memory.said else {
            return;
        };
        let doubted = memory.doubt.shown(said);
        let now = doubted.as_ref().unwrap_or(said);
        let changes = match (news, &memory.apart) {
            (News::Full(before), _) => now.since(&before),
            (News::Delta(_), Some(before)) => now.since(before),
            (News::Delta(changes), None) => changes,
        };
        if !changes.is_empty() {
            let catalog = self.view.catalog().after(now, self.options.filter);
            self.view.show(catalog, &self.publisher);
            memory.is_unsaved = true;
        }
        memory.apart = doubted;
        self.tell_of(changes);
        self.look_for_oneself();
    }

    fn tell_of(&self, changes: Changes) {
        let kept = self.memory.doubt.kept();
        if kept > 0 {
            tracing::warn!(
                kept,
                "the list is suddenly short; what it lacks is kept for a while"
            );
        }
        self.view.keeping(kept);
        let shown = self.memory.apart.as_ref().or(self.memory.said.as_ref());
        let count = shown.map_or(0, Listing::len);
        let now = self.clock.now().wall;
        self.session.figures.fetched(now, count, kept);
        self.tell(Event::Refreshed(changes));
    }

    /// The own status, as others see it (client.md §7.5).
    fn look_for_oneself(&self) {
        let (Some(own), Some(said)) = (&self.own, &self.memory.said) else {
            return;
        };
        let status = said.find(&own.app, &own.id).map(|info| info.status);
        if self.view.remote_is(status) {
            tracing::info!(?status, "the own status in the registry changed");
            self.tell(Event::RemoteStatus(status));
        }
    }

    fn tell(&self, event: Event) {
        // Nobody needs to listen.
        _ = self.events.send(event);
    }

    async fn load(&mut self) {
        let Some(path) = &self.options.file else {
            return;
        };
        let Some((copy, written)) = Disk::at(path).load().await else {
            return;
        };
        tracing::info!(
            instances = copy.len(),
            "showing the copy from disk until a server answers"
        );
        self.view.copied_at(written);
        let catalog = Catalog::default().after(&copy, self.options.filter);
        self.view.show(catalog, &self.publisher);
        self.memory.apart = Some(copy);
    }

    async fn save(&mut self) {
        let Some(path) = &self.options.file else {
            return;
        };
        let memory = &mut self.memory;
        let is_early = memory
            .saved
            .is_some_and(|saved| saved.elapsed() < SAVE_AT_MOST);
        if !memory.is_unsaved || is_early {
            return;
        }
        let Some(shown) = memory.apart.as_ref().or(memory.said.as_ref()) else {
            return;
        };
        memory.saved = Some(Instant::now());
        memory.is_unsaved = false;
        let now = self.clock.now().wall;
        Disk::at(path).save(shown, now).await;
    }
}

fn read_list(body: &[u8]) -> Result<Applications, String> {
    // One record with a broken letter in it is no reason to lose all others.
    let text = String::from_utf8_lossy(body);
    let (list, left_out) =
        json::listing(&text, NO_STAMP).map_err(|error| one_line(&error.to_string()))?;
    if left_out > 0 {
        tracing::warn!(left_out, "instances in the list cannot be used");
    }
    Ok(list)
}
