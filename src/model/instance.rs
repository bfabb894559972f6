//! One instance as the registry keeps it: the canonical form of foreign-clients.md §1.4.
//!
//! Records are immutable once they are registered; a change makes a new one. Texts are shared
//! ([`Text`]), so that such a copy costs a few reference counts.

use super::{ActionType, InstanceStatus, Metadata};

/// A shared, immutable text; one word wide, because a record has a dozen of them.
pub type Text = arcstr::ArcStr;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type EpochMillis = u64;

/// Where an instance is held: its application (upper case) and its id (byte for byte).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceKey {
    /// The application's name, in upper case.
    pub app: Text,
    /// The effective instance id, see [`InstanceInfo::id`].
    pub id: Text,
}

impl InstanceKey {
    /// A key from a name in any case and an id.
    pub fn new(app: &str, id: &str) -> Self {
        Self {
            app: app.to_uppercase().into(),
            id: id.into(),
        }
    }
}

impl std::fmt::Display for InstanceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.app, self.id)
    }
}

/// Quoted and escaped, so that no name can forge a log line.
impl std::fmt::Debug for InstanceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// One registered instance; the members of wire.md §10.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceInfo {
    /// The id as sent; `None` when the client sent none, see [`InstanceInfo::id`].
    pub instance_id: Option<Text>,
    /// Never empty.
    pub host_name: Text,
    /// Application name in upper case.
    pub app: Text,
    /// Never empty.
    pub ip_addr: Text,
    /// Obsolete; `None` for the values `na` and `unknown`.
    pub sid: Option<Text>,
    /// The status that readers see.
    pub status: InstanceStatus,
    /// The override in force, if any; it lives and dies with the lease (B-08, B-09).
    pub override_status: Option<InstanceStatus>,
    /// Port of plain requests.
    pub port: Port,
    /// Port of TLS requests.
    pub secure_port: Port,
    /// Obsolete; 1 when absent.
    pub country_id: u32,
    /// Where the instance runs.
    pub data_center: DataCenter,
    /// What the client asked of its lease.
    pub lease: LeaseTerms,
    /// Free pairs; keys are never empty.
    pub metadata: Metadata,
    /// Grouping; in upper case when it came as JSON.
    pub app_group_name: Option<Text>,
    /// Opaque.
    pub home_page_url: Option<Text>,
    /// Opaque.
    pub status_page_url: Option<Text>,
    /// Opaque.
    pub health_check_url: Option<Text>,
    /// Opaque.
    pub secure_health_check_url: Option<Text>,
    /// Comma list of virtual host names; compared exactly, not trimmed.
    pub vip_address: Option<Text>,
    /// The same for TLS.
    pub secure_vip_address: Option<Text>,
    /// When the registry last changed this record.
    pub last_updated: EpochMillis,
    /// The client's version of its own data; decides which of two copies is newer.
    pub last_dirty: EpochMillis,
    /// What the last visible change was.
    pub action: ActionType,
    /// AWS auto-scaling group; echoed, without effect.
    pub asg_name: Option<Text>,
}

impl InstanceInfo {
    /// An instance of which nothing else is known: UP, with the values that the protocol takes for what is
    /// absent (wire.md §5.2), and all stamps 0.
    pub fn new(app: &str, host_name: &str, ip_addr: &str) -> Self {
        Self {
            instance_id: None,
            host_name: host_name.into(),
            app: app.into(),
            ip_addr: ip_addr.into(),
            sid: None,
            status: InstanceStatus::Up,
            override_status: None,
            port: Port::DEFAULT,
            secure_port: Port::DEFAULT_SECURE,
            country_id: 1,
            data_center: DataCenter::MyOwn,
            lease: LeaseTerms::default(),
            metadata: Metadata::default(),
            app_group_name: None,
            home_page_url: None,
            status_page_url: None,
            health_check_url: None,
            secure_health_check_url: None,
            vip_address: None,
            secure_vip_address: None,
            last_updated: 0,
            last_dirty: 0,
            action: ActionType::Added,
            asg_name: None,
        }
    }

    /// Every text in it but the application's name and metadata, by its name on the wire; absent ones are
    /// left out.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, &Text)> {
        let needed = [("hostName", &self.host_name), ("ipAddr", &self.ip_addr)];
        let optional = [
            ("instanceId", &self.instance_id),
            ("sid", &self.sid),
            ("appGroupName", &self.app_group_name),
            ("homePageUrl", &self.home_page_url),
            ("statusPageUrl", &self.status_page_url),
            ("healthCheckUrl", &self.health_check_url),
            ("secureHealthCheckUrl", &self.secure_health_check_url),
            ("vipAddress", &self.vip_address),
            ("secureVipAddress", &self.secure_vip_address),
            ("asgName", &self.asg_name),
        ];
        let present = optional.into_iter();
        let present = present.filter_map(|(name, text)| Some((name, text.as_ref()?)));
        needed.into_iter().chain(present)
    }

    /// The effective id: `instanceId`, else Amazon's `instance-id`, else the host name; the first
    /// that is not empty (wire.md §3.3).
    pub fn id(&self) -> &Text {
        let own = self.instance_id.as_ref().filter(|id| !id.is_empty());
        let amazon = || match &self.data_center {
            DataCenter::Amazon(metadata) => metadata.get("instance-id").filter(|id| !id.is_empty()),
            DataCenter::MyOwn | DataCenter::Netflix => None,
        };
        own.or_else(amazon).unwrap_or(&self.host_name)
    }

    /// The place of this record in the registry.
    pub fn key(&self) -> InstanceKey {
        InstanceKey {
            app: self.app.clone(),
            id: self.id().clone(),
        }
    }

    /// The elements of `vipAddress`, as they stand between the commas.
    pub fn vips(&self) -> impl Iterator<Item = &str> {
        self.vip_address.iter().flat_map(|list| list.split(','))
    }

    /// The elements of `secureVipAddress`.
    pub fn secure_vips(&self) -> impl Iterator<Item = &str> {
        self.secure_vip_address
            .iter()
            .flat_map(|list| list.split(','))
    }
}

/// A port and whether it is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// 0–65535.
    pub number: u16,
    /// Whether clients may use it.
    pub enabled: bool,
}

impl Port {
    /// What `port` means when it is absent (wire.md §5.2).
    pub const DEFAULT: Port = Port {
        number: 7001,
        enabled: true,
    };
    /// What `securePort` means when it is absent.
    pub const DEFAULT_SECURE: Port = Port {
        number: 7002,
        enabled: false,
    };
}

/// Where an instance runs. The Java class on the wire follows from this, never from what was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataCenter {
    /// Own machines; the usual case.
    MyOwn,
    /// Netflix' own.
    Netflix,
    /// AWS, with its metadata; always has `instance-id` once registered.
    Amazon(Metadata),
}

impl DataCenter {
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MyOwn => "MyOwn",
            Self::Netflix => "Netflix",
            Self::Amazon(_) => "Amazon",
        }
    }
}

/// What the client asked of its lease, in seconds; both are positive and fit Java's `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTerms {
    /// How often it means to send heartbeats.
    pub renewal_interval_secs: u32,
    /// How long it wants to be kept without one.
    pub duration_secs: u32,
}

impl LeaseTerms {
    /// Milliseconds without a renewal after which a lease is silent: 1.2 of its intervals.
    pub fn silence(self) -> u64 {
        u64::from(self.renewal_interval_secs) * 1200
    }
}

impl Default for LeaseTerms {
    fn default() -> Self {
        Self {
            renewal_interval_secs: 30,
            duration_secs: 90,
        }
    }
}

/// The four times of a lease as readers see them; 0 means never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaseTimes {
    /// When the present lease was made.
    pub registered: EpochMillis,
    /// Its last renewal; in doubled accounting the duration is added (wire.md §4.4).
    pub renewed: EpochMillis,
    /// When it was cancelled or evicted.
    pub evicted: EpochMillis,
    /// When the instance was first UP.
    pub service_up: EpochMillis,
}

/// One instance on its way to a reader.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// The record.
    pub info: &'a InstanceInfo,
    /// The times of its lease at the moment of writing.
    pub times: LeaseTimes,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    #[test]
    fn the_id_is_the_first_that_is_not_empty() {
        let amazon = |id: &str| {
            let pairs = [("instance-id".into(), id.into())];
            DataCenter::Amazon(pairs.into())
        };
        for (own, data_center, expected) in [
            (Some("i-1"), amazon("aws-1"), "i-1"),
            (Some(""), amazon("aws-1"), "aws-1"),
            (None, amazon("aws-1"), "aws-1"),
            (None, amazon(""), "host-1"),
            (None, DataCenter::MyOwn, "host-1"),
        ] {
            let info = InstanceInfo {
                instance_id: own.map(Into::into),
                host_name: "host-1".into(),
                data_center,
                ..samples::instance("ORDERS", "x")
            };
            assert_eq!(&**info.id(), expected);
        }
    }
}
