//! The canonical output of foreign-clients.md §1.5 (JSON, O1–O13), as a check on any answer.
//!
//! It works on the text, since the order of some members is part of it. What it finds begins with the
//! number of the rule.

use serde_json::{Map, Value};

const DEFAULT_CENTER: &str =
    r#"{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":""#;
const AMAZON_CENTER: &str =
    r#"{"@class":"com.netflix.appinfo.AmazonInfo","name":"Amazon","metadata":{"#;
const EMPTY_MAP: &str = "java.util.Collections$EmptyMap";

const TEXTS: [&str; 3] = ["hostName", "app", "ipAddr"];
const OPTIONAL_TEXTS: [&str; 10] = [
    "instanceId",
    "sid",
    "appGroupName",
    "homePageUrl",
    "statusPageUrl",
    "healthCheckUrl",
    "secureHealthCheckUrl",
    "vipAddress",
    "secureVipAddress",
    "asgName",
];
const STRUCTURED: [&str; 12] = [
    "status",
    "overriddenStatus",
    "port",
    "securePort",
    "countryId",
    "dataCenterInfo",
    "leaseInfo",
    "metadata",
    "isCoordinatingDiscoveryServer",
    "lastUpdatedTimestamp",
    "lastDirtyTimestamp",
    "actionType",
];
const LEASE: [&str; 6] = [
    "renewalIntervalInSecs",
    "durationInSecs",
    "registrationTimestamp",
    "lastRenewalTimestamp",
    "evictionTimestamp",
    "serviceUpTimestamp",
];
/// Texts, not booleans.
const FLAGS: [&str; 2] = ["true", "false"];
const STATUSES: [&str; 5] = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"];

/// Panics unless a JSON document (a list, an application or an instance) is canonical.
pub fn assert_canonical(text: &str) {
    let found = violations(text);
    assert!(found.is_empty(), "{found:#?}\n{text}");
}

fn violations(text: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(text).unwrap();
    let mut found = Found::default();
    found.nulls(&document, "");
    found.data_centers(text);
    let root = document.as_object().unwrap();
    found.only(
        root,
        &["applications", "application", "instance"],
        "O10 root",
    );
    match (
        root.get("applications"),
        root.get("application"),
        root.get("instance"),
    ) {
        (Some(list), None, None) => found.list(list),
        (None, Some(app), None) => found.application(app),
        (None, None, Some(instance)) => found.instance(instance),
        _ => found.add("O10", "one root"),
    }
    found.0
}

/// What was found.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn add(&mut self, rule: &str, what: &str) {
        self.0.push(format!("{rule} {what}"));
    }

    fn expect(&mut self, holds: bool, rule: &str, what: &str) {
        if !holds {
            self.add(rule, what);
        }
    }

    /// O10: no other keys.
    fn only(&mut self, object: &Map<String, Value>, known: &[&str], what: &str) {
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            self.add("O10", &format!("{what}: {key}"));
        }
    }

    /// O8.
    fn nulls(&mut self, value: &Value, path: &str) {
        match value {
            Value::Null => self.add("O8", path),
            Value::Array(all) => all.iter().for_each(|value| self.nulls(value, path)),
            Value::Object(all) => all.iter().for_each(|(key, value)| self.nulls(value, key)),
            _ => {}
        }
    }

    /// O9, the order; no text can hold the key with its quotes unescaped.
    fn data_centers(&mut self, text: &str) {
        for center in text.split("\"dataCenterInfo\":").skip(1) {
            let default = center.strip_prefix(DEFAULT_CENTER);
            let is_default = default
                .is_some_and(|rest| rest.starts_with("MyOwn\"}") || rest.starts_with("Netflix\"}"));
            let is_known = is_default || center.starts_with(AMAZON_CENTER);
            self.expect(is_known, "O9", &center[..center.len().min(160)]);
        }
    }

    fn list(&mut self, list: &Value) {
        let Some(object) = list.as_object() else {
            return self.add("O1", "applications is no object");
        };
        self.only(
            object,
            &["versions__delta", "apps__hashcode", "application"],
            "applications",
        );
        let version = object.get("versions__delta");
        self.expect(version.is_some(), "O6", "versions__delta");
        self.expect(
            object.contains_key("apps__hashcode"),
            "O6",
            "apps__hashcode",
        );
        self.expect(version.is_none_or(is_digits), "O5", "versions__delta");
        match object.get("application").and_then(Value::as_array) {
            Some(apps) => apps.iter().for_each(|app| self.application(app)),
            None => self.add("O1", "application is no array"),
        }
    }

    fn application(&mut self, app: &Value) {
        let Some(object) = app.as_object() else {
            return self.add("O1", "an application is no object");
        };
        self.only(object, &["name", "instance"], "application");
        let name = object
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        self.expect(!name.is_empty() && name == name.to_uppercase(), "O13", name);
        let Some(instances) = object.get("instance").and_then(Value::as_array) else {
            return self.add("O1", "instance is no array");
        };
        self.expect(
            !instances.is_empty(),
            "O1",
            "an application without instances",
        );
        for instance in instances {
            self.expect(instance["app"] == name, "O13", name);
            self.instance(instance);
        }
    }

    fn instance(&mut self, instance: &Value) {
        let Some(object) = instance.as_object() else {
            return self.add("O1", "an instance is no object");
        };
        let known = [&TEXTS[..], &OPTIONAL_TEXTS, &STRUCTURED].concat();
        self.only(object, &known, "instance");
        for member in TEXTS {
            self.expect(instance[member].is_string(), "O11", member);
        }
        for member in OPTIONAL_TEXTS {
            self.expect(
                object.get(member).is_none_or(Value::is_string),
                "O11",
                member,
            );
        }
        self.words(instance);
        for member in ["port", "securePort"] {
            self.port(&instance[member], member);
        }
        self.expect(instance["countryId"].is_u64(), "O4", "countryId");
        let center = &instance["dataCenterInfo"];
        self.expect(center.is_object(), "O9", "dataCenterInfo");
        self.lease(&instance["leaseInfo"]);
        self.metadata(&instance["metadata"]);
    }

    /// Texts that have only so many values, or are digits.
    fn words(&mut self, instance: &Value) {
        let actions = ["ADDED", "MODIFIED", "DELETED"];
        for (rule, member, words) in [
            ("O7", "status", &STATUSES[..]),
            ("O7", "overriddenStatus", &STATUSES),
            ("O5", "isCoordinatingDiscoveryServer", &FLAGS),
            ("O10", "actionType", &actions),
        ] {
            let word = instance[member].as_str().unwrap_or_default();
            self.expect(words.contains(&word), rule, member);
        }
        for member in ["lastUpdatedTimestamp", "lastDirtyTimestamp"] {
            self.expect(is_digits(&instance[member]), "O5", member);
        }
    }

    fn port(&mut self, port: &Value, member: &str) {
        let Some(object) = port.as_object() else {
            return self.add("O3", member);
        };
        self.only(object, &["$", "@enabled"], member);
        let number = port["$"].as_u64();
        self.expect(number.is_some_and(|number| number < 65_536), "O2", member);
        let flag = port["@enabled"].as_str().unwrap_or_default();
        self.expect(FLAGS.contains(&flag), "O2", member);
    }

    fn lease(&mut self, lease: &Value) {
        let Some(object) = lease.as_object() else {
            return self.add("O4", "leaseInfo");
        };
        self.only(object, &LEASE, "leaseInfo");
        for member in LEASE {
            self.expect(lease[member].is_u64(), "O4", member);
        }
        for member in &LEASE[..2] {
            let positive = lease[member].as_u64().is_some_and(|seconds| seconds > 0);
            self.expect(positive, "O4", member);
        }
    }

    fn metadata(&mut self, metadata: &Value) {
        let Some(object) = metadata.as_object() else {
            return self.add("O12", "metadata");
        };
        let is_marker = object.len() == 1 && metadata["@class"] == EMPTY_MAP;
        self.expect(is_marker || !object.contains_key("@class"), "O12", "@class");
        self.expect(
            !object.is_empty(),
            "O12",
            "empty metadata without the marker",
        );
        self.expect(
            object.values().all(Value::is_string),
            "O12",
            "a value that is no text",
        );
    }
}

/// A text of digits; a list of a VIP has `-1`.
fn is_digits(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    text == "-1" || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

/// A canonical list; the tests below spoil it.
const SAMPLE: &str = concat!(
    r#"{"applications":{"versions__delta":"1","apps__hashcode":"UP_1_","application":[{"name":"A","instance":["#,
    r#"{"instanceId":"i","hostName":"h","app":"A","ipAddr":"1","status":"UP","overriddenStatus":"UNKNOWN","#,
    r#""port":{"$":8080,"@enabled":"true"},"securePort":{"$":443,"@enabled":"false"},"countryId":1,"#,
    r#""dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"},"#,
    r#""leaseInfo":{"renewalIntervalInSecs":30,"durationInSecs":90,"registrationTimestamp":1,"#,
    r#""lastRenewalTimestamp":1,"evictionTimestamp":0,"serviceUpTimestamp":1},"metadata":{"zone":"a"},"#,
    r#""isCoordinatingDiscoveryServer":"false","lastUpdatedTimestamp":"1","lastDirtyTimestamp":"1","#,
    r#""actionType":"ADDED"}]}]}}"#,
);

#[test]
fn a_canonical_list_is_found_to_be_one() {
    assert_canonical(SAMPLE);
    let amazon = r#""dataCenterInfo":{"@class":"com.netflix.appinfo.AmazonInfo","name":"Amazon","metadata":{"x":"y"}},"#;
    let start = SAMPLE.find("\"dataCenterInfo\"").unwrap();
    let end = SAMPLE.find("\"leaseInfo\"").unwrap();
    assert_canonical(&format!("{}{amazon}{}", &SAMPLE[..start], &SAMPLE[end..]));
    assert_canonical(&SAMPLE.replace(
        r#"{"zone":"a"}"#,
        r#"{"@class":"java.util.Collections$EmptyMap"}"#,
    ));
}

#[test]
fn each_rule_is_missed_where_it_does_not_hold() {
    for (rule, from, to) in [
        ("O1", r#""instance":[{"#, r#""instance":{"x":{"#),
        (
            "O1",
            r#"[{"name":"A""#,
            r#"[{"name":"B","instance":[]},{"name":"A""#,
        ),
        ("O2", r#""$":8080"#, r#""$":"8080""#),
        ("O2", r#""@enabled":"true""#, r#""@enabled":true"#),
        ("O3", r#""securePort":{"$":443,"@enabled":"false"},"#, ""),
        ("O4", r#""countryId":1"#, r#""countryId":"1""#),
        ("O4", r#""evictionTimestamp":0,"#, ""),
        ("O4", r#""durationInSecs":90"#, r#""durationInSecs":0"#),
        (
            "O5",
            r#""lastDirtyTimestamp":"1""#,
            r#""lastDirtyTimestamp":1"#,
        ),
        (
            "O5",
            r#""isCoordinatingDiscoveryServer":"false""#,
            r#""isCoordinatingDiscoveryServer":false"#,
        ),
        ("O5", r#""versions__delta":"1""#, r#""versions__delta":1"#),
        ("O6", r#""versions__delta":"1","#, ""),
        ("O6", r#""apps__hashcode":"UP_1_","#, ""),
        ("O7", "overriddenStatus", "overriddenstatus"),
        ("O7", r#""overriddenStatus":"UNKNOWN","#, ""),
        ("O8", r#""hostName":"h""#, r#""sid":null,"hostName":"h""#),
        (
            "O9",
            r#""name":"MyOwn"}"#,
            r#""name":"MyOwn","metadata":{}}"#,
        ),
        ("O9", r#""name":"MyOwn""#, r#""name":"Amazon""#),
        (
            "O9",
            r#"{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"}"#,
            r#"{"name":"MyOwn"}"#,
        ),
        (
            "O10",
            r#""serviceUpTimestamp":1"#,
            r#""serviceUpTimestamp":1,"x":1"#,
        ),
        ("O10", r#""hostName":"h""#, r#""x":"y","hostName":"h""#),
        (
            "O10",
            r#""versions__delta":"1""#,
            r#""versions__delta":"1","x":"1""#,
        ),
        (
            "O11",
            r#""hostName":"h""#,
            r#""vipAddress":7,"hostName":"h""#,
        ),
        ("O12", r#"{"zone":"a"}"#, r#"{"zone":1}"#),
        ("O12", r#"{"zone":"a"}"#, "{}"),
        ("O13", r#""name":"A""#, r#""name":"a""#),
        ("O13", r#""app":"A""#, r#""app":"B""#),
    ] {
        let mut spoilt = SAMPLE.replacen(from, to, 1);
        if to.ends_with("{\"x\":{") {
            spoilt = spoilt.replacen("}]}]}}", "}}}]}}", 1);
        }
        assert_ne!(spoilt, SAMPLE, "{rule} {from}");
        let found = violations(&spoilt);
        assert!(
            found.iter().any(|f| f.starts_with(&format!("{rule} "))),
            "{rule} {from}: {found:?}"
        );
    }
}
