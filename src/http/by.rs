//! Who sent a request, for the journal and the log.

use actix_web::HttpRequest;

use super::state::Http;
use crate::model::{By, Who};

/// The sender of a request that was let through.
pub(super) fn by(http: &Http, request: &HttpRequest, who: Who) -> By {
    let address = request.peer_addr();
    let guard = http.live.guard.load();
    By {
        address: address.map(|address| address.ip().to_canonical()),
        user: guard.as_ref().and_then(|guard| guard.who(request)),
        ..By::only(who)
    }
}
