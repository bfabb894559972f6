//! One line in the log for each thing that an operator did, under the target `heureka::audit`.
//!
//! What was ordered by Eureka's own calls about the status counts too, unless a peer passes it on.

use crate::model::{By, InstanceKey, InstanceStatus};

/// Writes the line: what was done, as an imperative, to which instance, with the status ordered, if there is one, and by
/// whom. Texts are written as Rust writes them in programs, so that none begins a line of its own.
pub(super) fn note(
    action: &'static str,
    key: &InstanceKey,
    status: Option<InstanceStatus>,
    by: &By,
) {
    tracing::info!(
        target: "heureka::audit",
        action,
        instance = ?key,
        status = status.map(InstanceStatus::as_str),
        by = by.who.as_str(),
        user = by.user.as_ref().map(tracing::field::debug),
        address = by.address.map(tracing::field::display),
        reason = by.reason.as_ref().map(tracing::field::debug),
        "operator action"
    );
}
