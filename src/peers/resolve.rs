//! Who the peers are: the configured lists, looked up, without this node itself.
//!
//! Zones and lists in DNS are as in server.md §12.1. A URL is this node's own if `my-url` says so or, without that,
//! if host **and** port are its own (B-23, B-24): the host name or address that it gives others, with the port that
//! it gives them; or an address of this machine that it listens at, with the port that it listens on. Two nodes on
//! one machine can have neither in common. What this cannot see, a name that leads here by detours, is found out
//! by the node's id when it is called.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use crate::config::{Config, DEFAULT_ZONE, DnsLists, PeersConfig};
use crate::model::NodeUrl;
use crate::transport::Network;

/// Names are looked up at least this often: nodes that come and go are found by nothing else.
const NAMES_LIVE: Duration = Duration::from_secs(10);
/// An address that no machine has (RFC 5737).
const NOBODYS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

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
pub struct Unresolved {
    /// The peers that are known all the same.
    pub known: Vec<NodeUrl>,
    /// What failed, with the names that were looked up.
    pub failures: Vec<String>,
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
        let listens = url.port() == self.bound.port() && self.listens_at(host);
        given && url.port() == self.port || listens
    }

    /// Whether a connection from here to this host arrives where this node listens.
    fn listens_at(&self, host: &str) -> bool {
        let bound = self.bound.ip();
        if host == "localhost" {
            return bound.is_unspecified() || bound.is_loopback();
        }
        let Ok(address) = host.parse::<IpAddr>().map(|address| address.to_canonical()) else {
            return false;
        };
        if !bound.is_unspecified() {
            return address == bound.to_canonical();
        }
        let is_covered = bound.is_ipv6() || address.is_ipv4();
        let is_here = address.is_loopback() || address.is_unspecified();
        is_covered && (is_here || (self.is_local)(address))
    }
}

/// Whether this machine has the address: nothing else can be bound to.
fn is_local(address: IpAddr) -> bool {
    let can_bind = |address| UdpSocket::bind((address, 0)).is_ok();
    // Some machines are set to bind anything; they know nothing of what is theirs.
    can_bind(address) && !can_bind(NOBODYS)
}

/// Pause between two look-ups.
pub fn refresh_interval(config: &PeersConfig) -> Duration {
    let by_name = config.dns_lists.is_some() || !config.dns_hosts.is_empty();
    match by_name {
        true => config.update_interval.min(NAMES_LIVE),
        false => config.update_interval,
    }
}

/// The peers, each once, in the order of zones and lists.
pub async fn resolve(
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
            Ok(found) => urls.extend(found.into_iter().map(|address| named.with_host(address))),
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
