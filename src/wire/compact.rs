//! The reduced form of lists, asked for by `X-Eureka-Accept: compact` (wire.md §6, §7.5).
//!
//! It names who is where and in which status, without metadata, lease and URLs. Its members have an
//! order of their own, `registeredApplicationsEmpty` among them, and its stamp is a number in JSON.

use super::json::{self, Object};
use super::xml;
use crate::model::Listed;

/// The only metadata of an Amazon data centre that is kept.
const AMAZON_KEYS: [&str; 5] = [
    "instance-id",
    "public-ipv4",
    "public-hostname",
    "local-ipv4",
    "availability-zone",
];

fn kept(key: &str) -> bool {
    AMAZON_KEYS.contains(&key)
}

/// Appends what stands before the first application of a list.
pub(super) fn json_list_head(out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"applications\":{\"application\":[");
}

/// Appends what stands after the last application of a list.
pub(super) fn json_list_tail(out: &mut Vec<u8>, version: &str, hash_code: &str, empty: bool) {
    out.extend_from_slice(b"],\"registeredApplicationsEmpty\":");
    out.extend_from_slice(if empty { b"true" } else { b"false" });
    out.extend_from_slice(b",\"versions__delta\":");
    json::text(out, version);
    out.extend_from_slice(b",\"apps__hashcode\":");
    json::text(out, hash_code);
    out.extend_from_slice(b"}}");
}

/// Appends an instance.
pub(super) fn write_json_instance(out: &mut Vec<u8>, listed: Listed<'_>) {
    let info = listed.info;
    let mut object = Object::open(out);
    object.optional("instanceId", info.instance_id.as_deref());
    object.text("app", &info.app);
    object.text("ipAddr", &info.ip_addr);
    object.optional("vipAddress", info.vip_address.as_deref());
    object.optional("secureVipAddress", info.secure_vip_address.as_deref());
    json::data_center(object.member("dataCenterInfo"), &info.data_center, kept);
    object.text("hostName", &info.host_name);
    object.text("status", info.status.as_str());
    object.number("lastUpdatedTimestamp", info.last_updated);
    object.text("actionType", info.action.as_str());
    object.optional("asgName", info.asg_name.as_deref());
    json::port(object.member("port"), info.port);
    json::port(object.member("securePort"), info.secure_port);
    object.close();
}

/// Appends what stands before the first application of a list.
pub(super) fn xml_list_head(out: &mut Vec<u8>) {
    out.extend_from_slice(b"<applications>");
}

/// Appends what stands after the last application of a list.
pub(super) fn xml_list_tail(out: &mut Vec<u8>, version: &str, hash_code: &str, empty: bool) {
    let mut xml = xml::Writer::plain(out);
    xml.leaf(
        "registeredApplicationsEmpty",
        if empty { "true" } else { "false" },
    );
    xml.leaf("versions__delta", version);
    xml.leaf("apps__hashcode", hash_code);
    xml.close("applications");
}

/// Appends the beginning of an application.
pub(super) fn begin_xml_application(out: &mut Vec<u8>, name: &str) {
    let mut xml = xml::Writer::plain(out);
    xml.open("application", None);
    xml.leaf("name", name);
}

/// Appends the end of an application.
pub(super) fn end_xml_application(out: &mut Vec<u8>) {
    xml::Writer::plain(out).close("application");
}

/// Appends an instance.
pub(super) fn write_xml_instance(out: &mut Vec<u8>, listed: Listed<'_>) {
    let info = listed.info;
    let mut xml = xml::Writer::plain(out);
    xml.open("instance", None);
    xml.optional("instanceId", info.instance_id.as_deref());
    xml.leaf("app", &info.app);
    xml.leaf("ipAddr", &info.ip_addr);
    xml.optional("vipAddress", info.vip_address.as_deref());
    xml.optional("secureVipAddress", info.secure_vip_address.as_deref());
    xml.data_center(&info.data_center, kept);
    xml.leaf("hostName", &info.host_name);
    xml.leaf("status", info.status.as_str());
    xml.number("lastUpdatedTimestamp", info.last_updated);
    xml.leaf("actionType", info.action.as_str());
    xml.optional("asgName", info.asg_name.as_deref());
    xml.port("port", info.port);
    xml.port("securePort", info.secure_port);
    xml.close("instance");
}

#[cfg(test)]
mod tests {
    use crate::model::{DataCenter, InstanceInfo, samples};
    use crate::wire::{Form, encode};

    fn amazon() -> InstanceInfo {
        let pairs = [("instance-id", "i"), ("ami-id", "dropped")];
        let metadata = pairs
            .map(|(k, v)| (k.into(), v.into()))
            .into_iter()
            .collect();
        InstanceInfo {
            data_center: DataCenter::Amazon(metadata),
            ..samples::instance("A", "i")
        }
    }

    fn written(form: Form, info: &InstanceInfo) -> String {
        encode::whole_list(form, &[("A", vec![info.clone()])])
    }

    #[test]
    fn the_members_have_the_compact_order_in_json() {
        let info = amazon();
        assert_eq!(
            written(Form::JsonCompact, &info),
            concat!(
                r#"{"applications":{"application":[{"name":"A","instance":[{"instanceId":"i","app":"A","#,
                r#""ipAddr":"10.0.0.1","vipAddress":"a","dataCenterInfo":{"@class":"com.netflix.appinfo.AmazonInfo","#,
                r#""name":"Amazon","metadata":{"instance-id":"i"}},"hostName":"host-1","status":"UP","#,
                r#""lastUpdatedTimestamp":0,"actionType":"ADDED","port":{"$":8080,"@enabled":"true"},"#,
                r#""securePort":{"$":7002,"@enabled":"false"}}]}],"registeredApplicationsEmpty":false,"#,
                r#""versions__delta":"1","apps__hashcode":"UP_2_"}}"#,
            )
        );
    }

    #[test]
    fn the_elements_stand_on_one_line_in_xml() {
        let info = amazon();
        assert_eq!(
            written(Form::XmlCompact, &info),
            concat!(
                "<applications><application><name>A</name><instance><instanceId>i</instanceId><app>A</app>",
                "<ipAddr>10.0.0.1</ipAddr><vipAddress>a</vipAddress>",
                "<dataCenterInfo class=\"com.netflix.appinfo.AmazonInfo\"><name>Amazon</name>",
                "<metadata><instance-id>i</instance-id></metadata></dataCenterInfo><hostName>host-1</hostName>",
                "<status>UP</status><lastUpdatedTimestamp>0</lastUpdatedTimestamp><actionType>ADDED</actionType>",
                "<port enabled=\"true\">8080</port><securePort enabled=\"false\">7002</securePort></instance>",
                "</application><registeredApplicationsEmpty>false</registeredApplicationsEmpty>",
                "<versions__delta>1</versions__delta><apps__hashcode>UP_2_</apps__hashcode></applications>",
            )
        );
    }
}
