//! The document at `status` (wire.md §3.12, server.md §18.3).

use super::encode::Format;
use super::json::{self, Object};
use super::xml;
use crate::model::Listed;

/// Java's class name, which is the root element in XML.
const ROOT: &str = "com.netflix.eureka.util.StatusInfo";

/// What a node says of itself.
#[derive(Clone, Debug)]
pub struct StatusInfo<'s> {
    /// Facts about machine and process.
    pub general: Vec<(&'static str, String)>,
    /// Facts about peers.
    pub application: Vec<(&'static str, String)>,
    /// The node as an instance.
    pub instance: Listed<'s>,
    /// Whether enough peers are there; left out when nobody asked for a number (B-31).
    pub healthy: Option<bool>,
}

/// Writes the document.
pub fn write(format: Format, info: &StatusInfo<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    match format {
        Format::Json => write_json(&mut out, info),
        Format::Xml => write_xml(&mut out, info),
    }
    out
}

fn write_json(out: &mut Vec<u8>, info: &StatusInfo<'_>) {
    let mut object = Object::open(out);
    for (name, pairs) in [
        ("generalStats", &info.general),
        ("applicationStats", &info.application),
    ] {
        let mut stats = Object::open(object.member(name));
        pairs.iter().for_each(|(key, value)| stats.text(key, value));
        stats.close();
    }
    json::write_instance(object.member("instanceInfo"), info.instance);
    if let Some(healthy) = info.healthy {
        let word = if healthy { "true" } else { "false" };
        object.member("healthy").extend_from_slice(word.as_bytes());
    }
    object.close();
}

fn write_xml(out: &mut Vec<u8>, info: &StatusInfo<'_>) {
    let mut xml = xml::Writer::pretty(out, 0);
    xml.open(ROOT, None);
    for (name, pairs) in [
        ("generalStats", &info.general),
        ("applicationStats", &info.application),
    ] {
        xml.open(name, None);
        xml.pairs(pairs.iter().map(|(key, value)| (*key, value.as_str())));
        xml.close(name);
    }
    xml.instance("instanceInfo", false, info.instance);
    if let Some(healthy) = info.healthy {
        // Spelled like this in the reference.
        xml.leaf("isHeathly", if healthy { "true" } else { "false" });
    }
    xml.close(ROOT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LeaseTimes, samples};

    #[test]
    fn the_document_has_java_s_root_in_xml_and_none_in_json() {
        let node = samples::instance("EUREKA", "n");
        let info = |healthy| StatusInfo {
            general: vec![("num-of-cpus", "2".to_string())],
            application: vec![("registered-replicas", String::new())],
            instance: Listed {
                info: &node,
                times: LeaseTimes::default(),
            },
            healthy,
        };
        let text = |format, healthy| String::from_utf8(write(format, &info(healthy))).unwrap();
        let json = text(Format::Json, None);
        let start = r#"{"generalStats":{"num-of-cpus":"2"},"applicationStats":{"registered-replicas":""},"instanceInfo":{"instanceId":"n","#;
        assert!(json.starts_with(start), "{json}");
        assert!(!json.contains("healthy"));
        assert!(text(Format::Json, Some(false)).ends_with(r#","healthy":false}"#));
        let xml = text(Format::Xml, Some(true));
        let start = "<com.netflix.eureka.util.StatusInfo>\n  <generalStats>\n    <num-of-cpus>2</num-of-cpus>\n  </generalStats>";
        assert!(xml.starts_with(start), "{xml}");
        assert!(
            xml.contains("\n  <instanceInfo>\n    <instanceId>n</instanceId>"),
            "{xml}"
        );
        assert!(
            xml.ends_with("\n  <isHeathly>true</isHeathly>\n</com.netflix.eureka.util.StatusInfo>")
        );
    }
}
