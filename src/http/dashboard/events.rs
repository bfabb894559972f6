//! What happened, as the pages tell it: one row for each event of the journal.

use super::row::page_of_key;
use super::words::{ago, short};
use crate::clock::Moment;
use crate::http::state::Http;
use crate::http::system::utc;
use crate::journal::{Entry, FindEntries, Found, Kind};
use crate::mailbox::Shut;
use crate::model::{InstanceKey, InstanceStatus};

/// Events that are shown.
pub(super) const SHOWN: usize = 50;

/// One event in words.
pub(super) struct Event {
    pub(super) at: String,
    pub(super) ago: String,
    pub(super) app: String,
    pub(super) id: String,
    pub(super) page: String,
    pub(super) what: String,
    pub(super) by: String,
    pub(super) reason: String,
}

/// The last events of one instance, or of all.
pub(super) async fn last(
    http: &Http,
    key: Option<&InstanceKey>,
    limit: usize,
) -> Result<Found, Shut> {
    let find = FindEntries {
        app: key.map(|key| key.app.to_string()),
        id: key.map(|key| key.id.to_string()),
        kinds: Vec::new(),
        since: None,
        after: None,
        before: None,
        limit,
    };
    http.journal.ask(find).await
}

impl Event {
    pub(super) fn of(entry: &Entry, now: Moment) -> Self {
        Self {
            at: utc(entry.at),
            ago: ago(now.wall.saturating_sub(entry.at)),
            app: short(&entry.key.app),
            id: short(&entry.key.id),
            page: page_of_key(&entry.key.app, &entry.key.id),
            what: what(entry),
            by: by(entry),
            reason: entry.reason().unwrap_or_default().to_string(),
        }
    }
}

fn what(entry: &Entry) -> String {
    let since = || entry.since.map_or(String::new(), utc);
    let (before, after) = (word(entry.before), word(entry.after));
    match entry.kind {
        Kind::Registered => format!("registered, {after}"),
        Kind::RegisteredAgain => format!("registered again, {after}"),
        Kind::Replaced => format!("registered again with another record, {before} → {after}"),
        Kind::Status => format!("status {before} → {after}"),
        Kind::Override => format!("override ordered, {before} → {after}{}", until(entry)),
        Kind::OverrideEnded => format!("override ended, {before} → {after}"),
        Kind::Metadata => "metadata changed".to_string(),
        Kind::Cancelled => format!("cancelled, was {before}"),
        Kind::LeaseEnded => format!("lease ended and removed, last heartbeat {}", since()),
        Kind::Held => format!("lease ended, kept by self-preservation since {}", since()),
        Kind::RenewedAfterGap => format!("beats again, was kept since {}", since()),
    }
}

fn word(status: Option<InstanceStatus>) -> &'static str {
    status.map_or("not held", InstanceStatus::as_str)
}

fn until(entry: &Entry) -> String {
    let until = entry.order.as_ref().and_then(|order| order.until);
    until.map_or(String::new(), |until| format!(", until {}", utc(until)))
}

/// Who it was: what they are, their name or whose order it is, and the address.
fn by(entry: &Entry) -> String {
    let owner = entry.owner().map(|owner| &owner.name);
    let name = entry.by.user.as_ref().or(owner);
    let mut text = entry.by.who.as_str().to_string();
    if let Some(name) = name {
        text.push_str(&format!(" {}", short(name)));
    }
    if let Some(address) = entry.by.address {
        text.push_str(&format!(" from {address}"));
    }
    text
}
