//! Who the other nodes are, and how they are told and asked.

use std::collections::BTreeMap;
use std::time::Duration;

use super::peer_lists::{self, DEFAULT_ZONE, DnsLists};
use super::read::Reader;
use super::{Mode, keys};
use crate::model::NodeUrl;

/// Time-outs below this are accepted, but not wise.
const SHORT: Duration = Duration::from_millis(1000);

/// Knobs of peers and replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeersConfig {
    /// URLs of nodes by zone, in the order given; default none. Each node may have the same list, itself in it.
    pub service_urls: BTreeMap<String, Vec<NodeUrl>>,
    /// Picks the zones; default `us-east-1`, as everywhere in Eureka.
    pub region: String,
    /// Zones of the region whose nodes are peers, the own one first; default `defaultZone` alone. A zone without
    /// URLs has those of `defaultZone`.
    pub zones: Vec<String>,
    /// Whether the nodes of the own zone come first, or last; default first.
    pub prefer_same_zone: bool,
    /// Peers are listed in DNS, in place of `service_urls`; default no.
    pub dns_lists: Option<DnsLists>,
    /// URLs whose host's name stands for all its addresses, each a node; default none. Looked up again every 10 s.
    pub dns_hosts: Vec<NodeUrl>,
    /// The URL in the lists that is this node; default none, then host and port tell.
    pub my_url: Option<NodeUrl>,
    /// Pause between two look-ups of who the peers are; default 10 min.
    pub update_interval: Duration,
    /// Peers that must be available for the status document to say healthy; default none, it does not say.
    pub min_available: Option<usize>,
    /// How long a connection to a peer may take to come about; default 1 s.
    pub connect_timeout: Duration,
    /// How long a peer may take to answer; default 5 s. A shorter time sends batches twice to a busy peer.
    pub read_timeout: Duration,
    /// Connections to one peer that are kept open while idle; default 500.
    pub idle_connections: usize,
    /// How long they are kept; default 30 s.
    pub idle_timeout: Duration,
    /// Batches on their way to one peer at once; default 20.
    pub max_batches: usize,
    /// Cancellations that wait for one peer, of instances that are gone; default 10 000. All else that waits is
    /// bounded by the number of instances.
    pub max_cancels: usize,
    /// How long cancellations, overrides and their removals wait for a peer before they are dropped; default until they
    /// are delivered or superseded. With a limit a peer that is away for longer never hears of them.
    pub max_wait: Option<Duration>,
    /// Whether the node registers itself; default true where there are peers.
    pub register: Option<bool>,
    /// Whether it takes itself out when it stops; default true.
    pub unregister_on_shutdown: bool,
    /// How long lists are refused after the start if no peer had anything; default 35 s, in classic mode 5 min.
    pub wait_when_empty: Duration,
    /// Passes in which peers are copied at the start in classic mode, until one finds something; default 5, and 0
    /// where the node is told not to register itself (C12).
    pub sync_retries: u32,
    /// Pause between two of these; default 30 s.
    pub sync_retry_wait: Duration,
}

impl PeersConfig {
    /// The values of a mode.
    pub fn of(mode: Mode) -> Self {
        Self {
            service_urls: BTreeMap::new(),
            region: "us-east-1".to_string(),
            zones: vec![DEFAULT_ZONE.to_string()],
            prefer_same_zone: true,
            dns_lists: None,
            dns_hosts: Vec::new(),
            my_url: None,
            update_interval: Duration::from_secs(600),
            min_available: None,
            connect_timeout: Duration::from_secs(1),
            read_timeout: Duration::from_secs(5),
            idle_connections: 500,
            idle_timeout: Duration::from_secs(30),
            max_batches: 20,
            max_cancels: 10_000,
            max_wait: None,
            register: None,
            unregister_on_shutdown: true,
            wait_when_empty: match mode {
                Mode::Modern => Duration::from_secs(35),
                Mode::Classic => Duration::from_secs(300),
            },
            sync_retries: 5,
            sync_retry_wait: Duration::from_secs(30),
        }
    }

    /// Whether any list of peers is set; there may be nobody in it but this node.
    pub fn are_listed(&self) -> bool {
        let urls = self.service_urls.values().any(|urls| !urls.is_empty());
        urls || self.dns_lists.is_some() || !self.dns_hosts.is_empty()
    }

    pub(super) fn read(reader: &mut Reader<'_>, mode: Mode) -> Self {
        let default = Self::of(mode);
        let region = reader.name(keys::REGION).unwrap_or(default.region);
        let zones = peer_lists::zones(reader, &region).unwrap_or(default.zones);
        let register = register(reader);
        let sync_retries = if register == Some(false) {
            0
        } else {
            default.sync_retries
        };
        let config = Self {
            service_urls: peer_lists::by_zone(reader, &zones),
            region,
            zones,
            prefer_same_zone: reader.flag(keys::PREFER_SAME_ZONE, default.prefer_same_zone),
            dns_lists: peer_lists::in_dns(reader),
            dns_hosts: peer_lists::hosts(reader),
            my_url: peer_lists::own(reader),
            update_interval: reader.millis(keys::PEERS_UPDATE_INTERVAL, default.update_interval),
            min_available: min_available(reader),
            connect_timeout: time_out(reader, keys::CONNECT_TIMEOUT, default.connect_timeout),
            read_timeout: time_out(reader, keys::READ_TIMEOUT, default.read_timeout),
            idle_connections: idle_connections(reader, default.idle_connections),
            idle_timeout: reader.seconds(keys::IDLE_TIMEOUT, default.idle_timeout),
            max_batches: reader.count(keys::MAX_THREADS, default.max_batches),
            max_cancels: reader.count(keys::MAX_ELEMENTS, default.max_cancels),
            max_wait: max_wait(reader),
            register,
            unregister_on_shutdown: reader.flag(keys::UNREGISTER, default.unregister_on_shutdown),
            wait_when_empty: reader.pause(keys::WAIT_WHEN_EMPTY, default.wait_when_empty),
            sync_retries: reader.number(keys::SYNC_RETRIES, "a number of retries", sync_retries),
            sync_retry_wait: reader.pause(keys::SYNC_RETRY_WAIT, default.sync_retry_wait),
        };
        config.warn_of_what_is_not_so(reader);
        config
    }

    /// URLs of zones that the region does not have, so nobody's; or of lists that are looked for in DNS instead.
    fn warn_of_unused_urls(&self, reader: &mut Reader<'_>) {
        let Self { region, zones, .. } = self;
        let in_dns = self.dns_lists.is_some();
        let is_used = |zone: &String| !in_dns && (zone == DEFAULT_ZONE || zones.contains(zone));
        let unused = self.service_urls.keys().filter(|zone| !is_used(zone));
        let unused: Vec<_> = unused.map(String::as_str).collect();
        if unused.is_empty() {
            return;
        }
        let why = match in_dns {
            true => format!("{} is set", keys::USE_DNS),
            false => format!(
                "region {region} has the zones {} ({})",
                zones.join(", "),
                keys::ZONES
            ),
        };
        let unused = unused.join(", ");
        reader.warn(format!("the URLs of {unused} are not used: {why}"));
    }

    /// Settings of the Java server that would make a node forget something.
    fn warn_of_what_is_not_so(&self, reader: &mut Reader<'_>) {
        let fetches = reader.flag(keys::FETCH_REGISTRY, true);
        let only_up = reader.flag(keys::ONLY_UP, false);
        reader.flag(keys::USE_IP, false);
        if !self.are_listed() {
            return;
        }
        self.warn_of_unused_urls(reader);
        if !fetches {
            reader.warn(format!(
                "{}: false does not keep this node from copying what its peers hold when it starts",
                keys::FETCH_REGISTRY
            ));
        }
        if only_up {
            reader.warn(format!(
                "{}: true has no effect: instances of every status are copied from peers, or they \
                 would be lost",
                keys::ONLY_UP
            ));
        }
    }
}

/// A time-out of calls to a peer.
fn time_out(reader: &mut Reader<'_>, key: &'static str, default: Duration) -> Duration {
    let time_out = reader.millis(key, default);
    if time_out < SHORT {
        reader.warn(format!(
            "{key}: {} ms is short: a busy peer is then told the same again and again; \
             {} ms would do",
            time_out.as_millis(),
            default.as_millis()
        ));
    }
    time_out
}

/// Both keys are about the connections to one peer, so the smaller counts.
fn idle_connections(reader: &mut Reader<'_>, default: usize) -> usize {
    let in_all = reader.count(keys::TOTAL_CONNECTIONS, default.max(1000));
    in_all.min(reader.count(keys::HOST_CONNECTIONS, default))
}

/// Where nothing is set, nothing is dropped.
fn max_wait(reader: &mut Reader<'_>) -> Option<Duration> {
    let is_set = reader.is_set(keys::MAX_TIME);
    let wait = is_set.then(|| reader.millis(keys::MAX_TIME, Duration::ZERO));
    wait.filter(|wait| !wait.is_zero())
}

/// Below zero means that nobody asks.
fn min_available(reader: &mut Reader<'_>) -> Option<usize> {
    let wanted = "a number of peers, or -1";
    let least: i32 = reader.number(keys::MIN_AVAILABLE, wanted, -1);
    usize::try_from(least).ok()
}

/// What the user says, if anything; one no is enough.
fn register(reader: &mut Reader<'_>) -> Option<bool> {
    let may = [keys::CLIENT_ENABLED, keys::AUTO_REGISTRATION].map(|key| reader.flag(key, true));
    let said = reader.is_set(keys::REGISTER);
    let register = said.then(|| reader.flag(keys::REGISTER, true));
    if may.contains(&false) {
        return Some(false);
    }
    register
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError, Sources};
    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn read_from(environment: Pairs<'_>, arguments: Pairs<'_>) -> Result<Config, Vec<ConfigError>> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let (environment, arguments) = (environment.iter().map(owned), arguments.iter().map(owned));
        Config::read(&Sources::new(environment, arguments))
    }

    fn read(arguments: Pairs<'_>) -> Config {
        read_from(&[], arguments).unwrap()
    }

    /// The lists, as zones and URLs.
    fn lists(config: &Config) -> Vec<String> {
        let lists = config.peers.service_urls.iter();
        let text = |(zone, urls): (&String, &Vec<NodeUrl>)| format!("{zone}: {urls:?}");
        lists.map(text).collect()
    }

    const DEFAULT: &str = "eureka.client.service-url.defaultZone";
    const P: &str = "http://p:8761/eureka";

    /// C2, C3, C4; config.md §4.3.
    #[test]
    fn the_default_zone_is_known_in_every_spelling_and_all_but_one_are_warned_of() {
        let wanted = ["defaultZone: [http://p:8761/eureka/]"];
        for (name, warnings) in [
            (DEFAULT, 0),
            ("eureka.client.serviceUrl.defaultZone", 0),
            ("eureka.client.service-url.default-zone", 1),
            ("eureka.client.serviceUrl.defaultzone", 1),
            ("eureka.client.service-url.default_zone", 1),
            ("eureka.serviceUrl.default", 0),
        ] {
            let config = read(&[(name, P)]);
            assert_eq!(lists(&config), wanted, "{name}");
            assert_eq!(config.warnings.len(), warnings, "{name}");
        }
        for name in [
            "EUREKA_CLIENT_SERVICEURL_DEFAULTZONE",
            "EUREKA_CLIENT_SERVICE_URL_DEFAULTZONE",
            "EUREKA_CLIENT_SERVICE_URL_DEFAULT_ZONE",
            "eureka.client.serviceUrl.defaultZone",
        ] {
            let config = read_from(&[(name, P)], &[]).unwrap();
            assert_eq!(lists(&config), wanted, "{name}");
            assert_eq!(config.warnings, [""; 0], "{name}");
        }
        let environment = [("EUREKA_CLIENT_SERVICEURL_DEFAULTZONE", "http://q/")];
        let config = read_from(&environment, &[(DEFAULT, P)]).unwrap();
        assert_eq!(lists(&config), wanted);
    }

    /// config.md §4, §7.2.
    #[test]
    fn zones_keep_their_case_and_are_found_from_the_environment_all_the_same() {
        let zones = (
            "eureka.client.availability-zones.eu-1",
            " Z-1 , z2,default-zone",
        );
        let region = ("eureka.client.region", "eu-1");
        let urls = [
            ("EUREKA_CLIENT_SERVICEURL_Z1", "http://a/"),
            ("EUREKA_CLIENT_SERVICEURL_Z_2", "http://b/"),
            ("EUREKA_CLIENT_SERVICEURL_Z3", "http://c/"),
        ];
        let config = read_from(&urls, &[zones, region]).unwrap();
        assert_eq!(config.peers.zones, ["Z-1", "z2", "defaultZone"]);
        let wanted = ["Z-1: [http://a/]", "z2: [http://b/]", "z3: [http://c/]"];
        assert_eq!(lists(&config), wanted);
        // Nobody is in z3.
        assert!(config.warnings[0].starts_with("the URLs of z3 are not used: region eu-1"));

        let config = read(&[zones, ("eureka.client.service-url.z-1", "http://a/")]);
        assert_eq!(config.peers.zones, [DEFAULT_ZONE]);
        assert_eq!(lists(&config), ["z-1: [http://a/]"]);

        let zones = [("EUREKA_CLIENT_AVAILABILITYZONES_EU_1", "z9")];
        let config = read_from(&zones, &[region]).unwrap();
        assert_eq!(config.peers.zones, ["z9"]);
    }

    /// C14: nowhere, not in what is in force and not in what is refused.
    #[test]
    fn passwords_are_read_and_never_shown() {
        let config = read(&[(
            DEFAULT,
            "http://u:s%40cret@p:8761/eureka/,http://v:s%3Acret@q/",
        )]);
        let urls = &config.peers.service_urls[DEFAULT_ZONE];
        assert_eq!(urls[0].credentials(), Some(("u", "s@cret")));
        assert_eq!(urls[1].credentials(), Some(("v", "s:cret")));
        assert!(!format!("{config:?}").contains("cret"));

        for list in [
            "htp://u:secret@p/",
            "http://u:se,cret@p/",
            "http://a/,u:secret@p",
            "http://u:secret@p:x/",
        ] {
            for key in [DEFAULT, "eureka.server.peer-dns", "eureka.server.my-url"] {
                let mistakes = read_from(&[], &[(key, list)]).unwrap_err();
                let shown = format!("{mistakes:?}");
                assert!(
                    shown.contains("***@p") && !shown.contains("cret"),
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn a_wrong_url_is_named_with_its_key_place_and_what_is_wanted() {
        let mistakes = read_from(&[], &[(DEFAULT, "http://a/, b:8761")]).unwrap_err();
        let lines: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "eureka.client.service-url.<zone>: wanted URLs like http://host:8761/eureka/, with commas between \
              them, got \"http://a/, b:8761\" from the argument --eureka.client.service-url.defaultZone"
            ]
        );
    }

    /// C12, and server.md §14.2.
    #[test]
    fn one_no_is_enough_to_keep_the_node_from_registering_itself() {
        let register = "eureka.client.register-with-eureka";
        let retries = ("eureka.server.registry-sync-retries", "3");
        for (arguments, wanted) in [
            (vec![], (None, 5)),
            (vec![(register, "true")], (Some(true), 5)),
            (vec![(register, "false")], (Some(false), 0)),
            (vec![(register, "false"), retries], (Some(false), 3)),
            (vec![("eureka.client.enabled", "true")], (None, 5)),
            (
                vec![(register, "true"), ("eureka.client.enabled", "false")],
                (Some(false), 0),
            ),
            (
                vec![(
                    "spring.cloud.service-registry.auto-registration.enabled",
                    "false",
                )],
                (Some(false), 0),
            ),
        ] {
            let peers = read(&arguments).peers;
            assert_eq!(
                (peers.register, peers.sync_retries),
                wanted,
                "{arguments:?}"
            );
        }
    }

    #[test]
    fn what_a_java_server_s_file_would_switch_off_is_warned_of_where_there_are_peers() {
        let list = (DEFAULT, P);
        let (fetch, only_up) = (
            "eureka.client.fetch-registry",
            "eureka.client.filter-only-up-instances",
        );
        for (arguments, warnings) in [
            (vec![list], 0),
            (vec![(fetch, "false"), (only_up, "true")], 0),
            (vec![list, (fetch, "true"), (only_up, "false")], 0),
            (vec![list, (fetch, "false")], 1),
            (vec![list, (only_up, "true")], 1),
        ] {
            assert_eq!(read(&arguments).warnings.len(), warnings, "{arguments:?}");
        }
        assert!(read_from(&[], &[(fetch, "perhaps")]).is_err());
    }

    #[test]
    fn short_time_outs_are_taken_with_a_warning() {
        let config = read(&[
            ("eureka.server.peer-node-connect-timeout-ms", "200"),
            ("eureka.server.peer-node-read-timeout-ms", "1000"),
        ]);
        assert_eq!(config.peers.connect_timeout, Duration::from_millis(200));
        assert_eq!(config.peers.read_timeout, Duration::from_secs(1));
        assert_eq!(config.warnings.len(), 1);
    }

    #[test]
    fn every_number_can_be_set_and_none_that_makes_no_sense() {
        let config = read(&[
            ("eureka.server.peer-node-total-connections", "7"),
            (
                "eureka.server.peer-node-connection-idle-timeout-seconds",
                "8",
            ),
            ("eureka.server.max-threads-for-peer-replication", "9"),
            ("eureka.server.max-elements-in-peer-replication-pool", "10"),
            ("eureka.server.max-time-for-replication", "13"),
            ("eureka.server.wait-time-in-ms-when-sync-empty", "0"),
            ("eureka.server.registry-sync-retry-wait-ms", "11"),
            (
                "eureka.server.min-available-instances-for-peer-replication",
                "2",
            ),
            ("eureka.server.peer-eureka-nodes-update-interval-ms", "12"),
            ("eureka.client.should-unregister-on-shutdown", "off"),
            ("eureka.client.prefer-same-zone-eureka", "no"),
        ]);
        let peers = PeersConfig {
            idle_connections: 7,
            idle_timeout: Duration::from_secs(8),
            max_batches: 9,
            max_cancels: 10,
            max_wait: Some(Duration::from_millis(13)),
            wait_when_empty: Duration::ZERO,
            sync_retry_wait: Duration::from_millis(11),
            min_available: Some(2),
            update_interval: Duration::from_millis(12),
            unregister_on_shutdown: false,
            prefer_same_zone: false,
            ..PeersConfig::of(Mode::Modern)
        };
        assert_eq!(config.peers, peers);
        for (key, text) in [
            ("eureka.server.peer-node-connect-timeout-ms", "0"),
            ("eureka.server.peer-node-read-timeout-ms", "5s"),
            ("eureka.server.peer-node-total-connections", "0"),
            ("eureka.server.peer-node-total-connections-per-host", "-1"),
            ("eureka.server.max-threads-for-peer-replication", "0"),
            (
                "eureka.server.max-elements-in-peer-replication-pool",
                "many",
            ),
            ("eureka.server.wait-time-in-ms-when-sync-empty", "-1"),
            ("eureka.server.registry-sync-retries", "-1"),
            (
                "eureka.server.min-available-instances-for-peer-replication",
                "all",
            ),
            ("eureka.server.max-time-for-replication", "0"),
            (
                "eureka.client.transport.applications-resolver-use-ip",
                "sometimes",
            ),
            ("eureka.server.my-url", "node1"),
            ("eureka.server.my-url", "http://a/,http://b/"),
            ("eureka.client.eureka-server-port", "0"),
            // The domain is missing.
            ("eureka.client.use-dns-for-fetching-service-urls", "true"),
        ] {
            assert_eq!(
                read_from(&[], &[(key, text)]).unwrap_err().len(),
                1,
                "{key}"
            );
        }
    }

    #[test]
    fn lists_in_dns_take_the_place_of_urls() {
        let dns = [
            ("eureka.client.use-dns-for-fetching-service-urls", "true"),
            ("eureka.client.eureka-server-d-n-s-name", "eureka.example."),
            ("eureka.client.eurekaServerURLContext", "/eureka/v2/"),
        ];
        let config = read(&dns);
        let lists = DnsLists {
            domain: "eureka.example".to_string(),
            port: 8761,
            context: "eureka/v2".to_string(),
        };
        assert_eq!(config.peers.dns_lists, Some(lists));
        assert!(config.peers.are_listed() && config.warnings.is_empty());
        // Each without the other does nothing, and says so.
        assert_eq!(read(&dns[1..]).warnings.len(), 2);
        assert_eq!(read(&[dns[0], dns[1], (DEFAULT, P)]).warnings.len(), 1);
    }

    /// C15.
    #[test]
    fn every_key_without_effect_says_why_and_those_of_java_s_own_are_silent() {
        let at = |key: &str| key.replace(['<', '>'], "");
        let idle = keys::IDLE.iter();
        let idle = idle.flat_map(|idle| idle.keys.iter().map(|key| (at(key), idle.reason)));
        let (mut arguments, mut wanted) = (Vec::new(), Vec::new());
        for (key, reason) in idle {
            wanted.push(format!("{key} has no effect: {reason}"));
            arguments.push(key);
        }
        arguments.extend(keys::SILENT.iter().map(|key| at(key)));
        let arguments: Vec<_> = arguments.iter().map(|key| (key.as_str(), "7")).collect();
        let mut warnings = read(&arguments).warnings;
        warnings.sort();
        wanted.sort();
        assert_eq!(warnings, wanted);
    }
}
