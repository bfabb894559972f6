//! The instance's own record, and which of its changes the servers have not got yet (client.md §4).
//!
//! Every change gives the record a new stamp, later than any before it, whatever the wall clock does. A push takes the
//! stamp with it, and only a record that still has that stamp afterwards is up to date: what changes while a push
//! is under way is pushed again.

use bytes::Bytes;

use crate::model::{
    EpochMillis, InstanceInfo, InstanceKey, InstanceStatus, LeaseTerms, LeaseTimes, Listed,
};
use crate::wire::json;

/// The record. It begins with a change that nobody has got.
#[derive(Clone, Debug)]
pub(crate) struct OwnRecord {
    info: InstanceInfo,
    is_dirty: bool,
    pushed: Option<Pushed>,
}

/// What the servers have got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pushed {
    pub(crate) status: InstanceStatus,
    pub(crate) dirty: EpochMillis,
}

/// A record on its way.
#[derive(Clone, Debug)]
pub(crate) struct Push {
    pub(crate) body: Bytes,
    pub(crate) state: Pushed,
}

impl OwnRecord {
    pub(crate) fn new(mut info: InstanceInfo, now: EpochMillis) -> Self {
        info.last_dirty = now;
        info.last_updated = now;
        Self {
            info,
            is_dirty: true,
            pushed: None,
        }
    }

    pub(crate) fn info(&self) -> &InstanceInfo {
        &self.info
    }

    pub(crate) fn key(&self) -> InstanceKey {
        self.info.key()
    }

    pub(crate) fn lease(&self) -> LeaseTerms {
        self.info.lease
    }

    pub(crate) fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    pub(crate) fn pushed(&self) -> Option<Pushed> {
        self.pushed
    }

    /// Changes the record; returns whether anything is different now.
    pub(crate) fn change(
        &mut self,
        now: EpochMillis,
        change: impl FnOnce(&mut InstanceInfo),
    ) -> bool {
        let before = self.info.clone();
        change(&mut self.info);
        let is_different = self.info != before;
        if is_different {
            self.stamp(now);
        }
        is_different
    }

    /// A new stamp: the server does not know the instance, or something older of it.
    pub(crate) fn stamp(&mut self, now: EpochMillis) {
        self.info.last_dirty = now.max(self.info.last_dirty + 1);
        self.info.last_updated = self.info.last_dirty;
        self.is_dirty = true;
    }

    /// The record as it is to be pushed (client.md §12.2).
    pub(crate) fn push(&self) -> Push {
        let mut body = b"{\"instance\":".to_vec();
        let listed = Listed {
            info: &self.info,
            times: LeaseTimes::default(),
        };
        json::write_instance(&mut body, listed);
        body.push(b'}');
        Push {
            body: body.into(),
            state: Pushed {
                status: self.info.status,
                dirty: self.info.last_dirty,
            },
        }
    }

    /// A push arrived.
    pub(crate) fn arrived(&mut self, state: Pushed) {
        self.pushed = Some(state);
        if self.info.last_dirty == state.dirty {
            self.is_dirty = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ContentLimits, samples};

    fn set(status: InstanceStatus) -> impl FnOnce(&mut InstanceInfo) {
        move |info| info.status = status
    }

    /// client.md §21 group 3.
    #[test]
    fn stamps_only_rise_whatever_the_clock_does() {
        let mut record = OwnRecord::new(samples::instance("A", "i"), 1000);
        let mut last = record.push().state.dirty;
        for now in [1000, 1000, 500, 0, 1001, 1001] {
            record.stamp(now);
            let stamp = record.push().state.dirty;
            assert!(stamp > last, "{now}");
            last = stamp;
        }
    }

    #[test]
    fn what_changes_during_a_push_is_pushed_again() {
        let mut record = OwnRecord::new(samples::instance("A", "i"), 1000);
        let first = record.push();
        assert!(record.change(1000, set(InstanceStatus::Down)));
        record.arrived(first.state);
        assert!(record.is_dirty());
        assert_eq!(record.pushed(), Some(first.state));
        let second = record.push();
        record.arrived(second.state);
        assert!(!record.is_dirty());
        assert_eq!(record.pushed().unwrap().status, InstanceStatus::Down);
        // Nothing new, nothing to push.
        assert!(!record.change(9000, set(InstanceStatus::Down)));
        assert!(!record.is_dirty());
    }

    #[test]
    fn what_is_pushed_reads_back_as_the_record() {
        let record = OwnRecord::new(samples::instance("ORDERS", "a:b/c"), 1000);
        let body = String::from_utf8(record.push().body.to_vec()).unwrap();
        let read = json::registration(&body, &ContentLimits::NONE).unwrap();
        assert_eq!(&read.settle("orders", 0).unwrap(), record.info());
    }
}
