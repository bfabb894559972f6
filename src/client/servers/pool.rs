//! All servers in their order, and how it stands with each: which one to try next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::standing::Standing;
use crate::client::chance::Chance;
use crate::model::NodeUrl;

/// The servers of one client. Registration and discovery share it: what one learns of a server helps the other.
#[derive(Debug)]
pub(crate) struct Pool {
    chance: Arc<Chance>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    order: Arc<[NodeUrl]>,
    standings: HashMap<NodeUrl, Standing>,
}

impl Pool {
    pub(crate) fn new(order: Vec<NodeUrl>, chance: Arc<Chance>) -> Self {
        let pool = Self {
            chance,
            state: Mutex::default(),
        };
        pool.replace(order);
        pool
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes another list; servers that are in both keep their standing.
    pub(crate) fn replace(&self, order: Vec<NodeUrl>) {
        let state = &mut *self.state();
        state.standings.retain(|server, _| order.contains(server));
        state.order = order.into();
    }

    /// The servers in their order.
    pub(crate) fn order(&self) -> Arc<[NodeUrl]> {
        self.state().order.clone()
    }

    /// Which server to try after `tried`: `pinned` if it is well, the first one that is, or the one whose time
    /// to be avoided ends first.
    pub(crate) fn next(&self, pinned: Option<&NodeUrl>, tried: &[NodeUrl]) -> Option<NodeUrl> {
        let now = Instant::now();
        let state = self.state();
        let avoided = |server: &NodeUrl| {
            let standing = state.standings.get(server)?;
            standing.avoided_until(now)
        };
        let untried = || state.order.iter().filter(|server| !tried.contains(server));
        let well = |server: &&NodeUrl| avoided(server).is_none();
        let pinned = untried().find(|server| pinned == Some(*server));
        let found = pinned
            .filter(well)
            .or_else(|| untried().find(well))
            .or_else(|| untried().min_by_key(|server| avoided(server)));
        found.cloned()
    }

    /// How many servers there are beside those tried.
    pub(crate) fn left(&self, tried: &[NodeUrl]) -> usize {
        let state = self.state();
        let untried = state.order.iter().filter(|server| !tried.contains(server));
        untried.count()
    }

    /// How many servers there are, and how many of them failed and come last for a while.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let now = Instant::now();
        let state = self.state();
        let standings = state.standings.values();
        let avoided = standings.filter(|standing| standing.avoided_until(now).is_some());
        (state.order.len(), avoided.count())
    }

    /// For how long all servers ask to be left alone: nothing if one of them does not.
    pub(crate) fn asks_for(&self) -> Duration {
        let now = Instant::now();
        let state = self.state();
        let asks_for = |server| state.standings.get(server)?.asks_for(now);
        let all = state.order.iter().map(asks_for);
        all.min().flatten().unwrap_or_default()
    }

    pub(crate) fn well(&self, server: &NodeUrl) {
        if let Some(standing) = self.state().standings.get_mut(server) {
            standing.well();
        }
    }

    /// It failed; `asked` is for how long it asked to be left alone.
    pub(crate) fn failed(&self, server: &NodeUrl, asked: Option<Duration>) {
        let state = &mut *self.state();
        if !state.order.contains(server) {
            return;
        }
        let standing = state.standings.entry(server.clone()).or_default();
        standing.failed(Instant::now(), asked, &self.chance);
        let failures = standing.failures();
        tracing::debug!(%server, failures, "a server failed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(host: &str) -> NodeUrl {
        format!("http://{host}/eureka/").parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn the_pinned_server_comes_first_a_failed_one_last_and_none_twice() {
        let pool = Pool::new(vec![url("a"), url("b"), url("c")], Arc::new(Chance::new(1)));
        let pinned = url("b");
        assert_eq!(pool.next(Some(&pinned), &[]), Some(url("b")));
        assert_eq!(pool.next(Some(&pinned), &[url("b")]), Some(url("a")));
        assert_eq!(pool.next(Some(&url("x")), &[]), Some(url("a")));
        pool.failed(&url("b"), None);
        pool.failed(&url("a"), Some(Duration::from_secs(30)));
        assert_eq!(pool.next(Some(&pinned), &[]), Some(url("c")));
        // All the others are tried before anyone gives up, first the one that is back first.
        assert_eq!(pool.next(None, &[url("c")]), Some(url("b")));
        assert_eq!(pool.next(None, &[url("c"), url("b")]), Some(url("a")));
        assert_eq!(pool.next(None, &[url("a"), url("b"), url("c")]), None);
        assert_eq!(pool.left(&[url("a")]), 2);
        pool.well(&url("a"));
        assert_eq!(pool.next(None, &[]), Some(url("a")));
        // One that asks for nothing may be asked.
        assert_eq!(pool.asks_for(), Duration::ZERO);
        // A new list keeps what is known of servers that stay.
        pool.replace(vec![url("b"), url("d")]);
        assert_eq!(pool.next(Some(&url("c")), &[]), Some(url("d")));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(pool.next(None, &[]), Some(url("b")));
    }

    #[tokio::test(start_paused = true)]
    async fn all_are_left_alone_until_the_first_one_may_be_asked() {
        let pool = Pool::new(vec![url("a"), url("b")], Arc::new(Chance::new(1)));
        let secs = Duration::from_secs;
        pool.failed(&url("a"), Some(secs(20)));
        assert_eq!(pool.asks_for(), Duration::ZERO);
        pool.failed(&url("b"), Some(secs(10)));
        assert_eq!(pool.asks_for(), secs(10));
        tokio::time::advance(secs(7)).await;
        assert_eq!(pool.asks_for(), secs(3));
        pool.failed(&url("b"), None);
        assert_eq!(pool.asks_for(), Duration::ZERO);
        pool.failed(&url("b"), Some(secs(3600)));
        assert_eq!(pool.asks_for(), secs(13));
        pool.replace(Vec::new());
        assert_eq!(pool.asks_for(), Duration::ZERO);
    }
}
