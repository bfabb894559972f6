//! A peer's batch: the request and the answer (wire.md §9).
//!
//! The answer never has a member that the reference does not write: a Java sender refuses the whole
//! answer otherwise, and with it every repair.

use serde_json::value::RawValue;

use super::json::{self, Members, Object, Scalar, check_shape, elements, instance_members, stamp};
use super::{ReadError, extra, limits as content, shortened};
use crate::model::{
    Action, ContentLimits, EpochMillis, Extra, InstanceKey, InstanceStatus, ItemAnswer, Listed,
    PeerItem, ReplicationItem,
};

/// One item as it was read: ready to be carried out, or refused on its own with the reason.
pub type ReadItem = Result<PeerItem, RefusedItem>;

/// An item that cannot be carried out; the others of its batch can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedItem {
    /// What it was.
    pub action: Action,
    /// What is wrong with it, naming the member.
    pub reason: String,
}

/// Reads `{"replicationList": […]}`.
///
/// An unknown action refuses the whole batch, as in the reference: what comes after it may depend on
/// it. Unknown members are skipped. `now` stands in for a missing stamp of a registration. A record with too
/// much in it is refused alone, a body that is too deep or too wide whole.
pub fn read_batch(
    body: &str,
    now: EpochMillis,
    limits: &ContentLimits,
) -> Result<Vec<ReadItem>, ReadError> {
    check_shape(body, limits)?;
    let root = Members::read(body)?;
    let list = root
        .get("replicationList")
        .filter(|v| !matches!(Scalar::of(v), Scalar::Null));
    let list =
        list.ok_or_else(|| ReadError::unusable("replicationList", "a list of items", "nothing"))?;
    elements(list)?
        .into_iter()
        .map(|item| read_item(item, now, limits))
        .collect()
}

fn read_item(
    item: &RawValue,
    now: EpochMillis,
    limits: &ContentLimits,
) -> Result<ReadItem, ReadError> {
    let members = Members::of(item)
        .ok_or_else(|| ReadError::unusable("replicationList[]", "an object", item.get()))?;
    let name = text(&members, "action").unwrap_or_default();
    let action = Action::from_constant(&name).ok_or_else(|| {
        let wanted = "Register, Heartbeat, Cancel, StatusUpdate or DeleteStatusOverride";
        ReadError::unusable("replicationList[].action", wanted, &name)
    })?;
    let read = item_of(action, &members, now, limits).and_then(|item| {
        let extra = extra::read(&members, now)?;
        Ok(PeerItem { item, extra })
    });
    Ok(read.map_err(|reason| RefusedItem { action, reason }))
}

fn item_of(
    action: Action,
    members: &Members<'_>,
    now: EpochMillis,
    limits: &ContentLimits,
) -> Result<ReplicationItem, String> {
    let app = required(members, "appName")?;
    let id = required(members, "id")?;
    let key = InstanceKey::new(&app, &id);
    let last_dirty = members.get("lastDirtyTimestamp");
    let last_dirty = last_dirty.map_or(Ok(None), |value| stamp("lastDirtyTimestamp", value));
    let last_dirty = last_dirty.map_err(|error| error.to_string())?;
    Ok(match action {
        Action::Register => register(&app, members, now, limits)?,
        Action::Heartbeat => ReplicationItem::Heartbeat {
            key,
            last_dirty,
            override_status: optional_status(members, "overriddenStatus")?,
        },
        Action::Cancel => ReplicationItem::Cancel(key),
        Action::StatusUpdate => ReplicationItem::StatusUpdate {
            key,
            status: status(members)?,
            last_dirty,
        },
        Action::DeleteStatusOverride => ReplicationItem::DeleteStatusOverride {
            key,
            status: status(members)?,
            last_dirty: Some(last_dirty.ok_or("lastDirtyTimestamp is missing")?),
        },
    })
}

fn register(
    app: &str,
    members: &Members<'_>,
    now: EpochMillis,
    limits: &ContentLimits,
) -> Result<ReplicationItem, String> {
    let info = members.get("instanceInfo").and_then(Members::of);
    let info = info.ok_or("instanceInfo is missing")?;
    let draft = instance_members(&info).map_err(|error| format!("instanceInfo.{error}"))?;
    let info = draft
        .settle(app, now)
        .map_err(|refusal| refusal.to_string())?;
    content::check(&info, limits).map_err(|too_much| format!("instanceInfo.{too_much}"))?;
    Ok(ReplicationItem::Register(Box::new(info)))
}

fn text(members: &Members<'_>, name: &str) -> Option<String> {
    let value = members.get(name)?;
    Scalar::of(value).into_text().map(|text| text.into_owned())
}

fn required(members: &Members<'_>, name: &str) -> Result<String, String> {
    let value = text(members, name).filter(|value| !value.is_empty());
    value.ok_or_else(|| format!("{name} is missing"))
}

fn status(members: &Members<'_>) -> Result<InstanceStatus, String> {
    optional_status(members, "status")?.ok_or_else(|| "status is missing".to_string())
}

fn optional_status(members: &Members<'_>, name: &str) -> Result<Option<InstanceStatus>, String> {
    let Some(value) = text(members, name).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    match InstanceStatus::from_constant(&value) {
        Some(status) => Ok(Some(status)),
        None => Err(format!(
            "{name}: wanted a status, got {}",
            shortened(&value)
        )),
    }
}

/// Copies in one answer, in bytes: those beyond it are left out, and come with the answer to a later heartbeat.
const MAX_COPIES: usize = 8 << 20;

/// Writes `{"responseList": […]}`, in the order of the items; `with_extra` for peers of this kind.
pub fn write_answers(answers: &[ItemAnswer], with_extra: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(32 + 20 * answers.len());
    out.extend_from_slice(b"{\"responseList\":[");
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let has_room = out.len() < MAX_COPIES;
        let mut object = Object::open(&mut out);
        object.number("statusCode", answer.status_code().into());
        match answer {
            ItemAnswer::Newer(info, times, extra) if has_room => {
                let listed = Listed {
                    info,
                    times: *times,
                };
                json::write_instance(object.member("responseEntity"), listed);
                if with_extra {
                    extra::write(&mut object, extra);
                }
            }
            ItemAnswer::Cancelled(stamp) if with_extra => {
                let extra = Extra {
                    stamp: Some(*stamp),
                    ..Extra::NONE
                };
                extra::write(&mut object, &extra);
            }
            _ => {}
        }
        object.close();
    }
    out.extend_from_slice(b"]}");
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Extra, LeaseTimes, samples};

    fn one(item: &str) -> ReadItem {
        let body = format!(r#"{{"replicationList":[{item}]}}"#);
        read_batch(&body, 5, &ContentLimits::NONE)
            .unwrap()
            .remove(0)
    }

    #[test]
    fn each_action_is_read_with_what_it_needs() {
        let key = InstanceKey::new("A", "i");
        let (status, stamp) = (InstanceStatus::Down, Some(7));
        let head = r#""appName":"a","id":"i","lastDirtyTimestamp":"7","status":"DOWN""#;
        for (action, expected) in [
            (
                "Heartbeat",
                ReplicationItem::Heartbeat {
                    key: key.clone(),
                    last_dirty: stamp,
                    override_status: None,
                },
            ),
            ("Cancel", ReplicationItem::Cancel(key.clone())),
            (
                "StatusUpdate",
                ReplicationItem::StatusUpdate {
                    key: key.clone(),
                    status,
                    last_dirty: stamp,
                },
            ),
            (
                "DeleteStatusOverride",
                ReplicationItem::DeleteStatusOverride {
                    key,
                    status,
                    last_dirty: stamp,
                },
            ),
        ] {
            let item = format!(r#"{{{head},"action":"{action}","ext":{{"x":[1]}}}}"#);
            assert_eq!(one(&item), Ok(expected.into()));
        }
    }

    #[test]
    fn an_item_that_lacks_something_is_refused_alone_and_says_what() {
        for (item, reason) in [
            (r#"{"id":"i","action":"Cancel"}"#, "appName is missing"),
            (r#"{"appName":"a","action":"Cancel"}"#, "id is missing"),
            (
                r#"{"appName":"a","id":"i","action":"StatusUpdate"}"#,
                "status is missing",
            ),
            (
                r#"{"appName":"a","id":"i","action":"StatusUpdate","status":"up"}"#,
                "status: wanted a status, got \"up\"",
            ),
            (
                r#"{"appName":"a","id":"i","action":"DeleteStatusOverride","status":"UP"}"#,
                "lastDirtyTimestamp is missing",
            ),
            (
                r#"{"appName":"a","id":"i","action":"Heartbeat","lastDirtyTimestamp":"x"}"#,
                "lastDirtyTimestamp: wanted milliseconds, got \"x\"",
            ),
            (
                r#"{"appName":"a","id":"i","action":"Register"}"#,
                "instanceInfo is missing",
            ),
            (
                r#"{"appName":"a","id":"i","action":"Register","instanceInfo":{"hostName":""}}"#,
                "Missing instanceId",
            ),
        ] {
            assert_eq!(one(item).unwrap_err().reason, reason);
        }
    }

    #[test]
    fn a_batch_that_makes_no_sense_is_refused_whole() {
        for body in [
            "",
            "[]",
            "{}",
            r#"{"replicationList":null}"#,
            r#"{"replicationList":[7]}"#,
            r#"{"replicationList":[{"appName":"a","id":"i","action":"heartbeat"}]}"#,
            r#"{"replicationList":[{"appName":"a","id":"i"}]}"#,
        ] {
            assert!(read_batch(body, 0, &ContentLimits::NONE).is_err(), "{body}");
        }
        let empty = r#"{"replicationList":[]}"#;
        assert_eq!(read_batch(empty, 0, &ContentLimits::NONE), Ok(vec![]));
    }

    #[test]
    fn only_a_newer_copy_is_answered_with_an_entity_and_that_is_bare() {
        let info = Arc::new(samples::instance("A", "i"));
        let answers = [
            ItemAnswer::Done,
            ItemAnswer::Unknown,
            ItemAnswer::Refused,
            ItemAnswer::Newer(info, LeaseTimes::default(), Extra::NONE),
        ];
        let text = String::from_utf8(write_answers(&answers, false)).unwrap();
        let start = r#"{"responseList":[{"statusCode":200},{"statusCode":404},{"statusCode":400},{"statusCode":409,"responseEntity":{"instanceId":"i","#;
        assert!(text.starts_with(start), "{text}");
        assert_eq!(write_answers(&[], false), br#"{"responseList":[]}"#);
    }

    #[test]
    fn so_many_copies_and_no_more_are_in_one_answer() {
        let long = "x".repeat(1 << 20);
        let info = Arc::new(crate::model::InstanceInfo {
            home_page_url: Some(long.into()),
            ..samples::instance("A", "i")
        });
        let newer = ItemAnswer::Newer(info, LeaseTimes::default(), Extra::NONE);
        let text = String::from_utf8(write_answers(&vec![newer; 20], false)).unwrap();
        assert_eq!(text.matches("responseEntity").count(), 8);
        assert_eq!(text.matches(r#""statusCode":409"#).count(), 20);
    }
}
