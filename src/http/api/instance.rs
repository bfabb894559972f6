//! One instance, as it is shown wherever there is one.

use serde_json::{Map, Value, json};

use super::events::owner;
use super::reply::time;
use crate::clock::Moment;
use crate::model::{InstanceInfo, Port};
use crate::registry::Held;

/// An instance at this moment; what is not known of it is left out. `epoch` is [`crate::clock::Clock::epoch`].
pub(super) fn instance(held: &Held, epoch: u64, now: Moment) -> Value {
    let info = &held.info;
    let text = |text: &str| Some(Value::from(text));
    known([
        ("app", text(&info.app)),
        ("id", text(info.id())),
        ("status", text(info.status.as_str())),
        ("said", text(held.version.said().as_str())),
        ("override", order(held)),
        ("hostName", text(&info.host_name)),
        ("ipAddr", text(&info.ip_addr)),
        ("port", port(info.port)),
        ("securePort", port(info.secure_port)),
        ("vipAddress", info.vip_address.as_deref().map(Value::from)),
        (
            "secureVipAddress",
            info.secure_vip_address.as_deref().map(Value::from),
        ),
        (
            "homePageUrl",
            info.home_page_url.as_deref().map(Value::from),
        ),
        (
            "statusPageUrl",
            info.status_page_url.as_deref().map(Value::from),
        ),
        (
            "healthCheckUrl",
            info.health_check_url.as_deref().map(Value::from),
        ),
        (
            "zone",
            info.metadata.get("zone").map(|zone| zone.as_str().into()),
        ),
        ("metadata", Some(metadata(info))),
        ("lease", Some(lease(held, epoch, now))),
        ("changed", text(&time(info.last_updated))),
        ("lastDirtyTimestamp", Some(info.last_dirty.into())),
    ])
}

/// The members that are known.
pub(super) fn known<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let known = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), value?)));
    Value::Object(known.collect::<Map<_, _>>())
}

fn port(port: Port) -> Option<Value> {
    port.enabled.then(|| port.number.into())
}

fn metadata(info: &InstanceInfo) -> Value {
    let pairs = info.metadata.iter();
    Value::Object(
        pairs
            .map(|(key, value)| (key.to_string(), value.as_str().into()))
            .collect(),
    )
}

/// The override in force, whose it is, and why.
fn order(held: &Held) -> Option<Value> {
    let order = held.version.order()?;
    let reason = order
        .owner
        .as_ref()
        .and_then(|owner| owner.reason.as_deref());
    Some(known([
        ("status", Some(order.override_status()?.as_str().into())),
        ("owner", Some(owner(order).into())),
        ("reason", reason.map(Into::into)),
        ("since", Some(time(order.stamp.millis()).into())),
        ("until", order.until.map(|until| time(until).into())),
    ]))
}

fn lease(held: &Held, epoch: u64, now: Moment) -> Value {
    let terms = held.info.lease;
    let shown = |mono: u64| time(epoch.saturating_add(mono));
    let idle = held.lease.idle(now);
    let since = held.lease.hold(now).map(|hold| shown(hold.since).into());
    let mut lease = json!({
        "durationSeconds": terms.duration_secs,
        "renewalIntervalSeconds": terms.renewal_interval_secs,
        "registered": shown(now.mono.saturating_sub(held.lease.age(now))),
        "renewed": time(now.wall.saturating_sub(idle)),
        "ends": shown(held.lease.deadline()),
        "silent": idle > terms.silence(),
    });
    if let Some(since) = since {
        lease["heldSince"] = since;
    }
    lease
}
