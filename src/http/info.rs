//! What the node says of itself in Eureka's own words: `status` and `serverinfo/statusoverrides`.

use super::answer::Answer;
use super::ask::Ask;
use super::error::ApiError;
use super::replicas;
use super::state::Http;
use super::system::{System, uptime};
use crate::config::Own;
use crate::model::{InstanceInfo, LeaseTimes, Listed};
use crate::preservation::{Describe, Standing};
use crate::registry::TakeOverrides;
use crate::wire::Format;
use crate::wire::status_info::{self, StatusInfo};

/// `GET status` (wire.md §3.12).
pub(super) async fn status(http: &Http, ask: &Ask) -> Result<Answer, ApiError> {
    let standing = http.preservation.ask(Describe).await?;
    let own = own_instance(http);
    let started = http.identity.started.wall;
    let (_, replicas) = replicas::replicas(http).await?;
    let healthy = http.live.min_available();
    let info = StatusInfo {
        general: general_stats(http, &standing),
        application: replicas::stats(&replicas),
        instance: Listed {
            info: &own,
            times: LeaseTimes {
                registered: started,
                renewed: http.clock.now().wall,
                evicted: 0,
                service_up: started,
            },
        },
        healthy: healthy.map(|wanted| replicas.available.len() >= wanted),
    };
    let format = ask.accepted.object;
    Ok(Answer::body(format, status_info::write(format, &info)))
}

fn general_stats(http: &Http, standing: &Standing) -> Vec<(&'static str, String)> {
    let system = System::now();
    let now = http.clock.now().mono;
    let up_since = now.saturating_sub(http.identity.started.mono);
    let figures = standing.figures;
    let facts = [
        ("environment", Some(http.config.page.environment.clone())),
        ("num-of-cpus", Some(system.cpus.to_string())),
        ("total-avail-memory", system.total_text()),
        ("current-memory-usage", system.used_text()),
        ("server-uptime", Some(uptime(up_since))),
        ("self-preservation", Some(standing.in_words())),
        ("renews-last-minute", Some(figures.renewals.to_string())),
        ("renews-threshold", Some(figures.threshold.to_string())),
        (
            "renews-expected-clients",
            Some(figures.expected.to_string()),
        ),
    ];
    let known = facts
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    known.collect()
}

/// The node as an instance of its own kind.
pub(super) fn own_instance(http: &Http) -> InstanceInfo {
    let identity = &http.identity;
    http.config.instance.record(Own {
        host_name: &identity.host_name,
        ip_addr: &identity.ip_addr,
        port: identity.port,
        context_path: &http.config.http.context_path,
        started: identity.started.wall,
    })
}

/// `GET serverinfo/statusoverrides`: ids and statuses, JSON only (wire.md §3.13).
pub(super) async fn overrides(http: &Http, ask: &Ask) -> Result<Answer, ApiError> {
    if !ask.accepted.json_possible {
        return Err(ApiError::NotAcceptable);
    }
    let overrides = http.registry.ask(TakeOverrides).await?;
    let object: serde_json::Map<String, serde_json::Value> = overrides
        .into_iter()
        .map(|(id, status)| (id.to_string(), status.as_str().into()))
        .collect();
    let body = serde_json::Value::from(object).to_string();
    Ok(Answer::body(Format::Json, body.into_bytes()))
}
