//! How long actors take, and how much waits for them.

use std::sync::Arc;

use ::metrics::{Histogram, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::PrometheusRecorder;

use super::{MAILBOX_DEPTH, MESSAGE_SECONDS};

/// Makes the handle of each actor.
#[derive(Clone)]
pub struct ActorsMetrics(Arc<PrometheusRecorder>);

impl ActorsMetrics {
    pub(super) fn new(recorder: Arc<PrometheusRecorder>) -> Self {
        Self(recorder)
    }

    /// Seconds from a message to this actor until its reply.
    pub fn message_seconds(&self, actor: &'static str) -> Histogram {
        with_local_recorder(&*self.0, || histogram!(MESSAGE_SECONDS, "actor" => actor))
    }

    /// Shows how many wait for each actor.
    pub(super) fn show_depths(&self, mailboxes: &[(&'static str, usize)]) {
        with_local_recorder(&*self.0, || {
            for (actor, depth) in mailboxes {
                gauge!(MAILBOX_DEPTH, "actor" => *actor).set(*depth as f64);
            }
        });
    }
}
