//! What happens to a client, told to whoever listens.

use super::discovery::Changes;
use super::error::RequestFailed;
use crate::model::InstanceStatus;

/// Something happened. Servers are named without credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A server took the record: for the first time, after a change, or because it did not know it.
    Registered {
        /// The server.
        server: String,
        /// The status that it was told.
        status: InstanceStatus,
    },
    /// No server took the record; it will be tried again.
    RegistrationFailed(RequestFailed),
    /// A server renewed the lease.
    Renewed {
        /// The server.
        server: String,
    },
    /// No server answered the heartbeat; it will be tried again.
    RenewalFailed(RequestFailed),
    /// The server that got the heartbeat did not know the instance. A registration follows.
    Unknown {
        /// The server.
        server: String,
    },
    /// A server told what instances there are.
    Refreshed(Changes),
    /// No server told it; it will be tried again.
    RefreshFailed(RequestFailed),
    /// The status of this instance in the list is another one; `None` where it is not in it.
    RemoteStatus(Option<InstanceStatus>),
    /// The client was shut down; nothing follows. A client that is only dropped closes the channel instead.
    Stopped,
}
