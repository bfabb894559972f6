//! How a request reads a list.

use std::sync::Arc;

use super::actor::ResponseCache;
use super::answers::{Answers, Want};
use super::copy::TimedCopy;
use super::fetch::{Fetch, Fetched};
use crate::mailbox::{Door, Shut};
use crate::registry::Published;
use crate::wire::Rope;

/// The readers' side of the cache; cheap to clone.
#[derive(Clone)]
pub struct Reader {
    published: Arc<Published>,
    answers: Arc<Answers>,
    copy: Option<Arc<TimedCopy>>,
    door: Door<ResponseCache>,
}

impl Reader {
    /// A reader of `answers`, or of `copy` where there is one.
    pub fn new(
        published: Arc<Published>,
        answers: Arc<Answers>,
        copy: Option<Arc<TimedCopy>>,
        door: Door<ResponseCache>,
    ) -> Self {
        Self {
            published,
            answers,
            copy,
            door,
        }
    }

    /// The list; `None` if there is no such application.
    pub async fn read(&self, want: Want) -> Result<Option<Rope>, Shut> {
        let Some(copy) = &self.copy else {
            let list = self.read_fresh(want).await?;
            return Ok(list.map(|list| list.body));
        };
        if let Some(body) = copy.get(&want) {
            return Ok(Some(body));
        }
        let list = self.read_fresh(want.clone()).await?;
        if let Some(list) = list.as_ref().filter(|list| list.keep) {
            copy.keep(want, list.body.clone());
        }
        Ok(list.map(|list| list.body))
    }

    /// The list as of now: every change acknowledged before this call is in it (I3).
    async fn read_fresh(&self, want: Want) -> Result<Option<Fetched>, Shut> {
        // The registry's number first: what shows that number, or a later one, shows all that came before
        // this moment.
        let revision = self.published.revision();
        if let Some(body) = self.answers.get(&want, revision) {
            return Ok(Some(Fetched { body, keep: true }));
        }
        self.door.ask(Fetch(want)).await?
    }

    /// Requests that wait for the cache.
    pub fn waiting(&self) -> usize {
        self.door.waiting()
    }
}
