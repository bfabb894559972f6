//! How a request reads a list.

use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;

use super::actor::{Fetch, Fetched, ResponseCache};
use super::answers::{Answers, Want};
use super::copy::TimedCopy;
use crate::mailbox::{Door, Shut};
use crate::registry::Published;

/// The readers' side of the cache; cheap to clone.
#[derive(Clone)]
pub struct Reader {
    published: Arc<Published>,
    answers: Arc<ArcSwap<Answers>>,
    copy: Option<Arc<TimedCopy>>,
    door: Door<ResponseCache>,
}

impl Reader {
    /// A reader of `answers`, or of `copy` where there is one.
    pub fn new(
        published: Arc<Published>,
        answers: Arc<ArcSwap<Answers>>,
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
    pub async fn read(&self, want: Want) -> Result<Option<Bytes>, Shut> {
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
        // The registry's number first: answers that carry it, or a later one, show all that came
        // before this moment.
        let revision = self.published.revision();
        let answers = self.answers.load();
        if answers.revision >= revision
            && let Some(body) = answers.get(&want)
        {
            return Ok(Some(Fetched { body, keep: true }));
        }
        drop(answers);
        self.door.ask(Fetch(want)).await
    }

    /// Requests that wait for the cache.
    pub fn waiting(&self) -> usize {
        self.door.waiting()
    }
}
