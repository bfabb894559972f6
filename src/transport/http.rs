//! Other nodes over HTTP/1.1: one request per connection at a time, so that ending a call ends its connection.
//!
//! A call that is given up must not be carried out later. When a call fails or is dropped, its connection is
//! closed; what the system still holds of the request is thrown away once it has not been acknowledged for as
//! long as an answer may take (`TCP_USER_TIMEOUT`), so no batch comes out of a healed network late.

use std::cell::OnceCell;
use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder, Response, redirect};
use rustls::crypto::{CryptoProvider, ring};

use super::{Answer, Awaited, Call, CallFailed, Network, NodeApi, NodeSign, SIGN, names};
use crate::model::NodeUrl;

/// What a node is told about whoever asks; `/` and a version as everywhere, and what is asked for.
const USER_AGENT: &str = concat!("heureka/", env!("CARGO_PKG_VERSION"), " (replication)");
/// A list may take so many times as long in all as one may wait for the next part of it.
const PATIENCE_WITH_LISTS: u32 = 12;
/// The longest answer that is about one batch or one page. A batch has 250 items, each of which may bring back a
/// record; records are limited to 1 MiB as they come, and real ones have 1 or 2 kB.
const LONGEST_ANSWER: usize = 64 << 20;
/// The longest list: as many instances as a registry may hold, 1 kB each.
const LONGEST_LIST: usize = 1 << 30;

/// How nodes are asked.
#[derive(Clone)]
pub struct HttpOptions {
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
    /// How long nothing may come of an answer.
    pub read_timeout: Duration,
    /// How long an idle connection is kept.
    pub idle_timeout: Duration,
    /// How many idle connections to one node are kept.
    pub idle_per_host: usize,
    /// The address of this node, for nodes that count who asks (server.md §13.5).
    pub ip_addr: String,
    /// What this node says of itself, at each call.
    pub sign: Rc<dyn Fn() -> NodeSign>,
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("idle_per_host", &self.idle_per_host)
            .field("ip_addr", &self.ip_addr)
            .finish_non_exhaustive()
    }
}

/// The real network.
#[derive(Clone, Debug)]
pub struct HttpNetwork(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    options: HttpOptions,
    /// Made when the first node is asked; it knows no certificates, which are long to read.
    plain: OnceCell<Client>,
    /// Made when the first node is asked over TLS.
    secure: OnceCell<Client>,
}

impl HttpNetwork {
    /// The network; nothing is opened and nothing is read yet.
    pub fn new(options: HttpOptions) -> Self {
        Self(Rc::new(Shared {
            options,
            plain: OnceCell::new(),
            secure: OnceCell::new(),
        }))
    }
}

impl Network for HttpNetwork {
    fn node(&self, url: &NodeUrl) -> Rc<dyn NodeApi> {
        Rc::new(HttpNode {
            url: url.clone(),
            network: self.0.clone(),
        })
    }

    fn addresses(&self, host: &str) -> Awaited<io::Result<Vec<IpAddr>>> {
        let host = host.to_string();
        Box::pin(async move { names::addresses(&host).await })
    }

    fn texts(&self, name: &str) -> Awaited<io::Result<Vec<String>>> {
        let name = name.to_string();
        Box::pin(async move { names::texts(&name).await })
    }
}

impl Shared {
    fn client(&self, url: &NodeUrl) -> Result<Client, CallFailed> {
        let is_secure = url.as_str().starts_with("https:");
        let cell = if is_secure { &self.secure } else { &self.plain };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let client = self.options.client(is_secure);
        let client = client.map_err(|error| CallFailed::Unreachable(innermost(&error)))?;
        Ok(cell.get_or_init(|| client).clone())
    }
}

impl HttpOptions {
    /// A client that reads the system's certificates, or one that trusts none.
    fn client(&self, is_secure: bool) -> reqwest::Result<Client> {
        if CryptoProvider::get_default().is_none() {
            // Another thread may have been quicker, with the same or a better one.
            _ = ring::default_provider().install_default();
        }
        let mut builder = Client::builder()
            .user_agent(USER_AGENT)
            .http1_only()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(self.connect_timeout)
            .read_timeout(self.read_timeout)
            .pool_idle_timeout(self.idle_timeout)
            .pool_max_idle_per_host(self.idle_per_host);
        #[cfg(target_os = "linux")]
        {
            builder = builder.tcp_user_timeout(self.read_timeout);
        }
        if !is_secure {
            builder = builder.tls_certs_only([]);
        }
        builder.build()
    }
}

/// One node.
struct HttpNode {
    url: NodeUrl,
    network: Rc<Shared>,
}

impl NodeApi for HttpNode {
    fn call(&self, call: Call) -> Awaited<Result<Answer, CallFailed>> {
        let longest = match &call {
            Call::Apps => LONGEST_LIST,
            Call::Batch { .. } | Call::Page { .. } => LONGEST_ANSWER,
        };
        let request = self.request(call);
        let patience = self.network.options.read_timeout;
        Box::pin(async move {
            let response = request?.send().await;
            let response = response.map_err(|error| why(error, patience))?;
            read(response, longest, patience).await
        })
    }
}

impl HttpNode {
    fn request(&self, call: Call) -> Result<RequestBuilder, CallFailed> {
        let options = &self.network.options;
        let request = call.into_request();
        let method = match request.method {
            "POST" => Method::POST,
            _ => Method::GET,
        };
        // Trickles are cut off: an answer to a batch is short, a list comes in many parts.
        let in_all = match method {
            Method::POST => 2,
            _ => PATIENCE_WITH_LISTS,
        };
        let mut builder = self
            .network
            .client(&self.url)?
            .request(method, format!("{}{}", self.url, request.path))
            .timeout(options.read_timeout.saturating_mul(in_all))
            .header(SIGN, (options.sign)().to_string())
            // Java lets callers of this name pass its rate limits.
            .header("DiscoveryIdentity-Name", "DefaultServer")
            .header("DiscoveryIdentity-Version", "1.0")
            .header("DiscoveryIdentity-Id", &options.ip_addr)
            .body(request.body);
        if let Some((user, password)) = self.url.credentials() {
            builder = builder.basic_auth(user, Some(password));
        }
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        Ok(builder)
    }
}

/// Reads an answer to its end.
async fn read(
    mut response: Response,
    longest: usize,
    patience: Duration,
) -> Result<Answer, CallFailed> {
    let status = response.status().as_u16();
    let sign = said(response.headers(), SIGN);
    let retry_after = said(response.headers(), RETRY_AFTER.as_str()).map(Duration::from_secs);
    let body = body(&mut response, longest, patience).await?;
    Ok(Answer {
        status,
        body,
        sign,
        retry_after,
    })
}

async fn body(
    response: &mut Response,
    longest: usize,
    patience: Duration,
) -> Result<Bytes, CallFailed> {
    let mut body = BytesMut::new();
    while let Some(part) = response
        .chunk()
        .await
        .map_err(|error| why(error, patience))?
    {
        if body.len() + part.len() > longest {
            let text = format!("it is longer than {longest} bytes");
            return Err(CallFailed::Broken(text));
        }
        body.extend_from_slice(&part);
    }
    Ok(body.freeze())
}

/// What a header says, if it can be read.
fn said<T: std::str::FromStr>(headers: &HeaderMap, name: &str) -> Option<T> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

fn why(error: reqwest::Error, patience: Duration) -> CallFailed {
    if error.is_connect() || error.is_builder() {
        CallFailed::Unreachable(innermost(&error))
    } else if error.is_timeout() {
        CallFailed::TimedOut(patience)
    } else {
        CallFailed::Broken(innermost(&error))
    }
}

/// The cause that has no other; what is around it only says that there was an error.
fn innermost(error: &dyn Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
