//! Who the peers are: the configured lists, looked up, without this node itself.
//!
//! Zones and lists in DNS are as in server.md §12.1. A URL is this node's own if `my-url` says so or, without that,
//! if host **and** port are its own (B-23, B-24): the host name or address that it gives others, with the port that
//! it gives them; or an address of this machine that it listens at, with the port that it listens on. Two nodes on
//! one machine can have neither in common. What this cannot see, a name that leads here by detours, is found out
//! by the node's id when it is called.

use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use super::Lookup;
use crate::config::{Config, DEFAULT_ZONE, DnsLists, PeersConfig, is_local, listens_at};
use crate::model::NodeUrl;
use crate::transport::Network;

/// Names are looked up at least this often: nodes that come and go are found by nothing else.
const NAMES_LIVE: Duration = Duration::from_secs(10);

/// This node, as others may write it.
#[derive(Clone, Debug)]
pub struct Me {
    /// The host name that it gives others.
    pub host_name: String,
    /// The address that it gives others.
    pub ip_addr: String,
    /// The port that it gives others.
    pub port: u16,
    /// Where it listens.
    pub bound: SocketAddr,
    /// Whether an address is one of this machine's.
    pub is_local: fn(IpAddr) -> bool,
}

/// Something could not be looked up. Peers of which this does not speak are not gone (B-25).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .failures.join("; "))]
struct Unresolved {
    /// The peers that are known all the same.
    known: Vec<NodeUrl>,
    /// What failed, with the names that were looked up.
    failures: Vec<String>,
}

impl Me {
    /// The node with these settings, which gives others this name and address and listens on this port.
    pub fn new(config: &Config, host_name: &str, ip_addr: &str, port: u16) -> Self {
        Self {
            host_name: host_name.to_string(),
            ip_addr: ip_addr.to_string(),
            port: config.instance.port.unwrap_or(port),
            bound: SocketAddr::new(config.http.address, port),
            is_local,
        }
    }

    fn is(&self, url: &NodeUrl, config: &PeersConfig) -> bool {
        if let Some(mine) = &config.my_url {
            return url.as_str() == mine.as_str();
        }
        let host = url.host();
        let given = host.eq_ignore_ascii_case(&self.host_name) || host == self.ip_addr;
        let listens =
            url.port() == self.bound.port() && listens_at(self.bound.ip(), host, self.is_local);
        given && url.port() == self.port || listens
    }

    /// Nodes under one name listen alike. One that has an address of either family must not be two peers, of which
    /// one is never there.
    fn of_own_family(&self, addresses: Vec<IpAddr>) -> Vec<IpAddr> {
        let is_own = |address: &IpAddr| address.is_ipv6() == self.bound.is_ipv6();
        match addresses.iter().any(is_own) {
            true => addresses.into_iter().filter(is_own).collect(),
            false => addresses,
        }
    }
}

/// Pause between two look-ups.
pub fn refresh_interval(config: &PeersConfig) -> Duration {
    let by_name = config.dns_lists.is_some() || !config.dns_hosts.is_empty();
    match by_name {
        true => config.update_interval.min(NAMES_LIVE),
        false => config.update_interval,
    }
}

/// The lists, which may be set anew while the node runs.
pub type SharedPeersConfig = Rc<RefCell<PeersConfig>>;

/// Looks the peers up whenever it is called. What cannot be looked up just then is as it was before (B-25); an
/// error is that nobody is known at all.
pub fn lookup(config: SharedPeersConfig, me: Me, network: Rc<dyn Network>) -> Lookup {
    let parts = Rc::new((config, me, network));
    let before = Rc::new(RefCell::new(Before::default()));
    Rc::new(move || {
        let (parts, before) = (parts.clone(), before.clone());
        Box::pin(async move {
            let (config, me, network) = &*parts;
            // As it is set at this moment.
            let config = config.borrow().clone();
            let found = resolve(&config, me, network.as_ref()).await;
            before.borrow_mut().and_now(found)
        })
    })
}

/// What the last look-up found.
#[derive(Debug, Default)]
struct Before {
    peers: Vec<NodeUrl>,
    /// What failed, if anything.
    failures: Vec<String>,
}

impl Before {
    fn and_now(&mut self, found: Result<Vec<NodeUrl>, Unresolved>) -> Result<Vec<NodeUrl>, String> {
        let (peers, failures) = match found {
            Ok(peers) => (peers, Vec::new()),
            Err(unresolved) => {
                let mut peers = unresolved.known;
                let kept = self.peers.iter().filter(|peer| !peers.contains(peer));
                let kept: Vec<_> = kept.cloned().collect();
                peers.extend(kept);
                (peers, unresolved.failures)
            }
        };
        let failed = failures.join("; ");
        // Not at every look-up of an outage.
        if failures.len() > self.failures.len() {
            tracing::warn!(%failed, "peers cannot be looked up; those that are known stay");
        }
        self.failures = failures;
        self.peers = peers;
        match self.peers.is_empty() && !failed.is_empty() {
            true => Err(failed),
            false => Ok(self.peers.clone()),
        }
    }
}

/// The peers, each once, in the order of zones and lists.
async fn resolve(
    config: &PeersConfig,
    me: &Me,
    network: &dyn Network,
) -> Result<Vec<NodeUrl>, Unresolved> {
    let mut failures = Vec::new();
    let mut urls = match &config.dns_lists {
        Some(lists) => in_dns(lists, config, network, &mut failures).await,
        None => in_zones(config),
    };
    for named in &config.dns_hosts {
        let host = named.host();
        match network.addresses(host).await {
            Ok(found) if found.is_empty() => failures.push(format!("{host} has no address")),
            Ok(found) => {
                let found = me.of_own_family(found).into_iter();
                urls.extend(found.map(|address| named.with_host(address)));
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    let known = others(urls, config, me);
    match failures.is_empty() {
        true => Ok(known),
        false => Err(Unresolved { known, failures }),
    }
}

/// The peers that the settings list by their URLs.
pub fn listed(config: &PeersConfig, me: &Me) -> Vec<NodeUrl> {
    match config.dns_lists {
        Some(_) => Vec::new(),
        None => others(in_zones(config), config, me),
    }
}

/// Each once, and not this node.
fn others(urls: Vec<NodeUrl>, config: &PeersConfig, me: &Me) -> Vec<NodeUrl> {
    let mut others: Vec<NodeUrl> = Vec::new();
    for url in urls {
        let is_known = others.iter().any(|other| other.as_str() == url.as_str());
        if !is_known && !me.is(&url, config) {
            others.push(url);
        }
    }
    others
}

/// The URLs of all zones of the region (server.md §12.1.2).
fn in_zones(config: &PeersConfig) -> Vec<NodeUrl> {
    let urls_of = |zone: &String| {
        let urls = config.service_urls.get(zone);
        urls.or_else(|| config.service_urls.get(DEFAULT_ZONE))
    };
    let zones = own_first_or_last(&config.zones, config);
    let urls = zones.into_iter().filter_map(urls_of).flatten();
    urls.cloned().collect()
}

/// Zones from the first on that is the own one or, if that is not preferred, from the first that is not.
fn own_first_or_last<'z>(zones: &'z [String], config: &PeersConfig) -> Vec<&'z String> {
    let is_own = |zone: &String| Some(zone) == config.zones.first();
    let is_first = |zone: &String| is_own(zone) == config.prefer_same_zone;
    let first = zones.iter().position(is_first).unwrap_or(0);
    let (after, before) = (zones[first..].iter(), zones[..first].iter());
    after.chain(before).collect()
}

/// The URLs that are listed in DNS (server.md §12.1.3): names of zones under one name, hosts under each of those.
async fn in_dns(
    lists: &DnsLists,
    config: &PeersConfig,
    network: &dyn Network,
    failures: &mut Vec<String>,
) -> Vec<NodeUrl> {
    let root = format!("txt.{}.{}", config.region, lists.domain);
    let names = words(&root, network, failures).await;
    let label = |name: &String| name.split('.').next().unwrap_or_default().to_string();
    let labels: Vec<String> = names.iter().map(label).collect();
    let mut urls = Vec::new();
    for zone in own_first_or_last(&labels, config) {
        let Some(name) = names.iter().find(|name| label(name) == *zone) else {
            continue;
        };
        for host in words(&format!("txt.{name}"), network, failures).await {
            let url = format!("http://{host}:{}/{}/", lists.port, lists.context);
            match url.parse() {
                Ok(url) => urls.push(url),
                Err(_) => failures.push(format!("txt.{name} lists {host:?}, which is no host")),
            }
        }
    }
    urls
}

/// What the texts of a name list: words with blanks between them, in quotes or not.
async fn words(name: &str, network: &dyn Network, failures: &mut Vec<String>) -> Vec<String> {
    let texts = match network.texts(name).await {
        Ok(texts) => texts,
        Err(error) => {
            failures.push(error.to_string());
            return Vec::new();
        }
    };
    let words = texts.iter().flat_map(|text| text.split_whitespace());
    let words = words.map(|word| word.trim_matches('"').trim_end_matches('.'));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        failures.push(format!("{name} lists nothing"));
    }
    words.into_iter().map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::io;

    use super::*;
    use crate::config::{Mode, Sources};
    use crate::transport::{Awaited, NodeApi};

    /// Names and what they have; one with nothing in it has no answer, one that is not there is an error.
    #[derive(Default)]
    struct Names(RefCell<HashMap<String, Vec<String>>>);

    impl Names {
        fn of(names: &[(&str, &[&str])]) -> Self {
            let known = Self::default();
            for (name, has) in names {
                known.set(name, has);
            }
            known
        }

        fn set(&self, name: &str, has: &[&str]) {
            let has = has.iter().map(ToString::to_string).collect();
            self.0.borrow_mut().insert(name.to_string(), has);
        }

        fn get(&self, name: &str) -> io::Result<Vec<String>> {
            let found = self.0.borrow().get(name).cloned();
            found.ok_or_else(|| io::Error::other(format!("{name}: no such name")))
        }
    }

    impl Network for Names {
        fn node(&self, _: &NodeUrl) -> Rc<dyn NodeApi> {
            unreachable!("nobody is asked")
        }

        fn addresses(&self, host: &str) -> Awaited<io::Result<Vec<IpAddr>>> {
            let found = self.get(host);
            let parsed =
                |found: Vec<String>| found.iter().map(|text| text.parse().unwrap()).collect();
            Box::pin(async move { found.map(parsed) })
        }

        fn texts(&self, name: &str) -> Awaited<io::Result<Vec<String>>> {
            let found = self.get(name);
            Box::pin(async move { found })
        }
    }

    fn config(arguments: &[(&str, &str)]) -> Config {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Config::read(&Sources::new([], arguments.iter().map(owned))).unwrap()
    }

    /// A node on a machine with the addresses 10.0.0.7 and fd00::7.
    fn me(bound: &str) -> Me {
        Me {
            host_name: "node1".to_string(),
            ip_addr: "10.0.0.7".to_string(),
            port: 8761,
            bound: bound.parse().unwrap(),
            is_local: |address| ["10.0.0.7", "fd00::7"].contains(&address.to_string().as_str()),
        }
    }

    async fn peers(arguments: &[(&str, &str)], names: &Names) -> Result<Vec<String>, Unresolved> {
        let config = config(arguments);
        let found = resolve(&config.peers, &me("0.0.0.0:8761"), names).await?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    const DEFAULT: &str = "eureka.client.service-url.defaultZone";
    const Z1: &str = "eureka.client.service-url.z1";
    const Z2: &str = "eureka.client.service-url.z2";
    const ZONES: &str = "eureka.client.availability-zones.us-east-1";
    const PREFER: &str = "eureka.client.prefer-same-zone-eureka";
    const PEER_DNS: &str = "eureka.server.peer-dns";

    /// server.md §12.1.2, config.md §4, C4, C16.
    #[tokio::test]
    async fn peers_are_those_of_the_region_s_zones_in_order_each_once() {
        let (a, b, c, d) = ("http://a/e/", "http://b/e/", "http://c/e/", "http://d/e/");
        let both = [(Z1, a), (Z2, "http://b/e,http://c/e")];
        let zones = (ZONES, "z1, z2");
        for (arguments, wanted) in [
            (vec![], vec![]),
            (vec![(DEFAULT, " http://a/e , http://b/e/ ,")], vec![a, b]),
            (
                vec![(DEFAULT, "http://a/e/,http://A:80/e,http://u:p@a/e/")],
                vec![a],
            ),
            // Zones that the region does not have are nobody's.
            (vec![(Z1, a)], vec![]),
            (vec![zones, both[0], both[1]], vec![a, b, c]),
            (
                vec![zones, both[0], both[1], (PREFER, "false")],
                vec![b, c, a],
            ),
            (vec![(ZONES, "z1"), both[0], (PREFER, "false")], vec![a]),
            // The own zone comes once more where it is listed once more, and its nodes do not.
            (vec![(ZONES, "z1,z2,z1"), both[0], both[1]], vec![a, b, c]),
            // A zone without URLs has those of the default zone.
            (vec![zones, both[1], (DEFAULT, d)], vec![d, b, c]),
            (
                vec![zones, (Z1, " , "), both[1], (DEFAULT, d)],
                vec![d, b, c],
            ),
            (vec![zones, (DEFAULT, d)], vec![d]),
            (
                vec![("eureka.client.region", "eu"), zones, both[0], (DEFAULT, d)],
                vec![d],
            ),
        ] {
            let found = peers(&arguments, &Names::default()).await;
            assert_eq!(found.unwrap(), wanted, "{arguments:?}");
        }
    }

    /// B-23, B-24; config.md C8.
    #[test]
    fn a_node_knows_itself_by_host_and_port_and_never_takes_another_for_itself() {
        let everywhere = me("0.0.0.0:8761");
        // Another port inside than outside, as in a container.
        let mapped = Me {
            port: 8001,
            ..me("0.0.0.0:8761")
        };
        let (both, one, loopback) = (me("[::]:8761"), me("10.0.0.7:8761"), me("127.0.0.2:8761"));
        for (me, own, others) in [
            (
                &everywhere,
                "node1:8761 NODE1:8761 10.0.0.7:8761 localhost:8761 127.0.0.1:8761 127.0.0.2:8761 0.0.0.0:8761",
                "node1:8762 node2:8761 10.0.0.7:8762 10.0.0.8:8761 localhost:8762 127.0.0.1:80 [::1]:8761 \
                 [fd00::7]:8761 node1.example:8761",
            ),
            (
                &both,
                "node1:8761 10.0.0.7:8761 [fd00::7]:8761 [::1]:8761 [::ffff:10.0.0.7]:8761 [::]:8761",
                "[fd00::7]:8762 [fd00::8]:8761 10.0.0.8:8761",
            ),
            (
                &mapped,
                "node1:8001 10.0.0.7:8001 10.0.0.7:8761 localhost:8761",
                "node1:8761 node1:8002 localhost:8001 10.0.0.8:8001",
            ),
            (
                &one,
                "node1:8761 10.0.0.7:8761",
                "localhost:8761 127.0.0.1:8761 10.0.0.8:8761 10.0.0.7:8762",
            ),
            (
                &loopback,
                "127.0.0.2:8761 localhost:8761",
                "127.0.0.1:8761 127.0.0.3:8761 127.0.0.2:8762",
            ),
        ] {
            let config = PeersConfig::of(Mode::Modern);
            let is_me = |place: &str| {
                let url = format!("http://{place}/eureka/").parse().unwrap();
                me.is(&url, &config)
            };
            for place in own.split_whitespace() {
                assert!(is_me(place), "{place} at {}", me.bound);
            }
            for place in others.split_whitespace() {
                assert!(!is_me(place), "{place} at {}", me.bound);
            }
        }
    }

    /// server.md §12.2: `my-url` alone decides, compared in one form.
    #[tokio::test]
    async fn my_url_says_which_one_is_this_node() {
        let list = (DEFAULT, "http://lb:80/e,http://node1:8761/e/");
        let mine = ("eureka.server.my-url", "http://LB/e");
        let found = peers(&[list, mine], &Names::default()).await;
        assert_eq!(found.unwrap(), ["http://node1:8761/e/"]);
    }

    #[test]
    fn two_nodes_of_one_machine_are_told_apart_without_any_name() {
        let config = config(&[(DEFAULT, "http://localhost:8761/e/,http://localhost:8762/e/")]);
        for (port, other) in [(8761, 8762), (8762, 8761)] {
            let me = Me::new(&config, "box", "10.0.0.7", port);
            let wanted = format!("http://localhost:{other}/e/").parse().unwrap();
            assert_eq!(listed(&config.peers, &me), [wanted]);
        }
    }

    #[tokio::test]
    async fn a_name_stands_for_all_its_addresses_but_this_node_s() {
        let dns = (PEER_DNS, "http://u:p@nodes:8761/e,http://more:8762/e/");
        let names = Names::of(&[
            ("nodes", &["10.0.0.6", "10.0.0.7", "fd00::6", "fd00::7"]),
            ("more", &["fd00::8"]),
        ]);
        let listed = (DEFAULT, "http://10.0.0.6:8761/e/");
        let found = peers(&[listed, dns], &names).await;
        let wanted = ["http://10.0.0.6:8761/e/", "http://[fd00::8]:8762/e/"];
        assert_eq!(found.unwrap(), wanted);
        let over_6 = resolve(&config(&[dns]).peers, &me("[::]:8761"), &names).await;
        let over_6: Vec<_> = over_6.iter().flatten().map(NodeUrl::as_str).collect();
        let wanted = ["http://[fd00::6]:8761/e/", "http://[fd00::8]:8762/e/"];
        assert_eq!(over_6, wanted);
    }

    /// B-25, and down to one.
    #[tokio::test]
    async fn what_has_no_answer_stays_and_what_is_not_in_an_answer_goes() {
        let names = Rc::new(Names::default());
        let config = config(&[(DEFAULT, "http://a/e/"), (PEER_DNS, "http://nodes:8761/e/")]);
        let find = lookup(
            Rc::new(RefCell::new(config.peers)),
            me("0.0.0.0:8761"),
            names.clone(),
        );
        let a = "http://a/e/";
        let (six, eight) = ("http://10.0.0.6:8761/e/", "http://10.0.0.8:8761/e/");
        let has = |has: &[&str]| names.set("nodes", has);
        let found = async || {
            let found = find().await.unwrap();
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found().await, [a]);
        has(&["10.0.0.6", "10.0.0.7", "10.0.0.8"]);
        assert_eq!(found().await, [a, six, eight]);
        has(&[]);
        assert_eq!(found().await, [a, six, eight]);
        has(&["10.0.0.7", "10.0.0.8"]);
        assert_eq!(found().await, [a, eight]);
        names.0.borrow_mut().clear();
        assert_eq!(found().await, [a, eight]);
        has(&["10.0.0.7"]);
        assert_eq!(found().await, [a]);
    }

    #[tokio::test]
    async fn nobody_known_is_an_error_that_says_what_was_looked_up_and_nobody_there_is_none() {
        let names = Rc::new(Names::default());
        let config = config(&[(PEER_DNS, "http://nodes:8761/e/")]);
        let find = lookup(
            Rc::new(RefCell::new(config.peers)),
            me("0.0.0.0:8761"),
            names.clone(),
        );
        assert_eq!(find().await, Err("nodes: no such name".to_string()));
        names.set("nodes", &[]);
        assert_eq!(find().await, Err("nodes has no address".to_string()));
        names.set("nodes", &["10.0.0.7"]);
        assert_eq!(find().await, Ok(Vec::new()));
    }

    /// server.md §12.1.3.
    #[tokio::test]
    async fn lists_in_dns_name_zones_and_those_name_hosts() {
        let dns = [
            ("eureka.client.use-dns-for-fetching-service-urls", "true"),
            ("eureka.client.eureka-server-d-n-s-name", "example."),
            ("eureka.client.eureka-server-port", "7001"),
            ("eureka.client.eureka-server-u-r-l-context", "/eureka/v2"),
            (DEFAULT, "http://unused/e/"),
        ];
        let names = Names::of(&[
            (
                "txt.us-east-1.example",
                &["\"zb.example zc.example.\"", "za.example"],
            ),
            ("txt.za.example", &["a1"]),
            ("txt.zb.example", &["b1 node1", "b2"]),
            ("txt.zc.example", &["c1"]),
        ]);
        let urls = |hosts: &str| {
            let url = |host| format!("http://{host}:7001/eureka/v2/");
            hosts.split(' ').map(url).collect::<Vec<_>>()
        };
        let own_zone = |zone| {
            let more = [(ZONES, zone)];
            dns.into_iter().chain(more).collect::<Vec<_>>()
        };
        assert_eq!(
            peers(&dns, &names).await.unwrap(),
            urls("b1 node1 b2 c1 a1")
        );
        assert_eq!(
            peers(&own_zone("zc"), &names).await.unwrap(),
            urls("c1 a1 b1 node1 b2")
        );
        let mut last = own_zone("zb");
        last.push((PREFER, "false"));
        assert_eq!(
            peers(&last, &names).await.unwrap(),
            urls("c1 a1 b1 node1 b2")
        );

        names.set("txt.zc.example", &[]);
        let unresolved = peers(&dns, &names).await.unwrap_err();
        assert_eq!(unresolved.to_string(), "txt.zc.example lists nothing");
        assert_eq!(unresolved.known.len(), 4);
    }

    #[test]
    fn names_are_looked_up_often_and_lists_as_often_as_they_say() {
        let interval = "eureka.server.peer-eureka-nodes-update-interval-ms";
        let dns = (PEER_DNS, "http://nodes:8761/e/");
        for (arguments, seconds) in [
            (vec![], 600),
            (vec![(interval, "7000")], 7),
            (vec![dns], 10),
            (vec![dns, (interval, "7000")], 7),
            (vec![dns, (interval, "70000")], 10),
        ] {
            let config = config(&arguments).peers;
            assert_eq!(
                refresh_interval(&config).as_secs(),
                seconds,
                "{arguments:?}"
            );
        }
    }
}
