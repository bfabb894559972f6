//! Handles of self-preservation.

use ::metrics::{Gauge, gauge};

use super::{
    PRESERVATION_ACTIVE, PRESERVATION_ENABLED, RENEWALS_EXPECTED, RENEWALS_LAST_MINUTE,
    RENEWALS_THRESHOLD,
};

/// Handles of self-preservation.
#[derive(Clone)]
pub struct PreservationMetrics {
    /// Renewals of the last full minute.
    pub last_minute: Gauge,
    /// Clients expected.
    pub expected: Gauge,
    /// Renewals that a minute must exceed.
    pub threshold: Gauge,
    /// 1 if switched on.
    pub enabled: Gauge,
    /// 1 while ended leases are kept.
    pub active: Gauge,
}

impl PreservationMetrics {
    pub(super) fn new() -> Self {
        Self {
            last_minute: gauge!(RENEWALS_LAST_MINUTE),
            expected: gauge!(RENEWALS_EXPECTED),
            threshold: gauge!(RENEWALS_THRESHOLD),
            enabled: gauge!(PRESERVATION_ENABLED),
            active: gauge!(PRESERVATION_ACTIVE),
        }
    }
}
