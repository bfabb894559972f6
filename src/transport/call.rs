//! What may be asked of another node, what goes over the wire for it, and what comes back.

use std::time::Duration;

use bytes::Bytes;

use super::NodeSign;
use crate::model::InstanceKey;

/// Every request that one node makes of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// What clients did here: `POST peerreplication/batch/`. An empty batch asks who is there.
    Batch {
        /// JSON, as `wire::replication` writes it.
        body: Bytes,
        /// Whether it is packed with gzip.
        packed: bool,
    },
    /// What the node holds, as one list: `GET apps/`, in JSON.
    Apps,
    /// What a node of this kind holds, a page at a time: `GET peerreplication/registry`.
    Page {
        /// The last instance of the page before; `None` for the first page.
        after: Option<InstanceKey>,
    },
}

/// A call as it goes over the wire, but for host, credentials and who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// GET or POST.
    pub method: &'static str,
    /// Below the node's service URL; no slash before it.
    pub path: String,
    /// Names in lower case, and values.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Empty for GET.
    pub body: Bytes,
}

impl Call {
    /// The request that it becomes (wire.md §9.1).
    pub fn into_request(self) -> Request {
        let mut headers = vec![("accept", "application/json")];
        let (method, path, body) = match self {
            Self::Batch { body, packed } => {
                headers.push(("content-type", "application/json"));
                headers.extend(packed.then_some(("content-encoding", "gzip")));
                ("POST", "peerreplication/batch/".to_string(), body)
            }
            Self::Apps => ("GET", "apps/".to_string(), Bytes::new()),
            Self::Page { after } => ("GET", page_path(after.as_ref()), Bytes::new()),
        };
        Request {
            method,
            path,
            headers,
            body,
        }
    }
}

fn page_path(after: Option<&InstanceKey>) -> String {
    let path = "peerreplication/registry";
    let Some(key) = after else {
        return path.to_string();
    };
    let mut query = form_urlencoded::Serializer::new(String::new());
    query
        .append_pair("app", &key.app)
        .append_pair("id", &key.id);
    format!("{path}?{}", query.finish())
}

/// A whole answer, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The body, unpacked.
    pub body: Bytes,
    /// Who answered, if that is a node of this kind.
    pub sign: Option<NodeSign>,
    /// When to try again, where the answer says it.
    pub retry_after: Option<Duration>,
}

/// Why there is no whole answer. The texts are for people and name no credentials.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallFailed {
    /// Nobody was reached, so nothing was carried out.
    #[error("cannot connect: {0}")]
    Unreachable(String),
    /// Nothing came in time; it may have been carried out.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The connection ended, or the answer cannot be read; it may have been carried out.
    #[error("the answer broke off: {0}")]
    Broken(String),
}
