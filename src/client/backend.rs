//! The way to servers, as small as it can be: a request goes out, a whole answer comes back, names have addresses.
//!
//! [`HttpBackend`](super::HttpBackend) is the real one. Whoever wants another HTTP library, or a network in memory,
//! implements [`Backend`]. It keeps no rules: which server, how often and how long is decided above it.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;

pub use crate::transport::CallFailed;

/// What is awaited, on any thread.
pub type Pending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A way to servers.
pub trait Backend: Send + Sync + 'static {
    /// Sends the request and reads the answer to its end. It follows no redirects and tries nothing twice. A call
    /// that is dropped should end its connection, so that nothing of it is carried out later.
    fn send(&self, request: Request) -> Pending<Result<Response, CallFailed>>;

    /// All addresses of a host's name. Without names of its own a backend knows none, here as below; nobody asks where
    /// servers are given by URL.
    fn addresses(&self, host: &str) -> Pending<io::Result<Vec<IpAddr>>> {
        not_known(host)
    }

    /// The texts (TXT records) of a name.
    fn texts(&self, name: &str) -> Pending<io::Result<Vec<String>>> {
        not_known(name)
    }

    /// Where a service is (SRV records), the places to be preferred first.
    fn services(&self, name: &str) -> Pending<io::Result<Vec<ServiceAt>>> {
        not_known(name)
    }
}

fn not_known<T: Send + 'static>(name: &str) -> Pending<io::Result<T>> {
    let error = io::Error::new(
        io::ErrorKind::Unsupported,
        format!("this backend looks up no names, so not {name} either"),
    );
    Box::pin(async { Err(error) })
}

/// One place of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAt {
    /// Host name, without a point at its end.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Places with a higher number are for when those with lower ones fail.
    pub priority: u16,
}

/// A request.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// GET, POST, PUT or DELETE.
    pub method: &'static str,
    /// Absolute, without credentials.
    pub url: String,
    /// Names in lower case, and values; `authorization` among them.
    pub headers: Vec<(&'static str, String)>,
    /// Empty where there is none.
    pub body: Bytes,
    /// How long the caller waits for the whole answer.
    pub timeout: Duration,
}

/// Credentials are not shown.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("body", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// A whole answer, whatever its status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The body, unpacked.
    pub body: Bytes,
    /// `Retry-After` in seconds, where the answer has one.
    pub retry_after: Option<Duration>,
    /// `Location`, as sent.
    pub location: Option<String>,
}
