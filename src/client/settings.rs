//! Settings under the names that Spring has for them, from the environment or from any other pairs (client.md §16).
//!
//! Names are compared as Spring compares them: without regard to case, dashes, points and underscores, so
//! `EUREKA_CLIENT_SERVICEURL_DEFAULTZONE` is `eureka.client.service-url.defaultZone`. What is not known here does
//! nothing, and one line of the log names it; a value that cannot be read is an error that names the setting.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::builder::{Builder, ServerPlace};
use super::discovery::Filter;
use super::error::StartError;
use super::instance::Instance;
use super::pairs::{Pairs, Setting, bad, flag, list, millis, number, seconds, uniform};
use crate::model::InstanceStatus;

const STATUS: &str = "wanted UP, DOWN, STARTING, OUT_OF_SERVICE or UNKNOWN";

/// In the order in which they are applied.
const OF_CLIENT: &[Setting<Builder>] = &[
    ("eureka.client.enabled", |mut b, text| {
        b.is_enabled = flag(text)?;
        Ok(b)
    }),
    ("eureka.client.register-with-eureka", |mut b, text| {
        b.registers = flag(text)?;
        Ok(b)
    }),
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
    // Those of Spring's newer way to servers, which looks at no others.
    ("eureka.client.timeout.connect-timeout", |b, text| {
        Ok(b.connect_timeout(millis(text)?))
    }),
    ("eureka.client.timeout.socket-timeout", |b, text| {
        Ok(b.request_timeout(millis(text)?))
    }),
    ("eureka.client.allow-redirects", |b, text| {
        Ok(b.follow_redirects(flag(text)?))
    }),
    (
        "eureka.client.transport.sessioned-client-reconnect-interval-seconds",
        |b, text| Ok(b.session_life(seconds(text)?)),
    ),
];

/// Those that say something only together with others.
const TOGETHER: &[&str] = &[
    "eureka.client.region",
    "eureka.client.use-dns-for-fetching-service-urls",
    "eureka.client.eureka-server-d-n-s-name",
    "eureka.client.eureka-server-port",
    "eureka.client.eureka-server-u-r-l-context",
    "eureka.client.proxy-host",
    "eureka.client.proxy-port",
    "eureka.client.proxy-user-name",
    "eureka.client.proxy-password",
    SECURE_PORT,
    SECURE_IN_USE,
];

/// What names of zones, regions and metadata follow.
const GROUPS: &[&str] = &[
    "eureka.client.service-url.",
    "eureka.client.availability-zones.",
    "eureka.instance.metadata-map.",
];

const SECURE_PORT: &str = "eureka.instance.secure-port";
const SECURE_IN_USE: &str = "eureka.instance.secure-port-enabled";

const OF_INSTANCE: &[Setting<Instance>] = &[
    ("spring.application.name", |i, text| Ok(i.named(text))),
    ("eureka.instance.appname", |i, text| Ok(i.named(text))),
    ("eureka.instance.non-secure-port", |i, text| {
        Ok(i.port(number(text)?))
    }),
    ("server.port", |i, text| {
        Ok(match number(text)? {
            // Any port that is free: only the program knows which one that is.
            0 => i,
            port => i.port(port),
        })
    }),
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
        warn_of_others(&pairs, "eureka.client.", OF_CLIENT);
        let mut builder = pairs.apply(self, OF_CLIENT)?;
        if !builder.discovery.regions.is_empty() {
            tracing::warn!(
                regions = ?builder.discovery.regions,
                "instances of remote regions are listed with the others, and look-ups return both"
            );
        }
        let region = pairs.get("eureka.client.region").unwrap_or("us-east-1");
        let zones = pairs.get(&format!("eureka.client.availability-zones.{region}"));
        let zones = list(zones.unwrap_or_default());
        if let Some(own) = zones.first() {
            builder = builder.zone(own);
        }
        builder = servers(&pairs, builder, &zones);
        builder = proxy(&pairs, builder)?;
        tree(&pairs, builder, region)
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
        warn_of_others(&pairs, "eureka.instance.", OF_INSTANCE);
        let mut instance = secure_port(&pairs, pairs.apply(self, OF_INSTANCE)?)?;
        for (key, value) in pairs.below("eureka.instance.metadata-map.") {
            instance = instance.metadata(key, value);
        }
        Ok(instance)
    }
}

/// One line for all of them, without their values: these may be passwords.
fn warn_of_others<T>(pairs: &Pairs, prefix: &str, settings: &[Setting<T>]) {
    let others = others(pairs, prefix, settings);
    if !others.is_empty() {
        tracing::warn!(names = ?others, "settings that this client does not know do nothing");
    }
}

fn others<'p, T>(pairs: &'p Pairs, prefix: &str, settings: &[Setting<T>]) -> Vec<&'p str> {
    let known = settings.iter().map(|(name, _)| *name);
    let known: Vec<_> = known.chain(TOGETHER.iter().copied()).collect();
    pairs.others(prefix, &known, GROUPS)
}

/// The secure port, where it is in use: as Spring has it, that is said apart from its number.
fn secure_port(pairs: &Pairs, instance: Instance) -> Result<Instance, StartError> {
    let in_use = pairs.get(SECURE_IN_USE).map_or(Ok(false), flag);
    if !in_use.map_err(|why| bad(SECURE_IN_USE, why))? {
        return Ok(instance);
    }
    let listens = pairs.get("server.port").filter(|port| *port != "0");
    match listens.or(pairs.get(SECURE_PORT)) {
        Some(said) => {
            let port = number(said).map_err(|why| bad(SECURE_PORT, why))?;
            Ok(instance.secure_port(port))
        }
        None => Ok(instance.usual_secure_port()),
    }
}

/// As parts of one URL, in which user and password may have anything in them.
fn proxy(pairs: &Pairs, builder: Builder) -> Result<Builder, StartError> {
    let said = |name| pairs.get(name).filter(|text| !text.is_empty());
    let Some(host) = said("eureka.client.proxy-host") else {
        return Ok(builder);
    };
    let name = "eureka.client.proxy-port";
    let port = number(said(name).unwrap_or_default()).map_err(|why| bad(name, why))?;
    let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
    let proof = said("eureka.client.proxy-user-name").map(|user| {
        let password = said("eureka.client.proxy-password").unwrap_or_default();
        format!("{}:{}@", encoded(user), encoded(password))
    });
    let proof = proof.unwrap_or_default();
    Ok(builder.proxy(format!("http://{proof}{host}:{port}")))
}

/// Zones in their order first, then others that have servers. A zone without servers of its own is asked where all
/// others are.
fn servers(pairs: &Pairs, mut builder: Builder, zones: &[String]) -> Builder {
    let given = pairs.below("eureka.client.service-url.");
    if given.is_empty() {
        return builder;
    }
    builder.servers.clear();
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
    builder
}

fn tree(pairs: &Pairs, mut builder: Builder, region: &str) -> Result<Builder, StartError> {
    let is_wanted = pairs.get("eureka.client.use-dns-for-fetching-service-urls");
    let is_wanted = is_wanted.map_or(Ok(false), flag);
    let wanted = |why| bad("eureka.client.use-dns-for-fetching-service-urls", why);
    if !is_wanted.map_err(wanted)? {
        return Ok(builder);
    }
    let name = "eureka.client.eureka-server-d-n-s-name";
    let domain = pairs
        .get(name)
        .ok_or_else(|| bad(name, "wanted a domain"))?;
    let name = "eureka.client.eureka-server-port";
    let port = number(pairs.get(name).unwrap_or_default()).map_err(|why| bad(name, why))?;
    let path = pairs.get("eureka.client.eureka-server-u-r-l-context");
    let place = ServerPlace::http(port, path.unwrap_or("eureka"));
    builder.servers.clear();
    Ok(builder.servers_by_txt(region, domain, place))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        assert!(!builder.registers && builder.is_enabled);
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

    /// The own zone counts also where servers are looked up.
    #[test]
    fn the_first_zone_is_the_own_one_though_servers_come_from_names() {
        let builder = builder().with_settings(pairs(
            "eureka.client.region=eu
            eureka.client.availability-zones.eu=z2,z1
            eureka.client.use-dns-for-fetching-service-urls=true
            eureka.client.eureka-server-d-n-s-name=example.org
            eureka.client.eureka-server-port=8761",
        ));
        assert_eq!(builder.unwrap().sources.own_zone.as_deref(), Some("z2"));
    }

    #[test]
    fn a_proxy_is_put_together_from_its_parts() {
        for (text, url) in [
            ("eureka.client.proxy-port=3128", None),
            (
                "eureka.client.proxy-host=p
                eureka.client.proxy-port=3128",
                Some("http://p:3128"),
            ),
            (
                "EUREKA_CLIENT_PROXYHOST=p
                EUREKA_CLIENT_PROXYPORT=3128
                EUREKA_CLIENT_PROXYUSERNAME=u
                EUREKA_CLIENT_PROXYPASSWORD=a@b:c",
                Some("http://u:a%40b%3Ac@p:3128"),
            ),
        ] {
            let builder = builder().with_settings(pairs(text)).unwrap();
            assert_eq!(builder.http.proxy.as_deref(), url, "{text}");
        }
        let without_port = builder().with_settings(pairs("eureka.client.proxy-host=p"));
        assert!(without_port.is_err());
    }

    #[test]
    fn what_does_nothing_is_named_and_nothing_else() {
        let said = Pairs::of(pairs(
            "eureka.client.tls.key-store-password=secret
            EUREKA_CLIENT_HEALTHCHECK_ENABLED=true
            EUREKA_CLIENT_SERVICEURL_DEFAULTZONE=http://a/
            eureka.client.availability-zones.eu=z
            eureka.client.timeout.connect-timeout=100
            eureka.client.proxyHost=p
            eureka.instance.a-s-g-name=a
            eureka.instance.a-s-g-name=b
            eureka.instance.secure-port=1
            eureka.instance.metadata-map.k=v
            server.port=1",
        ));
        assert_eq!(
            others(&said, "eureka.client.", OF_CLIENT),
            [
                "EUREKA_CLIENT_HEALTHCHECK_ENABLED",
                "eureka.client.tls.key-store-password"
            ]
        );
        let of_instance = others(&said, "eureka.instance.", OF_INSTANCE);
        assert_eq!(of_instance, ["eureka.instance.a-s-g-name"]);
    }

    /// Spring's word for any port that is free.
    #[test]
    fn port_0_takes_no_port_away() {
        for (text, secure) in [
            ("server.port=0", None),
            (
                "server.port=0
                eureka.instance.secure-port-enabled=true",
                Some(8443),
            ),
            (
                "server.port=0
                eureka.instance.secure-port=9443
                eureka.instance.secure-port-enabled=true",
                Some(9443),
            ),
        ] {
            let mut instance = Instance::new("orders").host_name("h").ip_addr("10.0.0.7");
            instance = instance.port(9000);
            if secure.is_some() {
                instance = instance.secure_port(8443);
            }
            let info = instance.with_settings(pairs(text)).unwrap();
            let info = info.into_info(false).unwrap();
            let in_use = info.secure_port.enabled.then_some(info.secure_port.number);
            assert_eq!((info.port.number, in_use), (9000, secure), "{text}");
        }
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
