//! In which order servers are asked: own zone first, each client beginning at another one (client.md §10.2, §10.4).
//!
//! *Who begins where.* Java begins anywhere. Here the client's *spread number* decides, so that clients with numbers in
//! a row (addresses, ports) spread evenly, and come back to their own server when it is back.

use crate::client::chance::Chance;
use crate::model::NodeUrl;

/// Servers of one zone, in the order of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    pub(crate) name: String,
    pub(crate) servers: Vec<NodeUrl>,
}

/// All servers in the order in which this client asks them, none twice. The first zone is the own one, unless
/// another one is preferred: then it comes last.
pub(crate) fn in_order(
    mut zones: Vec<Zone>,
    own_zone: Option<&str>,
    prefer_own: bool,
    spread: u64,
    chance: &Chance,
) -> Vec<NodeUrl> {
    let is_own = |zone: &Zone| own_zone.is_some_and(|own| own == zone.name);
    if let Some(at) = zones.iter().position(is_own) {
        let own = zones.remove(at);
        let place = if prefer_own { 0 } else { zones.len() };
        zones.insert(place, own);
    }
    let mut order: Vec<NodeUrl> = Vec::new();
    let mut add = |servers: Vec<NodeUrl>| {
        for server in servers {
            if !order.contains(&server) {
                order.push(server);
            }
        }
    };
    let mut zones = zones.into_iter();
    if let Some(first) = zones.next() {
        add(begun_at(first.servers, spread, chance));
    }
    // The others share what the first zone cannot carry.
    let mut others: Vec<_> = zones.flat_map(|zone| zone.servers).collect();
    if prefer_own {
        chance.shuffle(&mut others);
    }
    add(others);
    order
}

/// The server of this number first, then the others by chance: when one dies, its clients go to all the others.
fn begun_at(mut servers: Vec<NodeUrl>, spread: u64, chance: &Chance) -> Vec<NodeUrl> {
    if servers.is_empty() {
        return servers;
    }
    let first = servers.remove((spread % servers.len() as u64) as usize);
    chance.shuffle(&mut servers);
    servers.insert(0, first);
    servers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str, hosts: &[&str]) -> Zone {
        let url = |host: &&str| format!("http://{host}/eureka/").parse().unwrap();
        Zone {
            name: name.to_string(),
            servers: hosts.iter().map(url).collect(),
        }
    }

    fn hosts(order: &[NodeUrl]) -> Vec<&str> {
        order.iter().map(NodeUrl::host).collect()
    }

    /// client.md §21 group 8.
    #[test]
    fn servers_of_the_own_zone_come_first_or_last_as_one_prefers() {
        let zones = || {
            vec![
                zone("z1", &["a", "b"]),
                zone("z2", &["c", "d"]),
                zone("z3", &["e"]),
            ]
        };
        for seed in 0..20 {
            let chance = Chance::new(seed);
            let order = in_order(zones(), Some("z2"), true, seed, &chance);
            let mut own = hosts(&order)[..2].to_vec();
            own.sort_unstable();
            assert_eq!((own, order.len()), (vec!["c", "d"], 5));
            let order = in_order(zones(), Some("z2"), false, seed, &chance);
            assert_eq!(hosts(&order)[3..], ["c", "d"]);
            let order = in_order(zones(), None, true, 1, &chance);
            assert_eq!(hosts(&order)[..2], ["b", "a"]);
        }
    }

    #[test]
    fn clients_with_numbers_in_a_row_begin_at_one_after_the_other() {
        let chance = Chance::new(1);
        let first = |spread| {
            in_order(
                vec![zone("z", &["a", "b", "c"])],
                None,
                true,
                spread,
                &chance,
            )[0]
            .clone()
        };
        let firsts: Vec<_> = (7..13).map(first).collect();
        assert_eq!(hosts(&firsts), ["b", "c", "a", "b", "c", "a"]);
    }

    #[test]
    fn a_server_of_two_zones_is_asked_once() {
        let order = in_order(
            vec![zone("z1", &["a", "b"]), zone("z2", &["b", "c"])],
            None,
            true,
            0,
            &Chance::new(1),
        );
        assert_eq!(hosts(&order), ["a", "b", "c"]);
    }
}
