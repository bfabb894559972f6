//! `POST peerreplication/batch`: what a peer's clients did there (wire.md §9); and for nodes of this kind alone
//! `GET peerreplication/registry`: what is held here, a page at a time.
//!
//! Nodes of this kind show themselves by a header and are answered in kind; nobody else sees it.

use std::collections::HashSet;

use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;
use actix_web::web::Payload;

use super::answer::Answer;
use super::body;
use super::by::by;
use super::error::ApiError;
use super::query::Query;
use super::state::Http;
use crate::model::{
    By, InstanceKey, ItemAnswer, Origin, Outgoing, OutgoingItem, PeerItem, ReplicationItem, Who,
};
use crate::peers::Heard;
use crate::registry::{ApplyBatch, Beat, TakePage};
use crate::transport::{NodeSign, SIGN};
use crate::wire::outgoing::BatchWriter;
use crate::wire::replication::{RefusedItem, read_batch, write_answers};
use crate::wire::{Format, ReadError, one_line};

/// Carries out a batch; the answer is always JSON, one entry per item, never packed (wire.md §9.3).
pub(super) async fn apply(
    http: &Http,
    request: &HttpRequest,
    payload: Payload,
) -> Result<Answer, ApiError> {
    let headers = request.headers();
    let body = body::read(headers, payload, http.batch_limits()).await?;
    if body.format == Format::Xml {
        let why = ReadError::Malformed("a batch is JSON".to_string());
        return Err(body.unreadable(why));
    }
    let limits = &http.config.limits.content;
    let read = read_batch(&body.text, http.clock.now().wall, limits);
    let read = read.map_err(|error| body.unreadable(error))?;
    let mut answers = Vec::with_capacity(read.len());
    let mut for_registry = ForRegistry::default();
    for item in read {
        answers.push(match item {
            Ok(item) => answer_at_once(http, &mut for_registry, item),
            Err(item) => Some(refuse(http, &item)),
        });
    }
    let by = by(http, request, Who::Peer);
    let mut carried_out = for_registry.carry_out(http, by).await?.into_iter();
    let in_order = answers
        .into_iter()
        .filter_map(|answer| answer.or_else(|| carried_out.next()));
    let answers: Vec<ItemAnswer> = in_order.collect();
    let own_kind = own_kind(http, headers);
    let body = write_answers(&answers, own_kind);
    Ok(Answer {
        sign: own_kind.then(|| http.sign().to_string()),
        ..Answer::body(Format::Json, body)
    })
}

/// Whether a node of this kind asks; one that is new here, or has started anew, is told at once what waits for it.
fn own_kind(http: &Http, headers: &HeaderMap) -> bool {
    let sign = headers.get(SIGN).and_then(|value| value.to_str().ok());
    let sign: Option<NodeSign> = sign.and_then(|text| text.parse().ok());
    let own_kind = sign.is_some();
    if let Some(NodeSign { id, .. }) = sign {
        // Where many call at once, one of them is enough.
        let _ = http.peers.addr().try_send(Heard { id });
    }
    own_kind
}

/// Items that the registry carries out at once.
const SLICE: usize = 500;
/// Instances of a page.
const PAGE: usize = 500;

/// A page of what is held, as registrations; an empty one ends the list.
pub(super) async fn page(
    http: &Http,
    headers: &HeaderMap,
    query: Query<'_>,
) -> Result<Answer, ApiError> {
    if !own_kind(http, headers) {
        return Err(ApiError::NotFound);
    }
    let after = query.after();
    let held = http.registry.ask(TakePage { after, limit: PAGE }).await?;
    let (epoch, now) = (http.clock.epoch(), http.clock.now());
    let mut page = BatchWriter::new(true);
    for held in &held {
        page.push(&OutgoingItem {
            key: &held.info.key(),
            change: Outgoing::Register(held.listed(epoch)),
            extra: held.extra(now),
        });
    }
    Ok(Answer {
        sign: Some(http.sign().to_string()),
        ..Answer::body(Format::Json, page.finish())
    })
}

/// Items that the registry must carry out, and the instances that they concern.
#[derive(Default)]
struct ForRegistry {
    items: Vec<PeerItem>,
    keys: HashSet<InstanceKey>,
}

impl ForRegistry {
    /// A long batch goes in slices, so that clients' changes do not wait for all of it.
    async fn carry_out(self, http: &Http, by: By) -> Result<Vec<ItemAnswer>, ApiError> {
        let mut answers = Vec::with_capacity(self.items.len());
        let mut items = self.items.into_iter();
        while items.len() > 0 {
            let (items, by) = (items.by_ref().take(SLICE).collect(), by.clone());
            answers.extend(http.registry.ask(ApplyBatch { items, by }).await?);
        }
        Ok(answers)
    }
}

/// A heartbeat that changes nothing visible is done at once, unless an item before it concerns the same
/// instance; everything else waits for the registry.
fn answer_at_once(
    http: &Http,
    for_registry: &mut ForRegistry,
    item: PeerItem,
) -> Option<ItemAnswer> {
    if let ReplicationItem::Heartbeat {
        key,
        last_dirty,
        override_status,
    } = &item.item
        && !for_registry.keys.contains(key)
    {
        let beat = Beat {
            extra: &item.extra,
            app: &key.app,
            id: &key.id,
            last_dirty: *last_dirty,
            override_status: *override_status,
            origin: Origin::Peer,
        };
        if let Some(renewal) = http.published.renew(beat, http.clock.now()) {
            let answer = renewal.into_answer(http.clock.epoch(), http.clock.now());
            http.metrics
                .registry
                .replicated(item.action(), answer.status_code());
            return Some(answer);
        }
    }
    for_registry.keys.insert(item.key());
    for_registry.items.push(item);
    None
}

fn refuse(http: &Http, item: &RefusedItem) -> ItemAnswer {
    let answer = ItemAnswer::Refused;
    http.metrics
        .registry
        .replicated(item.action, answer.status_code());
    let reason = one_line(&item.reason);
    tracing::warn!(action = item.action.as_str(), %reason, "batch item refused");
    answer
}
