//! Handles of the response cache.

use ::metrics::{Gauge, Histogram, gauge, histogram};

use super::{DEFLATE_SECONDS, DELTA_ENTRIES, PUBLISH_SECONDS};

/// Handles of the response cache.
#[derive(Clone)]
pub struct CacheMetrics {
    /// Instances in the delta.
    pub delta_entries: Gauge,
    /// Seconds to write a list.
    pub publish_seconds: Histogram,
    /// Seconds to pack a list.
    pub deflate_seconds: Histogram,
}

impl CacheMetrics {
    pub(super) fn new() -> Self {
        Self {
            delta_entries: gauge!(DELTA_ENTRIES),
            publish_seconds: histogram!(PUBLISH_SECONDS),
            deflate_seconds: histogram!(DEFLATE_SECONDS),
        }
    }
}
