//! Records for tests.

use super::{InstanceInfo, Port};

/// An ordinary instance: UP, port 8080, stamp 1000, no metadata.
pub(crate) fn instance(app: &str, id: &str) -> InstanceInfo {
    InstanceInfo {
        instance_id: Some(id.into()),
        port: Port {
            number: 8080,
            enabled: true,
        },
        vip_address: Some(app.to_lowercase().into()),
        last_dirty: 1000,
        ..InstanceInfo::new(app, "host-1", "10.0.0.1")
    }
}
