//! Where servers are known from: settings, and names that are looked up again and again (client.md §10).
//!
//! | source | what it says |
//! |---|---|
//! | given URLs | themselves; if wanted, each address of their host names as a server |
//! | a tree of TXT records | `txt.{region}.{domain}` names zones, each `txt.{zone}` hosts |
//! | SRV records | hosts and ports |
//!
//! A list that cannot be looked up as a whole changes nothing.

use std::io;

use crate::client::backend::Backend;
use crate::client::chance::Chance;
use crate::model::NodeUrl;

use super::order::{Zone, in_order};

/// Everything that is known of where servers are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub(crate) given: Vec<Zone>,
    /// Each address of a given host name is a server.
    pub(crate) by_address: bool,
    pub(crate) tree: Option<TxtTree>,
    pub(crate) services: Vec<SrvName>,
    pub(crate) own_zone: Option<String>,
    pub(crate) prefer_own: bool,
    /// See `order.rs`.
    pub(crate) spread: u64,
}

/// A tree of TXT records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TxtTree {
    pub(crate) region: String,
    pub(crate) domain: String,
    pub(crate) place: Place,
}

/// What stands around a host's name in a service URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) scheme: String,
    /// Not used for SRV records, which have ports of their own.
    pub(crate) port: u16,
    /// `eureka/v2`, with or without slashes around it.
    pub(crate) path: String,
}

/// A name with SRV records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SrvName {
    pub(crate) name: String,
    pub(crate) zone: String,
    pub(crate) place: Place,
}

impl Place {
    fn at(&self, host: &str, port: u16) -> io::Result<NodeUrl> {
        let path = self.path.trim_matches('/');
        let url = format!("{}://{host}:{port}/{path}", self.scheme);
        let bad = |_| io::Error::other(format!("{host} is no host of a server"));
        url.parse().map_err(bad)
    }
}

impl Sources {
    /// Whether anything has to be looked up.
    pub(crate) fn are_names(&self) -> bool {
        self.by_address || self.tree.is_some() || !self.services.is_empty()
    }

    /// Whether there can be any server.
    pub(crate) fn are_empty(&self) -> bool {
        let is_given = self.given.iter().any(|zone| !zone.servers.is_empty());
        !is_given && self.tree.is_none() && self.services.is_empty()
    }

    /// The servers that were given, in order.
    pub(crate) fn given(&self, chance: &Chance) -> Vec<NodeUrl> {
        self.ordered(self.given.clone(), chance)
    }

    /// All servers, in order.
    pub(crate) async fn find(
        &self,
        backend: &dyn Backend,
        chance: &Chance,
    ) -> io::Result<Vec<NodeUrl>> {
        let mut zones = self.given.clone();
        if self.by_address {
            for zone in &mut zones {
                zone.servers = by_address(&zone.servers, backend).await?;
            }
        }
        if let Some(tree) = &self.tree {
            zones.extend(tree.zones(backend).await?);
        }
        for service in &self.services {
            zones.extend(service.zones(backend).await?);
        }
        Ok(self.ordered(zones, chance))
    }

    fn ordered(&self, zones: Vec<Zone>, chance: &Chance) -> Vec<NodeUrl> {
        let mut merged: Vec<Zone> = Vec::new();
        for zone in zones {
            match merged.iter_mut().find(|known| known.name == zone.name) {
                Some(known) => known.servers.extend(zone.servers),
                None => merged.push(zone),
            }
        }
        let first = merged.first().map(|zone| zone.name.clone());
        let own = self.own_zone.clone().or(first);
        in_order(merged, own.as_deref(), self.prefer_own, self.spread, chance)
    }
}

/// Fails where no name could be looked up: then the names are well and their directory is not, and the list in use is the
/// better one. A single name that cannot be looked up stays one server. Certificates are for names, so servers over TLS
/// stay as they are.
async fn by_address(servers: &[NodeUrl], backend: &dyn Backend) -> io::Result<Vec<NodeUrl>> {
    let mut found = Vec::new();
    let (mut looked_up, mut failed) = (false, None);
    for server in servers {
        if server.ip().is_some() || server.as_str().starts_with("https:") {
            found.push(server.clone());
            continue;
        }
        match backend.addresses(server.host()).await {
            Ok(addresses) if addresses.is_empty() => {
                looked_up = true;
                found.push(server.clone());
            }
            Ok(addresses) => {
                looked_up = true;
                let at = addresses
                    .into_iter()
                    .map(|address| server.with_host(address));
                found.extend(at);
            }
            Err(error) => {
                failed = Some(error);
                found.push(server.clone());
            }
        }
    }
    match failed {
        Some(error) if !looked_up => Err(error),
        _ => Ok(found),
    }
}

impl TxtTree {
    async fn zones(&self, backend: &dyn Backend) -> io::Result<Vec<Zone>> {
        let root = format!("txt.{}.{}", self.region, self.domain);
        let mut zones = Vec::new();
        for name in entries(backend.texts(&root).await?) {
            let plain = name.strip_prefix("txt.").unwrap_or(&name);
            let label = plain.split('.').next().unwrap_or_default().to_string();
            let hosts = entries(backend.texts(&format!("txt.{plain}")).await?);
            let servers = hosts
                .iter()
                .map(|host| self.place.at(host, self.place.port));
            zones.push(Zone {
                name: label,
                servers: servers.collect::<io::Result<_>>()?,
            });
        }
        Ok(zones)
    }
}

/// What stands in TXT records: entries with blanks between them, perhaps in quotes.
fn entries(texts: Vec<String>) -> Vec<String> {
    let parts = texts.iter().flat_map(|text| text.split_whitespace());
    let parts = parts.map(|part| part.trim_matches('"').trim_end_matches('.'));
    let mut entries: Vec<_> = parts
        .filter(|part| !part.is_empty())
        .map(String::from)
        .collect();
    entries.sort_unstable();
    entries.dedup();
    entries
}

impl SrvName {
    /// The places of the lowest number, and those for when they fail: these stand in a zone of their own.
    async fn zones(&self, backend: &dyn Backend) -> io::Result<Vec<Zone>> {
        let found = backend.services(&self.name).await?;
        let lowest = found.iter().map(|service| service.priority).min();
        let mut zones = Vec::new();
        for (is_first, name) in [
            (true, self.zone.clone()),
            (false, format!("{}-spare", self.zone)),
        ] {
            let found = found.iter();
            let found = found.filter(|service| (Some(service.priority) == lowest) == is_first);
            let servers = found.map(|service| self.place.at(&service.host, service.port));
            let servers = servers.collect::<io::Result<_>>()?;
            zones.push(Zone { name, servers });
        }
        Ok(zones)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_may_be_written_in_many_ways() {
        for (texts, expected) in [
            (vec!["b.x a.x"], vec!["a.x", "b.x"]),
            (vec!["\"a.x b.x\""], vec!["a.x", "b.x"]),
            (vec!["a.x.", "b.x", "a.x"], vec!["a.x", "b.x"]),
            (vec![" \t a.x \n"], vec!["a.x"]),
            (vec!["", "\"\""], vec![]),
        ] {
            let texts = texts.into_iter().map(String::from).collect();
            assert_eq!(entries(texts), expected);
        }
    }

    #[test]
    fn a_place_makes_a_service_url_of_a_host() {
        for (path, url) in [
            ("eureka/v2", "http://h:8761/eureka/v2/"),
            ("/eureka/", "http://h:8761/eureka/"),
            ("", "http://h:8761/"),
        ] {
            let place = Place {
                scheme: "http".to_string(),
                port: 8761,
                path: path.to_string(),
            };
            assert_eq!(place.at("h", 8761).unwrap().as_str(), url);
            assert!(place.at("h h", 1).is_err());
        }
    }
}
