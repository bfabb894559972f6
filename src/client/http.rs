//! Servers over HTTP/1.1, by reqwest.
//!
//! Certificates are read only when the first server is asked over TLS; host names are always checked.

use std::io;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::BytesMut;
use reqwest::header::{HeaderMap, HeaderName, LOCATION, RETRY_AFTER};
use reqwest::{Certificate, Client, Identity, Method, Proxy, redirect};
use rustls::crypto::{CryptoProvider, ring};

use super::backend::{Backend, CallFailed, Pending, Request, Response, ServiceAt};
use super::error::StartError;
use crate::transport::{innermost, names};

const USER_AGENT: &str = concat!("heureka-client/", env!("CARGO_PKG_VERSION"));
/// How long an idle connection is kept: longer than the time between two heartbeats.
const IDLE: Duration = Duration::from_secs(45);
/// The longest answer that is read: a list of as many instances as a registry may hold, 1 kB each.
const LONGEST: usize = 1 << 30;

/// How servers are reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct HttpOptions {
    pub(crate) connect_timeout: Duration,
    /// PEM; added to the system's.
    pub(crate) roots: Vec<Vec<u8>>,
    /// PEM with certificate and key.
    pub(crate) identity: Option<Vec<u8>>,
    pub(crate) proxy: Option<String>,
}

/// The real way to servers.
#[derive(Debug)]
pub struct HttpBackend {
    options: Parsed,
    plain: OnceLock<Client>,
    secure: OnceLock<Client>,
}

#[derive(Debug)]
struct Parsed {
    connect_timeout: Duration,
    roots: Vec<Certificate>,
    identity: Option<Identity>,
    proxy: Option<Proxy>,
}

impl HttpBackend {
    /// Certificates and the proxy's URL are looked at here; nothing is opened yet.
    pub(crate) fn new(options: HttpOptions) -> Result<Self, StartError> {
        let bad = |setting: &'static str| {
            move |error: reqwest::Error| StartError::BadSetting {
                setting,
                why: innermost(&error),
            }
        };
        install_provider();
        let mut roots = Vec::new();
        for pem in &options.roots {
            let found = Certificate::from_pem_bundle(pem).map_err(bad("root_certificates"))?;
            if found.is_empty() {
                return Err(StartError::BadSetting {
                    setting: "root_certificates",
                    why: "there is no certificate in it".to_string(),
                });
            }
            roots.extend(found);
        }
        let identity = options.identity.as_deref().map(Identity::from_pem);
        let proxy = options.proxy.as_deref().map(Proxy::all);
        Ok(Self {
            options: Parsed {
                connect_timeout: options.connect_timeout,
                roots,
                identity: identity.transpose().map_err(bad("client_certificate"))?,
                proxy: proxy.transpose().map_err(bad("proxy"))?,
            },
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        })
    }

    fn client(&self, url: &str) -> Result<Client, CallFailed> {
        let is_secure = url.starts_with("https:");
        let cell = if is_secure { &self.secure } else { &self.plain };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let client = self.options.client(is_secure);
        let client = client.map_err(|error| CallFailed::Unreachable(innermost(&error)))?;
        Ok(cell.get_or_init(|| client).clone())
    }
}

/// rustls wants one provider for the whole program; the program may have chosen one already.
fn install_provider() {
    if CryptoProvider::get_default().is_none() {
        // Another thread may have been quicker.
        _ = ring::default_provider().install_default();
    }
}

impl Parsed {
    fn client(&self, is_secure: bool) -> reqwest::Result<Client> {
        let mut builder = Client::builder()
            .user_agent(USER_AGENT)
            .http1_only()
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(2);
        builder = match &self.proxy {
            Some(proxy) => builder.proxy(proxy.clone()),
            None => builder.no_proxy(),
        };
        if !is_secure {
            return builder.tls_certs_only([]).build();
        }
        if let Some(identity) = &self.identity {
            builder = builder.identity(identity.clone());
        }
        if !self.roots.is_empty() {
            builder = builder.tls_certs_merge(self.roots.clone());
        }
        builder.build()
    }
}

impl Backend for HttpBackend {
    fn send(&self, request: Request) -> Pending<Result<Response, CallFailed>> {
        let client = self.client(&request.url);
        Box::pin(async move {
            let patience = request.timeout;
            let method = Method::from_bytes(request.method.as_bytes())
                .map_err(|error| CallFailed::Unreachable(error.to_string()))?;
            let mut builder = client?
                .request(method, &request.url)
                .timeout(patience)
                .body(request.body);
            for (name, value) in request.headers {
                builder = builder.header(name, value);
            }
            let response = builder.send().await;
            read(response.map_err(|error| why(&error, patience))?, patience).await
        })
    }

    fn addresses(&self, host: &str) -> Pending<io::Result<Vec<IpAddr>>> {
        let host = host.to_string();
        Box::pin(async move { names::addresses(&host).await })
    }

    fn texts(&self, name: &str) -> Pending<io::Result<Vec<String>>> {
        let name = name.to_string();
        Box::pin(async move { names::texts(&name).await })
    }

    fn services(&self, name: &str) -> Pending<io::Result<Vec<ServiceAt>>> {
        let name = name.to_string();
        Box::pin(async move {
            let found = names::services(&name).await?.into_iter();
            let places = found.map(|(priority, host, port)| ServiceAt {
                host,
                port,
                priority,
            });
            Ok(places.collect())
        })
    }
}

/// Reads an answer to its end.
async fn read(mut response: reqwest::Response, patience: Duration) -> Result<Response, CallFailed> {
    let status = response.status().as_u16();
    let headers = response.headers();
    let retry_after = text(headers, RETRY_AFTER).and_then(|seconds| seconds.trim().parse().ok());
    let location = text(headers, LOCATION).map(String::from);
    let mut body = BytesMut::new();
    loop {
        let part = response.chunk().await;
        let Some(part) = part.map_err(|error| why(&error, patience))? else {
            break;
        };
        if body.len() + part.len() > LONGEST {
            let text = format!("it is longer than {LONGEST} bytes");
            return Err(CallFailed::Broken(text));
        }
        body.extend_from_slice(&part);
    }
    Ok(Response {
        status,
        body: body.freeze(),
        retry_after: retry_after.map(Duration::from_secs),
        location,
    })
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn why(error: &reqwest::Error, patience: Duration) -> CallFailed {
    if error.is_timeout() && !error.is_connect() {
        CallFailed::TimedOut(patience)
    } else if error.is_connect() || error.is_builder() {
        CallFailed::Unreachable(innermost(error))
    } else {
        CallFailed::Broken(innermost(error))
    }
}
