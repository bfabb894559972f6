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
    /// `GET apps/`.
    All { regions: Vec<String> },
    /// `GET apps/delta`.
    Delta { regions: Vec<String> },
    /// `GET vips/{vip}`.
    Vip { vip: String, regions: Vec<String> },
}

impl Operation {
    /// What each is called in figures and in the log.
    pub(crate) const NAMES: [&'static str; 6] =
        ["register", "heartbeat", "cancel", "all", "delta", "vip"];

    /// Its place among the names.
    pub(crate) fn number(&self) -> usize {
        match self {
            Self::Register { .. } => 0,
            Self::Heartbeat { .. } => 1,
            Self::Cancel { .. } => 2,
            Self::All { .. } => 3,
            Self::Delta { .. } => 4,
            Self::Vip { .. } => 5,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        Self::NAMES[self.number()]
    }

    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Register { .. } => "POST",
            Self::Heartbeat { .. } => "PUT",
            Self::Cancel { .. } => "DELETE",
            Self::All { .. } | Self::Delta { .. } | Self::Vip { .. } => "GET",
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
            Self::All { regions } => with_regions("apps/".to_string(), regions),
            Self::Delta { regions } => with_regions("apps/delta".to_string(), regions),
            Self::Vip { vip, regions } => with_regions(format!("vips/{}", in_path(vip)), regions),
        }
    }

    pub(crate) fn body(&self) -> Bytes {
        match self {
            Self::Register { body, .. } => body.clone(),
            _ => Bytes::new(),
        }
    }

    /// Whether the answer is short, however much the registry holds.
    pub(crate) fn is_short(&self) -> bool {
        !matches!(
            self,
            Self::All { .. } | Self::Delta { .. } | Self::Vip { .. }
        )
    }
}

fn instance_path(key: &InstanceKey) -> String {
    format!("apps/{}/{}", in_path(&key.app), in_path(&key.id))
}

fn with_regions(path: String, regions: &[String]) -> String {
    if regions.is_empty() {
        return path;
    }
    let regions: Vec<_> = regions.iter().map(|region| in_path(region)).collect();
    format!("{path}?regions={}", regions.join(","))
}

fn in_path(text: &str) -> String {
    utf8_percent_encode(text, IN_PATH).to_string()
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

    #[test]
    fn lists_are_asked_for_with_the_regions_that_one_wants() {
        let none = Vec::new;
        let two = || vec!["eu west".to_string(), "us".to_string()];
        for (operation, path) in [
            (Operation::All { regions: none() }, "apps/"),
            (
                Operation::All { regions: two() },
                "apps/?regions=eu%20west,us",
            ),
            (Operation::Delta { regions: none() }, "apps/delta"),
            (
                Operation::Vip {
                    vip: "a/b".to_string(),
                    regions: none(),
                },
                "vips/a%2Fb",
            ),
        ] {
            assert_eq!(
                (operation.method(), operation.path().as_str()),
                ("GET", path)
            );
            assert!(!operation.is_short());
        }
    }
}
