//! `ext`: the one member that nodes of this kind add to an item of a batch, and to a copy in its answer.
//!
//! ```json
//! {"stamp": "1a2b.3c", "said": "UP", "idle": 1200, "order": {"stamp": "1a2c.3c", "set": "OUT_OF_SERVICE"}}
//! ```
//!
//! An order that was taken back has `cleared` for `set`; where what the instance says holds after it, `ended` is true
//! beside it. `owner`, `reason` and `until` (milliseconds since 1970) are there where they are known. Members that are not
//! known here are passed over, so that later versions may add some. It is written for peers that showed that they are of
//! this kind, and never for others, which would refuse the whole batch for it (server.md §13.4). What cannot be
//! read of it refuses the item: nobody else writes it. Stamps of more than a day ahead are not believed, and neither is
//! the rest then: one that is always the latest would decide for ever.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::json::{Members, Object, Scalar, stamp as millis};
use super::shortened;
use crate::model::{ChangeStamp, EpochMillis, Extra, InstanceStatus, Order, Ordered, Owner};

/// The member's name.
pub(super) const NAME: &str = "ext";

/// Appends the member, unless there is nothing in it.
pub(super) fn write(object: &mut Object<'_>, extra: &Extra) {
    if *extra == Extra::NONE {
        return;
    }
    let mut ext = Object::open(object.member(NAME));
    if let Some(stamp) = extra.stamp {
        ext.text("stamp", &stamp.to_string());
    }
    if let Some(said) = extra.said {
        ext.text("said", said.as_str());
    }
    if let Some(idle) = extra.idle {
        ext.number("idle", idle);
    }
    if let Some(order) = &extra.order {
        let mut member = Object::open(ext.member("order"));
        member.text("stamp", &order.stamp.to_string());
        match order.what {
            Ordered::Set(status) => member.text("set", status.as_str()),
            Ordered::Cleared(status) => member.text("cleared", status.as_str()),
            Ordered::Ended => {
                let said = extra.said.unwrap_or(InstanceStatus::Unknown);
                member.text("cleared", said.as_str());
                member.member("ended").extend_from_slice(b"true");
            }
        }
        write_owner(&mut member, order);
        member.close();
    }
    ext.close();
}

fn write_owner(member: &mut Object<'_>, order: &Order) {
    if let Some(until) = order.until {
        member.number("until", until);
    }
    if let Some(owner) = &order.owner {
        member.text("owner", &owner.name);
        if let Some(reason) = &owner.reason {
            member.text("reason", reason);
        }
    }
}

/// How far ahead of this node's clock a stamp may be.
const AHEAD: EpochMillis = 24 * 3_600_000;

/// Reads the member of an item, if it is there, at this wall time.
pub(super) fn read(members: &Members<'_>, now: EpochMillis) -> Result<Extra, String> {
    let extra = read_any(members)?;
    let order = extra.order.as_ref().map(|order| order.stamp);
    let latest = extra.stamp.into_iter().chain(order).max();
    let believed = latest.is_none_or(|stamp| stamp.millis() <= now.saturating_add(AHEAD));
    Ok(if believed { extra } else { Extra::NONE })
}

fn read_any(members: &Members<'_>) -> Result<Extra, String> {
    let Some(value) = members.get(NAME) else {
        return Ok(Extra::NONE);
    };
    let ext = Members::of(value).ok_or_else(|| wrong(NAME, "an object", value))?;
    let order = match ext.get("order") {
        Some(value) => Some(Arc::new(order(value)?)),
        None => None,
    };
    let idle = match ext.get("idle") {
        Some(value) => millis("ext.idle", value).map_err(|error| error.to_string())?,
        None => None,
    };
    Ok(Extra {
        stamp: ext.get("stamp").map(stamp).transpose()?,
        said: ext.get("said").map(status).transpose()?,
        order,
        idle,
    })
}

fn order(value: &RawValue) -> Result<Order, String> {
    let wanted = "an object with stamp, and set or cleared";
    let members = Members::of(value).ok_or_else(|| wrong("ext.order", wanted, value))?;
    let missing = || wrong("ext.order", wanted, value);
    let what = match (members.get("set"), members.get("cleared")) {
        (Some(set), None) => Ordered::Set(status(set)?),
        (None, Some(_)) if members.get("ended").is_some_and(is_true) => Ordered::Ended,
        (None, Some(cleared)) => Ordered::Cleared(status(cleared)?),
        _ => return Err(missing()),
    };
    Ok(Order {
        stamp: stamp(members.get("stamp").ok_or_else(missing)?)?,
        what,
        until: match members.get("until") {
            Some(until) => millis("ext.order.until", until).map_err(|error| error.to_string())?,
            None => None,
        },
        owner: owner(&members),
    })
}

fn owner(members: &Members<'_>) -> Option<Owner> {
    let text = |name: &str| {
        let text = Scalar::of(members.get(name)?).into_text()?;
        Some(text.chars().take(Owner::LONGEST).collect::<String>().into())
    };
    Some(Owner {
        name: text("owner")?,
        reason: text("reason"),
    })
}

fn is_true(value: &RawValue) -> bool {
    value.get() == "true"
}

fn stamp(value: &RawValue) -> Result<ChangeStamp, String> {
    let text = Scalar::of(value).into_text().unwrap_or_default();
    text.parse()
        .map_err(|_| wrong("ext.stamp", "a change stamp", value))
}

fn status(value: &RawValue) -> Result<InstanceStatus, String> {
    let text = Scalar::of(value).into_text().unwrap_or_default();
    InstanceStatus::from_constant(&text).ok_or_else(|| wrong("ext", "a status", value))
}

fn wrong(name: &str, wanted: &str, got: &RawValue) -> String {
    format!("{name}: wanted {wanted}, got {}", shortened(got.get()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StampClock;

    const NOW: EpochMillis = 1_800_000_000_000;

    fn round_trip(extra: Extra) -> (String, Result<Extra, String>) {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        write(&mut object, &extra);
        object.close();
        let text = String::from_utf8(out).unwrap();
        let back = read(&Members::read(&text).unwrap(), NOW);
        (text, back)
    }

    #[test]
    fn every_combination_comes_back() {
        let stamp = StampClock::of(60).next(NOW);
        let orders = [Ordered::Set, Ordered::Cleared].map(|kind| {
            let what = kind(InstanceStatus::OutOfService);
            Some(Arc::new(Order::plain(stamp, what)))
        });
        let until = Some(1_900_000_000_000);
        let owner = |reason: Option<&str>| {
            let (name, reason) = ("ops \"1\"".into(), reason.map(Into::into));
            Some(Owner { name, reason })
        };
        let owned = [
            (
                Ordered::Set(InstanceStatus::Down),
                until,
                owner(Some("disk")),
            ),
            (Ordered::Set(InstanceStatus::Up), None, owner(None)),
        ];
        let owned = owned.map(|(what, until, owner)| {
            let plain = Order::plain(stamp, what);
            Some(Arc::new(Order {
                until,
                owner,
                ..plain
            }))
        });
        let ended = owned[0].as_ref().map(|order| Arc::new(order.ended()));
        let all = [None, ended].into_iter().chain(orders).chain(owned);
        for order in all {
            for (stamp, said) in [(None, None), (Some(stamp), Some(InstanceStatus::Up))] {
                for idle in [None, Some(0), Some(i64::MAX as u64)] {
                    let extra = Extra {
                        stamp,
                        said,
                        order: order.clone(),
                        idle,
                    };
                    let (text, back) = round_trip(extra.clone());
                    assert_eq!(back, Ok(extra), "{text}");
                }
            }
        }
        assert_eq!(round_trip(Extra::NONE).0, "{}");
    }

    #[test]
    fn what_is_wrong_with_it_is_said() {
        for (ext, said) in [
            ("7", "ext: wanted an object, got \"7\""),
            (r#"{"stamp":"x"}"#, "ext.stamp: wanted a change stamp"),
            (r#"{"said":"up"}"#, "ext: wanted a status"),
            (r#"{"idle":"soon"}"#, "ext.idle: wanted milliseconds"),
            (
                r#"{"order":{"stamp":"1.2"}}"#,
                "ext.order: wanted an object with",
            ),
            (
                r#"{"order":{"set":"UP"}}"#,
                "ext.order: wanted an object with",
            ),
        ] {
            let text = format!("{{\"ext\":{ext}}}");
            let error = read(&Members::read(&text).unwrap(), NOW).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }

    #[test]
    fn what_is_said_to_be_of_days_to_come_is_not_believed() {
        let at = |wall| StampClock::of(1).next(wall);
        let set = Ordered::Set(InstanceStatus::Down);
        let order = |stamp| Arc::new(Order::plain(stamp, set));
        for (stamp, ordered, believed) in [
            (at(NOW + AHEAD), None, true),
            (at(NOW + AHEAD + 1), None, false),
            (at(NOW), Some(at(NOW + AHEAD + 1)), false),
            ("ffffffffffffffff.1".parse().unwrap(), None, false),
        ] {
            let extra = Extra {
                stamp: Some(stamp),
                order: ordered.map(order),
                idle: Some(1),
                ..Extra::NONE
            };
            let expected = if believed { extra.clone() } else { Extra::NONE };
            assert_eq!(round_trip(extra).1, Ok(expected), "{stamp}");
        }
    }
}
