//! The node as an instance of its own kind: what it says of itself (config.md §2).

use super::keys;
use super::links::{Link, Links};
use super::read::Reader;
use crate::model::{EpochMillis, InstanceInfo, InstanceStatus, LeaseTerms, Metadata, Port, Text};

/// The application of all nodes that are told nothing else.
const APP: &str = "eureka-server";

/// Knobs of the node's own record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceConfig {
    /// Name of the application, as written; default `spring.application.name`, else `eureka-server`. All nodes of
    /// a cluster should have the same: peers are looked for under it.
    pub app: String,
    /// Group of the application; default none.
    pub app_group: Option<String>,
    /// AWS auto-scaling group; default none. Shown, without effect.
    pub asg: Option<String>,
    /// Id; default `HOST:APPLICATION:PORT`.
    pub instance_id: Option<String>,
    /// Host name that others reach it under; default the machine's. Peers' lists are searched for it.
    pub host_name: Option<String>,
    /// Address that others reach it at; default that of the interface to everywhere.
    pub ip_addr: Option<String>,
    /// Whether the address takes the place of the host name; default false.
    pub prefer_ip: bool,
    /// Port that others reach it at; default the one it listens on.
    pub port: Option<u16>,
    /// Whether that port is shown as in use; default true.
    pub port_enabled: bool,
    /// Port for TLS; default 443, not in use.
    pub secure_port: Port,
    /// What it asks of its lease at its peers; default a heartbeat every 30 s and an end after 90 s.
    pub lease: LeaseTerms,
    /// Virtual host name; default the application's.
    pub vip: Option<String>,
    /// Virtual host name for TLS; default the application's, where there is a port for TLS.
    pub secure_vip: Option<String>,
    /// Free pairs; default none.
    pub metadata: Metadata,
    /// What it registers as; default UP.
    pub status: InstanceStatus,
    /// Addresses on it.
    pub links: Links,
}

/// What the record has from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own<'a> {
    /// Its host name, or what takes its place.
    pub host_name: &'a str,
    /// Its address.
    pub ip_addr: &'a str,
    /// The port that it listens on.
    pub port: u16,
    /// The path that all of its own begin with, such as `/registry`, or nothing.
    pub context_path: &'a str,
    /// When it started.
    pub started: EpochMillis,
}

impl Default for InstanceConfig {
    fn default() -> Self {
        Self {
            app: APP.to_string(),
            app_group: None,
            asg: None,
            instance_id: None,
            host_name: None,
            ip_addr: None,
            prefer_ip: false,
            port: None,
            port_enabled: true,
            secure_port: Port {
                number: 443,
                enabled: false,
            },
            lease: LeaseTerms::default(),
            vip: None,
            secure_vip: None,
            metadata: Metadata::default(),
            status: InstanceStatus::Up,
            links: Links::default(),
        }
    }
}

impl InstanceConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let app = reader.name(keys::APPLICATION_NAME);
        let app = reader.name(keys::APP_NAME).or(app);
        let port = reader.found(keys::NON_SECURE_PORT);
        Self {
            app: app.unwrap_or(default.app),
            app_group: reader.name(keys::APP_GROUP),
            asg: reader.name(keys::ASG_NAME),
            instance_id: reader.name(keys::INSTANCE_ID),
            host_name: reader.name(keys::HOST_NAME),
            ip_addr: ip_addr(reader),
            prefer_ip: reader.flag(keys::PREFER_IP, default.prefer_ip),
            port: port.map(|_| reader.port(keys::NON_SECURE_PORT, 8761)),
            port_enabled: reader.flag(keys::NON_SECURE_PORT_ENABLED, default.port_enabled),
            secure_port: Port {
                number: reader.port(keys::SECURE_PORT, default.secure_port.number),
                enabled: reader.flag(keys::SECURE_PORT_ENABLED, default.secure_port.enabled),
            },
            lease: lease(reader, default.lease),
            vip: reader.name(keys::VIP),
            secure_vip: reader.name(keys::SECURE_VIP),
            metadata: metadata(reader),
            status: status(reader, default.status),
            links: Links::read(reader),
        }
    }

    /// Where links lead: to the port for TLS if there is one.
    fn origin(&self, host: &str, port: u16) -> String {
        match self.secure_port {
            Port {
                number,
                enabled: true,
            } => format!("https://{host}:{number}"),
            _ => format!("http://{host}:{port}"),
        }
    }

    /// The node's own record.
    pub fn record(&self, own: Own<'_>) -> InstanceInfo {
        let port = self.port.unwrap_or(own.port);
        let id = || format!("{}:{}:{port}", own.host_name, self.app);
        let text = |text: &Option<String>| text.as_deref().map(Text::from);
        let origin = self.origin(own.host_name, port);
        let link = |link: &Link| Some(link.on(own, &origin).into());
        let secure_vip = self.secure_port.enabled.then_some(&self.app);
        InstanceInfo {
            instance_id: Some(self.instance_id.clone().unwrap_or_else(id).into()),
            status: self.status,
            port: Port {
                number: port,
                enabled: self.port_enabled,
            },
            secure_port: self.secure_port,
            lease: self.lease,
            metadata: self.metadata.clone(),
            app_group_name: self
                .app_group
                .as_ref()
                .map(|group| group.to_uppercase().into()),
            home_page_url: link(&self.links.home_page),
            status_page_url: link(&self.links.status_page),
            health_check_url: link(&self.links.health_check),
            secure_health_check_url: text(&self.links.secure_health_check),
            vip_address: Some(self.vip.as_ref().unwrap_or(&self.app).as_str().into()),
            secure_vip_address: self
                .secure_vip
                .as_ref()
                .or(secure_vip)
                .map(|vip| vip.as_str().into()),
            last_updated: own.started,
            last_dirty: own.started,
            asg_name: text(&self.asg),
            ..InstanceInfo::new(&self.app.to_uppercase(), own.host_name, own.ip_addr)
        }
    }
}

fn ip_addr(reader: &mut Reader<'_>) -> Option<String> {
    reader.value(keys::IP_ADDRESS, "an IP address", None, |text| {
        let address: std::net::IpAddr = text.parse().ok()?;
        Some(Some(address.to_string()))
    })
}

fn lease(reader: &mut Reader<'_>, default: LeaseTerms) -> LeaseTerms {
    let mut seconds = |key, default: u32| {
        // Java's numbers end here.
        let wanted = "a number of seconds from 1 to 2147483647";
        reader.value(key, wanted, default, |text| {
            let seconds = text.parse().ok();
            seconds.filter(|seconds| (1..=i32::MAX as u32).contains(seconds))
        })
    };
    LeaseTerms {
        renewal_interval_secs: seconds(keys::RENEWAL_INTERVAL, default.renewal_interval_secs),
        duration_secs: seconds(keys::LEASE_DURATION, default.duration_secs),
    }
}

fn metadata(reader: &mut Reader<'_>) -> Metadata {
    let entries = reader.entries(keys::METADATA).into_iter();
    let pairs = entries.map(|(key, found)| (key.into(), found.text.into()));
    pairs.collect()
}

fn status(reader: &mut Reader<'_>, default: InstanceStatus) -> InstanceStatus {
    let wanted = "UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN";
    reader.value(keys::INITIAL_STATUS, wanted, default, |text| {
        InstanceStatus::from_constant(&text.to_uppercase().replace('-', "_"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Sources};
    use super::*;

    const OWN: Own<'_> = Own {
        host_name: "node1",
        ip_addr: "10.0.0.7",
        port: 8762,
        context_path: "",
        started: 5,
    };

    fn read(arguments: &[(&str, &str)]) -> Result<InstanceConfig, Vec<String>> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let config = Config::read(&Sources::new([], arguments.iter().map(owned)));
        match config {
            Ok(config) => Ok(config.instance),
            Err(mistakes) => Err(mistakes.iter().map(ToString::to_string).collect()),
        }
    }

    fn record(arguments: &[(&str, &str)]) -> InstanceInfo {
        read(arguments).unwrap().record(OWN)
    }

    #[test]
    fn a_node_that_is_told_nothing_is_one_of_eureka_server() {
        let wanted = InstanceInfo {
            instance_id: Some("node1:eureka-server:8762".into()),
            port: Port {
                number: 8762,
                enabled: true,
            },
            secure_port: Port {
                number: 443,
                enabled: false,
            },
            home_page_url: Some("http://node1:8762/".into()),
            status_page_url: Some("http://node1:8762/actuator/info".into()),
            health_check_url: Some("http://node1:8762/actuator/health".into()),
            vip_address: Some("eureka-server".into()),
            last_updated: 5,
            last_dirty: 5,
            ..InstanceInfo::new("EUREKA-SERVER", "node1", "10.0.0.7")
        };
        assert_eq!(record(&[]), wanted);
        assert_eq!(InstanceConfig::default().record(OWN), wanted);
    }

    /// config.md §2.
    #[test]
    fn every_part_of_the_record_can_be_set() {
        let record = record(&[
            ("spring.application.name", "Discovery"),
            ("eureka.instance.appGroupName", "core"),
            ("eureka.instance.asg-name", "asg"),
            ("eureka.instance.non-secure-port", "80"),
            ("eureka.instance.non-secure-port-enabled", "false"),
            ("eureka.instance.secure-port", "8443"),
            ("eureka.instance.secure-port-enabled", "true"),
            ("eureka.instance.lease-renewal-interval-in-seconds", "3"),
            ("eureka.instance.lease-expiration-duration-in-seconds", "9"),
            ("eureka.instance.metadataMap.zone", "z1"),
            ("eureka.instance.metadata-map.management.port", "9000"),
            ("eureka.instance.initial-status", "out-of-service"),
            (
                "eureka.instance.home-page-url",
                "https://${eureka.hostname}/x",
            ),
            ("eureka.instance.status-page-url-path", "/info"),
            ("eureka.instance.secure-health-check-url", "https://h/"),
        ]);
        let pairs = [("management.port", "9000"), ("zone", "z1")];
        let wanted = InstanceInfo {
            instance_id: Some("node1:Discovery:80".into()),
            status: InstanceStatus::OutOfService,
            port: Port {
                number: 80,
                enabled: false,
            },
            secure_port: Port {
                number: 8443,
                enabled: true,
            },
            lease: LeaseTerms {
                renewal_interval_secs: 3,
                duration_secs: 9,
            },
            metadata: pairs.map(|(k, v)| (k.into(), v.into())).into(),
            app_group_name: Some("CORE".into()),
            asg_name: Some("asg".into()),
            home_page_url: Some("https://node1/x".into()),
            status_page_url: Some("https://node1:8443/info".into()),
            health_check_url: Some("https://node1:8443/actuator/health".into()),
            secure_health_check_url: Some("https://h/".into()),
            vip_address: Some("Discovery".into()),
            secure_vip_address: Some("Discovery".into()),
            last_updated: 5,
            last_dirty: 5,
            ..InstanceInfo::new("DISCOVERY", "node1", "10.0.0.7")
        };
        assert_eq!(record, wanted);
    }

    /// client.md §17.2.
    #[test]
    fn links_have_the_path_that_all_of_the_node_s_begin_with_once() {
        let config = read(&[
            ("eureka.instance.status-page-url-path", "/registry/info"),
            ("eureka.instance.health-check-url-path", "actuator/health"),
            ("eureka.instance.home-page-url-path", "/registry2"),
        ]);
        let record = config.unwrap().record(Own {
            context_path: "/registry",
            ..OWN
        });
        for (link, wanted) in [
            (record.home_page_url, "/registry/registry2"),
            (record.status_page_url, "/registry/info"),
            (record.health_check_url, "/registry/actuator/health"),
        ] {
            let wanted = format!("http://node1:8762{wanted}");
            assert_eq!(link.as_deref(), Some(wanted.as_str()));
        }
    }

    #[test]
    fn names_that_are_set_take_the_place_of_the_application_s() {
        let record = record(&[
            ("spring.application.name", "unused"),
            ("eureka.instance.appname", "registry"),
            ("eureka.instance.instance-id", "me"),
            ("eureka.instance.virtual-host-name", "v"),
            ("eureka.instance.secure-virtual-host-name", "s"),
        ]);
        assert_eq!(record.key().to_string(), "REGISTRY/me");
        let vips = [record.vip_address, record.secure_vip_address];
        assert_eq!(vips, ["v", "s"].map(|vip| Some(vip.into())));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (key, text) in [
            ("eureka.instance.ip-address", "node1"),
            ("eureka.instance.prefer-ip-address", "maybe"),
            ("eureka.instance.non-secure-port", "0"),
            ("eureka.instance.secure-port", "70000"),
            ("eureka.instance.lease-renewal-interval-in-seconds", "0"),
            (
                "eureka.instance.lease-expiration-duration-in-seconds",
                "2147483648",
            ),
            ("eureka.instance.initial-status", "FINE"),
        ] {
            let mistakes = read(&[(key, text)]).unwrap_err();
            let starts = mistakes
                .iter()
                .filter(|line| line.starts_with(&format!("{key}: wanted")));
            assert_eq!((starts.count(), mistakes.len()), (1, 1), "{mistakes:?}");
        }
    }
}
