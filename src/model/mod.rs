//! What the registry is about, as plain data.
//!
//! Nothing here decides anything: no clock, no bytes, no actors. The words are Eureka's own; where a
//! type has a rule attached to it, the rule lives with its owner (`wire` for what may come in and go
//! out, `registry` for what may change).
//!
//! | file | holds |
//! |---|---|
//! | `instance.rs` | [`InstanceInfo`]: one registered instance, as it is kept |
//! | `metadata.rs` | [`Metadata`]: an instance's own pairs |
//! | `status.rs` | [`InstanceStatus`], [`ActionType`] |
//! | `applications.rs` | [`StatusCounts`] and the hash code of a list |
//! | `replication.rs` | one item of a peer's batch, and the answer to it |
//! | `change.rs` | [`ChangeStamp`]: which of two copies was made later, between nodes of this kind |
//! | `node_url.rs` | [`NodeUrl`]: where a node's Eureka service is |
//! | `origin.rs` | [`Origin`]: which side caused a change |
//! | `by.rs` | [`By`]: who it was, for the journal |
//! | `role.rs` | [`Role`], [`Grant`]: what somebody may do |
//! | `secret.rs` | [`Secret`]: a text that is never shown |
//! | `tls.rs` | where certificates and keys are |
//! | `limits.rs` | [`Limit`]: how much of something is too much, and which key says so |

mod applications;
mod by;
mod change;
mod instance;
mod limits;
mod metadata;
mod node_url;
mod origin;
mod replication;
mod role;
#[cfg(test)]
pub(crate) mod samples;
mod secret;
mod status;
mod tls;

pub use applications::{Applications, StatusCounts};
pub use by::{By, Who};
pub use change::{ChangeStamp, Extra, NoStamp, Order, Ordered, Owner, StampClock};
pub use instance::{
    DataCenter, EpochMillis, InstanceInfo, InstanceKey, LeaseTerms, LeaseTimes, Listed, Port, Text,
};
pub use limits::{ContentLimits, Limit, MetadataLimits, RegistryLimits, TooMuch};
pub use metadata::Metadata;
pub use node_url::{NodeUrl, UrlRefused, without_credentials};
pub use origin::Origin;
pub use replication::{
    Action, ItemAnswer, Outgoing, OutgoingItem, PeerAnswer, PeerCopy, PeerItem, ReplicationItem,
};
pub use role::{Grant, Role};
pub use secret::Secret;
pub use status::{ActionType, InstanceStatus};
pub use tls::{ClientAuth, ClientTls, KeySource, Pem, ServerTls, Store, TlsVersion, TrustSource};
