//! Records for tests.

use super::{ActionType, DataCenter, InstanceInfo, InstanceStatus, LeaseTerms, Metadata, Port};

/// An ordinary instance: UP, port 8080, stamp 1000, no metadata.
pub(crate) fn instance(app: &str, id: &str) -> InstanceInfo {
    InstanceInfo {
        instance_id: Some(id.into()),
        host_name: "host-1".into(),
        app: app.into(),
        ip_addr: "10.0.0.1".into(),
        sid: None,
        status: InstanceStatus::Up,
        override_status: None,
        port: Port {
            number: 8080,
            enabled: true,
        },
        secure_port: Port::DEFAULT_SECURE,
        country_id: 1,
        data_center: DataCenter::MyOwn,
        lease: LeaseTerms::default(),
        metadata: Metadata::default(),
        app_group_name: None,
        home_page_url: None,
        status_page_url: None,
        health_check_url: None,
        secure_health_check_url: None,
        vip_address: Some(app.to_lowercase().into()),
        secure_vip_address: None,
        last_updated: 0,
        last_dirty: 1000,
        action: ActionType::Added,
        asg_name: None,
    }
}
