//! JSON out: the one form that every known reader accepts (wire.md §4, foreign-clients.md §1.5).
//!
//! `$` is a number and `@enabled` a text; the stamps of an instance are texts, those of its lease are
//! numbers; absent members are left out, never null; empty metadata is Java's marker. No member is
//! ever added that the reference does not write: Spring's clients refuse unknown ones.

use crate::model::{DataCenter, InstanceStatus, Listed, Metadata, Port};
use crate::wire::draft::{AMAZON_CLASS, DEFAULT_CLASS, EMPTY_MAP_CLASS};

/// Appends what stands before the first application of a list.
pub fn list_head(out: &mut Vec<u8>, version: &str, hash_code: &str) {
    out.extend_from_slice(b"{\"applications\":{\"versions__delta\":");
    text(out, version);
    out.extend_from_slice(b",\"apps__hashcode\":");
    text(out, hash_code);
    out.extend_from_slice(b",\"application\":[");
}

/// Appends what stands after the last application of a list.
pub fn list_tail(out: &mut Vec<u8>) {
    out.extend_from_slice(b"]}}");
}

/// Appends the beginning of an application, up to its first instance.
pub fn begin_application(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b"{\"name\":");
    text(out, name);
    out.extend_from_slice(b",\"instance\":[");
}

/// Appends the end of an application.
pub fn end_application(out: &mut Vec<u8>) {
    out.extend_from_slice(b"]}");
}

/// Appends one instance without a wrapper, members in the reference's order (wire.md §4.2).
pub fn write_instance(out: &mut Vec<u8>, listed: Listed<'_>) {
    let info = listed.info;
    let mut object = Object::open(out);
    object.optional("instanceId", info.instance_id.as_deref());
    object.text("hostName", &info.host_name);
    object.text("app", &info.app);
    object.text("ipAddr", &info.ip_addr);
    object.optional("sid", info.sid.as_deref());
    object.text("status", info.status.as_str());
    let shown_override = info.override_status.unwrap_or(InstanceStatus::Unknown);
    object.text("overriddenStatus", shown_override.as_str());
    port(object.member("port"), info.port);
    port(object.member("securePort"), info.secure_port);
    object.number("countryId", info.country_id.into());
    data_center(object.member("dataCenterInfo"), &info.data_center, |_| true);
    write_lease(object.member("leaseInfo"), listed);
    write_metadata(object.member("metadata"), &info.metadata);
    object.optional("appGroupName", info.app_group_name.as_deref());
    object.optional("homePageUrl", info.home_page_url.as_deref());
    object.optional("statusPageUrl", info.status_page_url.as_deref());
    object.optional("healthCheckUrl", info.health_check_url.as_deref());
    object.optional(
        "secureHealthCheckUrl",
        info.secure_health_check_url.as_deref(),
    );
    object.optional("vipAddress", info.vip_address.as_deref());
    object.optional("secureVipAddress", info.secure_vip_address.as_deref());
    object.text("isCoordinatingDiscoveryServer", "false");
    object.digits("lastUpdatedTimestamp", info.last_updated);
    object.digits("lastDirtyTimestamp", info.last_dirty);
    object.text("actionType", info.action.as_str());
    object.optional("asgName", info.asg_name.as_deref());
    object.close();
}

fn write_lease(out: &mut Vec<u8>, listed: Listed<'_>) {
    let (terms, times) = (listed.info.lease, listed.times);
    let mut object = Object::open(out);
    object.number("renewalIntervalInSecs", terms.renewal_interval_secs.into());
    object.number("durationInSecs", terms.duration_secs.into());
    object.number("registrationTimestamp", times.registered);
    object.number("lastRenewalTimestamp", times.renewed);
    object.number("evictionTimestamp", times.evicted);
    object.number("serviceUpTimestamp", times.service_up);
    object.close();
}

fn write_metadata(out: &mut Vec<u8>, metadata: &Metadata) {
    if metadata.is_empty() {
        out.extend_from_slice(b"{\"@class\":");
        text(out, EMPTY_MAP_CLASS);
        out.push(b'}');
    } else {
        pairs(out, metadata, |_| true);
    }
}

/// Appends a data centre: `@class` first and `metadata` last, as the strictest Java reader needs it
/// (wire.md §5.4); of Amazon's metadata only the keys that `keep` wants.
pub(in crate::wire) fn data_center(
    out: &mut Vec<u8>,
    center: &DataCenter,
    keep: impl Fn(&str) -> bool,
) {
    let mut object = Object::open(out);
    match center {
        DataCenter::MyOwn | DataCenter::Netflix => {
            object.text("@class", DEFAULT_CLASS);
            object.text("name", center.name());
        }
        DataCenter::Amazon(metadata) => {
            object.text("@class", AMAZON_CLASS);
            object.text("name", center.name());
            pairs(object.member("metadata"), metadata, keep);
        }
    }
    object.close();
}

fn pairs(out: &mut Vec<u8>, metadata: &Metadata, keep: impl Fn(&str) -> bool) {
    let mut object = Object::open(out);
    for (key, value) in metadata.iter().filter(|(key, _)| keep(key)) {
        object.text(key, value);
    }
    object.close();
}

/// Appends a port.
pub(in crate::wire) fn port(out: &mut Vec<u8>, port: Port) {
    let mut object = Object::open(out);
    object.number("$", port.number.into());
    object.text("@enabled", if port.enabled { "true" } else { "false" });
    object.close();
}

/// Appends a JSON string.
pub(in crate::wire) fn text(out: &mut Vec<u8>, text: &str) {
    // A Vec<u8> takes every write, and a str is always a valid JSON string.
    let _ = serde_json::to_writer(out, text);
}

/// An object that is being written.
pub(in crate::wire) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    pub(in crate::wire) fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Appends a name; the caller appends the value.
    pub(in crate::wire) fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        text(self.out, name);
        self.out.push(b':');
        self.out
    }

    pub(in crate::wire) fn text(&mut self, name: &str, value: &str) {
        text(self.member(name), value);
    }

    pub(in crate::wire) fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    pub(in crate::wire) fn number(&mut self, name: &str, value: u64) {
        let out = self.member(name);
        out.extend_from_slice(value.to_string().as_bytes());
    }

    /// A number as a text of digits.
    pub(in crate::wire) fn digits(&mut self, name: &str, value: u64) {
        self.text(name, &value.to_string());
    }

    pub(in crate::wire) fn close(self) {
        self.out.push(b'}');
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::model::{ContentLimits, LeaseTimes, samples};
    use crate::wire::json;

    fn written(info: &crate::model::InstanceInfo, times: LeaseTimes) -> String {
        let mut out = Vec::new();
        write_instance(&mut out, Listed { info, times });
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn members_have_the_reference_s_order_types_and_marker() {
        let times = LeaseTimes {
            registered: 1,
            renewed: 2,
            evicted: 0,
            service_up: 3,
        };
        assert_eq!(
            written(&samples::instance("ORDERS", "o-1"), times),
            concat!(
                r#"{"instanceId":"o-1","hostName":"host-1","app":"ORDERS","ipAddr":"10.0.0.1","#,
                r#""status":"UP","overriddenStatus":"UNKNOWN","port":{"$":8080,"@enabled":"true"},"#,
                r#""securePort":{"$":7002,"@enabled":"false"},"countryId":1,"#,
                r#""dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","#,
                r#""name":"MyOwn"},"leaseInfo":{"renewalIntervalInSecs":30,"durationInSecs":90,"#,
                r#""registrationTimestamp":1,"lastRenewalTimestamp":2,"evictionTimestamp":0,"#,
                r#""serviceUpTimestamp":3},"metadata":{"@class":"java.util.Collections$EmptyMap"},"#,
                r#""vipAddress":"orders","isCoordinatingDiscoveryServer":"false","#,
                r#""lastUpdatedTimestamp":"0","lastDirtyTimestamp":"1000","actionType":"ADDED"}"#,
            )
        );
    }

    #[test]
    fn what_is_written_is_read_back_the_same() {
        let mut info = samples::instance("ORDERS", "o-1");
        info.metadata = [("k \"x\"".into(), "ü\n\u{1}/".into())].into();
        info.data_center = DataCenter::Amazon([("instance-id".into(), "i".into())].into());
        info.sid = Some("s".into());
        info.override_status = Some(InstanceStatus::OutOfService);
        info.asg_name = Some("asg".into());
        let body = format!("{{\"instance\":{}}}", written(&info, LeaseTimes::default()));
        let read = json::registration(&body, &ContentLimits::NONE)
            .unwrap()
            .settle("orders", 0)
            .unwrap();
        assert_eq!(read, info);
    }
}
