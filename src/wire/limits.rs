//! Whether a record has too much in it.

use crate::model::{ContentLimits, DataCenter, InstanceInfo, TooMuch};

/// Whether the record keeps the limits; the first member that does not is named.
pub fn check(info: &InstanceInfo, limits: &ContentLimits) -> Result<(), TooMuch> {
    limits.name.allows_bytes("app", info.app.len())?;
    limits.name.allows_bytes("instanceId", info.id().len())?;
    for (name, text) in info.texts() {
        limits.text.allows_bytes(name, text.len())?;
    }
    if let DataCenter::Amazon(metadata) = &info.data_center {
        limits.metadata.allow(metadata)?;
    }
    limits.metadata.allow(&info.metadata)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Limit, Metadata, MetadataLimits, Text, samples};

    #[test]
    fn every_text_of_a_record_is_measured() {
        let limits = ContentLimits {
            name: Limit::new(20, "names"),
            text: Limit::new(30, "texts"),
            metadata: MetadataLimits {
                bytes: Limit::new(40, "metadata"),
                keys: Limit::new(2, "keys"),
            },
            ..ContentLimits::NONE
        };
        let ok = || samples::instance("ORDERS", "o-1");
        assert_eq!(check(&ok(), &limits), Ok(()));
        type Edit = fn(&mut InstanceInfo, Text);
        let edits: [(&str, usize, Edit); 15] = [
            ("app is longer than 20", 21, |i, t| i.app = t),
            ("instanceId is longer than 20", 21, |i, t| {
                i.instance_id = Some(t)
            }),
            ("hostName is longer than 30", 31, |i, t| i.host_name = t),
            ("ipAddr", 31, |i, t| i.ip_addr = t),
            ("sid", 31, |i, t| i.sid = Some(t)),
            ("appGroupName", 31, |i, t| i.app_group_name = Some(t)),
            ("homePageUrl", 31, |i, t| i.home_page_url = Some(t)),
            ("statusPageUrl", 31, |i, t| i.status_page_url = Some(t)),
            ("healthCheckUrl", 31, |i, t| i.health_check_url = Some(t)),
            ("secureHealthCheckUrl", 31, |i, t| {
                i.secure_health_check_url = Some(t)
            }),
            ("vipAddress", 31, |i, t| i.vip_address = Some(t)),
            ("secureVipAddress", 31, |i, t| {
                i.secure_vip_address = Some(t)
            }),
            ("asgName", 31, |i, t| i.asg_name = Some(t)),
            ("metadata is longer than 40", 40, |i, t| {
                i.metadata = pair(t)
            }),
            ("metadata is longer than 40", 40, |i, t| {
                i.data_center = DataCenter::Amazon(pair(t))
            }),
        ];
        for (text, length, edit) in edits {
            let mut info = ok();
            edit(&mut info, "x".repeat(length).into());
            let refused = check(&info, &limits).unwrap_err().to_string();
            assert!(refused.starts_with(text), "{text}: {refused}");
        }
    }

    fn pair(value: Text) -> Metadata {
        [("k".into(), value)].into()
    }
}
