//! JSON in: registrations, and whole lists as other servers write them.
//!
//! Rules: wire.md §5 and foreign-clients.md §1.3, whichever is kinder. Members may come in any order,
//! numbers as texts, ports bare or wrapped, both spellings of `overriddenStatus`; what is not known is
//! skipped.

use serde_json::value::RawValue;

use super::shape;
use super::value::{Members, Scalar, elements, number};
use crate::model::{
    ActionType, Applications, ContentLimits, EpochMillis, InstanceInfo, InstanceStatus, Metadata,
    Text,
};
use crate::wire::ReadError;
use crate::wire::draft::{Draft, DraftDataCenter, DraftPort};

/// Reads `{"instance": {…}}`.
pub fn registration(body: &str, limits: &ContentLimits) -> Result<Draft, ReadError> {
    shape::check(body, limits)?;
    let root = Members::read(body)?;
    let value = root.get("instance").ok_or_else(|| root_error(&root))?;
    let members = Members::of(value)
        .ok_or_else(|| ReadError::unusable("instance", "an object", value.get()))?;
    instance_members(&members)
}

fn root_error(root: &Members<'_>) -> ReadError {
    let got = root.iter().map(|(name, _)| name).collect::<Vec<_>>();
    ReadError::unusable("the body", "a member \"instance\"", &got.join(", "))
}

/// Reads the members of an instance; a member that is null counts as absent.
pub(in crate::wire) fn instance_members(members: &Members<'_>) -> Result<Draft, ReadError> {
    let mut draft = Draft::default();
    for (name, value) in members.iter() {
        take_member(&mut draft, name, value)?;
    }
    adopt_metadata_id(&mut draft);
    Ok(draft)
}

fn take_member(draft: &mut Draft, name: &str, value: &RawValue) -> Result<(), ReadError> {
    let scalar = Scalar::of(value);
    match name {
        "port" => draft.port = read_port(value),
        "securePort" => draft.secure_port = read_port(value),
        "dataCenterInfo" => draft.data_center = read_data_center(value)?,
        "leaseInfo" => read_lease(draft, value),
        "metadata" => draft.metadata = read_metadata(value),
        "status" => draft.status = scalar.into_text().map(|s| InstanceStatus::from_body(&s)),
        "overriddenStatus" | "overriddenstatus" => {
            if let Some(text) = scalar.into_text() {
                draft.override_status = Some(InstanceStatus::from_body(&text));
            }
        }
        "countryId" => draft.country_id = scalar.into_number(0),
        "lastUpdatedTimestamp" => draft.last_updated = scalar.into_number(0),
        "lastDirtyTimestamp" => draft.last_dirty = scalar.into_number(0),
        "actionType" => {
            draft.action = scalar
                .into_text()
                .and_then(|a| ActionType::from_constant(&a));
        }
        _ => {
            if let Some(place) = draft.text_mut(name) {
                *place = scalar.into_text().map(|text| Text::from(&*text));
            }
        }
    }
    Ok(())
}

/// A port: `{"$": 8080, "@enabled": "true"}`, a bare number or text (B2), or absent.
fn read_port(value: &RawValue) -> DraftPort {
    let Some(members) = Members::of(value) else {
        return DraftPort {
            number: Scalar::of(value).into_number(0),
            enabled: None,
        };
    };
    DraftPort {
        number: members.get("$").and_then(|n| Scalar::of(n).into_number(0)),
        enabled: members
            .get("@enabled")
            .and_then(|flag| Scalar::of(flag).into_flag()),
    }
}

fn read_data_center(value: &RawValue) -> Result<Option<DraftDataCenter>, ReadError> {
    if matches!(Scalar::of(value), Scalar::Null) {
        return Ok(None);
    }
    let members = Members::of(value)
        .ok_or_else(|| ReadError::unusable("dataCenterInfo", "an object", value.get()))?;
    let text = |name| {
        let value = members.get(name)?;
        Scalar::of(value).into_text().map(|text| Text::from(&*text))
    };
    Ok(Some(DraftDataCenter {
        class: text("@class"),
        name: text("name"),
        metadata: members
            .get("metadata")
            .map(read_metadata)
            .unwrap_or_default(),
    }))
}

fn read_lease(draft: &mut Draft, value: &RawValue) {
    let Some(members) = Members::of(value) else {
        return;
    };
    let seconds = |name| members.get(name).and_then(|v| Scalar::of(v).into_number(0));
    draft.renewal_interval_secs = seconds("renewalIntervalInSecs");
    draft.duration_secs = seconds("durationInSecs");
}

/// A flat map of texts. Other values become their JSON text (B12); the marker `@class` of Java's
/// empty map is dropped (B13), and so is a key without a name.
fn read_metadata(value: &RawValue) -> Metadata {
    let Some(members) = Members::of(value) else {
        return Metadata::default();
    };
    members
        .iter()
        .filter(|(key, _)| !key.is_empty() && *key != "@class")
        .map(|(key, value)| {
            let text = match Scalar::of(value) {
                Scalar::Text(text) => Text::from(&*text),
                Scalar::Null => "null".into(),
                Scalar::Literal(text) | Scalar::Nested(text) => text.into(),
            };
            (key.into(), text)
        })
        .collect()
}

/// Spring's servers take `metadata.instanceId` where `instanceId` is absent, with the host name in
/// front of it (wire.md §3.3).
pub(in crate::wire) fn adopt_metadata_id(draft: &mut Draft) {
    if draft.instance_id.is_some() {
        return;
    }
    let Some(id) = draft.metadata.get("instanceId").filter(|id| !id.is_empty()) else {
        return;
    };
    let host = draft.host_name.as_deref().unwrap_or_default();
    draft.instance_id = Some(if id.starts_with(host) {
        id.clone()
    } else {
        format!("{host}:{id}").into()
    });
}

/// Reads `{"applications": {…}}` as any server writes it, compact lists included. An instance that
/// cannot be accepted is left out, so that one odd record never costs the list; how many were left
/// out is the second value.
pub fn applications(body: &str, now: EpochMillis) -> Result<(Applications, usize), ReadError> {
    let root = Members::read(body)?;
    let value = root
        .get("applications")
        .ok_or_else(|| ReadError::unusable("the body", "a member \"applications\"", body))?;
    let members = Members::of(value)
        .ok_or_else(|| ReadError::unusable("applications", "an object", value.get()))?;
    let mut list = list_head(&members);
    let mut left_out = 0;
    let apps = members.get("application").map(elements).transpose()?;
    for app in apps.unwrap_or_default() {
        let members = Members::of(app)
            .ok_or_else(|| ReadError::unusable("application", "an object", app.get()))?;
        left_out += read_application(&mut list, &members, |draft| {
            let app = draft.app.clone()?;
            draft.settle(&app, now).ok()
        })?;
    }
    Ok((list, left_out))
}

/// The same for a reader who only wants to use what is listed: more is understood (client.md §12.3). A list without
/// `applications` around it is one, too; an instance needs no application of its own, no address beside its host
/// name and no data centre that exists.
pub fn listing(body: &str, now: EpochMillis) -> Result<(Applications, usize), ReadError> {
    let root = Members::read(body)?;
    let inner = root.get("applications").and_then(Members::of);
    let members = match inner {
        Some(inner) => inner,
        None if root.get("application").is_some() => root,
        None => {
            let wanted = "an object \"applications\"";
            return Err(ReadError::unusable("the body", wanted, body));
        }
    };
    let mut list = list_head(&members);
    let mut left_out = 0;
    let apps = members.get("application").map(elements).transpose()?;
    for app in apps.unwrap_or_default() {
        let Some(members) = Members::of(app) else {
            left_out += 1;
            continue;
        };
        let name = members.get("name").map(Scalar::of);
        let name = name.and_then(Scalar::into_text).unwrap_or_default();
        left_out += read_application(&mut list, &members, |draft| draft.settle_listed(&name, now))?;
    }
    Ok((list, left_out))
}

/// Version and hash code.
fn list_head(members: &Members<'_>) -> Applications {
    let text = |name| {
        let value: Option<&RawValue> = members.get(name);
        value
            .and_then(|v| Scalar::of(v).into_text())
            .unwrap_or_default()
            .into_owned()
    };
    Applications {
        version: text("versions__delta"),
        hash_code: text("apps__hashcode"),
        ..Applications::default()
    }
}

/// Returns how many instances are left out.
fn read_application(
    list: &mut Applications,
    members: &Members<'_>,
    settle: impl Fn(Draft) -> Option<InstanceInfo>,
) -> Result<usize, ReadError> {
    let instances = members
        .get("instance")
        .map(elements)
        .transpose()?
        .unwrap_or_default();
    let sent = instances.len();
    let accepted: Vec<InstanceInfo> = instances
        .into_iter()
        .filter_map(Members::of)
        .filter_map(|members| settle(instance_members(&members).ok()?))
        .collect();
    let left_out = sent - accepted.len();
    if let Some(first) = accepted.first() {
        list.apps
            .entry(first.app.clone())
            .or_default()
            .extend(accepted);
    }
    Ok(left_out)
}

/// The stamp in a batch item: a number, or a text of digits.
pub(in crate::wire) fn stamp(
    field: &'static str,
    value: &RawValue,
) -> Result<Option<EpochMillis>, ReadError> {
    match Scalar::of(value).into_text() {
        None => Ok(None),
        Some(text) => number(text.trim())
            .map(Some)
            .ok_or_else(|| ReadError::unusable(field, "milliseconds", &text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::DataCenter;

    const HEAD: &str =
        r#""hostName":"h1","app":"a","ipAddr":"10.0.0.1","dataCenterInfo":{"name":"MyOwn"}"#;

    fn read(members: &str) -> InstanceInfo {
        let body = format!(r#"{{"instance":{{{HEAD}{members}}}}}"#);
        registration(&body, &ContentLimits::NONE)
            .unwrap()
            .settle("a", 9)
            .unwrap()
    }

    #[test]
    fn ports_come_wrapped_bare_as_text_and_not_at_all() {
        for (json, number, enabled) in [
            (r#"{"$":80,"@enabled":"true"}"#, 80, true),
            (r#"{"@enabled":true,"$":"80"}"#, 80, true),
            (r#"{"$":80,"@enabled":"TRUE"}"#, 80, true),
            (r#"{"$":80,"@enabled":"80"}"#, 80, false),
            (r#"{"$":80,"@enabled":false,"x":{"y":[1]}}"#, 80, false),
            (r#"{"@enabled":"true"}"#, 7001, true),
            (r#"{"$":"junk"}"#, 0, true),
            ("80", 80, true),
            (r#""80""#, 80, true),
            ("null", 7001, true),
        ] {
            let port = read(&format!(r#","port":{json}"#)).port;
            assert_eq!((port.number, port.enabled), (number, enabled), "{json}");
        }
    }

    #[test]
    fn metadata_keeps_the_text_of_every_value() {
        let info = read(
            r#","metadata":{"@class":"x","n":1.10,"b":true,"z":null,"o":{"a":[1, 2]},"s":"t","":"x"}"#,
        );
        let pairs: Vec<_> = info.metadata.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(
            pairs,
            [
                ("b", "true"),
                ("n", "1.10"),
                ("o", r#"{"a":[1, 2]}"#),
                ("s", "t"),
                ("z", "null")
            ]
        );
    }

    #[test]
    fn unknown_members_of_any_kind_are_skipped_and_cost_nothing_after_them() {
        let info = read(
            r#","odd":{"hostName":"wrong","x":[{"y":1}]},"list":[1,[2]],
               "leaseInfo":{"odd":{"a":1},"durationInSecs":"10","evictionDurationInSecs":5},
               "vipAddress":"v""#,
        );
        assert_eq!(&*info.host_name, "h1");
        assert_eq!(info.lease.duration_secs, 10);
        assert_eq!(info.vip_address.as_deref(), Some("v"));
    }

    #[test]
    fn both_spellings_of_the_override_are_read_and_empty_means_none() {
        use InstanceStatus::OutOfService;
        for (json, expected) in [
            (
                r#","overriddenStatus":"OUT_OF_SERVICE""#,
                Some(OutOfService),
            ),
            (
                r#","overriddenstatus":"OUT_OF_SERVICE""#,
                Some(OutOfService),
            ),
            (
                r#","overriddenStatus":"OUT_OF_SERVICE","overriddenstatus":null"#,
                Some(OutOfService),
            ),
            (r#","overriddenstatus":"""#, None),
            (r#","overriddenstatus":"UNKNOWN""#, None),
        ] {
            assert_eq!(read(json).override_status, expected, "{json}");
        }
    }

    #[test]
    fn spring_s_id_from_metadata_gets_the_host_in_front() {
        for (json, id) in [
            (r#","metadata":{"instanceId":"7"}"#, "h1:7"),
            (r#","metadata":{"instanceId":"h1:7"}"#, "h1:7"),
            (r#","metadata":{"instanceId":""}"#, "h1"),
            (
                r#","instanceId":"own","metadata":{"instanceId":"7"}"#,
                "own",
            ),
        ] {
            assert_eq!(&**read(json).id(), id, "{json}");
        }
    }

    #[test]
    fn a_body_that_is_not_a_registration_says_why() {
        for (body, part) in [
            ("", "EOF"),
            ("null", "invalid type: null"),
            ("[]", "invalid type: sequence"),
            (r#"{"x":1}"#, "a member \\\"instance\\\""),
            (r#"{"instance":7}"#, "instance: wanted an object, got \"7\""),
            (
                r#"{"instance":{"dataCenterInfo":"x"}}"#,
                "dataCenterInfo: wanted an object",
            ),
            ("{'instance':{}}", "key must be a string"),
        ] {
            let error = registration(body, &ContentLimits::NONE);
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&part.replace('\\', "")), "{body}: {error}");
        }
    }

    #[test]
    fn a_list_survives_one_odd_record_and_single_elements() {
        let body = r#"{"applications":{"versions__delta":1,"apps__hashcode":"UP_1_","application":
            {"name":"A","instance":[{"hostName":"h","app":"A","ipAddr":"1","dataCenterInfo":
            {"@class":"x","name":"Amazon","metadata":{"instance-id":"i"}}},{"app":"A"}]}}}"#;
        let (list, left_out) = applications(body, 0).unwrap();
        assert_eq!((list.version.as_str(), left_out), ("1", 1));
        let info = &list.apps["A"][0];
        assert!(matches!(info.data_center, DataCenter::Amazon(_)));
    }

    /// client.md §12.3: each of these costs a Java client the whole answer, or at least the instance.
    #[test]
    fn a_reader_loses_no_instance_that_can_be_used_and_none_beside_one_that_cannot() {
        let good = r#"{"instanceId":"good","hostName":"h","app":"A","ipAddr":"1","status":"UP","dataCenterInfo":{"name":"MyOwn"}}"#;
        for (odd, usable) in [
            (
                r#"{"hostName":"h","app":"A","ipAddr":"1","x":{"y":[1]},"leaseInfo":{"z":1}}"#,
                true,
            ),
            (
                r#"{"hostName":"h","app":"A","port":{"$":1,"@enabled":"true","x":1}}"#,
                true,
            ),
            (
                r#"{"hostName":"h","app":"A","port":8080,"securePort":null}"#,
                true,
            ),
            (
                r#"{"hostName":"h","app":"A","dataCenterInfo":{"name":"Mars"}}"#,
                true,
            ),
            (
                r#"{"hostName":"h","app":"A","dataCenterInfo":{"name":"MyOwn","metadata":{}}}"#,
                true,
            ),
            (
                r#"{"hostName":"h","app":"A","dataCenterInfo":null,"status":null}"#,
                true,
            ),
            (
                r#"{"hostName":"h","app":"A","status":"weird","actionType":"WHAT"}"#,
                true,
            ),
            (
                r#"{"hostName":"h","app":"A","metadata":{"a":{"b":[]}},"overriddenStatus":"UP"}"#,
                true,
            ),
            (r#"{"hostName":"h"}"#, true),
            (r#"{"ipAddr":"1"}"#, true),
            (r#"{"instanceId":"","hostName":"h"}"#, true),
            (r#"{"instanceId":"i"}"#, false),
            (r#"{}"#, false),
            ("7", false),
            ("null", false),
        ] {
            let body = format!(
                r#"{{"applications":{{"application":[{{"name":"a","instance":[{odd},{good}]}},7]}}}}"#
            );
            let (list, left_out) = listing(&body, 0).unwrap();
            assert_eq!(left_out, 1 + usize::from(!usable), "{odd}");
            assert_eq!(list.apps["A"].len(), 1 + usize::from(usable), "{odd}");
        }
        for (body, apps) in [
            (r#"{"applications":{}}"#, 0),
            (
                r#"{"applications":{"application":{"name":"A","instance":{"hostName":"h"}}}}"#,
                1,
            ),
            (
                r#"{"application":[{"name":"A","instance":[{"hostName":"h"}]}]}"#,
                1,
            ),
            (r#"{"applications":{"application":[{"name":"A"}]}}"#, 0),
        ] {
            assert_eq!(listing(body, 0).unwrap().0.apps.len(), apps, "{body}");
        }
        for body in ["", "[]", "{}", "<applications/>", r#"{"error":"x"}"#] {
            assert!(listing(body, 0).is_err(), "{body}");
        }
    }
}
