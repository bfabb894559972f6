//! How much one client may ask of the node, and how long it may take. Real registries meet none of these.

use std::time::Duration;

use super::keys;
use super::read::Reader;
use crate::model::{ContentLimits, Limit, MetadataLimits, RegistryLimits};

/// Limits of requests and connections; those of bodies as they come are in [`super::HttpConfig`], those of the
/// registry in [`super::RegistryConfig`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitsConfig {
    /// What one body, or one record in it, may have in it.
    pub content: ContentLimits,
    /// Bytes of path, names and values in the head of a request; default 32 KiB. Longer ones are answered 431.
    pub head: Limit,
    /// Open connections; default what the limit of open files allows. Those beyond are answered 503 and closed.
    pub connections: Option<usize>,
    /// Requests of one HTTP/2 connection that are open at once; default 250. Those beyond are answered 503.
    pub streams: Limit,
    /// Open connections of one address; default any number. Those beyond are answered 429 and closed.
    pub address_connections: Limit,
    /// Requests a second of one address; default any number. Those beyond are answered 429: those first that are
    /// needed least, and heartbeats only after 32 seconds' worth of them.
    pub address_requests: Limit,
    /// How long a client may take to send the first head on a connection; default 10 s. Then it is answered
    /// 408.
    pub head_time: Duration,
    /// How long a client may take to send a whole body; default 30 s. Then it is answered 408.
    pub body_time: Duration,
    /// How long a client may take nothing of an answer that is ready for it; default 30 s. Then the connection
    /// is closed.
    pub answer_time: Duration,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            content: ContentLimits {
                nesting: Limit::new(32, keys::MAX_NESTING),
                members: Limit::new(10_000, keys::MAX_MEMBERS),
                name: Limit::new(512, keys::MAX_NAME),
                text: Limit::new(8192, keys::MAX_TEXT),
                metadata: METADATA,
            },
            head: Limit::new(32 << 10, keys::MAX_HEAD),
            connections: None,
            streams: Limit::new(250, keys::MAX_STREAMS),
            address_connections: Limit::new(usize::MAX, keys::MAX_ADDRESS_CONNECTIONS),
            address_requests: Limit::new(usize::MAX, keys::MAX_ADDRESS_REQUESTS),
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            answer_time: Duration::from_secs(30),
        }
    }
}

const METADATA: MetadataLimits = MetadataLimits {
    bytes: Limit::new(64 << 10, keys::MAX_METADATA),
    keys: Limit::new(1000, keys::MAX_METADATA_KEYS),
};

/// The registry's limits where nothing else is set.
pub(super) const REGISTRY: RegistryLimits = RegistryLimits {
    applications: Limit::new(50_000, keys::MAX_APPLICATIONS),
    app_instances: Limit::new(100_000, keys::MAX_APP_INSTANCES),
    instances: Limit::new(1_000_000, keys::MAX_INSTANCES),
    metadata: METADATA,
};

/// An element within an element is closed by a function within a function, so depth has an end.
const DEEPEST: usize = 128;
/// A registration needs four levels, a batch six.
const SHALLOWEST: usize = 8;

impl LimitsConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let content = default.content;
        let none = usize::MAX;
        let connections = reader.limit(Limit::new(none, keys::MAX_CONNECTIONS)).max;
        Self {
            content: ContentLimits {
                nesting: nesting(reader, content.nesting),
                members: reader.limit(content.members),
                name: reader.limit(content.name),
                text: reader.limit(content.text),
                metadata: MetadataLimits {
                    bytes: reader.limit(content.metadata.bytes),
                    keys: reader.limit(content.metadata.keys),
                },
            },
            head: head(reader, default.head),
            connections: Some(connections).filter(|most| *most != none),
            streams: reader.limit(default.streams),
            address_connections: reader.limit(default.address_connections),
            address_requests: reader.limit(default.address_requests),
            head_time: reader.millis(keys::HEAD_TIME, default.head_time),
            body_time: reader.millis(keys::BODY_TIME, default.body_time),
            answer_time: reader.millis(keys::ANSWER_TIME, default.answer_time),
        }
    }
}

/// Reads the registry's limits.
pub(super) fn of_registry(reader: &mut Reader<'_>, metadata: MetadataLimits) -> RegistryLimits {
    RegistryLimits {
        applications: reader.limit(REGISTRY.applications),
        app_instances: reader.limit(REGISTRY.app_instances),
        instances: reader.limit(REGISTRY.instances),
        metadata,
    }
}

/// Under its own name or Spring's.
fn head(reader: &mut Reader<'_>, default: Limit) -> Limit {
    let max = reader.size(keys::SPRING_MAX_HEAD, default.max);
    reader.limit(Limit { max, ..default })
}

fn nesting(reader: &mut Reader<'_>, default: Limit) -> Limit {
    let wanted = "a number from 8 to 128";
    let max = reader.value(default.key, wanted, default.max, |text| {
        let levels = text.parse().ok();
        levels.filter(|levels| (SHALLOWEST..=DEEPEST).contains(levels))
    });
    Limit { max, ..default }
}
