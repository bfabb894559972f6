//! The actor: follows the registry, writes lists on demand, and lets old ones go.

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, AsyncContext, Context, Handler, Message};
use arc_swap::ArcSwap;
use bytes::Bytes;
use tokio::time::Instant;

use super::answers::{Answers, Want};
use super::copy::TimedCopy;
use super::mirror::Mirror;
use super::render::render;
use crate::clock::Clock;
use crate::config::CacheConfig;
use crate::metrics::CacheMetrics;
use crate::registry::RegistryEvent;
use crate::wire::gzip;

/// Asks for a list that is not published, or published from an earlier revision. `None` if there is no
/// such application.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Option<Fetched>")]
pub struct Fetch(pub Want);

/// A list that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The list.
    pub body: Bytes,
    /// Whether it may be kept: the list of a VIP that nobody has never is (B-16).
    pub keep: bool,
}

/// Writes lists from the registry's events.
pub struct ResponseCache {
    config: CacheConfig,
    clock: Clock,
    metrics: CacheMetrics,
    mirror: Mirror,
    answers: Arc<ArcSwap<Answers>>,
    copy: Option<Arc<TimedCopy>>,
}

impl ResponseCache {
    /// A cache of an empty registry that publishes to `answers`, and to `copy` if there is one.
    pub fn new(
        config: CacheConfig,
        clock: Clock,
        metrics: CacheMetrics,
        answers: Arc<ArcSwap<Answers>>,
        copy: Option<Arc<TimedCopy>>,
    ) -> Self {
        Self {
            config,
            clock,
            metrics,
            mirror: Mirror::default(),
            answers,
            copy,
        }
    }

    /// The list of the present revision, written now if nobody asked for it before.
    fn list(&self, want: &Want) -> Option<Fetched> {
        let answers = self.current();
        if let Some(body) = answers.get(want) {
            return Some(Fetched { body, keep: true });
        }
        let body = self.write(want)?;
        let keep = self.mirror.has(&want.view);
        if keep {
            answers.put(want, &body);
        }
        Some(Fetched { body, keep })
    }

    fn write(&self, want: &Want) -> Option<Bytes> {
        if want.gzip {
            let plain = self.list(&want.plain())?.body;
            let started = Instant::now();
            let packed = Bytes::from(gzip::pack(&plain));
            self.metrics.deflate_seconds.record(started.elapsed());
            return Some(packed);
        }
        let started = Instant::now();
        let epoch = self.clock.epoch();
        let body = Bytes::from(render(&self.mirror, &want.view, want.form, epoch)?);
        self.metrics.publish_seconds.record(started.elapsed());
        Some(body)
    }

    /// Answers of the mirror's revision: those that are published, or new ones.
    fn current(&self) -> Arc<Answers> {
        let published = self.answers.load_full();
        if published.revision == self.mirror.revision() {
            return published;
        }
        self.start_anew()
    }

    /// Publishes answers of which none is written.
    fn start_anew(&self) -> Arc<Answers> {
        let answers = Arc::new(Answers::of(self.mirror.revision()));
        self.answers.store(answers.clone());
        answers
    }

    /// Drops old changes from the delta. The revision stays; the lists are written anew.
    fn prune_delta(&mut self) {
        let retention = self.config.delta_retention.as_millis() as u64;
        if self.mirror.delta.prune(retention, self.clock.now().mono) {
            self.start_anew();
        }
        self.metrics
            .delta_entries
            .set(self.mirror.delta.len() as f64);
    }

    /// Until the wall clock's next whole multiple of `interval`, as the reference aligns its timer.
    fn until_next(&self, interval: Duration) -> Duration {
        let interval = interval.as_millis() as u64;
        Duration::from_millis(interval - self.clock.now().wall % interval)
    }

    fn refresh_copy(&mut self, interval: Duration, ctx: &mut Context<Self>) {
        if let Some(copy) = &self.copy {
            copy.refresh(|want| {
                self.list(want)
                    .filter(|list| list.keep)
                    .map(|list| list.body)
            });
        }
        self.schedule_refresh(interval, ctx);
    }

    fn schedule_refresh(&mut self, interval: Duration, ctx: &mut Context<Self>) {
        let pause = self.until_next(interval);
        ctx.run_later(pause, move |cache, ctx| cache.refresh_copy(interval, ctx));
    }
}

impl Actor for ResponseCache {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(crate::mailbox::LIMIT);
        ctx.run_interval(self.config.delta_timer, |cache, _| cache.prune_delta());
        // Times go on without a change: what is written becomes too old to be true.
        ctx.run_interval(self.config.expiration, |cache, _| _ = cache.start_anew());
        if let Some(interval) = self.config.timed_copy {
            self.schedule_refresh(interval, ctx);
        }
    }
}

impl Handler<RegistryEvent> for ResponseCache {
    type Result = ();

    fn handle(&mut self, event: RegistryEvent, _ctx: &mut Context<Self>) {
        self.mirror.apply(event, self.clock.now().mono);
        self.metrics
            .delta_entries
            .set(self.mirror.delta.len() as f64);
    }
}

impl Handler<Fetch> for ResponseCache {
    type Result = Option<Fetched>;

    fn handle(&mut self, Fetch(want): Fetch, _ctx: &mut Context<Self>) -> Self::Result {
        self.list(&want)
    }
}
