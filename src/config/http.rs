//! Where and how the node listens.

use std::net::{IpAddr, Ipv4Addr};

use super::keys;
use super::read::Reader;

/// Knobs of the HTTP side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpConfig {
    /// Address to bind; default all (`0.0.0.0`).
    pub address: IpAddr,
    /// Port to bind; default 8761, the port that Eureka clients expect. 0 picks a free one, which the
    /// first line of the log names.
    pub port: u16,
    /// Prefix of every path, without a slash at its end; default none. Spring's key of this name.
    pub context_path: String,
    /// Longest body of a registration, in bytes, packed or not; default 1 MiB. Longer ones are
    /// answered 413.
    pub max_body: usize,
    /// Longest body of a peer's batch, in bytes; default 10 MiB.
    pub max_batch: usize,
    /// What a packed body may unpack to, in bytes; default 16 MiB.
    pub max_unpacked: usize,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            address: Ipv4Addr::UNSPECIFIED.into(),
            port: 8761,
            context_path: String::new(),
            max_body: 1 << 20,
            max_batch: 10 << 20,
            max_unpacked: 16 << 20,
        }
    }
}

impl HttpConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let bytes = "a positive number of bytes";
        let size = |text: &str| text.parse().ok().filter(|size| *size > 0);
        Self {
            address: reader.number(keys::ADDRESS, "an IP address", default.address),
            port: reader.number(keys::PORT, "a number from 0 to 65535", default.port),
            context_path: reader.value(
                keys::CONTEXT_PATH,
                "a path that begins with a slash",
                default.context_path,
                context_path,
            ),
            max_body: reader.value(keys::MAX_BODY, bytes, default.max_body, size),
            max_batch: reader.value(keys::MAX_BATCH, bytes, default.max_batch, size),
            max_unpacked: reader.value(keys::MAX_UNPACKED, bytes, default.max_unpacked, size),
        }
    }
}

/// `/ctx` and `/ctx/` mean the same; `/` and nothing mean none.
pub(super) fn context_path(text: &str) -> Option<String> {
    let path = text.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
    let valid = path.is_empty() || (path.starts_with('/') && path.chars().all(plain));
    (valid && !path.contains("//")).then(|| path.to_string())
}
