//! What is delivered, and when.

use super::world::{Reply, World, key};
use crate::model::{InstanceStatus, Origin};

#[actix::test]
async fn a_change_goes_out_at_once_and_what_a_peer_caused_goes_to_nobody() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    world.register("1").await;
    world
        .register_as(crate::model::samples::instance("A", "2"), Origin::Peer)
        .await;
    world.pass(20).await;
    for host in ["b", "c"] {
        assert_eq!(world.peer(host).batches(), [["R 1"]]);
    }
}
