//! What Spring's page shows of a node, under the names it has there.

use crate::http::info::own_instance;
use crate::http::replicas::stats;
use crate::http::state::Http;
use crate::http::system::{System, uptime, utc};
use crate::peers::Replicas;
use crate::preservation::Standing;

/// Names and values.
pub(super) type Facts = Vec<(&'static str, String)>;

/// *System Status*.
pub(super) fn system_status(http: &Http, standing: &Standing) -> Facts {
    let (now, page) = (http.clock.now(), &http.config.page);
    let up_since = now.mono.saturating_sub(http.identity.started.mono);
    let figures = standing.figures;
    vec![
        ("Environment", page.environment.clone()),
        ("Data center", page.datacenter.clone()),
        ("Current time", utc(now.wall)),
        ("Uptime", uptime(up_since)),
        ("Version", env!("CARGO_PKG_VERSION").to_string()),
        ("Mode", http.config.mode.as_str().to_string()),
        ("Self-preservation", standing.in_words()),
        (
            "Lease expiration enabled",
            standing.withheld.is_none().to_string(),
        ),
        ("Renews threshold", figures.threshold.to_string()),
        ("Renews (last min)", figures.renewals.to_string()),
        ("Expected clients", figures.expected.to_string()),
        (
            "Changes since the start",
            http.published.revision().to_string(),
        ),
    ]
}

/// *General Info*.
pub(super) fn general(replicas: &Replicas) -> Facts {
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

/// *Instance Info*: the node itself.
pub(super) fn own(http: &Http) -> Facts {
    let own = own_instance(http);
    vec![
        ("ipAddr", own.ip_addr.to_string()),
        ("status", own.status.to_string()),
    ]
}
