//! An instance that was picked, for as long as a request to it is under way.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tokio::time::Instant;

use super::address::reached_at;
use super::load::{Ejection, Load};
use crate::model::InstanceInfo;

/// An instance for one request. Say how it went by [`Picked::succeeded`] or [`Picked::failed`]; whoever only drops it
/// says nothing about the instance.
pub struct Picked {
    info: Arc<InstanceInfo>,
    load: Arc<Load>,
    ejection: Ejection,
    since: Instant,
}

impl Picked {
    pub(super) fn new(info: Arc<InstanceInfo>, load: Arc<Load>, ejection: Ejection) -> Self {
        load.begin();
        Self {
            info,
            load,
            ejection,
            since: Instant::now(),
        }
    }

    /// The instance.
    pub fn info(&self) -> &Arc<InstanceInfo> {
        &self.info
    }

    /// `https://host:port` where the instance has a secure port in use, else `http://host:port`; without a slash at its
    /// end.
    pub fn url(&self) -> String {
        let (scheme, host, port) = reached_at(&self.info);
        format!("{scheme}://{host}:{port}")
    }

    /// The request was answered; how long it took counts for [`Policy::ResponseTime`](super::Policy).
    pub fn succeeded(self) {
        self.load.succeeded(self.since.elapsed());
    }

    /// The request failed. After some failures in a row the instance is left alone for a while.
    pub fn failed(self) {
        self.load.failed(Instant::now(), self.ejection);
    }
}

impl Deref for Picked {
    type Target = InstanceInfo;

    fn deref(&self) -> &InstanceInfo {
        &self.info
    }
}

impl Drop for Picked {
    fn drop(&mut self) {
        self.load.end();
    }
}

impl fmt::Debug for Picked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Picked").field(&self.info.key()).finish()
    }
}
