//! For tests: whatever clients and operators do at three nodes of this kind, and in whatever order the nodes hear of
//! it, they end with the same instance.
//!
//! The nodes are registries without mailboxes, and what they send each other is what replication sends.

use std::sync::Arc;

use proptest::prelude::*;

use super::register::Newcomer;
use super::{
    ClearStatus, EndOverride, Held, Override, Published, Registry, SetStatus, UpdateMetadata,
};
use crate::clock::Clock;
use crate::config::{Mode, RegistryConfig};
use crate::metrics::Metrics;
use crate::model::{
    By, InstanceInfo, InstanceKey, InstanceStatus, ItemAnswer, Origin, Owner, PeerItem,
    ReplicationItem, Who, samples,
};

const NODES: usize = 3;
/// The wall time at which they all begin.
const START: u64 = 1_000_000;
const PEER: By = By::only(Who::Peer);

#[derive(Clone, Debug)]
enum Step {
    Register(usize, u64, InstanceStatus),
    Order(usize, InstanceStatus),
    Clear(usize, Option<InstanceStatus>),
    Metadata(usize, u8),
    Override(usize, InstanceStatus, Option<u64>),
    EndOverride(usize),
    /// So many milliseconds pass on one node's clock.
    Later(usize, u64),
    Cancel(usize),
    /// One tells another what it holds.
    Tell(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let node = || 0..NODES;
    let status = || prop::sample::select(InstanceStatus::ALL.to_vec());
    prop_oneof![
        3 => (node(), 1..4_u64, status()).prop_map(|(n, dirty, s)| Step::Register(n, dirty, s)),
        2 => (node(), status()).prop_map(|(n, s)| Step::Order(n, s)),
        1 => (node(), prop::option::of(status())).prop_map(|(n, s)| Step::Clear(n, s)),
        2 => (node(), any::<u8>()).prop_map(|(n, value)| Step::Metadata(n, value)),
        2 => (node(), status(), prop::option::of(1..4_u64))
            .prop_map(|(n, s, end)| Step::Override(n, s, end.map(|end| START + end * 1000))),
        1 => node().prop_map(Step::EndOverride),
        2 => (node(), 1..2000_u64).prop_map(|(n, millis)| Step::Later(n, millis)),
        1 => node().prop_map(Step::Cancel),
        3 => (node(), node()).prop_map(|(from, to)| Step::Tell(from, to)),
    ]
}

fn key() -> InstanceKey {
    InstanceKey::new("A", "i")
}

struct World {
    nodes: Vec<Registry>,
    /// What was cancelled, to be heard by all at the end.
    cancelled: Vec<PeerItem>,
}

impl World {
    fn new(mode: Mode) -> Self {
        let node = |number| {
            let clock = Clock::starting_at(START);
            let metrics = Metrics::new().registry;
            let config = RegistryConfig::of(mode);
            let published = Published::new(config, metrics.renewals.clone()).on_node(number * 1000);
            Registry::new(clock, metrics, Arc::new(published), Vec::new())
        };
        Self {
            nodes: (0..NODES as u64).map(node).collect(),
            cancelled: Vec::new(),
        }
    }

    fn held(&self, node: usize) -> Option<Arc<Held>> {
        Some(self.nodes[node].table.get(&key())?.held.clone())
    }

    fn take(&mut self, step: Step) {
        let (key, last_dirty, origin) = (key(), None, Origin::Client);
        // What nobody holds cannot be changed: that is an answer too.
        match step {
            Step::Register(node, last_dirty, status) => {
                let info = InstanceInfo {
                    last_dirty,
                    status,
                    ..samples::instance("A", "i")
                };
                let newcomer = Newcomer::of(info, origin);
                assert_eq!(self.nodes[node].register(newcomer), Ok(()));
            }
            Step::Order(node, status) => {
                let order = SetStatus {
                    key,
                    status,
                    last_dirty,
                    by: origin.into(),
                };
                let _ = self.nodes[node].set_status(&order);
            }
            Step::Clear(node, status) => {
                let order = ClearStatus {
                    key,
                    status,
                    last_dirty,
                    by: origin.into(),
                };
                let _ = self.nodes[node].clear_status(&order);
            }
            Step::Metadata(node, value) => self.change_metadata(node, value),
            Step::Override(node, status, until) => self.order_owned(node, status, until),
            Step::EndOverride(node) => self.end_override(node),
            Step::Later(node, millis) => self.later(node, millis as i64),
            Step::Cancel(node) => self.cancel(node),
            Step::Tell(from, to) => self.tell(from, to),
        }
    }

    fn later(&mut self, node: usize, millis: i64) {
        self.nodes[node].clock.step(millis);
        self.nodes[node].end_orders();
    }

    fn order_owned(&mut self, node: usize, status: InstanceStatus, until: Option<u64>) {
        let order = Override {
            key: key(),
            status,
            until,
            owner: owner(node),
            by: By::only(Who::Operator),
        };
        let _ = self.nodes[node].order_owned(&order);
    }

    fn end_override(&mut self, node: usize) {
        let end = EndOverride {
            key: key(),
            owner: owner(node),
            by: By::only(Who::Operator),
        };
        let _ = self.nodes[node].end_order(&end);
    }

    fn change_metadata(&mut self, node: usize, value: u8) {
        let update = UpdateMetadata {
            key: key(),
            pairs: vec![("k".into(), value.to_string().into())],
            by: Origin::Client.into(),
        };
        let node = &mut self.nodes[node];
        let _ = node.table.update_metadata(&update, node.clock.now());
    }

    fn cancel(&mut self, node: usize) {
        let registry = &mut self.nodes[node];
        let (now, stamp) = (registry.clock.now(), registry.table.stamps.next(0));
        if registry.table.take_out(&key(), stamp, now).is_some() {
            let extra = crate::model::Extra {
                stamp: Some(stamp),
                ..Default::default()
            };
            registry
                .tombstones
                .put(key(), Some(0), Some(stamp), now.mono);
            let item = ReplicationItem::Cancel(key());
            self.cancelled.push(PeerItem { item, extra });
        }
    }

    fn tell(&mut self, from: usize, to: usize) {
        if let Some(held) = self.held(from).filter(|_| from != to) {
            self.nodes[to].apply(registration(&held), &PEER);
        }
    }

    /// A heartbeat from one node to another, with what follows from its answer.
    fn beat(&mut self, from: usize, to: usize) {
        let Some(held) = self.held(from).filter(|_| from != to) else {
            return;
        };
        let now = self.nodes[from].clock.now();
        let beat = PeerItem {
            item: ReplicationItem::Heartbeat {
                key: key(),
                last_dirty: Some(held.info.last_dirty),
                override_status: held.info.override_status,
            },
            extra: held.extra(now),
        };
        match self.nodes[to].apply(beat, &PEER) {
            ItemAnswer::Done => {}
            ItemAnswer::Unknown => _ = self.nodes[to].apply(registration(&held), &PEER),
            ItemAnswer::Newer(info, _, extra) => {
                _ = self.nodes[from].register_from_peer((*info).clone(), extra, &PEER);
            }
            ItemAnswer::Cancelled(stamp) => {
                _ = self.nodes[from].cancel_from_peer(key(), Some(stamp), PEER);
            }
            ItemAnswer::Refused => panic!("refused"),
        }
    }

    /// All hear of every cancellation, and then of every heartbeat, twice.
    fn quiet(&mut self) {
        for item in std::mem::take(&mut self.cancelled) {
            for node in &mut self.nodes {
                node.apply(item.clone(), &PEER);
            }
        }
        for _ in 0..2 {
            for (from, to) in (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to))) {
                self.beat(from, to);
            }
        }
    }
}

fn owner(node: usize) -> Owner {
    Owner {
        name: format!("operator {node}").into(),
        reason: Some("why".into()),
    }
}

fn registration(held: &Held) -> PeerItem {
    PeerItem {
        item: ReplicationItem::Register(Box::new((*held.info).clone())),
        extra: held.extra(crate::clock::Moment { mono: 0, wall: 0 }),
    }
}

/// All that readers see of it, and all that decides about it.
fn seen(held: &Held) -> String {
    let info = &held.info;
    format!(
        "{} {:?} {} {:?} {:?}",
        info.status, info.override_status, info.last_dirty, info.metadata, held.version
    )
}

proptest! {
    #[test]
    fn three_nodes_end_with_the_same(
        steps in prop::collection::vec(step(), 1..40),
        classic in any::<bool>(),
    ) {
        let mut world = World::new(if classic { Mode::Classic } else { Mode::Modern });
        for step in steps {
            world.take(step);
        }
        world.quiet();
        let ends: Vec<_> = (0..NODES).map(|n| world.held(n).map(|held| seen(&held))).collect();
        prop_assert!(ends.iter().all(|end| *end == ends[0]), "{ends:#?}");

        // Much later no order is left that was to end, on whatever node; and still they hold the same.
        for node in 0..NODES {
            world.later(node, 100_000);
            let held = world.held(node);
            let order = held.as_ref().and_then(|held| held.version.order()?.ends());
            prop_assert_eq!(order, None);
        }
        let alone: Vec<_> = (0..NODES).map(|n| world.held(n).map(|held| seen(&held))).collect();
        prop_assert!(alone.iter().all(|end| *end == alone[0]), "{alone:#?}");
    }
}
