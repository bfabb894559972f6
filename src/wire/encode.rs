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

/// Appends what stands before the first application of a list.
pub fn list_head(out: &mut Vec<u8>, form: Form, version: &str, hash_code: &str) {
    match form {
        Form::Json => json::list_head(out, version, hash_code),
        Form::JsonCompact => compact::json_list_head(out),
        Form::Xml | Form::XmlV1 => xml::list_head(out, version, hash_code),
        Form::XmlCompact => compact::xml_list_head(out),
    }
}

/// Appends what stands after the last application of a list; `empty` if it has none.
pub fn list_tail(out: &mut Vec<u8>, form: Form, version: &str, hash_code: &str, empty: bool) {
    match form {
        Form::Json => json::list_tail(out),
        Form::JsonCompact => compact::json_list_tail(out, version, hash_code, empty),
        Form::Xml | Form::XmlV1 => xml::list_tail(out),
        Form::XmlCompact => compact::xml_list_tail(out, version, hash_code, empty),
    }
}

/// Appends what a list has between two instances, or before the first, or after the last: `before` and
/// `after` are the names of their applications.
pub fn list_joint(out: &mut Vec<u8>, form: Form, before: Option<&str>, after: Option<&str>) {
    if before.is_some() && before == after {
        return comma(out, form);
    }
    if before.is_some() {
        end_application(out, form, LISTED);
    }
    if before.is_some() && after.is_some() {
        comma(out, form);
    }
    if let Some(name) = after {
        begin_application(out, form, LISTED, name);
    }
}

/// Appends what stands before the first instance of an application that is a document of its own.
pub fn application_head(out: &mut Vec<u8>, form: Form, name: &str) {
    if form.format() == Format::Json {
        out.extend_from_slice(b"{\"application\":");
    }
    begin_application(out, form, ROOT, name);
}

/// Appends what stands after the last instance of an application that is a document of its own.
pub fn application_tail(out: &mut Vec<u8>, form: Form) {
    end_application(out, form, ROOT);
    if form.format() == Format::Json {
        out.push(b'}');
    }
}

/// Whether an instance looks the same in a list and in an application that is a document of its own.
pub fn is_same_everywhere(form: Form) -> bool {
    !matches!(form, Form::Xml | Form::XmlV1)
}

/// Appends an instance as a list has it, or as an application that is a document of its own (`alone`).
pub fn member(out: &mut Vec<u8>, form: Form, alone: bool, listed: Listed<'_>) {
    let depth = if alone { ROOT } else { LISTED };
    match form {
        Form::Json => json::write_instance(out, listed),
        Form::JsonCompact => compact::write_json_instance(out, listed),
        Form::Xml | Form::XmlV1 => {
            xml::write_instance(out, depth + 1, form == Form::XmlV1, listed);
        }
        Form::XmlCompact => compact::write_xml_instance(out, listed),
    }
}

/// Elements around an application in a list, and in a document of its own.
const LISTED: usize = 1;
const ROOT: usize = 0;

fn comma(out: &mut Vec<u8>, form: Form) {
    if form.format() == Format::Json {
        out.push(b',');
    }
}

fn begin_application(out: &mut Vec<u8>, form: Form, depth: usize, name: &str) {
    match form {
        Form::Json | Form::JsonCompact => json::begin_application(out, name),
        Form::Xml | Form::XmlV1 => xml::begin_application(out, depth, name),
        Form::XmlCompact => compact::begin_xml_application(out, name),
    }
}

fn end_application(out: &mut Vec<u8>, form: Form, depth: usize) {
    match form {
        Form::Json | Form::JsonCompact => json::end_application(out),
        Form::Xml | Form::XmlV1 => xml::end_application(out, depth),
        Form::XmlCompact => compact::end_xml_application(out),
    }
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
        Format::Xml => xml::write_instance(&mut out, 0, v1, listed),
    }
    out
}

/// A list in one go, for tests of those who write its parts: applications, each with its instances.
#[cfg(any(test, fuzzing))]
pub(super) fn whole_list(form: Form, apps: &[(&str, Vec<crate::model::InstanceInfo>)]) -> String {
    let (mut out, mut before) = (Vec::new(), None);
    list_head(&mut out, form, "1", "UP_2_");
    for (name, infos) in apps {
        for info in infos {
            list_joint(&mut out, form, before, Some(name));
            let times = crate::model::LeaseTimes::default();
            member(&mut out, form, false, Listed { info, times });
            before = Some(name);
        }
    }
    list_joint(&mut out, form, before, None);
    list_tail(&mut out, form, "1", "UP_2_", apps.is_empty());
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LeaseTimes, samples};

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
            assert_eq!(whole_list(form, &[]), expected);
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
            let body = whole_list(form, &apps);
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
        let info = &samples::instance("A", "1");
        let written = |form| {
            let (mut out, times) = (Vec::new(), LeaseTimes::default());
            application_head(&mut out, form, "A");
            member(&mut out, form, true, Listed { info, times });
            application_tail(&mut out, form);
            String::from_utf8(out).unwrap()
        };
        let json = written(Form::Json);
        assert!(json.starts_with(r#"{"application":{"name":"A","instance":[{"#));
        assert!(json.ends_with("}]}}"));
        let xml = written(Form::Xml);
        assert!(
            xml.starts_with("<application>\n  <name>A</name>\n  <instance>\n    <instanceId>1")
        );
        assert!(xml.ends_with("\n  </instance>\n</application>"));
        for form in Form::ALL {
            let (mut listed, times) = (Vec::new(), LeaseTimes::default());
            member(&mut listed, form, false, Listed { info, times });
            let listed = String::from_utf8(listed).unwrap();
            assert_eq!(written(form).contains(&listed), is_same_everywhere(form));
        }
    }
}
