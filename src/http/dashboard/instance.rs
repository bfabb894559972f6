//! `/instance`: all that is known of one, and why it is as it is.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use form_urlencoded::parse;

use super::act::{may_act, may_sign_in};
use super::events::{self, Event, SHOWN};
use super::html::{self, Frame};
use super::row::{Row, ends, tone, version, zone};
use super::why::{why_held, why_status};
use super::words::{ago, link, short, span};
use crate::clock::Moment;
use crate::http::labels;
use crate::http::state::Http;
use crate::http::system::utc;
use crate::mailbox::Shut;
use crate::model::{DataCenter, InstanceInfo, InstanceKey, Port};

#[derive(Template)]
#[template(path = "instance.html")]
struct Instance {
    frame: Frame,
    app: String,
    id: String,
    list: String,
    /// Nothing, if it is not held.
    held: Option<Shown>,
    events: Vec<Event>,
    /// There are more events than are shown.
    more: bool,
    /// Whether whoever asks may act.
    may_act: bool,
    /// Whether they have not said who they are.
    may_sign_in: bool,
    /// What names the instance in an address.
    key: String,
}

/// What there is to say of one that is held.
struct Shown {
    status: &'static str,
    tone: &'static str,
    is_overridden: bool,
    why_status: String,
    why_held: String,
    lease: Vec<(&'static str, String)>,
    facts: Vec<(&'static str, String)>,
    links: Vec<Link>,
    metadata: Vec<(String, String)>,
    amazon: Vec<(String, String)>,
}

/// An address that the instance gave; a link, if one may follow it.
struct Link {
    name: &'static str,
    text: String,
    target: Option<String>,
}

/// `GET /instance?app=&id=`.
pub(in crate::http) async fn instance(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    html::answered(
        &http,
        &request,
        labels::INSTANCE_PAGE,
        answer(&http, &request),
    )
    .await
}

async fn answer(http: &Http, request: &HttpRequest) -> Result<HttpResponse, Shut> {
    let (app, id) = asked(request.query_string());
    let key = InstanceKey::new(&app, &id);
    let now = http.clock.now();
    let found = events::last(http, Some(&key), SHOWN).await?;
    let held = http
        .published
        .index
        .get(&key)
        .map(|held| Row::of(held, now));
    let is_held = held.is_some();
    let page = Instance {
        frame: Frame::new(http, request, "instances", &short(&id)),
        list: format!("instances?{}", list_query(&key.app)),
        events: found
            .entries
            .iter()
            .map(|entry| Event::of(entry, now))
            .collect(),
        more: found.more,
        may_act: may_act(http, request),
        may_sign_in: may_sign_in(http, request),
        key: key_query(&key.app, &id),
        app: key.app.to_string(),
        id,
        held: held.map(|row| Shown::of(&row, now, http.clock.epoch())),
    };
    let html = html::text(&page);
    Ok(if is_held {
        html::page(html)
    } else {
        html::with_status(StatusCode::NOT_FOUND, html)
    })
}

fn asked(query: &str) -> (String, String) {
    let first = |wanted: &str| {
        let found = parse(query.as_bytes()).find(|(name, _)| name == wanted);
        found
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    (first("app"), first("id"))
}

fn key_query(app: &str, id: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("app", app).append_pair("id", id).finish()
}

fn list_query(app: &str) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair("app", app)
        .finish()
}

impl Shown {
    fn of(row: &Row, now: Moment, epoch: u64) -> Self {
        let info = row.info();
        let amazon = match &info.data_center {
            DataCenter::Amazon(metadata) => pairs(metadata.iter()),
            DataCenter::MyOwn | DataCenter::Netflix => Vec::new(),
        };
        Self {
            status: info.status.as_str(),
            tone: tone(info.status),
            is_overridden: info.override_status.is_some(),
            why_status: why_status(row, now),
            why_held: why_held(row, now, epoch),
            lease: lease(row, now, epoch),
            facts: facts(info),
            links: links(info),
            metadata: pairs(info.metadata.iter()),
            amazon,
        }
    }
}

fn pairs<'a, T: AsRef<str> + 'a>(
    pairs: impl Iterator<Item = (&'a T, &'a T)>,
) -> Vec<(String, String)> {
    pairs
        .map(|(key, value)| (key.as_ref().to_string(), value.as_ref().to_string()))
        .collect()
}

fn lease(row: &Row, now: Moment, epoch: u64) -> Vec<(&'static str, String)> {
    let (info, times) = (row.info(), row.held.lease.times(epoch));
    let seconds = |seconds: u32| span(u64::from(seconds) * 1000);
    let since = |at: u64| format!("{} ({})", ago(now.wall.saturating_sub(at)), utc(at));
    let mut facts = vec![
        ("Last heartbeat", ago(row.idle)),
        ("Lease ends", ends(row.deadline, now)),
        ("Registered", since(times.registered)),
        (
            "Wants to beat every",
            seconds(info.lease.renewal_interval_secs),
        ),
        ("Lease duration", seconds(info.lease.duration_secs)),
    ];
    if times.service_up > 0 {
        facts.push(("First UP", since(times.service_up)));
    }
    if let Some(kept) = row.kept_since {
        facts.push(("Kept since", since(epoch.saturating_add(kept))));
    }
    if let Some(status) = info.override_status {
        facts.push(("Override", status.to_string()));
    }
    facts
}

fn facts(info: &InstanceInfo) -> Vec<(&'static str, String)> {
    let port = |port: Port| match port.enabled {
        true => port.number.to_string(),
        false => format!("{} (off)", port.number),
    };
    let stamp = |at: u64| format!("{} ({at})", utc(at));
    let mut facts = vec![
        ("Port", port(info.port)),
        ("Secure port", port(info.secure_port)),
        ("Data center", info.data_center.name().to_string()),
        ("Last updated", stamp(info.last_updated)),
        ("Last dirty", stamp(info.last_dirty)),
        ("Action", info.action.as_str().to_string()),
    ];
    let named = [("Zone", zone(info)), ("Version", version(info))];
    let named = named.into_iter().filter(|(_, text)| !text.is_empty());
    facts.extend(named.map(|(name, text)| (name, text.to_string())));
    let texts = info.texts().filter(|(name, _)| !name.ends_with("Url"));
    facts.extend(texts.map(|(name, text)| (name, text.to_string())));
    facts
}

fn links(info: &InstanceInfo) -> Vec<Link> {
    let links = info.texts().filter(|(name, _)| name.ends_with("Url"));
    links
        .map(|(name, url)| Link {
            name,
            text: url.to_string(),
            target: link(url),
        })
        .collect()
}
