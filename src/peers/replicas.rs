//! Which peers count as available replicas, as the reference shows it (server.md §12.5).
//!
//! A peer is available if the registry here holds, under this node's own application name, an instance on the host
//! of its URL. Several nodes on one host are told apart by their ports, which the reference does not do; and
//! `localhost` stands for this machine, whatever name the nodes on it go by.

use crate::model::{InstanceInfo, NodeUrl};

/// Peers by their URLs, without credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replicas {
    /// All that are configured.
    pub registered: Vec<NodeUrl>,
    /// Those that are registered here.
    pub available: Vec<NodeUrl>,
    /// The others.
    pub unavailable: Vec<NodeUrl>,
}

impl Replicas {
    /// Sorts `peers` by whether one of `nodes`, the instances of this node's own application, is on their host; this
    /// node is on `here`.
    pub fn of(peers: Vec<NodeUrl>, nodes: &[&InstanceInfo], here: &str) -> Self {
        let is_there = |peer: &NodeUrl| {
            let shared = peers.iter().filter(|p| p.host() == peer.host()).count() > 1;
            nodes
                .iter()
                .any(|node| stands_for(node, peer, shared, here))
        };
        let (available, unavailable) = peers.iter().cloned().partition(is_there);
        Self {
            registered: peers,
            available,
            unavailable,
        }
    }
}

/// Whether the instance is the node behind the URL; by host and port where several nodes share the host.
fn stands_for(node: &InstanceInfo, peer: &NodeUrl, shared_host: bool, here: &str) -> bool {
    let port = [node.port.number, node.secure_port.number].contains(&peer.port());
    if is_loopback(peer) {
        return port && *node.host_name == *here;
    }
    let host = *node.host_name == *peer.host() || *node.ip_addr == *peer.host();
    // A port that is mapped on the way is another one there; that matters only if hosts do not tell.
    host && (port || !shared_host)
}

fn is_loopback(peer: &NodeUrl) -> bool {
    let address = peer.ip().is_some_and(|address| address.is_loopback());
    address || peer.host() == "localhost"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Port;

    fn node(host: &str, ip: &str, port: u16) -> InstanceInfo {
        InstanceInfo {
            port: Port {
                number: port,
                enabled: true,
            },
            ..InstanceInfo::new("EUREKA-SERVER", host, ip)
        }
    }

    fn available(peers: &[&str], nodes: &[InstanceInfo]) -> Vec<String> {
        let peers = peers.iter().map(|url| url.parse().unwrap()).collect();
        let nodes: Vec<&InstanceInfo> = nodes.iter().collect();
        let replicas = Replicas::of(peers, &nodes, "here");
        let (all, parts) = (
            replicas.registered.len(),
            replicas.available.len() + replicas.unavailable.len(),
        );
        assert_eq!(all, parts);
        replicas
            .available
            .iter()
            .map(|url| url.to_string())
            .collect()
    }

    #[test]
    fn a_peer_is_available_while_a_node_on_its_host_is_registered() {
        let peers = ["http://p2:8761/eureka/", "http://10.0.0.3:8761/eureka/"];
        assert_eq!(available(&peers, &[]), [""; 0]);
        assert_eq!(available(&peers, &[node("p2", "10.0.0.2", 80)]), [peers[0]]);
        assert_eq!(available(&peers, &[node("p3", "10.0.0.3", 80)]), [peers[1]]);
        assert_eq!(available(&peers, &[node("p4", "10.0.0.4", 8761)]), [""; 0]);
    }

    #[test]
    fn nodes_on_one_host_are_told_apart_by_their_ports() {
        let peers = ["http://h:8761/eureka/", "http://h:8762/eureka/"];
        assert_eq!(
            available(&peers, &[node("h", "10.0.0.1", 8762)]),
            [peers[1]]
        );
    }

    #[test]
    fn localhost_is_this_machine_whatever_its_name() {
        let peers = [
            "http://localhost:8761/eureka/",
            "http://127.0.0.1:8762/eureka/",
        ];
        let there = node("elsewhere", "10.0.0.2", 8761);
        assert_eq!(available(&peers, &[there]), [""; 0]);
        let both = [8761, 8762].map(|port| node("here", "10.0.0.1", port));
        assert_eq!(available(&peers, &both), peers);
    }
}
