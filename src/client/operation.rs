//! What is asked of a server, and how it goes over the wire (client.md §12.1).
//!
//! Application names go out in upper case; every part of a path is percent-encoded for itself, so that an id may
//! have anything in it.

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::model::{EpochMillis, InstanceKey, InstanceStatus};

/// What stands in a path as it is: RFC 3986's `pchar` but for `+`, which some servers read as a blank. Java leaves
/// the colons of ids alone, too.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// One request to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// `POST apps/{app}` with the record as JSON.
    Register { app: String, body: Bytes },
    /// `PUT apps/{app}/{id}`, with the status and stamp of what was registered last.
    Heartbeat {
        key: InstanceKey,
        status: InstanceStatus,
        dirty: EpochMillis,
    },
    /// `DELETE apps/{app}/{id}`.
    Cancel { key: InstanceKey },
}

impl Operation {
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Register { .. } => "POST",
            Self::Heartbeat { .. } => "PUT",
            Self::Cancel { .. } => "DELETE",
        }
    }

    /// Below the service URL; no slash before it.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Register { app, .. } => format!("apps/{}", in_path(app)),
            Self::Heartbeat { key, status, dirty } => format!(
                "{}?status={status}&lastDirtyTimestamp={dirty}",
                instance_path(key)
            ),
            Self::Cancel { key } => instance_path(key),
        }
    }

    pub(crate) fn body(&self) -> Bytes {
        match self {
            Self::Register { body, .. } => body.clone(),
            Self::Heartbeat { .. } | Self::Cancel { .. } => Bytes::new(),
        }
    }
}

fn instance_path(key: &InstanceKey) -> String {
    format!("apps/{}/{}", in_path(&key.app), in_path(&key.id))
}

fn in_path(text: &str) -> String {
    // As a whole segment these would climb through the path instead of naming something.
    match text {
        "." => "%2E".to_string(),
        ".." => "%2E%2E".to_string(),
        _ => utf8_percent_encode(text, IN_PATH).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client.md §21 group 1.
    #[test]
    fn each_part_of_a_path_is_encoded_for_itself() {
        for (id, encoded) in [
            ("host:orders:8080", "host:orders:8080"),
            ("a/b", "a%2Fb"),
            ("a b", "a%20b"),
            ("a+b", "a%2Bb"),
            ("100%", "100%25"),
            ("a?b#c", "a%3Fb%23c"),
            ("ü", "%C3%BC"),
        ] {
            let key = InstanceKey::new("orders", id);
            let cancel = Operation::Cancel { key: key.clone() };
            assert_eq!(cancel.path(), format!("apps/ORDERS/{encoded}"));
            let beat = Operation::Heartbeat {
                key,
                status: InstanceStatus::Up,
                dirty: 7,
            };
            assert_eq!(
                beat.path(),
                format!("apps/ORDERS/{encoded}?status=UP&lastDirtyTimestamp=7")
            );
        }
    }
}
