//! A registration before it is accepted: every member may be missing.
//!
//! The readers fill in what they find; [`Draft::settle`] decides whether it is enough, in the order of
//! checks of the reference (wire.md §3.3), and makes the canonical record of foreign-clients.md §1.4.

use super::shortened;
use crate::model::{
    ActionType, DataCenter, EpochMillis, InstanceInfo, InstanceStatus, LeaseTerms, Metadata, Port,
    Text,
};

/// The Java class that marks an Amazon data centre.
pub(super) const AMAZON_CLASS: &str = "com.netflix.appinfo.AmazonInfo";
/// The Java class of every other data centre.
pub(super) const DEFAULT_CLASS: &str = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";
/// What stands in place of empty metadata.
pub(super) const EMPTY_MAP_CLASS: &str = "java.util.Collections$EmptyMap";

/// A number that fits Java's `int`; larger ones would make Java readers refuse whole lists.
const JAVA_INT_MAX: u64 = i32::MAX as u64;

/// What a client sent; absent members are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the members of InstanceInfo, documented there")]
pub struct Draft {
    pub instance_id: Option<Text>,
    pub host_name: Option<Text>,
    pub app: Option<Text>,
    pub ip_addr: Option<Text>,
    pub sid: Option<Text>,
    pub status: Option<InstanceStatus>,
    pub override_status: Option<InstanceStatus>,
    pub port: DraftPort,
    pub secure_port: DraftPort,
    pub country_id: Option<u64>,
    pub data_center: Option<DraftDataCenter>,
    pub renewal_interval_secs: Option<u64>,
    pub duration_secs: Option<u64>,
    pub metadata: Metadata,
    pub app_group_name: Option<Text>,
    pub home_page_url: Option<Text>,
    pub status_page_url: Option<Text>,
    pub health_check_url: Option<Text>,
    pub secure_health_check_url: Option<Text>,
    pub vip_address: Option<Text>,
    pub secure_vip_address: Option<Text>,
    pub last_updated: Option<EpochMillis>,
    pub last_dirty: Option<EpochMillis>,
    pub action: Option<ActionType>,
    pub asg_name: Option<Text>,
}

/// A port as sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DraftPort {
    /// Any number; clamped to 0–65535 later.
    pub number: Option<u64>,
    /// The flag, if there was one.
    pub enabled: Option<bool>,
}

/// A data centre as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DraftDataCenter {
    /// `@class` or the `class` attribute.
    pub class: Option<Text>,
    /// `name`.
    pub name: Option<Text>,
    /// Its own metadata, kept for Amazon only.
    pub metadata: Metadata,
}

/// Why a registration that could be read is not accepted. The texts are the reference's where it has
/// one (wire.md §3.3).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum Refusal {
    #[error("Missing instanceId")]
    MissingInstanceId,
    #[error("Missing hostname")]
    MissingHostName,
    #[error("Missing ip address")]
    MissingIpAddress,
    #[error("Missing appName")]
    MissingAppName,
    #[error("Mismatched appName, expecting {expected} but was {got}")]
    MismatchedAppName { expected: String, got: String },
    #[error("Missing dataCenterInfo")]
    MissingDataCenter,
    #[error("Missing dataCenterInfo Name")]
    MissingDataCenterName,
    #[error("Unknown dataCenterInfo Name, wanted MyOwn, Netflix or Amazon, got {0}")]
    UnknownDataCenterName(String),
}

impl Draft {
    /// The place of a member that is a plain text, by its name in JSON and XML.
    pub(super) fn text_mut(&mut self, name: &str) -> Option<&mut Option<Text>> {
        Some(match name {
            "instanceId" => &mut self.instance_id,
            "hostName" => &mut self.host_name,
            "app" => &mut self.app,
            "ipAddr" => &mut self.ip_addr,
            "sid" => &mut self.sid,
            "appGroupName" => &mut self.app_group_name,
            "homePageUrl" => &mut self.home_page_url,
            "statusPageUrl" => &mut self.status_page_url,
            "healthCheckUrl" => &mut self.health_check_url,
            "secureHealthCheckUrl" => &mut self.secure_health_check_url,
            "vipAddress" => &mut self.vip_address,
            "secureVipAddress" => &mut self.secure_vip_address,
            "asgName" => &mut self.asg_name,
            _ => return None,
        })
    }

    /// Accepts the registration for the application named in the path, or says what is wrong with it.
    ///
    /// `now` stands in for a missing `lastDirtyTimestamp`. A body without `app` belongs to the
    /// application of the path (foreign-clients.md B15).
    pub fn settle(mut self, path_app: &str, now: EpochMillis) -> Result<InstanceInfo, Refusal> {
        let expected = path_app.to_uppercase();
        self.check(&expected)?;
        let data_center = self.settle_data_center()?;
        let mut info = InstanceInfo {
            instance_id: self.instance_id,
            host_name: self.host_name.unwrap_or_else(|| "".into()),
            app: expected.into(),
            ip_addr: self.ip_addr.unwrap_or_else(|| "".into()),
            sid: self.sid.filter(|sid| !matches!(&**sid, "na" | "unknown")),
            status: self.status.unwrap_or(InstanceStatus::Up),
            override_status: self
                .override_status
                .filter(|status| *status != InstanceStatus::Unknown),
            port: self.port.or(Port::DEFAULT),
            secure_port: self.secure_port.or(Port::DEFAULT_SECURE),
            country_id: java_int(self.country_id.unwrap_or(1)),
            data_center,
            lease: LeaseTerms {
                renewal_interval_secs: positive(self.renewal_interval_secs)
                    .unwrap_or(LeaseTerms::default().renewal_interval_secs),
                duration_secs: positive(self.duration_secs)
                    .unwrap_or(LeaseTerms::default().duration_secs),
            },
            metadata: self.metadata,
            app_group_name: self.app_group_name.map(|group| upper(&group)),
            home_page_url: self.home_page_url,
            status_page_url: self.status_page_url,
            health_check_url: self.health_check_url,
            secure_health_check_url: self.secure_health_check_url,
            vip_address: self.vip_address,
            secure_vip_address: self.secure_vip_address,
            last_updated: self.last_updated.unwrap_or(now),
            last_dirty: self.last_dirty.unwrap_or(now),
            action: self.action.unwrap_or(ActionType::Added),
            asg_name: self.asg_name,
        };
        complete_amazon(&mut info);
        Ok(info)
    }

    /// For a reader who only wants to use the instance: what is missing is filled in from what is there. Nothing
    /// where neither a host nor an address is known, or no application.
    pub(super) fn settle_listed(mut self, app: &str, now: EpochMillis) -> Option<InstanceInfo> {
        let filled = |text: Option<Text>| text.filter(|text| !text.is_empty());
        let (host, address) = (filled(self.host_name.take()), filled(self.ip_addr.take()));
        self.host_name = host.clone().or_else(|| address.clone());
        self.ip_addr = address.or(host);
        let app = filled(self.app.take()).unwrap_or_else(|| app.into());
        self.data_center = self.data_center.filter(|center| {
            let name = center.name.as_deref().unwrap_or_default();
            let known = |known: &&str| known.eq_ignore_ascii_case(name);
            ["MyOwn", "Netflix", "Amazon"].iter().any(known) || center.is_amazon()
        });
        self.data_center.get_or_insert_with(|| DraftDataCenter {
            name: Some("MyOwn".into()),
            ..DraftDataCenter::default()
        });
        self.settle(&app, now).ok()
    }

    /// The reference's checks in the reference's order.
    fn check(&self, expected: &str) -> Result<(), Refusal> {
        let filled = |text: &Option<Text>| text.as_ref().is_some_and(|text| !text.is_empty());
        let amazon_id = self.data_center.as_ref().is_some_and(|center| {
            center.is_amazon()
                && center
                    .metadata
                    .get("instance-id")
                    .is_some_and(|id| !id.is_empty())
        });
        if !filled(&self.instance_id) && !amazon_id && !filled(&self.host_name) {
            return Err(Refusal::MissingInstanceId);
        }
        if !filled(&self.host_name) {
            return Err(Refusal::MissingHostName);
        }
        if !filled(&self.ip_addr) {
            return Err(Refusal::MissingIpAddress);
        }
        match self.app.as_ref().map(|app| upper(app)) {
            _ if expected.is_empty() => Err(Refusal::MissingAppName),
            Some(app) if app.is_empty() => Err(Refusal::MissingAppName),
            Some(app) if *app != *expected => Err(Refusal::MismatchedAppName {
                expected: expected.to_string(),
                got: app.to_string(),
            }),
            _ => Ok(()),
        }
    }

    fn settle_data_center(&mut self) -> Result<DataCenter, Refusal> {
        let center = self.data_center.take().ok_or(Refusal::MissingDataCenter)?;
        if center.is_amazon() {
            return Ok(DataCenter::Amazon(center.metadata));
        }
        match center.name.as_deref() {
            None | Some("") => Err(Refusal::MissingDataCenterName),
            Some(name) if name.eq_ignore_ascii_case("MyOwn") => Ok(DataCenter::MyOwn),
            Some(name) if name.eq_ignore_ascii_case("Netflix") => Ok(DataCenter::Netflix),
            Some(name) => Err(Refusal::UnknownDataCenterName(shortened(name))),
        }
    }
}

impl DraftDataCenter {
    /// The name decides; the class only where there is no name.
    fn is_amazon(&self) -> bool {
        match self.name.as_deref() {
            Some(name) if !name.is_empty() => name.eq_ignore_ascii_case("Amazon"),
            _ => self.class.as_deref() == Some(AMAZON_CLASS),
        }
    }
}

impl DraftPort {
    fn or(self, default: Port) -> Port {
        Port {
            number: self.number.map_or(default.number, |number| {
                u16::try_from(number).unwrap_or(u16::MAX)
            }),
            enabled: self.enabled.unwrap_or(default.enabled),
        }
    }
}

/// An Amazon record always has an `instance-id`: without one, the delta merge of every Java client
/// would end at it.
fn complete_amazon(info: &mut InstanceInfo) {
    let id = info.id().clone();
    if let DataCenter::Amazon(metadata) = &mut info.data_center
        && metadata.get("instance-id").is_none_or(|id| id.is_empty())
    {
        *metadata = metadata.with([("instance-id".into(), id)]);
    }
}

fn java_int(number: u64) -> u32 {
    number.min(JAVA_INT_MAX) as u32
}

fn positive(number: Option<u64>) -> Option<u32> {
    number.filter(|n| *n > 0).map(java_int)
}

fn upper(text: &str) -> Text {
    text.to_uppercase().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Draft {
        Draft {
            instance_id: Some("i-1".into()),
            host_name: Some("h".into()),
            app: Some("orders".into()),
            ip_addr: Some("10.0.0.1".into()),
            data_center: Some(center("MyOwn")),
            ..Draft::default()
        }
    }

    fn center(name: &str) -> DraftDataCenter {
        DraftDataCenter {
            name: Some(name.into()),
            ..DraftDataCenter::default()
        }
    }

    #[test]
    fn the_first_missing_member_is_named_in_the_order_of_the_reference() {
        type Edit = fn(&mut Draft);
        let table: [(Edit, &str); 11] = [
            (|d| *d = Draft::default(), "Missing instanceId"),
            (|d| d.host_name = None, "Missing hostname"),
            (|d| d.host_name = Some("".into()), "Missing hostname"),
            (|d| d.ip_addr = None, "Missing ip address"),
            (|d| d.ip_addr = Some("".into()), "Missing ip address"),
            (|d| d.app = Some("".into()), "Missing appName"),
            (
                |d| d.app = Some("other".into()),
                "Mismatched appName, expecting ORDERS but was OTHER",
            ),
            (|d| d.data_center = None, "Missing dataCenterInfo"),
            (
                |d| d.data_center = Some(DraftDataCenter::default()),
                "Missing dataCenterInfo Name",
            ),
            (
                |d| d.data_center = Some(center("Mars")),
                "Unknown dataCenterInfo Name, wanted MyOwn, Netflix or Amazon, got \"Mars\"",
            ),
            (
                |d| (d.instance_id, d.host_name) = (None, None),
                "Missing instanceId",
            ),
        ];
        for (edit, expected) in table {
            let mut draft = complete();
            edit(&mut draft);
            let refusal = draft.settle("orders", 5).unwrap_err();
            assert_eq!(refusal.to_string(), expected);
        }
    }

    #[test]
    fn what_is_missing_gets_the_reference_s_default() {
        let info = complete().settle("orders", 77).unwrap();
        assert_eq!(&*info.app, "ORDERS");
        assert_eq!(info.status, InstanceStatus::Up);
        assert_eq!(info.override_status, None);
        assert_eq!(
            (info.port, info.secure_port),
            (Port::DEFAULT, Port::DEFAULT_SECURE)
        );
        assert_eq!(info.lease, LeaseTerms::default());
        assert_eq!((info.country_id, info.last_dirty), (1, 77));
    }

    #[test]
    fn numbers_that_java_cannot_hold_are_clamped_and_zero_means_missing() {
        let info = Draft {
            renewal_interval_secs: Some(0),
            duration_secs: Some(u64::MAX),
            country_id: Some(u64::MAX),
            port: DraftPort {
                number: Some(70_000),
                enabled: None,
            },
            ..complete()
        }
        .settle("orders", 0)
        .unwrap();
        assert_eq!(info.lease.renewal_interval_secs, 30);
        assert_eq!(info.lease.duration_secs, i32::MAX as u32);
        assert_eq!(info.country_id, i32::MAX as u32);
        assert_eq!(info.port.number, u16::MAX);
    }

    #[test]
    fn an_amazon_record_always_has_an_instance_id() {
        let amazon = |class: Option<&str>, name: Option<&str>, id: Option<&str>| Draft {
            data_center: Some(DraftDataCenter {
                class: class.map(Into::into),
                name: name.map(Into::into),
                metadata: id
                    .map(|id| ("instance-id".into(), id.into()))
                    .into_iter()
                    .collect(),
            }),
            ..complete()
        };
        for (draft, expected) in [
            (amazon(None, Some("Amazon"), None), Some("i-1")),
            (amazon(None, Some("amazon"), Some("aws-1")), Some("aws-1")),
            (amazon(Some(AMAZON_CLASS), None, None), Some("i-1")),
            (
                amazon(Some(DEFAULT_CLASS), Some("Amazon"), Some("")),
                Some("i-1"),
            ),
            (
                amazon(Some(AMAZON_CLASS), Some("MyOwn"), Some("aws-1")),
                None,
            ),
        ] {
            let info = draft.settle("orders", 0).unwrap();
            let id = match &info.data_center {
                DataCenter::Amazon(metadata) => metadata.get("instance-id").map(|id| &**id),
                _ => None,
            };
            assert_eq!(id, expected);
        }
    }
}
