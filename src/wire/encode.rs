//! One door to the writers: the [`Form`] decides which one writes.

use super::{compact, json, xml};
use crate::model::Listed;

/// JSON or XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `application/json`.
    Json,
    /// `application/xml`; the default of the protocol.
    Xml,
}

impl Format {
    /// The media type; never with a parameter (wire.md §2.1).
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Xml => "application/xml",
        }
    }

    /// The word used as a label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Xml => "xml",
        }
    }
}

/// Every shape in which a list can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// All members, JSON.
    Json,
    /// The reduced form, JSON.
    JsonCompact,
    /// All members, XML.
    Xml,
    /// All members, XML for `/v1/`: statuses mapped down.
    XmlV1,
    /// The reduced form, XML.
    XmlCompact,
}

impl Form {
    /// All forms, in the order of [`Form::index`].
    pub const ALL: [Form; 5] = [
        Self::Json,
        Self::JsonCompact,
        Self::Xml,
        Self::XmlV1,
        Self::XmlCompact,
    ];

    /// The form for a format, a wish for the reduced form, and the protocol version of the path. The
    /// reduced form knows no version (wire.md §7.4).
    pub fn of(format: Format, compact: bool, v1: bool) -> Self {
        match (format, compact) {
            (Format::Json, false) => Self::Json,
            (Format::Json, true) => Self::JsonCompact,
            (Format::Xml, true) => Self::XmlCompact,
            (Format::Xml, false) if v1 => Self::XmlV1,
            (Format::Xml, false) => Self::Xml,
        }
    }

    /// JSON or XML.
    pub fn format(self) -> Format {
        match self {
            Self::Json | Self::JsonCompact => Format::Json,
            Self::Xml | Self::XmlV1 | Self::XmlCompact => Format::Xml,
        }
    }

    /// A small number for tables.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Writes `applications` with its version, its hash code and `apps`: each a name and its instances.
pub fn applications<'a, I>(
    form: Form,
    version: &str,
    hash_code: &str,
    apps: impl Iterator<Item = (&'a str, I)>,
) -> Vec<u8>
where
    I: Iterator<Item = Listed<'a>>,
{
    let mut out = Vec::new();
    let all = |out: &mut Vec<u8>| {
        for (index, (name, instances)) in apps.enumerate() {
            if index > 0 && form.format() == Format::Json {
                out.push(b',');
            }
            member_application(out, form, name, instances);
        }
    };
    match form {
        Form::Json => json::write_applications(&mut out, version, hash_code, all),
        Form::JsonCompact => compact::write_json_applications(&mut out, version, hash_code, all),
        Form::Xml | Form::XmlV1 => xml::write_applications(&mut out, version, hash_code, all),
        Form::XmlCompact => compact::write_xml_applications(&mut out, version, hash_code, all),
    }
    out
}

/// Appends one application as a member of a list.
fn member_application<'a>(
    out: &mut Vec<u8>,
    form: Form,
    name: &str,
    instances: impl Iterator<Item = Listed<'a>>,
) {
    match form {
        Form::Json => json::write_application(out, name, instances),
        Form::JsonCompact => compact::write_json_application(out, name, instances),
        Form::Xml | Form::XmlV1 => {
            xml::write_application(out, 1, form == Form::XmlV1, name, instances);
        }
        Form::XmlCompact => compact::write_xml_application(out, name, instances),
    }
}

/// Writes one application as a document.
pub fn application<'a>(
    form: Form,
    name: &str,
    instances: impl Iterator<Item = Listed<'a>>,
) -> Vec<u8> {
    let mut out = Vec::new();
    match form {
        Form::Json | Form::JsonCompact => {
            out.extend_from_slice(b"{\"application\":");
            member_application(&mut out, form, name, instances);
            out.push(b'}');
        }
        Form::Xml | Form::XmlV1 => {
            xml::write_application(&mut out, 0, form == Form::XmlV1, name, instances);
        }
        Form::XmlCompact => compact::write_xml_application(&mut out, name, instances),
    }
    out
}

/// Writes one instance as a document; it has no reduced form (wire.md §2.2).
pub fn instance(format: Format, v1: bool, listed: Listed<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    match format {
        Format::Json => {
            out.extend_from_slice(b"{\"instance\":");
            json::write_instance(&mut out, listed);
            out.push(b'}');
        }
        Format::Xml => xml::write_instance(&mut out, v1, listed),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstanceInfo, LeaseTimes, samples};

    fn two_apps(form: Form, apps: &[(&str, Vec<InstanceInfo>)]) -> String {
        let times = LeaseTimes::default();
        let apps = apps.iter().map(|(name, infos)| {
            let listed = infos.iter().map(move |info| Listed { info, times });
            (*name, listed)
        });
        String::from_utf8(applications(form, "1", "UP_2_", apps)).unwrap()
    }

    #[test]
    fn an_empty_list_has_the_reference_s_bytes() {
        for (form, expected) in [
            (
                Form::Json,
                r#"{"applications":{"versions__delta":"1","apps__hashcode":"UP_2_","application":[]}}"#,
            ),
            (
                Form::JsonCompact,
                r#"{"applications":{"application":[],"registeredApplicationsEmpty":true,"versions__delta":"1","apps__hashcode":"UP_2_"}}"#,
            ),
            (
                Form::Xml,
                "<applications>\n  <versions__delta>1</versions__delta>\n  <apps__hashcode>UP_2_</apps__hashcode>\n</applications>",
            ),
            (
                Form::XmlCompact,
                "<applications><registeredApplicationsEmpty>true</registeredApplicationsEmpty><versions__delta>1</versions__delta><apps__hashcode>UP_2_</apps__hashcode></applications>",
            ),
        ] {
            assert_eq!(two_apps(form, &[]), expected);
        }
    }

    #[test]
    fn every_form_is_read_back_with_all_its_instances() {
        let apps = [
            (
                "A",
                vec![samples::instance("A", "1"), samples::instance("A", "2")],
            ),
            ("B", vec![samples::instance("B", "1")]),
        ];
        for form in Form::ALL {
            let body = two_apps(form, &apps);
            let (list, left_out) = match form.format() {
                Format::Json => json::applications(&body, 0).unwrap(),
                Format::Xml => xml::applications(&body, 0).unwrap(),
            };
            assert_eq!(
                (list.version.as_str(), list.hash_code.as_str()),
                ("1", "UP_2_")
            );
            assert_eq!(left_out, 0, "{form:?}");
            let found: Vec<_> = list
                .apps
                .iter()
                .map(|(name, all)| (&**name, all.len()))
                .collect();
            assert_eq!(found, [("A", 2), ("B", 1)], "{form:?}: {body}");
        }
    }

    #[test]
    fn one_application_stands_at_the_root_in_both_formats() {
        let info = samples::instance("A", "1");
        let listed = || {
            let times = LeaseTimes::default();
            std::iter::once(Listed { info: &info, times })
        };
        let json = application(Form::Json, "A", listed());
        assert!(json.starts_with(br#"{"application":{"name":"A","instance":[{"#));
        let xml = application(Form::Xml, "A", listed());
        assert!(
            xml.starts_with(b"<application>\n  <name>A</name>\n  <instance>\n    <instanceId>1")
        );
        assert!(xml.ends_with(b"\n  </instance>\n</application>"));
    }
}
