//! XML in: registrations, and whole lists as other servers write them.
//!
//! Rules: wire.md §7.3 and foreign-clients.md §1.3, whichever is kinder: any order, unknown elements
//! skipped, attributes optional, empty elements absent.

use super::names;
use super::tree::{Element, parse};
use crate::model::{
    ActionType, Applications, ContentLimits, EpochMillis, InstanceInfo, InstanceStatus, Metadata,
    Text,
};
use crate::wire::ReadError;
use crate::wire::draft::{Draft, DraftDataCenter, DraftPort};
use crate::wire::json::number;

/// Reads `<instance>…</instance>`; Java's class name is accepted as the root, too.
pub fn registration(body: &str, limits: &ContentLimits) -> Result<Draft, ReadError> {
    let root = parse(body, limits)?;
    if !matches!(
        root.name.as_str(),
        "instance" | "com.netflix.appinfo.InstanceInfo"
    ) {
        return Err(ReadError::unusable("the root", "<instance>", &root.name));
    }
    instance(&root)
}

fn instance(root: &Element) -> Result<Draft, ReadError> {
    let mut draft = Draft::default();
    for element in &root.children {
        take_element(&mut draft, element)?;
    }
    Ok(draft)
}

fn take_element(draft: &mut Draft, element: &Element) -> Result<(), ReadError> {
    let content = element.content();
    match element.name.as_str() {
        "port" => draft.port = read_port(element, "port", true)?,
        "securePort" => draft.secure_port = read_port(element, "securePort", false)?,
        "dataCenterInfo" => draft.data_center = Some(read_data_center(element)),
        "leaseInfo" => read_lease(draft, element),
        "metadata" => draft.metadata = read_metadata(element),
        "status" => draft.status = content.map(InstanceStatus::from_body),
        "overriddenstatus" | "overriddenStatus" => {
            draft.override_status = content
                .map(InstanceStatus::from_body)
                .or(draft.override_status);
        }
        "countryId" => draft.country_id = content.map(|text| number(text).unwrap_or(0)),
        "lastUpdatedTimestamp" => draft.last_updated = stamp(content),
        "lastDirtyTimestamp" => draft.last_dirty = stamp(content),
        "actionType" => draft.action = content.and_then(ActionType::from_constant),
        name => {
            if let Some(place) = draft.text_mut(name) {
                *place = content.map(Text::from);
            }
        }
    }
    Ok(())
}

fn stamp(content: Option<&str>) -> Option<EpochMillis> {
    content.map(|text| number(text).unwrap_or(0))
}

/// `port` is enabled unless it says `false`, `securePort` only if it says `true`.
fn read_port(
    element: &Element,
    field: &'static str,
    enabled_unless_false: bool,
) -> Result<DraftPort, ReadError> {
    let port = element
        .content()
        .map(|text| number(text).ok_or_else(|| ReadError::unusable(field, "a port number", text)));
    let said = element
        .attributes
        .get("enabled")
        .map(|flag| flag.trim().to_ascii_lowercase());
    let enabled = match said.as_deref() {
        Some("true") => true,
        Some("false") => false,
        _ => enabled_unless_false,
    };
    Ok(DraftPort {
        number: port.transpose()?,
        enabled: Some(enabled),
    })
}

fn read_data_center(element: &Element) -> DraftDataCenter {
    DraftDataCenter {
        class: element
            .attributes
            .get("class")
            .map(|class| class.as_str().into()),
        name: element
            .child("name")
            .and_then(Element::content)
            .map(Text::from),
        metadata: element
            .child("metadata")
            .map(read_metadata)
            .unwrap_or_default(),
    }
}

fn read_lease(draft: &mut Draft, element: &Element) {
    let seconds = |name| {
        element
            .child(name)
            .and_then(Element::content)
            .and_then(number)
    };
    draft.renewal_interval_secs = seconds("renewalIntervalInSecs");
    draft.duration_secs = seconds("durationInSecs");
}

/// Keys are decoded; values keep their white space; nested elements have no text of their own.
fn read_metadata(element: &Element) -> Metadata {
    element
        .children
        .iter()
        .map(|child| (names::decode(&child.name), child.text.as_str()))
        .filter(|(key, _)| !key.is_empty() && key != "@class")
        .map(|(key, value)| (key.into(), value.into()))
        .collect()
}

/// Reads `<applications>…</applications>`; instances that cannot be accepted are left out and counted,
/// as in [`crate::wire::json::applications`].
pub fn applications(body: &str, now: EpochMillis) -> Result<(Applications, usize), ReadError> {
    let root = parse(body, &ContentLimits::NONE)?;
    if root.name != "applications" {
        return Err(ReadError::unusable(
            "the root",
            "<applications>",
            &root.name,
        ));
    }
    let text = |name| {
        root.child(name)
            .and_then(Element::content)
            .unwrap_or_default()
            .to_string()
    };
    let mut list = Applications {
        version: text("versions__delta"),
        hash_code: text("apps__hashcode"),
        ..Applications::default()
    };
    let mut left_out = 0;
    for app in root
        .children
        .iter()
        .filter(|child| child.name == "application")
    {
        for element in app.children.iter().filter(|child| child.name == "instance") {
            match accepted(element, now) {
                Some(info) => list.apps.entry(info.app.clone()).or_default().push(info),
                None => left_out += 1,
            }
        }
    }
    Ok((list, left_out))
}

fn accepted(element: &Element, now: EpochMillis) -> Option<InstanceInfo> {
    let draft = instance(element).ok()?;
    let app = draft.app.clone()?;
    draft.settle(&app, now).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DataCenter, Port};

    const HEAD: &str = "<hostName>h1</hostName><app>a</app><ipAddr>10.0.0.1</ipAddr>";

    fn read(elements: &str) -> InstanceInfo {
        let center = "<dataCenterInfo><name>MyOwn</name></dataCenterInfo>";
        let body = format!("<instance>{HEAD}{center}{elements}</instance>");
        registration(&body, &ContentLimits::NONE)
            .unwrap()
            .settle("a", 9)
            .unwrap()
    }

    #[test]
    fn ports_are_enabled_by_their_own_rules() {
        for (xml, port, secure) in [
            ("<port>80</port><securePort>443</securePort>", true, false),
            (
                "<port enabled=\"false\">80</port><securePort enabled=\"true\">443</securePort>",
                false,
                true,
            ),
            (
                "<port enabled=\"x\">80</port><securePort enabled=\"x\">443</securePort>",
                true,
                false,
            ),
        ] {
            let info = read(xml);
            assert_eq!(
                (info.port.number, info.secure_port.number),
                (80, 443),
                "{xml}"
            );
            assert_eq!(
                (info.port.enabled, info.secure_port.enabled),
                (port, secure),
                "{xml}"
            );
        }
        assert_eq!(read("<port/>").port, Port::DEFAULT);
        let junk = format!("<instance>{HEAD}<port>x</port></instance>");
        assert!(
            registration(&junk, &ContentLimits::NONE)
                .unwrap_err()
                .to_string()
                .starts_with("port: wanted")
        );
    }

    #[test]
    fn one_bad_lease_child_costs_only_itself() {
        let info = read(
            "<leaseInfo><renewalIntervalInSecs></renewalIntervalInSecs><odd>x</odd>
             <durationInSecs>20</durationInSecs></leaseInfo><vipAddress>v</vipAddress>",
        );
        assert_eq!(
            (info.lease.renewal_interval_secs, info.lease.duration_secs),
            (30, 20)
        );
        assert_eq!(info.vip_address.as_deref(), Some("v"));
    }

    #[test]
    fn metadata_keys_are_decoded_and_the_data_centre_s_stay_with_it() {
        let info = read("<metadata class=\"x\"><a__b> v </a__b><n><m>1</m></n><e/></metadata>");
        let pairs: Vec<_> = info.metadata.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(pairs, [("a_b", " v "), ("e", ""), ("n", "")]);

        let body = format!(
            "<instance>{HEAD}<dataCenterInfo><metadata><instance-id>i</instance-id></metadata>\
             <name>amazon</name></dataCenterInfo></instance>"
        );
        let info = registration(&body, &ContentLimits::NONE)
            .unwrap()
            .settle("a", 9)
            .unwrap();
        assert!(
            matches!(&info.data_center, DataCenter::Amazon(m) if m.get("instance-id").is_some_and(|id| **id == *"i"))
        );
    }
}
