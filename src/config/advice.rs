//! What one might do otherwise although nothing is wrong: for `check-config` and the start.

use super::own_address::{is_local, listens_at};
use super::peer_lists::DEFAULT_ZONE;
use super::{
    CacheConfig, Config, EvictionConfig, Mode, PreservationConfig, Protection, RegistryConfig, keys,
};
use crate::model::NodeUrl;

impl Config {
    /// One line each.
    pub fn advice(&self) -> Vec<String> {
        let all = [
            self.of_lease(),
            self.of_protection(),
            self.of_peers(),
            self.of_delta(),
        ];
        let mut advice: Vec<_> = all.into_iter().flatten().collect();
        advice.extend(self.of_mode());
        advice
    }

    fn of_lease(&self) -> Option<String> {
        let lease = self.instance.lease;
        let least = 2 * lease.renewal_interval_secs;
        (lease.duration_secs < least).then(|| {
            format!(
                "{} is under two heartbeats ({least} s): one that is lost ends the lease",
                keys::LEASE_DURATION
            )
        })
    }

    fn of_protection(&self) -> Option<String> {
        let off = self.preservation.protection == Protection::Off || !self.preservation.enabled;
        (off && self.has_others()).then(|| {
            format!(
                "self-preservation is off in a cluster: a node that is cut off from its clients forgets them \
                 ({}, {})",
                keys::SELF_PRESERVATION,
                keys::ENABLE_SELF_PRESERVATION
            )
        })
    }

    /// As far as the list itself tells; names are not looked up.
    fn of_peers(&self) -> Option<String> {
        let urls: Vec<_> = self.peers.service_urls.values().flatten().collect();
        let own = urls.iter().filter(|url| self.is_own(url)).count();
        let key = keys::SERVICE_URL.replace("<zone>", DEFAULT_ZONE);
        match (urls.len(), own) {
            (0, _) => None,
            (all, own) if all == own => Some(format!(
                "{key} names this node only: it is alone, and the setting can go"
            )),
            (_, 0) => Some(format!(
                "{key} does not name this node: see that the others name it, or they tell it nothing; all \
                 nodes may have the same list"
            )),
            _ => None,
        }
    }

    fn has_others(&self) -> bool {
        let peers = &self.peers;
        let mut urls = peers.service_urls.values().flatten();
        let by_name = peers.dns_lists.is_some() || !peers.dns_hosts.is_empty();
        by_name || urls.any(|url| !self.is_own(url))
    }

    /// Whether a URL is this node's. Several nodes on one machine have different ports.
    fn is_own(&self, url: &NodeUrl) -> bool {
        if let Some(mine) = &self.peers.my_url {
            return mine == url;
        }
        let bound = self.http.port;
        let has_port = |port| bound == 0 || url.port() == port;
        let names = [&self.instance.host_name, &self.instance.ip_addr];
        let is_named = names.iter().any(|name| name.as_deref() == Some(url.host()));
        (is_named && has_port(self.instance.port.unwrap_or(bound)))
            || (has_port(bound) && listens_at(self.http.address, url.host(), is_local))
    }

    fn of_delta(&self) -> Option<String> {
        let short = self.cache.delta_retention.as_secs() < 60 && !self.cache.disable_delta;
        short.then(|| {
            format!(
                "{} is under a minute: clients that read every 30 s may miss changes and then read everything",
                keys::DELTA_RETENTION
            )
        })
    }

    /// Rows that are as in the other mode.
    fn of_mode(&self) -> Vec<String> {
        let mode = self.mode;
        let other = match mode {
            Mode::Modern => Mode::Classic,
            Mode::Classic => Mode::Modern,
        };
        let accounting = |mode| RegistryConfig::of(mode).accounting == self.registry.accounting;
        let sweep = |mode| EvictionConfig::of(mode) == self.eviction;
        let protection =
            |mode| PreservationConfig::of(mode).protection == self.preservation.protection;
        let copy =
            |mode| CacheConfig::of(mode).timed_copy.is_some() == self.cache.timed_copy.is_some();
        let rows: [(&str, &dyn Fn(Mode) -> bool); 4] = [
            (keys::LEASE_ACCOUNTING, &accounting),
            (keys::EVICTION_INTERVAL, &sweep),
            (keys::SELF_PRESERVATION, &protection),
            (keys::USE_READ_ONLY_CACHE, &copy),
        ];
        let differs = rows
            .iter()
            .filter(|(_, is_as_in)| !is_as_in(mode) && is_as_in(other));
        let names: Vec<_> = differs.map(|(key, _)| *key).collect();
        match names.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "{} mode, but as in {} mode: {}",
                mode.as_str(),
                other.as_str(),
                names.join(", ")
            )],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Sources};

    #[test]
    fn advice_is_given_where_it_may_help() {
        let list = (
            "eureka.client.service-url.defaultZone",
            "http://a:8761/eureka/",
        );
        let own = ("eureka.instance.hostname", "a");
        for (arguments, starts) in [
            (vec![], vec![]),
            (
                vec![list, own],
                vec!["eureka.client.service-url.defaultZone names this node only"],
            ),
            (
                vec![
                    ("eureka.client.service-url.z", "http://localhost:8762/"),
                    ("eureka.instance.hostname", "localhost"),
                ],
                vec!["eureka.client.service-url.defaultZone does not name this node"],
            ),
            (
                vec![
                    ("eureka.client.service-url.z", "http://a:9/,http://b/"),
                    ("eureka.instance.non-secure-port", "9"),
                    own,
                ],
                vec![],
            ),
            (
                vec![list],
                vec!["eureka.client.service-url.defaultZone does not name this node"],
            ),
            (
                vec![(
                    "eureka.client.service-url.z",
                    "http://127.0.0.1:8761/,http://b/",
                )],
                vec![],
            ),
            (
                vec![list, own, ("eureka.server.self-preservation", "off")],
                vec!["eureka.client.service-url.defaultZone names this node only"],
            ),
            (
                vec![("eureka.instance.lease-expiration-duration-in-seconds", "59")],
                vec!["eureka.instance.lease-expiration-duration-in-seconds is under two"],
            ),
            (
                vec![
                    ("eureka.client.service-url.z", "http://a:8761/,http://b/"),
                    own,
                    ("eureka.server.self-preservation", "off"),
                ],
                vec!["self-preservation is off in a cluster"],
            ),
            (
                vec![("eureka.server.retention-time-in-ms-in-delta-queue", "30000")],
                vec!["eureka.server.retention-time-in-ms-in-delta-queue is under a minute"],
            ),
            (
                vec![
                    ("eureka.server.lease-accounting", "doubled"),
                    ("eureka.server.use-read-only-response-cache", "true"),
                ],
                vec![
                    "modern mode, but as in classic mode: eureka.server.lease-accounting, eureka.server.use-",
                ],
            ),
            (
                vec![
                    ("eureka.server.mode", "classic"),
                    ("eureka.server.lease-accounting", "exact"),
                ],
                vec!["classic mode, but as in modern mode: eureka.server.lease-accounting"],
            ),
        ] {
            let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
            let config = Config::read(&Sources::new([], arguments.iter().map(owned))).unwrap();
            let advice = config.advice();
            assert_eq!(advice.len(), starts.len(), "{arguments:?}: {advice:?}");
            for (advice, start) in advice.iter().zip(starts) {
                assert!(advice.starts_with(start), "{advice}");
            }
        }
    }
}
