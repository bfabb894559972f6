//! `/`: system status, instances by application, the node itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use tokio::time::Instant;

use super::html;
use crate::http::info::own_instance;
use crate::http::labels;
use crate::http::ops::counted;
use crate::http::replicas::{replicas, stats};
use crate::http::state::Http;
use crate::http::system::{System, uptime, utc};
use crate::mailbox::Shut;
use crate::model::{InstanceInfo, InstanceStatus, Text};
use crate::peers::{PeerState, Replicas};
use crate::preservation::{Describe, Standing};
use crate::registry::{Held, TakeSnapshot};

#[derive(Template)]
#[template(path = "page.html")]
struct Page {
    style: &'static str,
    title: &'static str,
    home: String,
    mode: &'static str,
    warning: Option<String>,
    system: Vec<(&'static str, String)>,
    apps: Vec<App>,
    instances: usize,
    peers: Vec<Peer>,
    general: Vec<(&'static str, String)>,
    own: Vec<(&'static str, String)>,
}

/// One of the other nodes.
struct Peer {
    url: String,
    available: bool,
    up: bool,
    kind: &'static str,
    contact: String,
    waiting: String,
}

/// One row of the table.
struct App {
    name: Text,
    statuses: Vec<Status>,
    zones: String,
}

/// The instances of one status within an application.
struct Status {
    name: &'static str,
    up: bool,
    instances: Vec<Link>,
}

/// An instance, with its status page if that is a link one may follow.
struct Link {
    id: Text,
    url: Option<Text>,
    ordered: bool,
}

/// `GET /`.
pub(in crate::http) async fn page(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let response = match render(&http).await {
        Ok(html) => html::page(html),
        Err(_) => HttpResponse::ServiceUnavailable().finish(),
    };
    counted(&http, &request, labels::PAGE, started, response)
}

async fn render(http: &Http) -> Result<String, Shut> {
    let held = http.registry.ask(TakeSnapshot).await?;
    let standing = http.preservation.ask(Describe).await?;
    let own = own_instance(http);
    let (peers, replicas) = replicas(http).await?;
    let page = Page {
        style: html::STYLE,
        title: "heureka",
        home: format!("{}{}", http.config.http.context_path, http.config.page.path),
        mode: http.config.mode.as_str(),
        warning: warning(http, &standing),
        system: system_status(http, &standing),
        instances: held.len(),
        peers: peer_rows(http, &peers, &replicas),
        apps: apps(&held),
        general: general_info(&replicas),
        own: vec![
            ("ipAddr", own.ip_addr.to_string()),
            ("status", own.status.to_string()),
        ],
    };
    // Only a failing writer could fail, and a String does not.
    Ok(page.render().unwrap_or_default())
}

/// What must not be overlooked: instances are kept that may be gone, or nothing would be kept.
fn warning(http: &Http, standing: &Standing) -> Option<String> {
    if !http.gate.is_open() {
        let text = "This node has just started and does not yet hold all that its peers hold. Lists are refused.";
        return Some(text.to_string());
    }
    if let Some(reason) = standing.withheld.as_ref().filter(|_| standing.alarming) {
        return Some(format!(
            "Self-preservation is active: {reason}. Some of the instances below may be gone."
        ));
    }
    (!standing.enabled).then(|| {
        "Self-preservation is switched off: a failing network empties this registry.".to_string()
    })
}

fn system_status(http: &Http, standing: &Standing) -> Vec<(&'static str, String)> {
    let (now, page) = (http.clock.now(), &http.config.page);
    let up_since = now.mono.saturating_sub(http.identity.started.mono);
    vec![
        ("Environment", page.environment.clone()),
        ("Data center", page.datacenter.clone()),
        ("Current time", utc(now.wall)),
        ("Uptime", uptime(up_since)),
        ("Version", env!("CARGO_PKG_VERSION").to_string()),
        ("Self-preservation", standing.in_words()),
        (
            "Lease expiration enabled",
            standing.withheld.is_none().to_string(),
        ),
        ("Renews threshold", standing.figures.threshold.to_string()),
        ("Renews (last min)", standing.figures.renewals.to_string()),
        ("Expected clients", standing.figures.expected.to_string()),
        (
            "Changes since the start",
            http.published.revision().to_string(),
        ),
    ]
}

fn peer_rows(http: &Http, peers: &[PeerState], replicas: &Replicas) -> Vec<Peer> {
    let now = http.clock.now().wall;
    let ago = |then: u64| match now.saturating_sub(then) / 1000 {
        seconds @ 0..120 => format!("{seconds} s ago"),
        seconds => format!("{} ago", uptime(seconds * 1000)),
    };
    let row = |peer: &PeerState| Peer {
        url: peer.url.as_str().to_string(),
        available: replicas.available.contains(&peer.url),
        up: peer.up,
        kind: match peer.sign {
            Some(_) => "heureka",
            None if peer.last_contact.is_some() => "Eureka",
            None => "",
        },
        contact: peer.last_contact.map_or("never".to_string(), ago),
        waiting: match (peer.queue_length, peer.oldest) {
            (0, _) => "nothing".to_string(),
            (changes, None) => format!("{changes} changes"),
            (changes, Some(age)) => format!("{changes} changes, for {} s", age.as_secs()),
        },
    };
    peers.iter().map(row).collect()
}

fn general_info(replicas: &Replicas) -> Vec<(&'static str, String)> {
    let system = System::now();
    let facts = [
        ("num-of-cpus", Some(system.cpus.to_string())),
        ("total-avail-memory", system.total_text()),
        ("current-memory-usage", system.used_text()),
    ];
    let facts = facts
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    facts.chain(stats(replicas)).collect()
}

fn apps(held: &[Arc<Held>]) -> Vec<App> {
    let mut by_app: BTreeMap<&Text, Vec<&InstanceInfo>> = BTreeMap::new();
    for held in held {
        by_app.entry(&held.info.app).or_default().push(&held.info);
    }
    by_app
        .into_iter()
        .map(|(name, infos)| App {
            name: name.clone(),
            statuses: statuses(&infos),
            zones: zones(&infos),
        })
        .collect()
}

fn statuses(infos: &[&InstanceInfo]) -> Vec<Status> {
    // UP first: the usual one.
    InstanceStatus::ALL
        .into_iter()
        .rev()
        .filter_map(|status| {
            let of_status = infos.iter().filter(|info| info.status == status);
            let instances: Vec<Link> = of_status.map(|info| link(info)).collect();
            (!instances.is_empty()).then(|| Status {
                name: status.as_str(),
                up: status == InstanceStatus::Up,
                instances,
            })
        })
        .collect()
}

fn link(info: &InstanceInfo) -> Link {
    let safe = |url: &Text| url.starts_with("http://") || url.starts_with("https://");
    Link {
        id: info.id().clone(),
        url: info.status_page_url.clone().filter(safe),
        ordered: info.override_status.is_some(),
    }
}

/// Zones as the instances name them, with how many are in each.
fn zones(infos: &[&InstanceInfo]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for zone in infos.iter().filter_map(|info| info.metadata.get("zone")) {
        *counts.entry(zone).or_default() += 1;
    }
    let words: Vec<String> = counts
        .iter()
        .map(|(zone, n)| format!("{zone} ({n})"))
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;

    fn shown(status_page_url: &str) -> Link {
        link(&InstanceInfo {
            status_page_url: Some(status_page_url.into()),
            ..samples::instance("A", "i")
        })
    }

    #[test]
    fn only_http_and_https_become_links() {
        for (url, linked) in [
            ("http://h/info", true),
            ("https://h/info", true),
            ("javascript:alert(1)", false),
            ("/info", false),
            ("", false),
        ] {
            assert_eq!(shown(url).url.is_some(), linked, "{url}");
        }
    }

    #[test]
    fn what_a_client_sends_stays_text_on_the_page() {
        let page = Page {
            style: html::STYLE,
            peers: Vec::new(),
            title: "t",
            home: String::new(),
            mode: "modern",
            warning: None,
            system: vec![],
            apps: vec![App {
                name: "<script>".into(),
                statuses: vec![Status {
                    name: "UP",
                    up: true,
                    instances: vec![Link {
                        id: "\"><img onerror=x>".into(),
                        url: Some("http://h/\" onclick=\"x".into()),
                        ordered: false,
                    }],
                }],
                zones: "<i>".to_string(),
            }],
            instances: 1,
            general: vec![],
            own: vec![],
        };
        let html = page.render().unwrap();
        for raw in ["<script>", "<img", "onclick=\"x", "<i>"] {
            assert!(!html.contains(raw), "{raw}");
        }
    }
}
