//! Every event by its revision, and what a look at the index at some revision may have shown.

use actix::{Actor, Context, Handler, Message};
use heureka::registry::RegistryEvent;

use crate::world::{ABSENT, INSTANCES, number_of, shown};

/// What a reader saw of an instance, between two looks at the revision.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub number: usize,
    pub before: u64,
    pub after: u64,
    /// [`shown`], or [`ABSENT`].
    pub saw: u64,
}

/// A listener of the registry that keeps what it hears.
#[derive(Clone, Default)]
pub struct Log {
    /// By instance: revisions and what was to be seen from then on.
    events: Vec<Vec<(u64, u64)>>,
    revisions: Vec<u64>,
}

impl Log {
    pub fn new() -> Self {
        Self {
            events: vec![vec![(0, ABSENT)]; INSTANCES],
            revisions: Vec::new(),
        }
    }

    /// Events come in order and none is left out.
    pub fn check_itself(&self) {
        let all: Vec<u64> = (1..=self.revisions.len() as u64).collect();
        assert_eq!(self.revisions, all);
    }

    /// The index is changed after the event and before the revision. So what was seen is what the last
    /// event up to the revision before says, or a later one up to the change that was going on.
    pub fn check(&self, look: &Look) {
        let events = &self.events[look.number];
        let first = events.partition_point(|(revision, _)| *revision <= look.before) - 1;
        let possible = events[first..]
            .iter()
            .take_while(|(revision, _)| *revision <= look.before.max(look.after + 1));
        let possible: Vec<_> = possible.collect();
        assert!(
            possible.iter().any(|(_, shown)| *shown == look.saw),
            "{look:?}, but there was only {possible:?}"
        );
    }
}

impl Actor for Log {
    type Context = Context<Self>;
}

impl Handler<RegistryEvent> for Log {
    type Result = ();

    fn handle(&mut self, event: RegistryEvent, _: &mut Self::Context) {
        self.revisions.push(event.revision);
        if let Some(number) = number_of(&event.held.info) {
            let gone = event.what.is_removal();
            let now = if gone {
                ABSENT
            } else {
                shown(&event.held.info)
            };
            self.events[number].push((event.revision, now));
        }
    }
}

/// Asks for the log so far.
#[derive(Message)]
#[rtype(result = "Log")]
pub struct TakeLog;

impl Handler<TakeLog> for Log {
    type Result = actix::MessageResult<TakeLog>;

    fn handle(&mut self, _: TakeLog, _: &mut Self::Context) -> Self::Result {
        actix::MessageResult(self.clone())
    }
}
