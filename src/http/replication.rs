//! `POST peerreplication/batch`: what a peer's clients did there (wire.md §9).

use actix_web::http::header::HeaderMap;
use actix_web::web::Payload;

use super::answer::Answer;
use super::body;
use super::error::ApiError;
use super::state::Http;
use crate::model::ItemAnswer;
use crate::registry::ApplyBatch;
use crate::wire::replication::{read_batch, write_answers};
use crate::wire::{Format, ReadError};

/// Carries out a batch; the answer is always JSON, one entry per item, never packed (wire.md §9.3).
pub(super) async fn apply(
    http: &Http,
    headers: &HeaderMap,
    payload: Payload,
) -> Result<Answer, ApiError> {
    let body = body::read(headers, payload, http.batch_limits()).await?;
    if body.format == Format::Xml {
        let why = ReadError::Malformed("a batch is JSON".to_string());
        return Err(body.unreadable(why));
    }
    let read = read_batch(&body.text, http.clock.now().wall);
    let read = read.map_err(|error| body.unreadable(error))?;
    let mut refused = Vec::with_capacity(read.len());
    let mut items = Vec::with_capacity(read.len());
    for item in read {
        refused.push(item.is_err());
        match item {
            Ok(item) => items.push(item),
            Err(item) => {
                http.metrics
                    .registry
                    .replicated(item.action, ItemAnswer::Refused.status_code());
                tracing::warn!(action = item.action.as_str(), reason = %item.reason, "batch item refused");
            }
        }
    }
    let mut carried_out = http.registry.ask(ApplyBatch { items }).await?.into_iter();
    let answers: Vec<ItemAnswer> = refused
        .into_iter()
        .filter_map(|refused| match refused {
            true => Some(ItemAnswer::Refused),
            false => carried_out.next(),
        })
        .collect();
    Ok(Answer::body(Format::Json, write_answers(&answers)))
}
