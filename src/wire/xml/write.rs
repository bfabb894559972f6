//! XML out, as XStream writes it (wire.md §7.1): two blanks a level, no declaration, `overriddenstatus`
//! in lower case, and for `/v1/` the down-mapping of statuses that old clients do not know (§7.4).

use super::names;
use crate::model::{DataCenter, InstanceStatus, Listed, Metadata, Port};
use crate::wire::draft::{AMAZON_CLASS, DEFAULT_CLASS, EMPTY_MAP_CLASS};

/// Appends what stands before the first application of a list.
pub fn list_head(out: &mut Vec<u8>, version: &str, hash_code: &str) {
    let mut xml = Writer::pretty(out, 0);
    xml.open("applications", None);
    xml.leaf("versions__delta", version);
    xml.leaf("apps__hashcode", hash_code);
}

/// Appends what stands after the last application of a list.
pub fn list_tail(out: &mut Vec<u8>) {
    Writer::within(out, 1).close("applications");
}

/// Appends the beginning of an application at `depth`.
pub fn begin_application(out: &mut Vec<u8>, depth: usize, name: &str) {
    let mut xml = Writer::pretty(out, depth);
    xml.open("application", None);
    xml.leaf("name", name);
}

/// Appends the end of an application at `depth`.
pub fn end_application(out: &mut Vec<u8>, depth: usize) {
    Writer::within(out, depth + 1).close("application");
}

/// Appends an instance at `depth`; at depth 0 it is a document of its own.
pub fn write_instance(out: &mut Vec<u8>, depth: usize, v1: bool, listed: Listed<'_>) {
    Writer::pretty(out, depth).instance("instance", v1, listed);
}

fn write_members(xml: &mut Writer<'_>, v1: bool, listed: Listed<'_>) {
    let info = listed.info;
    xml.optional("instanceId", info.instance_id.as_deref());
    xml.leaf("hostName", &info.host_name);
    xml.leaf("app", &info.app);
    xml.leaf("ipAddr", &info.ip_addr);
    xml.optional("sid", info.sid.as_deref());
    xml.leaf("status", shown_status(info.status, v1).as_str());
    let shown_override = info.override_status.unwrap_or(InstanceStatus::Unknown);
    xml.leaf("overriddenstatus", shown_override.as_str());
    xml.port("port", info.port);
    xml.port("securePort", info.secure_port);
    xml.number("countryId", info.country_id.into());
    xml.data_center(&info.data_center, |_| true);
    write_lease(xml, listed);
    xml.metadata(&info.metadata, |_| true);
    xml.optional("appGroupName", info.app_group_name.as_deref());
    xml.optional("homePageUrl", info.home_page_url.as_deref());
    xml.optional("statusPageUrl", info.status_page_url.as_deref());
    xml.optional("healthCheckUrl", info.health_check_url.as_deref());
    xml.optional(
        "secureHealthCheckUrl",
        info.secure_health_check_url.as_deref(),
    );
    xml.optional("vipAddress", info.vip_address.as_deref());
    xml.optional("secureVipAddress", info.secure_vip_address.as_deref());
    xml.leaf("isCoordinatingDiscoveryServer", "false");
    xml.number("lastUpdatedTimestamp", info.last_updated);
    xml.number("lastDirtyTimestamp", info.last_dirty);
    xml.leaf("actionType", info.action.as_str());
    xml.optional("asgName", info.asg_name.as_deref());
}

/// Version 1 knows three statuses; the others are DOWN there. Only under `/v1/` (B-36).
fn shown_status(status: InstanceStatus, v1: bool) -> InstanceStatus {
    match status {
        InstanceStatus::OutOfService | InstanceStatus::Unknown if v1 => InstanceStatus::Down,
        status => status,
    }
}

fn write_lease(xml: &mut Writer<'_>, listed: Listed<'_>) {
    let (terms, times) = (listed.info.lease, listed.times);
    xml.open("leaseInfo", None);
    xml.number("renewalIntervalInSecs", terms.renewal_interval_secs.into());
    xml.number("durationInSecs", terms.duration_secs.into());
    xml.number("registrationTimestamp", times.registered);
    xml.number("lastRenewalTimestamp", times.renewed);
    xml.number("evictionTimestamp", times.evicted);
    xml.number("serviceUpTimestamp", times.service_up);
    xml.close("leaseInfo");
}

/// Elements on their way into a buffer, pretty-printed or on one line.
pub(in crate::wire) struct Writer<'o> {
    out: &'o mut Vec<u8>,
    pretty: bool,
    depth: usize,
    /// Whether the element that is open has children so far.
    filled: bool,
}

impl<'o> Writer<'o> {
    /// Two blanks a level, as XStream. At depth 0 a document begins.
    pub(in crate::wire) fn pretty(out: &'o mut Vec<u8>, depth: usize) -> Self {
        Self {
            out,
            pretty: true,
            depth,
            filled: false,
        }
    }

    /// The same, in an element at `depth - 1` that has children already.
    fn within(out: &'o mut Vec<u8>, depth: usize) -> Self {
        Self {
            filled: true,
            ..Self::pretty(out, depth)
        }
    }

    /// Everything on one line, as Jackson.
    pub(in crate::wire) fn plain(out: &'o mut Vec<u8>) -> Self {
        Self {
            out,
            pretty: false,
            depth: 0,
            filled: false,
        }
    }

    fn begin_line(&mut self) {
        if self.pretty {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * self.depth, b' ');
        }
    }

    /// A line for a child; a document begins without.
    fn begin_child(&mut self) {
        if self.depth > 0 {
            self.begin_line();
        }
        self.filled = true;
    }

    pub(in crate::wire) fn open(&mut self, name: &str, attribute: Option<(&str, &str)>) {
        self.begin_child();
        self.tag(name, attribute, b">");
        self.depth += 1;
        self.filled = false;
    }

    pub(in crate::wire) fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        if self.filled {
            self.begin_line();
        }
        self.out.extend_from_slice(b"</");
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'>');
        self.filled = true;
    }

    fn tag(&mut self, name: &str, attribute: Option<(&str, &str)>, end: &[u8]) {
        self.out.push(b'<');
        self.out.extend_from_slice(name.as_bytes());
        if let Some((key, value)) = attribute {
            self.out.push(b' ');
            self.out.extend_from_slice(key.as_bytes());
            self.out.extend_from_slice(b"=\"");
            escape(self.out, value);
            self.out.push(b'"');
        }
        self.out.extend_from_slice(end);
    }

    /// An element with a text.
    pub(in crate::wire) fn leaf(&mut self, name: &str, text: &str) {
        self.leaf_with(name, None, text);
    }

    fn leaf_with(&mut self, name: &str, attribute: Option<(&str, &str)>, text: &str) {
        self.begin_child();
        self.tag(name, attribute, b">");
        escape(self.out, text);
        self.out.extend_from_slice(b"</");
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'>');
    }

    pub(in crate::wire) fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.leaf(name, text);
        }
    }

    pub(in crate::wire) fn number(&mut self, name: &str, number: u64) {
        self.leaf(name, &number.to_string());
    }

    /// An instance under the element `name`.
    pub(in crate::wire) fn instance(&mut self, name: &str, v1: bool, listed: Listed<'_>) {
        self.open(name, None);
        write_members(self, v1, listed);
        self.close(name);
    }

    pub(in crate::wire) fn port(&mut self, name: &str, port: Port) {
        let enabled = if port.enabled { "true" } else { "false" };
        self.leaf_with(name, Some(("enabled", enabled)), &port.number.to_string());
    }

    /// A data centre; of Amazon's metadata only the keys that `keep` wants.
    pub(in crate::wire) fn data_center(
        &mut self,
        center: &DataCenter,
        keep: impl Fn(&str) -> bool,
    ) {
        let class = match center {
            DataCenter::MyOwn | DataCenter::Netflix => DEFAULT_CLASS,
            DataCenter::Amazon(_) => AMAZON_CLASS,
        };
        self.open("dataCenterInfo", Some(("class", class)));
        self.leaf("name", center.name());
        if let DataCenter::Amazon(metadata) = center {
            self.metadata(metadata, keep);
        }
        self.close("dataCenterInfo");
    }

    /// Metadata, each key as an element; Java's marker where there is none.
    pub(in crate::wire) fn metadata(&mut self, metadata: &Metadata, keep: impl Fn(&str) -> bool) {
        if metadata.is_empty() {
            self.begin_child();
            self.tag("metadata", Some(("class", EMPTY_MAP_CLASS)), b"/>");
            return;
        }
        self.open("metadata", None);
        let kept = metadata.iter().filter(|(key, _)| keep(key));
        self.pairs(kept.map(|(key, value)| (&**key, &**value)));
        self.close("metadata");
    }

    /// Each key as an element.
    pub(in crate::wire) fn pairs<'p>(&mut self, pairs: impl Iterator<Item = (&'p str, &'p str)>) {
        let mut name = Vec::new();
        for (key, value) in pairs {
            name.clear();
            names::encode(&mut name, key);
            // Names are made of whole characters.
            self.leaf(std::str::from_utf8(&name).unwrap_or_default(), value);
        }
    }
}

/// Appends a text with XML's own characters escaped. A character that no XML 1.0 document may hold
/// becomes U+FFFD, so that one odd value never makes a list unreadable.
fn escape(out: &mut Vec<u8>, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(|c| escaped(c).is_some()) {
        let (plain, from) = rest.split_at(at);
        out.extend_from_slice(plain.as_bytes());
        let mut chars = from.chars();
        let escape = chars.next().and_then(escaped).unwrap_or_default();
        out.extend_from_slice(escape.as_bytes());
        rest = chars.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
}

/// What stands for a character that cannot stand for itself.
fn escaped(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&apos;",
        '\r' => "&#xd;",
        '\u{0}'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => {
            "\u{FFFD}"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::model::{ContentLimits, LeaseTimes, samples};
    use crate::wire::xml;

    #[test]
    fn an_instance_looks_as_xstream_writes_it() {
        let mut info = samples::instance("ORDERS", "o-1");
        info.metadata = [("a_b".into(), "<x>\r".into())].into();
        let mut out = Vec::new();
        let times = LeaseTimes::default();
        write_instance(&mut out, 0, false, Listed { info: &info, times });
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "<instance>
  <instanceId>o-1</instanceId>
  <hostName>host-1</hostName>
  <app>ORDERS</app>
  <ipAddr>10.0.0.1</ipAddr>
  <status>UP</status>
  <overriddenstatus>UNKNOWN</overriddenstatus>
  <port enabled=\"true\">8080</port>
  <securePort enabled=\"false\">7002</securePort>
  <countryId>1</countryId>
  <dataCenterInfo class=\"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo\">
    <name>MyOwn</name>
  </dataCenterInfo>
  <leaseInfo>
    <renewalIntervalInSecs>30</renewalIntervalInSecs>
    <durationInSecs>90</durationInSecs>
    <registrationTimestamp>0</registrationTimestamp>
    <lastRenewalTimestamp>0</lastRenewalTimestamp>
    <evictionTimestamp>0</evictionTimestamp>
    <serviceUpTimestamp>0</serviceUpTimestamp>
  </leaseInfo>
  <metadata>
    <a__b>&lt;x&gt;&#xd;</a__b>
  </metadata>
  <vipAddress>orders</vipAddress>
  <isCoordinatingDiscoveryServer>false</isCoordinatingDiscoveryServer>
  <lastUpdatedTimestamp>0</lastUpdatedTimestamp>
  <lastDirtyTimestamp>1000</lastDirtyTimestamp>
  <actionType>ADDED</actionType>
</instance>"
        );
    }

    #[test]
    fn what_is_written_is_read_back_the_same() {
        let mut info = samples::instance("ORDERS", "o-1");
        info.metadata = [("k:9 $_é".into(), "a&b <c> \"q\" 'r' ü".into())].into();
        info.data_center = DataCenter::Amazon([("instance-id".into(), "i".into())].into());
        info.override_status = Some(InstanceStatus::OutOfService);
        let mut out = Vec::new();
        let times = LeaseTimes::default();
        write_instance(&mut out, 0, false, Listed { info: &info, times });
        let body = String::from_utf8(out).unwrap();
        let read = xml::registration(&body, &ContentLimits::NONE)
            .unwrap()
            .settle("orders", 0)
            .unwrap();
        assert_eq!(read, info);
    }

    #[test]
    fn only_version_1_shows_the_statuses_it_does_not_know_as_down() {
        use InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};
        for (status, v1, v2) in [
            (Up, Up, Up),
            (Starting, Starting, Starting),
            (Unknown, Down, Unknown),
            (OutOfService, Down, OutOfService),
        ] {
            assert_eq!(shown_status(status, true), v1);
            assert_eq!(shown_status(status, false), v2);
        }
    }
}
