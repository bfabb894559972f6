//! One line in the log for each thing that an operator did, under the target `heureka::audit`.
//!
//! What was ordered by Eureka's own calls about the status counts too, unless a peer passes it on.

use crate::model::{By, InstanceKey, InstanceStatus};

/// Something that an operator did.
#[derive(Debug)]
pub(super) struct Act<'a> {
    /// What, as an imperative.
    pub(super) action: &'static str,
    /// To which instance.
    pub(super) key: &'a InstanceKey,
    /// The status ordered, if there is one.
    pub(super) status: Option<InstanceStatus>,
    /// Who.
    pub(super) by: &'a By,
}

impl Act<'_> {
    /// Writes the line. Texts are written as Rust writes them in programs, so that none begins a line of its own.
    pub(super) fn log(&self) {
        let By {
            who,
            address,
            user,
            reason,
        } = self.by;
        tracing::info!(
            target: "heureka::audit",
            action = self.action,
            instance = ?self.key,
            status = self.status.map(InstanceStatus::as_str),
            by = who.as_str(),
            user = user.as_ref().map(tracing::field::debug),
            address = address.map(tracing::field::display),
            reason = reason.as_ref().map(tracing::field::debug),
            "operator action"
        );
    }
}
