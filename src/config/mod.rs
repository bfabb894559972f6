//! Every knob: what it is, its default, and where its value came from.
//!
//! One struct per owner, each field documented with meaning, unit, default and trade-off. A key may be
//! set in files as a Spring application has them, in the environment (`EUREKA_SERVER_MODE`) and on the command
//! line (`--eureka.server.mode=classic`); spelling is relaxed as in Spring. All mistakes are reported at once.
//!
//! The way of a value: `gather.rs` puts all sources in order, with the files that `load.rs` finds; `sources.rs`
//! answers what is set; `read.rs` makes values of texts; the structs say which.
//!
//! | file | holds |
//! |---|---|
//! | `keys.rs` `keys/` | the canonical spelling of every key |
//! | `key.rs` | a key with its data filled in: which user's password |
//! | `gather.rs` | all sources in their order, and which profiles are active |
//! | `load.rs` `location.rs` | which files count, and which documents in them |
//! | `files/` | YAML, `.properties` and JSON to names and values |
//! | `profiles.rs` | active profiles, and conditions on them |
//! | `relaxed.rs` | which names mean the same |
//! | `netflix.rs` | Netflix' names |
//! | `placeholders.rs` | `${name:default}` |
//! | `property.rs` `sources.rs` | one value, and all of them |
//! | `read.rs` `mistake.rs` | texts to values, and what may be wrong with them |
//! | `pairs.rs` | all of them as pairs, for the client library |
//! | `report.rs` `advice.rs` | what is in force and where it came from, and what might be better |
//! | `units.rs` | times and sizes |
//! | `unknown.rs` | names that are no settings |
//! | `http.rs` `limits.rs` `overload.rs` `registry.rs` `preservation.rs` `eviction.rs` `cache.rs` `journal.rs` `page.rs` `peers.rs` `instance.rs` `log.rs` | the structs |
//! | `kinds.rs` | one kind of value each: names, numbers, times, sizes |
//! | `links.rs` | where a node's own record says to look at it |
//! | `peer_lists.rs` | the lists of peers, in all their forms |
//! | `own_address.rs` | whether an address leads to this node |
//! | `security.rs` `security_read.rs` `password.rs` | who may do what |
//! | `fetch_limit.rs` | Eureka's own limiter of reads |
//! | `tls.rs` | certificates and keys, by server and client |
//! | `settings.rs` | [`Config`]: all of them together |

mod advice;
mod cache;
#[cfg(test)]
mod documented;
mod eviction;
mod fetch_limit;
mod files;
mod gather;
mod http;
mod instance;
mod journal;
mod key;
pub mod keys;
mod kinds;
mod limits;
mod links;
mod load;
mod location;
mod log;
mod mistake;
mod netflix;
mod overload;
mod own_address;
mod page;
mod pairs;
mod password;
mod peer_lists;
mod peers;
mod placeholders;
mod preservation;
mod profiles;
mod property;
mod read;
mod registry;
mod relaxed;
mod report;
mod security;
mod security_read;
mod settings;
mod sources;
mod tls;
mod units;
mod unknown;

pub use cache::CacheConfig;
pub use eviction::{EvictionConfig, Sweep};
pub use fetch_limit::FetchLimitConfig;
pub use files::{Disk, Files};
pub use gather::Given;
pub use http::HttpConfig;
pub use instance::{InstanceConfig, Own};
pub use journal::JournalConfig;
pub use limits::LimitsConfig;
pub use links::{Link, Links};
pub use log::LogConfig;
pub use mistake::ConfigError;
pub use overload::OverloadConfig;
pub use own_address::{is_local, listens_at};
pub use page::PageConfig;
pub use password::Password;
pub use peer_lists::{DEFAULT_ZONE, DnsLists};
pub use peers::PeersConfig;
pub use preservation::{PreservationConfig, Protection};
pub use registry::{LeaseAccounting, RegistryConfig};
pub use report::{Report, Setting};
pub use security::{Certificate, SecurityConfig, Token, User};
pub use settings::{Config, Mode};
pub use sources::Sources;
pub use tls::TlsConfig;
