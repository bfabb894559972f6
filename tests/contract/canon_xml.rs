//! The canonical output of foreign-clients.md §1.6 (XML, X1–X6), as a check on any list.
//!
//! Read with a reader that knows name spaces, as Go's and Python's do. What it finds begins with the
//! number of the rule.

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

/// Members that are digits and nothing else (X3).
const NUMBERS: [&str; 12] = [
    "versions__delta",
    "port",
    "securePort",
    "countryId",
    "renewalIntervalInSecs",
    "durationInSecs",
    "registrationTimestamp",
    "lastRenewalTimestamp",
    "evictionTimestamp",
    "serviceUpTimestamp",
    "lastUpdatedTimestamp",
    "lastDirtyTimestamp",
];

/// Panics unless an XML document (a list, an application or an instance) is canonical.
pub fn assert_canonical_xml(text: &str) {
    let found = violations(text);
    assert!(found.is_empty(), "{found:#?}\n{text}");
}

/// Everything that breaks a rule; panics where the document is not well-formed.
fn violations(text: &str) -> Vec<String> {
    let mut reader = NsReader::from_str(text);
    let mut walk = Walk::default();
    loop {
        let (namespace, event) = reader.read_resolved_event().unwrap();
        let is_bound = !matches!(namespace, ResolveResult::Unbound);
        match event {
            Event::Start(start) => walk.open(&start, is_bound),
            Event::Empty(start) => {
                walk.open(&start, is_bound);
                walk.close();
            }
            Event::End(_) => walk.close(),
            Event::Text(text) => walk.text.push_str(&text),
            Event::GeneralRef(_) => walk.text.push('&'),
            Event::CData(_) => walk.add("X4", "CDATA"),
            Event::Comment(_) => walk.add("X4", "a comment"),
            Event::Decl(declaration) => {
                let encoding = declaration.encoding().transpose().unwrap();
                let is_utf8 = encoding.is_none_or(|e| e.eq_ignore_ascii_case("utf-8"));
                walk.expect(is_utf8, "X6", "another encoding");
            }
            Event::DocType(_) | Event::PI(_) => walk.add("X6", "something besides elements"),
            Event::Eof => break,
        }
    }
    assert!(walk.path.is_empty(), "{text}");
    walk.found
}

#[derive(Default)]
struct Walk {
    /// Names of the open elements.
    path: Vec<String>,
    /// Text since the last tag.
    text: String,
    found: Vec<String>,
}

impl Walk {
    fn add(&mut self, rule: &str, what: &str) {
        self.found.push(format!("{rule} {what}"));
    }

    fn expect(&mut self, holds: bool, rule: &str, what: &str) {
        if !holds {
            self.add(rule, what);
        }
    }

    fn in_metadata(&self) -> bool {
        self.path.last().is_some_and(|parent| parent == "metadata")
    }

    fn open(&mut self, start: &BytesStart<'_>, is_bound: bool) {
        let name = start.name().as_ref().to_string();
        let attributes: Vec<(String, String)> = start
            .attributes()
            .map(Result::unwrap)
            .map(|a| (a.key.as_ref().to_string(), a.value.to_string()))
            .collect();
        self.expect(!is_bound, "X6", "a name space");
        self.expect(is_name(&name), "X5", &name);
        let expected: Option<(&str, &[&str])> = match name.as_str() {
            _ if self.in_metadata() => None,
            "port" | "securePort" => Some(("enabled", &["true", "false"])),
            "dataCenterInfo" => Some((
                "class",
                &[
                    "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",
                    "com.netflix.appinfo.AmazonInfo",
                ],
            )),
            "metadata" if !attributes.is_empty() => {
                Some(("class", &["java.util.Collections$EmptyMap"]))
            }
            _ => None,
        };
        let rule = match name.as_str() {
            _ if self.in_metadata() => "X4",
            "port" | "securePort" => "X1",
            "dataCenterInfo" => "X2",
            _ => "X6",
        };
        match (expected, &attributes[..]) {
            (None, []) => {}
            (Some((key, values)), [(k, v)]) if k == key && values.contains(&v.as_str()) => {}
            _ => self.add(rule, &format!("{name} {attributes:?}")),
        }
        if self.path.is_empty() {
            let is_root = ["applications", "application", "instance"].contains(&name.as_str());
            self.expect(is_root, "X6", &name);
        }
        self.path.push(name);
        self.text.clear();
    }

    fn close(&mut self) {
        let name = self.path.pop().unwrap();
        let text = std::mem::take(&mut self.text);
        if NUMBERS.contains(&name.as_str()) && !self.in_metadata() {
            let rule = if name.ends_with("ort") { "X1" } else { "X3" };
            let digits = text
                .strip_prefix('-')
                .filter(|rest| *rest == "1")
                .unwrap_or(&text);
            let is_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            self.expect(is_digits, rule, &format!("{name}: {text:?}"));
        }
    }
}

/// A name of XML 1.0 without a colon, as far as tests need it.
fn is_name(name: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let stands = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    name.starts_with(starts) && name.chars().all(stands)
}

/// A canonical instance, as far as the rules go; the tests below spoil it.
const SAMPLE: &str = concat!(
    "<instance><port enabled=\"true\">80</port><securePort enabled=\"false\">443</securePort>",
    "<countryId>1</countryId>",
    "<dataCenterInfo class=\"com.netflix.appinfo.AmazonInfo\"><name>Amazon</name>",
    "<metadata><instance-id>i</instance-id></metadata></dataCenterInfo>",
    "<leaseInfo><durationInSecs>90</durationInSecs></leaseInfo>",
    "<metadata><port>a&amp;b</port><a_.003ab>c</a_.003ab></metadata>",
    "<lastDirtyTimestamp>1000</lastDirtyTimestamp></instance>",
);

#[test]
fn a_canonical_instance_is_found_to_be_one() {
    assert_canonical_xml(SAMPLE);
    assert_canonical_xml(&format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>{SAMPLE}"
    ));
}

#[test]
fn each_rule_is_missed_where_it_does_not_hold() {
    for (rule, from, to) in [
        ("X1", " enabled=\"true\"", ""),
        ("X1", "\"false\"", "\"no\""),
        ("X1", ">80<", "><"),
        ("X2", " class=\"com.netflix.appinfo.AmazonInfo\"", ""),
        ("X3", "<countryId>1<", "<countryId><"),
        ("X3", ">90<", ">9 0<"),
        ("X3", ">1000<", ">x<"),
        ("X4", "a&amp;b", "<![CDATA[a]]>"),
        ("X4", "a&amp;b", "<!-- a -->"),
        ("X4", "<a_.003ab>", "<a_.003ab x=\"y\">"),
        ("X5", "a_.003ab", "9x"),
        ("X6", "<instance>", "<instance xmlns=\"urn:x\">"),
        ("X6", "instance>", "instances>"),
    ] {
        let all = matches!(rule, "X5") || to == "instances>";
        let spoilt = SAMPLE.replacen(from, to, if all { 9 } else { 1 });
        assert_ne!(spoilt, SAMPLE, "{rule} {from}");
        let found = violations(&spoilt);
        assert!(
            found.iter().any(|f| f.starts_with(rule)),
            "{rule} {from}: {found:?}"
        );
    }
    // A colon makes a prefix of the name.
    let found = violations(&SAMPLE.replace("a_.003ab", "a:b"));
    assert!(found.iter().any(|f| f.starts_with("X5")), "{found:?}");
}
