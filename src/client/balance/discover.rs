//! The instances of a name as `tower` sees them: services that come and go, for its balancers.
//!
//! A stream of changes, and with that `tower::discover::Discover`. An instance is inserted when it is usable, and again only
//! when it is reached somewhere else: whatever else changes in its record is no reason to connect anew. Who comes is told
//! before who goes, so that a balancer is not empty in between.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tower::discover::Change;

use super::address::reached_at;
use crate::client::backend::Pending;
use crate::client::discovery::{Instances, InstancesWatch};
use crate::client::handle::EurekaClient;
use crate::model::{InstanceInfo, InstanceKey};

/// Instances of a name, made into services; [`EurekaClient::tower_discover`] makes it.
pub struct Discovered<F> {
    connect: F,
    known: BTreeMap<InstanceKey, Place>,
    /// Who came or went and was not told yet.
    news: VecDeque<Change<InstanceKey, Arc<InstanceInfo>>>,
    next: Pending<(InstancesWatch, Option<Instances>)>,
}

/// Scheme, host and port.
type Place = (&'static str, String, u16);

impl EurekaClient {
    /// The usable instances of a name as services that `connect` makes of them, for `tower::balance` and all else that
    /// takes a `tower::discover::Discover`. It ends with the client; `None` where the client follows no registry.
    pub fn tower_discover<F, S>(&self, name: &str, connect: F) -> Option<Discovered<F>>
    where
        F: FnMut(&Arc<InstanceInfo>) -> S,
    {
        Some(Discovered {
            connect,
            known: BTreeMap::new(),
            news: VecDeque::new(),
            next: next_of(self.watch_instances(name)?),
        })
    }
}

fn next_of(mut watch: InstancesWatch) -> Pending<(InstancesWatch, Option<Instances>)> {
    Box::pin(async move {
        let instances = watch.next().await;
        (watch, instances)
    })
}

impl<F> Discovered<F> {
    /// Notes how these are different from those before.
    fn note(&mut self, instances: &Instances) {
        let mut gone = std::mem::take(&mut self.known);
        for info in instances {
            let (key, place) = (info.key(), reached_at(info));
            if gone.remove(&key).as_ref() != Some(&place) {
                let came = Change::Insert(key.clone(), info.clone());
                self.news.push_back(came);
            }
            self.known.insert(key, place);
        }
        self.news.extend(gone.into_keys().map(Change::Remove));
    }
}

/// Nothing in it is pinned.
impl<F> Unpin for Discovered<F> {}

impl<F, S> Stream for Discovered<F>
where
    F: FnMut(&Arc<InstanceInfo>) -> S,
{
    type Item = Result<Change<InstanceKey, S>, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.news.pop_front() {
                Some(Change::Insert(key, info)) => {
                    let service = (self.connect)(&info);
                    return Poll::Ready(Some(Ok(Change::Insert(key, service))));
                }
                Some(Change::Remove(key)) => return Poll::Ready(Some(Ok(Change::Remove(key)))),
                None => {}
            }
            let (watch, instances) = ready!(self.next.as_mut().poll(context));
            self.next = next_of(watch);
            match instances {
                Some(instances) => self.note(&instances),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<F> fmt::Debug for Discovered<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discovered")
            .field("known", &self.known.keys())
            .finish_non_exhaustive()
    }
}
