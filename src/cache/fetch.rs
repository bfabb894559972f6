//! Questions in, answers out.
//!
//! A question that is not answered by what is published waits until everything that came before it has been
//! taken in; then one writing answers all who wait. What needs only a few blocks is written at once. More,
//! as the first list of a form, is written on another thread, and meanwhile the actor goes on; the answer
//! shows all that whoever waited for it may know of, so nobody waits twice.

use std::time::Duration;

use actix::fut::{ActorFutureExt, WrapFuture};
use actix::{AsyncContext, Context, Handler, Message, ResponseFuture};
use tokio::sync::oneshot;
use tokio::task::JoinError;
use tokio::time::Instant;

use super::actor::ResponseCache;
use super::answers::{View, Want};
use super::list::List;
use crate::mailbox::Shut;
use crate::wire::{Form, Rope};

/// As many blocks are written at once; more would keep the actor from its other work.
const FEW: usize = 8;
/// After a writing that took longer, the next waits as long again, so that a stream of changes cannot take
/// more than half of a processor.
const LONG: Duration = Duration::from_millis(4);

/// Asks for a list that is not published, or published from an earlier revision. `None` if there is no
/// such application.
#[derive(Clone, Debug, Message)]
#[rtype(result = "Result<Option<Fetched>, Shut>")]
pub struct Fetch(pub Want);

/// A list that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The list.
    pub body: Rope,
    /// Whether it may be kept: the list of a VIP that nobody has never is (B-16).
    pub keep: bool,
}

/// Questions that wait, and what is under way.
#[derive(Debug, Default)]
pub(super) struct Fetches {
    waiting: Vec<Waiting>,
    /// Whether somebody looks after those who wait before long.
    scheduled: bool,
    /// Forms that are being written on another thread.
    elsewhere: [bool; Form::ALL.len()],
}

/// A question that waits.
#[derive(Debug)]
struct Waiting {
    want: Want,
    /// The answer must show this revision or a later one.
    since: u64,
    asker: Asker,
}

/// Who asks.
#[derive(Debug)]
pub(super) enum Asker {
    /// A request.
    Reader(oneshot::Sender<Option<Fetched>>),
    /// The timer of the read-only copy.
    Copy,
}

/// Time to look after those who wait: everything that was in the mailbox before it has been taken in.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
struct Work;

impl ResponseCache {
    /// Answers at once, or as soon as the list is written.
    pub(super) fn fetch(&mut self, want: Want, asker: Asker, ctx: &mut Context<Self>) {
        self.note_asked(&want);
        let waiting = Waiting {
            want,
            since: self.mirror.revision(),
            asker,
        };
        if let Some(waiting) = self.answer_published(waiting) {
            self.fetches.waiting.push(waiting);
            self.schedule(ctx);
        }
    }

    fn schedule(&mut self, ctx: &mut Context<Self>) {
        if !self.fetches.scheduled {
            self.fetches.scheduled = true;
            ctx.notify(Work);
        }
    }

    fn work(&mut self, ctx: &mut Context<Self>) {
        self.fetches.scheduled = false;
        let started = Instant::now();
        for waiting in std::mem::take(&mut self.fetches.waiting) {
            let rest = self.answer_published(waiting);
            let rest = rest.and_then(|waiting| self.answer_written(waiting, ctx));
            self.fetches.waiting.extend(rest);
        }
        let took = started.elapsed();
        if took > LONG {
            self.fetches.scheduled = true;
            ctx.run_later(took, |cache, ctx| cache.work(ctx));
        }
    }

    /// Answers with what is published, or gives the question back.
    fn answer_published(&self, waiting: Waiting) -> Option<Waiting> {
        match self.answers.get(&waiting.want, waiting.since) {
            Some(body) => {
                self.answer(waiting, Some(Fetched { body, keep: true }));
                None
            }
            None => Some(waiting),
        }
    }

    /// Writes and answers, or has it written and gives the question back.
    fn answer_written(&mut self, waiting: Waiting, ctx: &mut Context<Self>) -> Option<Waiting> {
        let Want { view, form, gzip } = &waiting.want;
        // Two writers of one block could write it at two times.
        if self.fetches.elsewhere[form.index()] {
            return Some(waiting);
        }
        let Some(list) = List::of(&self.mirror, view, *form, self.clock.epoch()) else {
            self.answer(waiting, None);
            return None;
        };
        if list.missing(*form, *gzip) > FEW {
            self.write_elsewhere(waiting.want.clone(), list, ctx);
            return Some(waiting);
        }
        let body = list.write(*form, *gzip, &self.metrics);
        let keep = self.publish(&waiting.want, &list, &body);
        self.answer(waiting, Some(Fetched { body, keep }));
        None
    }

    fn write_elsewhere(&mut self, want: Want, list: List, ctx: &mut Context<Self>) {
        self.fetches.elsewhere[want.form.index()] = true;
        let (metrics, form) = (self.metrics.clone(), want.form);
        let writing = tokio::task::spawn_blocking(move || {
            let body = list.write(want.form, want.gzip, &metrics);
            (want, list, body)
        });
        let written = writing
            .into_actor(self)
            .map(move |done, cache, ctx| cache.written(form, done, ctx));
        ctx.spawn(written);
    }

    /// A list was written on another thread.
    fn written(
        &mut self,
        form: Form,
        done: Result<(Want, List, Rope), JoinError>,
        ctx: &mut Context<Self>,
    ) {
        self.fetches.elsewhere[form.index()] = false;
        match done {
            Ok((want, list, body)) => {
                let keep = self.publish(&want, &list, &body);
                let answered =
                    |waiting: &mut Waiting| waiting.want == want && waiting.since <= list.revision;
                let answered: Vec<_> = self.fetches.waiting.extract_if(.., answered).collect();
                for waiting in answered {
                    let body = body.clone();
                    self.answer(waiting, Some(Fetched { body, keep }));
                }
            }
            Err(error) => {
                tracing::error!(%error, "a list could not be written");
                self.fetches
                    .waiting
                    .retain(|waiting| waiting.want.form != form);
            }
        }
        self.schedule(ctx);
    }

    /// Publishes a list if it is to be kept; returns whether it is.
    fn publish(&self, want: &Want, list: &List, body: &Rope) -> bool {
        match want.view {
            View::All | View::Delta => self.answers.put(want, body, list.revision),
            // Changes that came meanwhile may be in it; then it is taken back already.
            _ if list.revision != self.mirror.revision() => return false,
            _ if !self.mirror.has(&want.view) => return false,
            _ => self.answers.put_view(want, body),
        }
        true
    }

    fn answer(&self, waiting: Waiting, fetched: Option<Fetched>) {
        match waiting.asker {
            // Whoever has hung up does not need it.
            Asker::Reader(reader) => _ = reader.send(fetched),
            Asker::Copy => {
                let kept = fetched.filter(|list| list.keep).map(|list| list.body);
                if let Some(copy) = &self.copy {
                    copy.replace(waiting.want, kept);
                }
            }
        }
    }
}

impl Handler<Fetch> for ResponseCache {
    type Result = ResponseFuture<Result<Option<Fetched>, Shut>>;

    fn handle(&mut self, Fetch(want): Fetch, ctx: &mut Context<Self>) -> Self::Result {
        let (reader, answer) = oneshot::channel();
        self.fetch(want, Asker::Reader(reader), ctx);
        Box::pin(async { answer.await.map_err(|_| Shut::Gone) })
    }
}

impl Handler<Work> for ResponseCache {
    type Result = ();

    fn handle(&mut self, _: Work, ctx: &mut Context<Self>) {
        self.work(ctx);
    }
}
