//! The actor: follows the registry, and lets go of what has become old.

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, AsyncContext, Context, Handler};

use super::answers::{Answers, Want};
use super::copy::TimedCopy;
use super::fetch::{Asker, Fetches};
use super::mirror::{Mirror, views_of};
use crate::clock::{Clock, Millis};
use crate::config::CacheConfig;
use crate::metrics::CacheMetrics;
use crate::model::InstanceInfo;
use crate::registry::RegistryEvent;
use crate::wire::Form;

/// Rounds in which everything written is renewed once, at most: so many that even with a hundred thousand
/// instances a round costs the next reader only a few blocks.
const ROUNDS: u64 = 300;

/// Writes lists from the registry's events.
pub struct ResponseCache {
    config: CacheConfig,
    pub(super) clock: Clock,
    pub(super) metrics: CacheMetrics,
    pub(super) mirror: Mirror,
    pub(super) answers: Arc<Answers>,
    pub(super) copy: Option<Arc<TimedCopy>>,
    pub(super) fetches: Fetches,
    /// When each form was last asked for, plain and packed; `None` if nothing is kept of it.
    pub(super) asked: [[Option<Millis>; 2]; Form::ALL.len()],
    round: usize,
}

impl ResponseCache {
    /// A cache of an empty registry that publishes to `answers`, and to `copy` if there is one.
    pub fn new(
        config: CacheConfig,
        clock: Clock,
        metrics: CacheMetrics,
        answers: Arc<Answers>,
        copy: Option<Arc<TimedCopy>>,
    ) -> Self {
        Self {
            config,
            clock,
            metrics,
            mirror: Mirror::default(),
            answers,
            copy,
            fetches: Fetches::default(),
            asked: Default::default(),
            round: 0,
        }
    }

    /// Takes back every view that an instance is in.
    fn take_views_back(&self, info: &InstanceInfo) {
        for view in views_of(info) {
            self.answers.take_back(&view);
        }
    }

    /// Drops old changes from the delta. The revision stays.
    fn prune_delta(&mut self) {
        let retention = self.config.delta_retention.as_millis() as u64;
        if self.mirror.delta.prune(retention, self.clock.now().mono) {
            self.answers.take_delta_back();
        }
        self.note_delta();
    }

    fn note_delta(&self) {
        let entries = self.mirror.delta.len();
        self.metrics.delta_entries.set(entries as f64);
    }

    /// Rounds, and the pause between two. Views may be made of blocks that are as old as blocks get, so both
    /// live for half of the time.
    fn rounds(&self) -> (usize, Duration) {
        let half = self.config.expiration / 2;
        let rounds = (half.as_secs() * 2).clamp(1, ROUNDS);
        (rounds as usize, half / rounds as u32)
    }

    /// Times go on without a change: what is written becomes too old to be true.
    fn renew_some(&mut self) {
        let ((rounds, _), round) = (self.rounds(), self.round);
        self.round += 1;
        let all = self.mirror.all.renew_some(round, rounds);
        let delta = self.mirror.delta.renew_some(round, rounds);
        if all || delta {
            self.answers.take_lists_back();
        }
        if self.round.is_multiple_of(rounds) {
            self.answers.take_views_back();
            self.forget_unasked();
        }
    }

    /// Forgets forms that nobody has asked for lately. Whoever reads what is published asks here too, as
    /// often as blocks are renewed.
    fn forget_unasked(&mut self) {
        let (now, life) = (
            self.clock.now().mono,
            self.config.expiration.as_millis() as u64,
        );
        for form in Form::ALL {
            for gzip in [false, true] {
                let asked = &mut self.asked[form.index()][usize::from(gzip)];
                if asked
                    .take_if(|asked| now.saturating_sub(*asked) >= life)
                    .is_some()
                {
                    self.mirror.all.forget(form, gzip);
                    self.mirror.delta.forget(form, gzip);
                }
            }
        }
    }

    /// Until the wall clock's next whole multiple of `interval`, as the reference aligns its timer.
    fn until_next(&self, interval: Duration) -> Duration {
        let interval = interval.as_millis() as u64;
        Duration::from_millis(interval - self.clock.now().wall % interval)
    }

    fn refresh_copy(&mut self, interval: Duration, ctx: &mut Context<Self>) {
        let wants = self.copy.as_ref().map(|copy| copy.wants());
        for want in wants.into_iter().flatten() {
            self.fetch(want, Asker::Copy, ctx);
        }
        self.schedule_refresh(interval, ctx);
    }

    fn schedule_refresh(&mut self, interval: Duration, ctx: &mut Context<Self>) {
        let pause = self.until_next(interval);
        ctx.run_later(pause, move |cache, ctx| cache.refresh_copy(interval, ctx));
    }

    /// Notes that a form is in use.
    pub(super) fn note_asked(&mut self, want: &Want) {
        let now = self.clock.now().mono;
        self.asked[want.form.index()][usize::from(want.gzip)] = Some(now);
    }
}

/// Another time that changes stay in the delta. What else is set stays as it is.
#[derive(Clone, Copy, Debug, actix::Message)]
#[rtype(result = "()")]
pub struct Reconfigure(pub CacheConfig);

impl Handler<Reconfigure> for ResponseCache {
    type Result = ();

    fn handle(&mut self, Reconfigure(config): Reconfigure, _ctx: &mut Context<Self>) {
        self.config.delta_retention = config.delta_retention;
        self.prune_delta();
    }
}

impl Actor for ResponseCache {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(crate::mailbox::LIMIT);
        ctx.run_interval(self.config.delta_timer, |cache, _| cache.prune_delta());
        let (_, pause) = self.rounds();
        ctx.run_interval(pause, |cache, _| cache.renew_some());
        if let Some(interval) = self.config.timed_copy {
            self.schedule_refresh(interval, ctx);
        }
    }
}

impl Handler<RegistryEvent> for ResponseCache {
    type Result = ();

    fn handle(&mut self, event: RegistryEvent, _ctx: &mut Context<Self>) {
        let (held, now) = (event.held.clone(), self.clock.now().mono);
        let before = self.mirror.apply(event, now);
        if !self.answers.has_no_views() {
            let infos = [before.as_ref(), Some(&held)].into_iter().flatten();
            infos.for_each(|held| self.take_views_back(&held.info));
        }
        self.answers.reached(self.mirror.revision());
        self.note_delta();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::View;
    use crate::cache::list::List;
    use crate::config::Mode;
    use crate::metrics::Metrics;
    use crate::model::ChangeStamp;
    use crate::model::{Origin, samples};
    use crate::registry::{Held, What};

    fn cache_with_one_instance() -> ResponseCache {
        let (config, metrics) = (CacheConfig::of(Mode::Modern), Metrics::new().cache);
        let clock = Clock::starting_at(1_000);
        let mut cache = ResponseCache::new(config, clock, metrics, Arc::default(), None);
        let registered = RegistryEvent {
            revision: 1,
            by: Origin::Client.into(),
            stamp: ChangeStamp::FIRST,
            what: What::Registered { is_new: true },
            before: None,
            held: Held::sample(samples::instance("A", "i")),
        };
        cache.mirror.apply(registered, 0);
        cache
    }

    #[actix::test]
    async fn a_form_that_nobody_asks_for_is_forgotten_and_the_others_stay() {
        tokio::time::pause();
        let mut cache = cache_with_one_instance();
        let forms = [(Form::Json, true), (Form::Json, false), (Form::Xml, true)];
        let ask = |cache: &mut ResponseCache, (form, gzip)| {
            let view = View::All;
            let list = List::of(&cache.mirror, &view, form, 0).unwrap();
            list.write(form, gzip, &cache.metrics);
            cache.note_asked(&Want { view, form, gzip });
        };
        let kept = |cache: &ResponseCache| {
            let block = cache.mirror.all.blocks()[0].clone();
            forms.map(|(form, gzip)| block.has(form, gzip))
        };
        forms.iter().for_each(|form| ask(&mut cache, *form));
        tokio::time::advance(Duration::from_secs(100)).await;
        ask(&mut cache, forms[0]);
        tokio::time::advance(Duration::from_millis(79_999)).await;
        cache.forget_unasked();
        assert_eq!(kept(&cache), [true, true, true]);
        tokio::time::advance(Duration::from_millis(1)).await;
        cache.forget_unasked();
        assert_eq!(kept(&cache), [true, false, false]);
    }

    #[test]
    fn everything_is_renewed_twice_in_the_time_that_it_may_last() {
        for (seconds, rounds, pause) in [(180, 180, 500), (1, 1, 500), (3600, 300, 6_000)] {
            let mut cache = cache_with_one_instance();
            cache.config.expiration = Duration::from_secs(seconds);
            assert_eq!(cache.rounds(), (rounds, Duration::from_millis(pause)));
        }
    }
}
