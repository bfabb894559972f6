//! Every knob: what it is, its default, and where its value came from.
//!
//! One struct per owner, each field documented with meaning, unit, default and trade-off. A key may be
//! set on the command line (`--eureka.server.mode=classic`) or in the environment in Spring's spelling
//! (`EUREKA_SERVER_MODE`); spelling is relaxed as in Spring: dashes, underscores and case do not matter.
//! All mistakes are reported at once.
//!
//! | file | holds |
//! |---|---|
//! | `keys.rs` `keys/` | the canonical spelling of every key |
//! | `sources.rs` | command line and environment, and which of them wins |
//! | `read.rs` | texts to values, and the mistakes |
//! | `http.rs` `limits.rs` `overload.rs` `registry.rs` `preservation.rs` `eviction.rs` `cache.rs` `page.rs` `peers.rs` `instance.rs` | the structs |
//! | `peer_lists.rs` | the lists of peers, in all their forms |
//! | `settings.rs` | [`Config`]: all of them together |

mod cache;
mod eviction;
mod http;
mod instance;
pub mod keys;
mod limits;
mod overload;
mod page;
mod peer_lists;
mod peers;
mod preservation;
mod read;
mod registry;
mod settings;
mod sources;

pub use cache::CacheConfig;
pub use eviction::{EvictionConfig, Sweep};
pub use http::HttpConfig;
pub use instance::{InstanceConfig, Link, Links, Own};
pub use limits::LimitsConfig;
pub use overload::OverloadConfig;
pub use page::PageConfig;
pub use peer_lists::{DEFAULT_ZONE, DnsLists};
pub use peers::PeersConfig;
pub use preservation::{PreservationConfig, Protection};
pub use read::ConfigError;
pub use registry::{LeaseAccounting, RegistryConfig};
pub use settings::{Config, Mode};
pub use sources::Sources;
