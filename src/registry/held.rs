//! A record and its lease, as they are handed to readers.

use std::sync::Arc;

#[cfg(test)]
use super::lease::{Began, Reckoning};
#[cfg(test)]
use super::slots::Slots;
use super::{Lease, Version};
use crate::clock::Moment;
#[cfg(test)]
use crate::config::LeaseAccounting;
#[cfg(test)]
use crate::model::ChangeStamp;
use crate::model::{EpochMillis, Extra, InstanceInfo, Listed};

/// One instance at one moment: the record never changes, the times of the lease go on.
#[derive(Debug)]
pub struct Held {
    /// The record.
    pub info: Arc<InstanceInfo>,
    /// The lease.
    pub lease: Arc<Lease>,
    /// What decides between this copy and another.
    pub version: Version,
    /// The generation of the lease's word that belongs to this record.
    pub(super) generation: u32,
}

impl Held {
    /// A record with the generation that its lease has now.
    pub(super) fn new(info: Arc<InstanceInfo>, lease: Arc<Lease>, version: Version) -> Self {
        let generation = lease.word().generation();
        Self {
            info,
            lease,
            version,
            generation,
        }
    }

    /// A record with a lease of its own that begins at 0, for tests of those who read it.
    #[cfg(test)]
    pub(crate) fn sample(info: InstanceInfo) -> Arc<Self> {
        let reckoning = Reckoning::of(info.lease, LeaseAccounting::Exact);
        let now = Moment { mono: 0, wall: 0 };
        let lease = Lease::new(Slots::default().take(), reckoning, Began::Now, now);
        let version = Version::of(ChangeStamp::FIRST, info.status);
        Arc::new(Self::new(Arc::new(info), Arc::new(lease), version))
    }

    /// What only peers of this kind are told of it.
    pub fn extra(&self, now: Moment) -> Extra {
        Extra {
            idle: Some(self.lease.idle(now)),
            ..self.version.extra()
        }
    }

    /// The instance for a writer, with the times of its lease at this moment. `epoch` is
    /// [`crate::clock::Clock::epoch`].
    pub fn listed(&self, epoch: EpochMillis) -> Listed<'_> {
        Listed {
            info: &self.info,
            times: self.lease.times(epoch),
        }
    }
}
