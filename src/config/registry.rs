//! How leases are kept and which status wins.

use super::read::Reader;
use super::{Mode, keys, limits};
use crate::model::{MetadataLimits, RegistryLimits};

/// How the life of a lease is reckoned (B-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseAccounting {
    /// Its duration, to the millisecond, but never under 2.25 renewal intervals of its client: one lost
    /// heartbeat must not end a lease.
    Exact,
    /// As the reference: twice its duration once it has been renewed, once its duration before.
    Doubled,
}

/// Knobs of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistryConfig {
    /// Default `exact`, in classic mode `doubled`. Doubled keeps the dead twice as long, and agrees
    /// with Java peers about when.
    pub accounting: LeaseAccounting,
    /// Whether a direct registration keeps the UP or OUT_OF_SERVICE that is on file (the reference's
    /// LeaseExists rule, B-07). Follows the mode: only in classic.
    pub pin_status: bool,
    /// Whether heartbeats compare `lastDirtyTimestamp`; default true. Without it a node never learns
    /// that its copy is older or newer than the client's.
    pub sync_when_timestamp_differs: bool,
    /// How much it holds; registrations of more are refused.
    pub limits: RegistryLimits,
}

impl RegistryConfig {
    /// The values of a mode.
    pub fn of(mode: Mode) -> Self {
        let classic = mode == Mode::Classic;
        Self {
            accounting: if classic {
                LeaseAccounting::Doubled
            } else {
                LeaseAccounting::Exact
            },
            pin_status: classic,
            sync_when_timestamp_differs: true,
            limits: limits::REGISTRY,
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>, mode: Mode, metadata: MetadataLimits) -> Self {
        let default = Self::of(mode);
        Self {
            accounting: reader.value(
                keys::LEASE_ACCOUNTING,
                "exact or doubled",
                default.accounting,
                |text| match text.to_ascii_lowercase().as_str() {
                    "exact" => Some(LeaseAccounting::Exact),
                    "doubled" => Some(LeaseAccounting::Doubled),
                    _ => None,
                },
            ),
            sync_when_timestamp_differs: reader.flag(
                keys::SYNC_WHEN_TIMESTAMP_DIFFERS,
                default.sync_when_timestamp_differs,
            ),
            limits: limits::of_registry(reader, metadata),
            ..default
        }
    }
}
