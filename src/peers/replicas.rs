//! Which peers count as available replicas, as the reference shows it (server.md §12.5).
//!
//! A peer is available if the registry here holds, under this node's own application name, an instance on the host
//! of its URL. Several nodes on one host are told apart by their ports, which the reference does not do.

use crate::model::{InstanceInfo, InstanceStatus, NodeUrl};

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
    /// Sorts `peers` by whether one of `nodes`, the instances of this node's own application, is on their host.
    pub fn of(peers: Vec<NodeUrl>, nodes: &[&InstanceInfo]) -> Self {
        let is_there = |peer: &NodeUrl| {
            let shared = peers.iter().filter(|p| p.host() == peer.host()).count() > 1;
            nodes.iter().any(|node| stands_for(node, peer, shared))
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
fn stands_for(node: &InstanceInfo, peer: &NodeUrl, shared_host: bool) -> bool {
    let host = *node.host_name == *peer.host() || *node.ip_addr == *peer.host();
    let port = [node.port.number, node.secure_port.number].contains(&peer.port());
    // A port that is mapped on the way is another one there; that matters only if hosts do not tell.
    host && (port || !shared_host && node.status != InstanceStatus::Unknown)
}
