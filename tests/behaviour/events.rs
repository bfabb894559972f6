//! What the registry tells its listeners, peers among them: scenarios 27 and 39, I6, I8, I9, B-33, B-40.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use actix::{Actor, Addr, Arbiter, Context, Handler, Recipient};
use heureka::clock::Clock;
use heureka::config::{EvictionConfig, Mode, RegistryConfig};
use heureka::eviction::{Eviction, EvictionParts};
use heureka::metrics::{Metrics, RegistryMetrics};
use heureka::model::{ContentLimits, InstanceInfo, InstanceKey, Origin, ReplicationItem};
use heureka::preservation::Preservation;
use heureka::registry::{
    ApplyBatch, Cancel, Published, Register, Registry, RegistryEvent, Renew, Renewal,
    UpdateMetadata, What,
};
use heureka::wire::json;

use crate::scene::{exactly, unprotected};
use crate::support::{EPOCH, members};

/// Writes down what it is told.
#[derive(Clone, Default)]
struct Witness(Arc<Mutex<Vec<RegistryEvent>>>);

impl Actor for Witness {
    type Context = Context<Self>;
}

impl Handler<RegistryEvent> for Witness {
    type Result = ();

    fn handle(&mut self, event: RegistryEvent, _ctx: &mut Context<Self>) {
        self.0.lock().unwrap().push(event);
    }
}

impl Witness {
    /// What it was told since it was last asked: kind, origin and id.
    fn told(&self) -> Vec<(What, Origin, String)> {
        let events = std::mem::take(&mut *self.0.lock().unwrap());
        let brief = |event: RegistryEvent| {
            let id = event.held.info.id().to_string();
            (event.what, event.by.origin(), id)
        };
        events.into_iter().map(brief).collect()
    }
}

const NEW: What = What::Registered { is_new: true };
const AGAIN: What = What::Registered { is_new: false };

fn registry(listener: Recipient<RegistryEvent>) -> Registry {
    let metrics = Metrics::new().registry;
    let published = published(&metrics);
    Registry::new(
        Clock::starting_at(EPOCH),
        metrics,
        published,
        vec![listener],
    )
}

fn published(metrics: &RegistryMetrics) -> Arc<Published> {
    let config = RegistryConfig::of(Mode::Modern);
    Arc::new(Published::new(config, metrics.renewals.clone()))
}

/// A registry on this thread and its witness.
fn watched() -> (Addr<Registry>, Witness) {
    let witness = Witness::default();
    let listener = witness.clone().start().recipient();
    (registry(listener).start(), witness)
}

fn record(id: &str, more: &str) -> InstanceInfo {
    let body = format!("{{\"instance\":{{{}}}}}", members("A", id, more));
    let draft = json::registration(&body, &ContentLimits::NONE).unwrap();
    draft.settle("A", EPOCH).unwrap()
}

fn registration(id: &str, more: &str) -> Register {
    Register {
        info: record(id, more),
        by: Origin::Client.into(),
    }
}

fn key(id: &str) -> InstanceKey {
    InstanceKey::new("A", id)
}

/// The part of it that peers are to hear.
#[actix_web::test]
async fn scenario_27_new_metadata_are_told_as_a_client_s_change_with_the_whole_record() {
    let (registry, witness) = watched();
    registry
        .send(registration("i1", ""))
        .await
        .unwrap()
        .unwrap();
    let update = UpdateMetadata {
        key: key("i1"),
        pairs: vec![("a".into(), "1".into())],
        by: Origin::Client.into(),
    };
    registry.send(update).await.unwrap().unwrap();
    let event = witness.0.lock().unwrap().pop().unwrap();
    assert_eq!(
        (event.what, event.by.origin()),
        (What::MetadataChanged, Origin::Client)
    );
    assert_eq!(event.held.info.metadata.get("a").map(|v| &**v), Some("1"));
    assert_eq!(event.held.info.last_dirty, 1000);
}

/// A registry and a sweep that keeps nothing, on this thread; and what the registry tells.
fn swept() -> (Addr<Registry>, Witness) {
    let witness = Witness::default();
    let (clock, metrics) = (Clock::starting_at(EPOCH), Metrics::new());
    let published = published(&metrics.registry);
    let registry = Registry::new(
        clock.clone(),
        metrics.registry,
        published.clone(),
        vec![witness.clone().start().recipient()],
    );
    let registry = registry.start();
    let config = unprotected(Mode::Modern).preservation;
    let (figures, known) = (metrics.preservation, published.clone());
    let open = Arc::new(AtomicBool::new(true));
    let preservation = Preservation::new(config, clock.clone(), figures, known, open).start();
    let parts = EvictionParts {
        clock,
        published,
        registry: registry.clone(),
        preservation,
    };
    Eviction::new(EvictionConfig::of(Mode::Modern), parts).start();
    (registry, witness)
}

#[actix_web::test]
async fn scenario_39_an_eviction_is_told_as_an_eviction_which_no_peer_is_to_hear() {
    tokio::time::pause();
    let (registry, witness) = swept();
    registry
        .send(registration("i1", ""))
        .await
        .unwrap()
        .unwrap();
    exactly(Duration::from_secs(92)).await;
    let told = witness.told();
    let expected = [(NEW, "i1"), (What::Evicted, "i1")];
    let told: Vec<_> = told.iter().map(|(what, _, id)| (*what, &**id)).collect();
    assert_eq!(told, expected);
}

#[actix_web::test]
async fn b33_a_cancel_is_told_once_and_one_of_nobody_not_at_all() {
    let (registry, witness) = watched();
    registry
        .send(registration("i1", ""))
        .await
        .unwrap()
        .unwrap();
    witness.told();
    let cancel = Cancel {
        key: key("i1"),
        by: Origin::Client.into(),
    };
    registry.send(cancel.clone()).await.unwrap().unwrap();
    registry.send(cancel).await.unwrap().unwrap_err();
    let expected = [(What::Cancelled, Origin::Client, "i1".to_string())];
    assert_eq!(witness.told(), expected);
}

/// Peers get the record that is held, not the one that came too late.
#[actix_web::test]
async fn b40_a_stale_registration_is_told_with_the_record_that_stays() {
    let (registry, witness) = watched();
    let fresh = r#""lastDirtyTimestamp":2000,"metadata":{"v":"fresh"}"#;
    let stale = r#""lastDirtyTimestamp":1000,"metadata":{"v":"stale"}"#;
    registry
        .send(registration("i1", fresh))
        .await
        .unwrap()
        .unwrap();
    registry
        .send(registration("i1", stale))
        .await
        .unwrap()
        .unwrap();
    let event = witness.0.lock().unwrap().pop().unwrap();
    assert_eq!(event.what, AGAIN);
    assert_eq!(
        event.held.info.metadata.get("v").map(|v| &**v),
        Some("fresh")
    );
    assert_eq!(event.held.info.last_dirty, 2000);
}

#[actix_web::test]
async fn i6_everything_that_a_peer_causes_is_marked_as_a_peer_s() {
    let (registry, witness) = watched();
    let items = vec![
        ReplicationItem::Register(Box::new(record("i1", ""))),
        ReplicationItem::StatusUpdate {
            key: key("i1"),
            status: heureka::model::InstanceStatus::Down,
            last_dirty: None,
        },
        ReplicationItem::DeleteStatusOverride {
            key: key("i1"),
            status: heureka::model::InstanceStatus::Up,
            last_dirty: Some(1),
        },
        ReplicationItem::Heartbeat {
            key: key("i1"),
            last_dirty: Some(2000),
            override_status: Some(heureka::model::InstanceStatus::Down),
        },
        ReplicationItem::Cancel(key("i1")),
    ];
    let items = items.into_iter().map(Into::into).collect();
    registry
        .send(ApplyBatch {
            items,
            by: Origin::Peer.into(),
        })
        .await
        .unwrap();
    let told = witness.told();
    assert_eq!(told.len(), 5, "{told:?}");
    assert!(
        told.iter().all(|(_, origin, _)| *origin == Origin::Peer),
        "{told:?}"
    );
}

/// The receiving half of it; the sending half comes with peers.
#[actix_web::test]
async fn i8_changes_of_one_instance_happen_and_are_told_in_the_order_they_came_in() {
    let (registry, witness) = watched();
    let come = |stamp: u64| {
        let more = format!(r#""lastDirtyTimestamp":{stamp}"#);
        ReplicationItem::Register(Box::new(record("i1", &more)))
    };
    let items = vec![
        come(1),
        ReplicationItem::Cancel(key("i1")),
        come(2),
        come(3),
        ReplicationItem::Cancel(key("i1")),
        come(4),
    ];
    let items = items.into_iter().map(Into::into).collect();
    registry
        .send(ApplyBatch {
            items,
            by: Origin::Peer.into(),
        })
        .await
        .unwrap();
    let events = std::mem::take(&mut *witness.0.lock().unwrap());
    let told: Vec<_> = events
        .iter()
        .map(|event| (event.revision, event.what, event.held.info.last_dirty))
        .collect();
    let expected = [
        (1, NEW, 1),
        (2, What::Cancelled, 1),
        (3, NEW, 2),
        (4, AGAIN, 3),
        (5, What::Cancelled, 3),
        (6, NEW, 4),
    ];
    assert_eq!(told, expected);
}

/// A listener that does not come back from building a list.
struct Stuck(mpsc::Receiver<()>);

impl Actor for Stuck {
    type Context = Context<Self>;
}

impl Handler<RegistryEvent> for Stuck {
    type Result = ();

    fn handle(&mut self, _: RegistryEvent, _ctx: &mut Context<Self>) {
        let _ = self.0.recv();
    }
}

/// On threads of their own, as in a running node. Were the registry to wait, nothing would ever answer.
#[actix_web::test]
async fn i9_heartbeats_are_answered_while_the_builder_of_lists_is_stuck() {
    let (release, wait) = mpsc::channel();
    let stuck = Stuck::start_in_arbiter(&Arbiter::new().handle(), |_| Stuck(wait)).recipient();
    let registry = Registry::start_in_arbiter(&Arbiter::new().handle(), |_| registry(stuck));
    let story = async {
        for id in ["i1", "i2", "i3"] {
            registry.send(registration(id, "")).await.unwrap().unwrap();
        }
        for n in 0..100 {
            let beat = Renew {
                extra: heureka::model::Extra::NONE,
                key: key(["i1", "i2", "i3"][n % 3]),
                last_dirty: Some(1000),
                override_status: None,
                origin: Origin::Client,
            };
            let renewal = registry.send(beat).await.unwrap();
            assert!(matches!(renewal, Renewal::InStep), "{renewal:?}");
        }
    };
    let done = tokio::time::timeout(Duration::from_secs(60), story).await;
    drop(release);
    done.expect("heartbeats waited for a listener");
}
