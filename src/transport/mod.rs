//! Asking another node: every request that one node may make of another, and nothing about why.
//!
//! [`NodeApi`] is one node as another sees it, [`Network`] the way to nodes by their address, and to addresses
//! by their name. [`HttpNetwork`] is the real one. Tests have one in memory, which carries the same encoded bytes.
//!
//! | file | what |
//! |---|---|
//! | `call.rs` | what may be asked, as a request, and what comes back |
//! | `cause.rs` | why something failed, in a few words |
//! | `http.rs` | nodes over HTTP/1.1 |
//! | `secure.rs` | what is shown and trusted over TLS |
//! | `names.rs` | addresses and texts of names |
//! | `sign.rs` | how nodes of this kind recognise each other: one header, which others ignore |
//! | `memory.rs` | nodes that reach each other without a socket, over a network with faults |

mod call;
mod cause;
#[cfg(feature = "server")]
mod http;
#[cfg(feature = "server")]
pub mod memory;
#[cfg(feature = "network")]
pub(crate) mod names;
#[cfg(feature = "server")]
mod secure;
mod sign;

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;

pub use call::{Answer, Call, CallFailed, Request};
pub use cause::innermost;
#[cfg(feature = "server")]
pub use http::{HttpNetwork, HttpOptions};
#[cfg(feature = "network")]
pub(crate) use names::own_address;
#[cfg(feature = "server")]
pub use secure::with_certificates;
pub use sign::{NodeSign, SIGN};

use crate::model::NodeUrl;

/// What is awaited, on the thread that asked for it.
pub type Awaited<T> = Pin<Box<dyn Future<Output = T>>>;

/// Another node.
pub trait NodeApi {
    /// Asks; every failure to get a whole answer in time is a [`CallFailed`], every answer an [`Answer`],
    /// whatever its status. A call that is dropped, or fails, leaves no request of it behind on the network.
    fn call(&self, call: Call) -> Awaited<Result<Answer, CallFailed>>;
}

/// The way to other nodes.
pub trait Network {
    /// The node at this address; nothing is sent yet.
    fn node(&self, url: &NodeUrl) -> Rc<dyn NodeApi>;

    /// All addresses of a host's name, in a stable order.
    fn addresses(&self, host: &str) -> Awaited<io::Result<Vec<IpAddr>>>;

    /// The texts (TXT records) of a name.
    fn texts(&self, name: &str) -> Awaited<io::Result<Vec<String>>>;
}
