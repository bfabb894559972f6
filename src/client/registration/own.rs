//! The own record in the hands of all who may change it, and of the one who pushes it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::record::OwnRecord;
use crate::client::timekeeper::Timekeeper;
use crate::clock::Millis;
use crate::model::{InstanceInfo, InstanceStatus};

/// The record of this instance.
pub(crate) struct Own {
    record: Mutex<OwnRecord>,
    /// Something changed; the registrar looks.
    pub(crate) changed: Notify,
    pub(crate) clock: Timekeeper,
    /// How the registration stands.
    pub(crate) standing: watch::Sender<RegistrationState>,
}

/// How the registration stands, as far as this client knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegistrationState {
    /// A server has the record, or had it when it was heard last.
    pub(crate) registered: bool,
    /// When a server last confirmed it.
    pub(crate) confirmed: Option<Millis>,
}

impl Own {
    pub(crate) fn new(info: InstanceInfo, clock: Timekeeper) -> Self {
        let record = OwnRecord::new(info, clock.now().wall);
        Self {
            record: Mutex::new(record),
            changed: Notify::new(),
            clock,
            standing: watch::Sender::default(),
        }
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, OwnRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the record; the change goes to the servers as soon as the budget allows it.
    pub(crate) fn change(&self, change: impl FnOnce(&mut InstanceInfo)) -> bool {
        let is_different = self.record().change(self.clock.now().wall, change);
        if is_different {
            self.changed.notify_one();
        }
        is_different
    }

    pub(crate) fn status(&self) -> InstanceStatus {
        self.record().info().status
    }

    /// Sets the status only where it is still `expected`: whoever found that out may be late.
    pub(crate) fn replace_status(&self, expected: InstanceStatus, status: InstanceStatus) -> bool {
        self.change(|info| {
            if info.status == expected {
                info.status = status;
            }
        })
    }
}
