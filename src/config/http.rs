//! Where and how the node listens.

use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::time::Duration;

use super::keys;
use super::read::Reader;
use crate::model::Limit;

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
    /// How long the node takes at most to leave: to finish open requests and to tell peers what they have not
    /// heard; default 5 s. `server.shutdown: immediate` is no time at all.
    pub grace: Duration,
    /// Whether `/metrics` has `eureka_server_instances`, a series per application and status; default true.
    pub instance_gauges: bool,
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
            grace: Duration::from_secs(5),
            instance_gauges: true,
        }
    }
}

impl HttpConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let mut size = |max, key| reader.limit(Limit::new(max, key)).max;
        let max_body = size(default.max_body, keys::MAX_BODY);
        let max_batch = size(default.max_batch, keys::MAX_BATCH);
        let max_unpacked = size(default.max_unpacked, keys::MAX_UNPACKED);
        Self {
            address: reader.value(
                keys::ADDRESS,
                "an IP address, or a name that this machine can look up",
                default.address,
                address,
            ),
            port: reader.number(keys::PORT, "a number from 0 to 65535", default.port),
            context_path: reader.value(
                keys::CONTEXT_PATH,
                "a path that begins with a slash",
                default.context_path,
                context_path,
            ),
            max_body,
            max_batch,
            max_unpacked,
            grace: grace(reader, default.grace),
            instance_gauges: reader.flag(keys::INSTANCE_GAUGES, default.instance_gauges),
        }
    }
}

fn grace(reader: &mut Reader<'_>, default: Duration) -> Duration {
    let grace = reader.duration(keys::SHUTDOWN_TIME, default);
    let wanted = "graceful or immediate";
    let how = reader.value(keys::SHUTDOWN, wanted, "graceful", |text| {
        let mut words = ["graceful", "immediate"].into_iter();
        words.find(|word| word.eq_ignore_ascii_case(text))
    });
    match how {
        "immediate" => Duration::ZERO,
        _ => grace,
    }
}

/// An address as such, or the first one that a name has.
fn address(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    if !text.chars().all(is_name) || !text.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut addresses = (text, 0).to_socket_addrs().ok()?;
    addresses.next().map(|address| address.ip())
}

/// A path as Spring takes it, where a slash may be missing at the beginning.
pub(super) fn with_slash(text: &str) -> String {
    match text.starts_with('/') || text.is_empty() {
        true => text.to_string(),
        false => format!("/{text}"),
    }
}

/// `/ctx` and `/ctx/` mean the same; `/` and nothing mean none.
pub(super) fn context_path(text: &str) -> Option<String> {
    let path = text.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
    let valid = path.is_empty() || (path.starts_with('/') && path.chars().all(plain));
    (valid && !path.contains("//")).then(|| path.to_string())
}
