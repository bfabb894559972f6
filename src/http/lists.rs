//! Reads of lists: everything, the delta, an application, the instances of a VIP.

use super::answer::Answer;
use super::ask::Ask;
use super::error::ApiError;
use super::state::Http;
use crate::cache::{View, Want};
use crate::config::Mode;
use crate::metrics::FetchKind;
use crate::wire::{Form, Format};

/// Reads a list; 404 for an application without instances. Unknown `regions` are no reason for anything,
/// so the parameter is not looked at.
pub(super) async fn read(http: &Http, ask: &Ask, v1: bool, view: View) -> Result<Answer, ApiError> {
    if !http.gate.is_open() {
        return Err(shut(http));
    }
    if view == View::Delta && http.live.disable_delta() {
        return Err(ApiError::Forbidden);
    }
    let format = ask.accepted.list;
    let kind = kind(&view);
    let want = Want {
        view,
        form: Form::of(format, ask.compact, v1),
        gzip: ask.gzip,
    };
    let body = http.reader.read(want).await?.ok_or(ApiError::NotFound)?;
    let json = format == Format::Json;
    http.metrics.http.fetched(kind, json, ask.gzip, body.len());
    Ok(Answer {
        gzip: ask.gzip,
        ..Answer::body(format, body)
    })
}

/// The answer while the node has not all that its peers have: the reference's in classic mode, else one that says
/// when to try again.
fn shut(http: &Http) -> ApiError {
    match http.config.mode {
        Mode::Classic => ApiError::Forbidden,
        Mode::Modern => ApiError::Loading(http.gate.retry_after(http.clock.now().mono)),
    }
}

fn kind(view: &View) -> FetchKind {
    match view {
        View::All => FetchKind::Full,
        View::Delta => FetchKind::Delta,
        View::App(_) => FetchKind::App,
        View::Vip(_) => FetchKind::Vip,
        View::Svip(_) => FetchKind::Svip,
    }
}
