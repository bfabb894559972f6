//! Settings under the names that Spring has for them, from the environment or from any other pairs (client.md §16).
//!
//! Names are compared as Spring compares them: without regard to case, dashes, points and underscores, so
//! `EUREKA_CLIENT_SERVICEURL_DEFAULTZONE` is `eureka.client.service-url.defaultZone`. What is not known here is left
//! alone; a value that cannot be read is an error that names the setting.

use std::time::Duration;

use super::builder::{Builder, ServerPlace};
use super::discovery::Filter;
use super::error::StartError;
use super::instance::Instance;
use crate::model::InstanceStatus;

/// A setting: its name, and what it does with a text.
type Setting<T> = (&'static str, fn(T, &str) -> Result<T, &'static str>);

const NUMBER: &str = "wanted a whole number";
const FLAG: &str = "wanted true or false";
const STATUS: &str = "wanted UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN";

/// In the order in which they are applied.
const OF_CLIENT: &[Setting<Builder>] = &[
    ("eureka.client.fetch-registry", |b, text| {
        Ok(b.fetch_registry(flag(text)?))
    }),
    (
        "eureka.client.registry-fetch-interval-seconds",
        |b, text| Ok(b.fetch_interval(seconds(text)?)),
    ),
    (
        "eureka.client.instance-info-replication-interval-seconds",
        |b, text| Ok(b.replication_interval(seconds(text)?)),
    ),
    (
        "eureka.client.eureka-service-url-poll-interval-seconds",
        |b, text| Ok(b.look_up_servers_every(seconds(text)?)),
    ),
    ("eureka.client.should-unregister-on-shutdown", |b, text| {
        Ok(b.unregister_on_shutdown(flag(text)?))
    }),
    ("eureka.client.on-demand-update-status-change", |b, text| {
        Ok(b.push_at_once(flag(text)?))
    }),
    ("eureka.client.disable-delta", |b, text| {
        Ok(b.deltas(!flag(text)?))
    }),
    ("eureka.client.filter-only-up-instances", |b, text| {
        Ok(b.filter(if flag(text)? { Filter::Up } else { Filter::All }))
    }),
    (
        "eureka.client.registry-refresh-single-vip-address",
        |b, text| Ok(b.only_vip(text)),
    ),
    ("eureka.client.fetch-remote-regions-registry", |b, text| {
        Ok(b.remote_regions(list(text)))
    }),
    ("eureka.client.prefer-same-zone-eureka", |b, text| {
        Ok(b.prefer_own_zone(flag(text)?))
    }),
    (
        "eureka.client.eureka-server-connect-timeout-seconds",
        |b, text| Ok(b.connect_timeout(seconds(text)?)),
    ),
    (
        "eureka.client.eureka-server-read-timeout-seconds",
        |b, text| Ok(b.request_timeout(seconds(text)?)),
    ),
    ("eureka.client.allow-redirects", |b, text| {
        Ok(b.follow_redirects(flag(text)?))
    }),
    (
        "eureka.client.transport.sessioned-client-reconnect-interval-seconds",
        |b, text| Ok(b.session_life(seconds(text)?)),
    ),
];

const OF_INSTANCE: &[Setting<Instance>] = &[
    ("spring.application.name", |i, text| Ok(i.named(text))),
    ("eureka.instance.appname", |i, text| Ok(i.named(text))),
    ("eureka.instance.non-secure-port", |i, text| {
        Ok(i.port(number(text)?))
    }),
    ("server.port", |i, text| Ok(i.port(number(text)?))),
    ("eureka.instance.non-secure-port-enabled", |i, text| {
        Ok(if flag(text)? {
            i
        } else {
            i.without_plain_port()
        })
    }),
    ("eureka.instance.instance-id", |i, text| Ok(i.id(text))),
    ("eureka.instance.hostname", |i, text| Ok(i.host_name(text))),
    ("eureka.instance.ip-address", |i, text| Ok(i.ip_addr(text))),
    ("eureka.instance.prefer-ip-address", |i, text| {
        Ok(if flag(text)? { i.prefer_ip() } else { i })
    }),
    ("eureka.instance.app-group-name", |i, text| {
        Ok(i.app_group(text))
    }),
    ("eureka.instance.virtual-host-name", |i, text| {
        Ok(i.vip(text))
    }),
    ("eureka.instance.secure-virtual-host-name", |i, text| {
        Ok(i.secure_vip(text))
    }),
    (
        "eureka.instance.lease-renewal-interval-in-seconds",
        |i, text| Ok(i.renewal_interval(seconds(text)?)),
    ),
    (
        "eureka.instance.lease-expiration-duration-in-seconds",
        |i, text| Ok(i.lease_duration(seconds(text)?)),
    ),
    ("eureka.instance.initial-status", |i, text| {
        Ok(i.status(InstanceStatus::from_constant(text).ok_or(STATUS)?))
    }),
    ("eureka.instance.home-page-url-path", |i, text| {
        Ok(i.home_page(text))
    }),
    ("eureka.instance.status-page-url-path", |i, text| {
        Ok(i.status_page(text))
    }),
    ("eureka.instance.health-check-url-path", |i, text| {
        Ok(i.health_page(text))
    }),
    ("eureka.instance.home-page-url", |i, text| {
        Ok(i.home_page(text))
    }),
    ("eureka.instance.status-page-url", |i, text| {
        Ok(i.status_page(text))
    }),
    ("eureka.instance.health-check-url", |i, text| {
        Ok(i.health_page(text))
    }),
];

impl Builder {
    /// Takes what `pairs` say under Spring's names `eureka.client.…`, `std::env::vars()` for example. Servers in them take
    /// the place of those given before; everything that is called after this counts more.
    pub fn with_settings(
        self,
        pairs: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, StartError> {
        let pairs = Pairs::of(pairs);
        let mut builder = pairs.apply(self, OF_CLIENT)?;
        if !pairs.flag("eureka.client.register-with-eureka")? {
            builder = builder.without_registration();
        }
        let region = pairs.get("eureka.client.region").unwrap_or("us-east-1");
        let zones = pairs.get(&format!("eureka.client.availability-zones.{region}"));
        let zones = list(zones.unwrap_or_default());
        builder = pairs.servers(builder, &zones);
        pairs.tree(builder, region)
    }
}

impl Instance {
    /// Takes what `pairs` say under Spring's names `eureka.instance.…`, `server.port` and `spring.application.name`,
    /// `std::env::vars()` for example; everything that is called after this counts more.
    pub fn with_settings(
        self,
        pairs: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, StartError> {
        let pairs = Pairs::of(pairs);
        let mut instance = pairs.apply(self, OF_INSTANCE)?;
        if let Some(port) = pairs.secure_port()? {
            instance = instance.secure_port(port);
        }
        for (key, value) in pairs.below("eureka.instance.metadata-map.") {
            instance = instance.metadata(key, value);
        }
        Ok(instance)
    }
}

/// Pairs by their names without case and marks, and the names as they were written.
struct Pairs(Vec<(String, String, String)>);

impl Pairs {
    fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let pairs = pairs.into_iter();
        let known = |(name, value): (String, String)| (uniform(&name), name, value);
        Self(pairs.map(known).collect())
    }

    /// The last one counts.
    fn get(&self, name: &str) -> Option<&str> {
        let name = uniform(name);
        let mut named = self.0.iter().rev().filter(|(known, ..)| *known == name);
        named.next().map(|(_, _, value)| value.trim())
    }

    /// The secure port, where it is in use: as Spring has it, that is said apart from its number.
    fn secure_port(&self) -> Result<Option<u16>, StartError> {
        const IN_USE: &str = "eureka.instance.secure-port-enabled";
        const PORT: &str = "eureka.instance.secure-port";
        let in_use = self.get(IN_USE).map_or(Ok(false), flag);
        if !in_use.map_err(|why| bad(IN_USE, why))? {
            return Ok(None);
        }
        let said = self.get("server.port").or(self.get(PORT)).unwrap_or("443");
        let port = number(said).map_err(|why| bad(PORT, why))?;
        Ok(Some(port))
    }

    /// True where nothing is said.
    fn flag(&self, name: &'static str) -> Result<bool, StartError> {
        let said = self.get(name).map_or(Ok(true), flag);
        said.map_err(|why| bad(name, why))
    }

    fn apply<T>(&self, onto: T, settings: &[Setting<T>]) -> Result<T, StartError> {
        settings
            .iter()
            .try_fold(onto, |onto, (name, apply)| match self.get(name) {
                Some(text) => apply(onto, text).map_err(|why| bad(name, why)),
                None => Ok(onto),
            })
    }

    /// What follows a prefix, as it was written, and the values. The environment knows only capitals; they mean small
    /// letters, as in Spring.
    fn below(&self, prefix: &str) -> Vec<(String, &str)> {
        let prefix = uniform(prefix);
        let found = self
            .0
            .iter()
            .filter(|(known, ..)| known.starts_with(&prefix));
        found
            .filter_map(|(_, name, value)| {
                let rest = after(name, prefix.len())?;
                let is_shouted = !name.contains(|letter: char| letter.is_lowercase());
                let key = if is_shouted {
                    rest.to_lowercase()
                } else {
                    rest.to_string()
                };
                Some((key, value.trim()))
            })
            .collect()
    }

    /// Zones in their order first, then others that have servers. A zone without servers of its own is asked where all
    /// others are.
    fn servers(&self, mut builder: Builder, zones: &[String]) -> Builder {
        let given = self.below("eureka.client.service-url.");
        if given.is_empty() {
            return builder;
        }
        builder = builder.without_servers();
        let is_named = |zone: &str| zones.iter().any(|known| uniform(known) == uniform(zone));
        for zone in zones {
            let mut of_zone = given
                .iter()
                .filter(|(name, _)| uniform(name) == uniform(zone));
            if let Some((_, urls)) = of_zone.next() {
                builder = builder.server_in_zone(zone, urls);
            }
        }
        for (zone, urls) in given.iter().filter(|(zone, _)| !is_named(zone)) {
            builder = builder.server_in_zone(zone, urls);
        }
        match zones.first() {
            Some(own) => builder.zone(own),
            None => builder,
        }
    }

    fn tree(&self, builder: Builder, region: &str) -> Result<Builder, StartError> {
        let is_wanted = self.get("eureka.client.use-dns-for-fetching-service-urls");
        let is_wanted = is_wanted.map_or(Ok(false), flag);
        let wanted = |why| bad("eureka.client.use-dns-for-fetching-service-urls", why);
        if !is_wanted.map_err(wanted)? {
            return Ok(builder);
        }
        let name = "eureka.client.eureka-server-d-n-s-name";
        let domain = self.get(name).ok_or_else(|| bad(name, "wanted a domain"))?;
        let name = "eureka.client.eureka-server-port";
        let port = number(self.get(name).unwrap_or_default()).map_err(|why| bad(name, why))?;
        let path = self.get("eureka.client.eureka-server-u-r-l-context");
        let place = ServerPlace::http(port, path.unwrap_or("eureka"));
        Ok(builder
            .without_servers()
            .servers_by_txt(region, domain, place))
    }
}

/// What stands in `name` after so many letters and digits and the mark behind them; nothing where that is the end.
fn after(name: &str, letters: usize) -> Option<&str> {
    let mut places = name
        .char_indices()
        .filter(|(_, mark)| mark.is_alphanumeric());
    let (at, last) = places.nth(letters.checked_sub(1)?)?;
    let rest = name[at + last.len_utf8()..].trim_start_matches(['.', '_', '[', '-']);
    let rest = rest.trim_end_matches(']');
    (!rest.is_empty()).then_some(rest)
}

fn uniform(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn bad(setting: &'static str, why: &str) -> StartError {
    StartError::BadSetting {
        setting,
        why: why.to_string(),
    }
}

fn flag(text: &str) -> Result<bool, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(FLAG),
    }
}

fn number(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| NUMBER)
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().map_err(|_| NUMBER);
    seconds.map(Duration::from_secs)
}

fn list(text: &str) -> Vec<String> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::InstanceInfo;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let pair = |line: &str| {
            let (name, value) = line.split_once('=').unwrap();
            (name.to_string(), value.to_string())
        };
        lines.map(pair).collect()
    }

    fn info(text: &str) -> InstanceInfo {
        let instance = Instance::new("orders").host_name("h").ip_addr("10.0.0.7");
        let instance = instance.with_settings(pairs(text)).unwrap();
        instance.into_info(false).unwrap()
    }

    fn builder() -> Builder {
        crate::client::EurekaClient::builder()
    }

    #[test]
    fn an_instance_is_what_spring_s_names_say_in_any_spelling() {
        let info = info(
            "SERVER_PORT=9000
            EUREKA_INSTANCE_LEASERENEWALINTERVALINSECONDS=5
            eureka.instance.lease-expiration-duration-in-seconds=15
            eureka.instance.preferIpAddress=true
            eureka.instance.metadata-map.Version=2
            EUREKA_INSTANCE_METADATAMAP_ZONE=z1
            eureka.instance.initial-status=STARTING
            eureka.instance.health-check-url-path=/health
            PATH=/bin",
        );
        assert_eq!(info.port.number, 9000);
        let lease = (info.lease.renewal_interval_secs, info.lease.duration_secs);
        assert_eq!((lease, &*info.host_name), ((5, 15), "10.0.0.7"));
        let metadata: Vec<_> = info.metadata.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(metadata, [("Version", "2"), ("zone", "z1")]);
        assert_eq!(info.status, InstanceStatus::Starting);
        let health = info.health_check_url.as_deref();
        assert_eq!(health, Some("http://10.0.0.7:9000/health"));
    }

    #[test]
    fn a_secure_port_is_in_use_only_where_that_is_said() {
        for (text, plain, secure) in [
            ("eureka.instance.secure-port=8443", true, None),
            (
                "eureka.instance.secure-port=8443
                eureka.instance.secure-port-enabled=true",
                true,
                Some(8443),
            ),
            (
                "server.port=9443
                eureka.instance.secure-port-enabled=true
                eureka.instance.non-secure-port-enabled=false",
                false,
                Some(9443),
            ),
        ] {
            let info = info(text);
            let in_use = info.secure_port.enabled.then_some(info.secure_port.number);
            assert_eq!((info.port.enabled, in_use), (plain, secure), "{text}");
        }
    }

    #[test]
    fn servers_come_by_zone_and_the_first_zone_is_the_own_one() {
        let builder = builder().server("http://before/").with_settings(pairs(
            "eureka.client.region=eu
            eureka.client.availability-zones.eu=z2, z1
            eureka.client.service-url.z1=http://a/,http://b/
            EUREKA_CLIENT_SERVICEURL_Z2=http://c/
            eureka.client.service-url.defaultZone=http://d/",
        ));
        let builder = builder.unwrap();
        let expected = [
            ("z2", "http://c/"),
            ("z1", "http://a/,http://b/"),
            ("defaultZone", "http://d/"),
        ];
        let expected = expected.map(|(zone, urls)| (zone.to_string(), urls.to_string()));
        assert_eq!(builder.servers, expected);
        assert_eq!(builder.sources.own_zone.as_deref(), Some("z2"));
        // What the environment says of the one zone that everybody has.
        let zone = pairs("EUREKA_CLIENT_SERVICEURL_DEFAULTZONE=http://a/");
        let builder = self::builder().with_settings(zone).unwrap();
        assert_eq!(builder.servers[0].1, "http://a/");
    }

    #[test]
    fn a_client_is_what_spring_s_names_say() {
        let builder = builder().register(Instance::new("a")).with_settings(pairs(
            "eureka.client.register-with-eureka=false
            eureka.client.registry-fetch-interval-seconds=5
            eureka.client.disable-delta=true
            eureka.client.filter-only-up-instances=false
            eureka.client.fetch-remote-regions-registry=us, ap
            eureka.client.use-dns-for-fetching-service-urls=true
            eureka.client.eureka-server-d-n-s-name=example.org
            eureka.client.eureka-server-port=8761
            eureka.client.eureka-server-u-r-l-context=eureka/v2",
        ));
        let builder = builder.unwrap();
        assert!(builder.instance.is_none());
        let discovery = &builder.discovery;
        assert_eq!(discovery.interval, Duration::from_secs(5));
        assert!(!discovery.deltas);
        assert_eq!(discovery.filter, Filter::All);
        assert_eq!(discovery.regions, ["us", "ap"]);
        let tree = builder.sources.tree.unwrap();
        assert_eq!(
            (tree.region.as_str(), tree.domain.as_str()),
            ("us-east-1", "example.org")
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_name() {
        for (text, setting) in [
            (
                "EUREKA_CLIENT_FETCHREGISTRY=maybe",
                "eureka.client.fetch-registry",
            ),
            (
                "eureka.client.register-with-eureka=1",
                "eureka.client.register-with-eureka",
            ),
            (
                "eureka.client.registryFetchIntervalSeconds=5s",
                "eureka.client.registry-fetch-interval-seconds",
            ),
            (
                "eureka.client.use-dns-for-fetching-service-urls=true",
                "eureka.client.eureka-server-d-n-s-name",
            ),
        ] {
            let error = builder().with_settings(pairs(text)).err().unwrap();
            assert!(error.to_string().starts_with(setting), "{error}");
        }
        let instance = Instance::new("a").with_settings(pairs("server.port=http"));
        assert_eq!(
            instance.unwrap_err().to_string(),
            "server.port: wanted a whole number"
        );
    }
}
