//! The peers as people and the status document see them.

use super::info::own_instance;
use super::state::Http;
use crate::mailbox::Shut;
use crate::model::{InstanceInfo, InstanceKey, NodeUrl};
use crate::peers::{PeerState, Replicas, TakePeers};
use crate::registry::TakePage;

/// Nodes that are looked at: more than there are peers.
const MOST: usize = 128;

/// How things stand with every peer but this node itself, and which count as available replicas.
pub(super) async fn replicas(http: &Http) -> Result<(Vec<PeerState>, Replicas), Shut> {
    let mut peers = http.peers.ask(TakePeers).await?;
    peers.retain(|peer| !peer.ourselves);
    let app = own_instance(http).app;
    let first = TakePage {
        after: Some(InstanceKey::new(&app, "")),
        limit: MOST,
    };
    let held = http.registry.ask(first).await?;
    let held = held.iter().map(|held| &*held.info);
    let nodes: Vec<&InstanceInfo> = held.filter(|info| info.app == app).collect();
    let urls = peers.iter().map(|peer| peer.url.clone()).collect();
    let replicas = Replicas::of(urls, &nodes, &http.identity.host_name);
    Ok((peers, replicas))
}

/// The three lists of the status document, as the reference names and writes them.
pub(super) fn stats(replicas: &Replicas) -> Vec<(&'static str, String)> {
    let list = |urls: &[NodeUrl]| {
        let urls = urls.iter().map(|url| url.as_str());
        urls.collect::<Vec<_>>().join(",")
    };
    vec![
        ("registered-replicas", list(&replicas.registered)),
        ("available-replicas", list(&replicas.available)),
        ("unavailable-replicas", list(&replicas.unavailable)),
    ]
}
