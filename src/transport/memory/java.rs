//! What makes a node of ours look like one of Eureka's own to others: the registry behind it is ours, what goes in
//! and out is not.
//!
//! A Java node decodes a batch and its answer strictly: one unknown member and all of it is refused (server.md
//! §13.4).

use bytes::Bytes;
use serde_json::Value;

use super::traffic::unpacked;
use super::{Answer, Arrived};

const ITEM: &[&str] = &[
    "appName",
    "id",
    "lastDirtyTimestamp",
    "overriddenStatus",
    "status",
    "instanceInfo",
    "action",
];

/// What a Java node answers by itself, before anything else looks at it.
pub(super) fn refuses(arrived: &Arrived) -> Option<(u16, String)> {
    let path = arrived.path.split('?').next().unwrap_or_default();
    if !path.contains("peerreplication/") {
        return None;
    }
    if !path.ends_with("peerreplication/batch/") {
        return Some((404, format!("Java has no {path}")));
    }
    let body = unpacked(arrived);
    if body.len() != arrived.body.len() {
        return Some((400, "Java reads no packed batch".to_string()));
    }
    let strange = strange_member(&body, "replicationList", ITEM)?;
    Some((400, format!("Java knows no {strange}")))
}

/// What makes a Java node throw an answer to a batch away.
pub(super) fn cannot_read(answer: &Answer) -> Option<String> {
    let strange = strange_member(
        &answer.body,
        "responseList",
        &["statusCode", "responseEntity"],
    )?;
    Some(format!("Java knows no {strange} in an answer"))
}

fn strange_member(body: &[u8], list: &str, members: &[&str]) -> Option<String> {
    let Ok(Value::Object(root)) = serde_json::from_slice(body) else {
        return Some("such body".to_string());
    };
    if let Some(name) = root.keys().find(|name| *name != list) {
        return Some(name.clone());
    }
    let items = root.get(list)?.as_array()?;
    let objects = items.iter().filter_map(Value::as_object);
    objects
        .flat_map(|item| item.keys())
        .find(|name| !members.contains(&name.as_str()))
        .cloned()
}

/// An answer without a body.
pub(super) fn bare(status: u16) -> Answer {
    Answer {
        status,
        body: Bytes::new(),
        sign: None,
        retry_after: None,
    }
}
