//! The lists of peers, in all forms that they may have (config.md §4).

use std::collections::BTreeMap;

use super::keys;
use super::read::Reader;
use crate::model::NodeUrl;

/// The zone of URLs that are of no zone in particular.
pub const DEFAULT_ZONE: &str = "defaultZone";

/// Lists of nodes as TXT records: `txt.REGION.DOMAIN` names zones, `txt.ZONE…` hosts (server.md §12.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsLists {
    /// Below which the lists are.
    pub domain: String,
    /// Port of every node; default 8761.
    pub port: u16,
    /// Path of every node's service, without slashes around it; default `eureka`.
    pub context: String,
}

/// The URLs of every zone. The zone that everybody has is accepted in every spelling (config.md §4.3).
pub(super) fn by_zone(reader: &mut Reader<'_>, zones: &[String]) -> BTreeMap<String, Vec<NodeUrl>> {
    let mut lists = BTreeMap::new();
    for (name, found) in reader.lists(keys::SERVICE_URL) {
        let mut zone = zone(&name);
        if !found.exact {
            let meant = zones.iter().find(|known| plain(known) == plain(&name));
            zone = meant.cloned().unwrap_or(zone);
        } else if zone != name {
            reader.warn(format!("{} is read as {zone}; write that", found.from));
        }
        let urls = reader.urls(keys::SERVICE_URL, &found);
        // Nothing in it is the same as no entry: the zone then has the default one's.
        if !urls.is_empty() {
            lists.insert(zone, urls);
        }
    }
    lists
}

/// The zones of a region, if it has any.
pub(super) fn zones(reader: &mut Reader<'_>, region: &str) -> Option<Vec<String>> {
    let mut entries = reader.lists(keys::ZONES);
    entries.retain(|(name, found)| name == region || !found.exact && plain(name) == plain(region));
    let (_, found) = entries.pop()?;
    let zones: Vec<_> = items(&found.text).map(zone).collect();
    (!zones.is_empty()).then_some(zones)
}

/// Where lists are in DNS, if they are to be looked for there.
pub(super) fn in_dns(reader: &mut Reader<'_>) -> Option<DnsLists> {
    let lists = DnsLists {
        domain: reader.text(keys::DNS_NAME, ""),
        port: reader.port(keys::DNS_PORT, 8761),
        context: reader.text(keys::DNS_CONTEXT, "eureka"),
    };
    if !reader.flag(keys::USE_DNS, false) {
        let reason = "lists of peers are not looked for in DNS";
        for key in [keys::DNS_NAME, keys::DNS_PORT, keys::DNS_CONTEXT] {
            reader.warn_if_set(key, reason);
        }
        return None;
    }
    let lists = DnsLists {
        domain: lists.domain.trim_matches('.').to_string(),
        context: lists.context.trim_matches('/').to_string(),
        ..lists
    };
    if lists.domain.is_empty() {
        reader.missing(keys::DNS_NAME, "the domain of the lists", keys::USE_DNS);
    }
    Some(lists)
}

/// URLs that stand for all addresses of their hosts.
pub(super) fn hosts(reader: &mut Reader<'_>) -> Vec<NodeUrl> {
    let found = reader.found(keys::PEER_DNS);
    found.map_or_else(Vec::new, |found| reader.urls(keys::PEER_DNS, &found))
}

/// The URL of this node.
pub(super) fn own(reader: &mut Reader<'_>) -> Option<NodeUrl> {
    let found = reader.found(keys::MY_URL)?;
    let mut urls = reader.urls(keys::MY_URL, &found);
    if urls.len() > 1 {
        let wanted = "one URL like http://host:8761/eureka/";
        reader.refuse_urls(keys::MY_URL, &found, wanted);
    }
    urls.pop()
}

/// What stands between commas, without the blanks around it.
pub(super) fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

/// The name of a zone, but for odd spellings of the one that everybody has.
fn zone(name: &str) -> String {
    match plain(name).as_str() {
        "default" | "defaultzone" => DEFAULT_ZONE.to_string(),
        _ => name.to_string(),
    }
}

/// What is left of a name in the environment.
fn plain(name: &str) -> String {
    name.replace(['-', '_'], "").to_lowercase()
}
