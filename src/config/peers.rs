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
    /// Whether nodes in the lists are known by their addresses rather than by their host names; default false.
    pub compare_ip: bool,
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
    /// Whether the node registers itself; default true where there are peers.
    pub register: Option<bool>,
    /// Whether it takes itself out when it stops; default true.
    pub unregister_on_shutdown: bool,
    /// How long lists are refused after the start if no peer had anything; default 35 s, in classic mode 5 min.
    pub wait_when_empty: Duration,
    /// Passes in which peers are copied at the start in classic mode, until one finds something; default 5, and 0 where the node is told not to register itself (C12).
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
            compare_ip: false,
            update_interval: Duration::from_secs(600),
            min_available: None,
            connect_timeout: Duration::from_secs(1),
            read_timeout: Duration::from_secs(5),
            idle_connections: 500,
            idle_timeout: Duration::from_secs(30),
            max_batches: 20,
            max_cancels: 10_000,
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
        let region = reader.text(keys::REGION, &default.region);
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
            compare_ip: reader.flag(keys::COMPARE_IP, default.compare_ip),
            update_interval: reader.millis(keys::PEERS_UPDATE_INTERVAL, default.update_interval),
            min_available: min_available(reader),
            connect_timeout: time_out(reader, keys::CONNECT_TIMEOUT, default.connect_timeout),
            read_timeout: time_out(reader, keys::READ_TIMEOUT, default.read_timeout),
            idle_connections: idle_connections(reader, default.idle_connections),
            idle_timeout: reader.seconds(keys::IDLE_TIMEOUT, default.idle_timeout),
            max_batches: reader.count(keys::MAX_THREADS, default.max_batches),
            max_cancels: reader.count(keys::MAX_ELEMENTS, default.max_cancels),
            register,
            unregister_on_shutdown: reader.flag(keys::UNREGISTER, default.unregister_on_shutdown),
            wait_when_empty: reader.pause(keys::WAIT_WHEN_EMPTY, default.wait_when_empty),
            sync_retries: reader.number(keys::SYNC_RETRIES, "a number of retries", sync_retries),
            sync_retry_wait: reader.pause(keys::SYNC_RETRY_WAIT, default.sync_retry_wait),
        };
        config.warn_of_what_is_not_so(reader);
        config
    }

    /// Settings of the Java server that would make a node forget something.
    fn warn_of_what_is_not_so(&self, reader: &mut Reader<'_>) {
        if !self.are_listed() {
            return;
        }
        if !reader.flag(keys::FETCH_REGISTRY, true) {
            reader.warn(format!(
                "{}: false does not keep this node from copying what its peers hold when it starts",
                keys::FETCH_REGISTRY
            ));
        }
        if reader.flag(keys::ONLY_UP, false) {
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
