//! The way from the command line to a running node: which one, and over TLS with what.
//!
//! Without an address it is the node that the settings would start, which is known by its certificate. Any other is
//! trusted as peers are: by the system's authorities or those of `eureka.client.tls`, and the one that is named.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heureka::config::Config;
use heureka::model::{Pem, TrustSource};
use heureka::tls::{TlsError, authorities, pinned};
use heureka::transport::{innermost, with_certificates};
use reqwest::{Certificate, Client, Url, redirect};
use rustls::crypto::{CryptoProvider, ring};
use thiserror::Error;

/// Which node to ask.
#[derive(Args)]
pub(super) struct Reach {
    /// The node, as http://host:port and its context path [default: this machine and the port in the settings]
    #[arg(long)]
    url: Option<Url>,
    /// A file of certificates of authorities in PEM, for a node whose authority this machine does not know
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// Why a node cannot even be asked.
#[derive(Debug, Error)]
pub(super) enum Unreachable {
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("{}", innermost(.0))]
    Client(#[from] reqwest::Error),
}

impl Reach {
    /// The node's address with its context path, as far as it is known.
    pub(super) fn address(&self, config: &Config) -> Url {
        self.url.clone().unwrap_or_else(|| {
            let mut url = own(config);
            url.set_path(&config.http.context_path);
            url
        })
    }

    /// What asks it.
    pub(super) fn client(&self, config: &Config, timeout: Duration) -> Result<Client, Unreachable> {
        // The client wants one even where it is not used; another may be there already.
        if CryptoProvider::get_default().is_none() {
            _ = ring::default_provider().install_default();
        }
        let mut builder = Client::builder()
            .timeout(timeout)
            .no_proxy()
            .redirect(redirect::Policy::none());
        let tls = &config.tls;
        if let (None, Some(server)) = (&self.url, &tls.server) {
            let pinned = pinned(server, tls.client.key.as_ref())?;
            return Ok(builder.tls_backend_preconfigured(pinned).build()?);
        }
        builder = with_certificates(builder, &tls.client)?;
        if let Some(file) = &self.ca {
            let all = authorities(&TrustSource::Pem(Pem::File(file.clone())))?;
            let all = all.iter().map(|one| Certificate::from_der(one));
            builder = builder.tls_certs_merge(all.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(builder.build()?)
    }
}

/// An address as it may be shown: without a password.
pub(super) fn shown(url: &Url) -> Url {
    let mut url = url.clone();
    // Neither fails where there is a host.
    _ = url.set_username("");
    _ = url.set_password(None);
    url
}

/// The node that these settings would start.
fn own(config: &Config) -> Url {
    // An address that stands for all of the machine's is none that one can ask.
    let ip = match config.http.address {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let scheme = match config.tls.server {
        Some(_) => "https",
        None => "http",
    };
    let text = format!("{scheme}://{}", SocketAddr::new(ip, config.http.port));
    Url::parse(&text).expect("an address and a port are a URL")
}
