//! What a node listens on, by its settings.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use super::machine::listen;
use crate::config::{Config, keys};
use crate::http::Ports;
use crate::tls::{Serving, TlsError, authorities, material};

/// Why a node cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A port is not free, or not allowed.
    #[error(
        "cannot listen on {address}: {error}; choose another {}",
        other(error, key)
    )]
    Port {
        /// Which one.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
        /// Which key sets it.
        key: &'static str,
    },
    /// A certificate or key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// What one would set otherwise.
fn other(error: &io::Error, port: &str) -> String {
    match error.kind() {
        io::ErrorKind::AddrNotAvailable => {
            format!(
                "address with {}: this machine does not have that one",
                keys::ADDRESS
            )
        }
        _ => format!("port with {port}"),
    }
}

impl Ports {
    /// Opens all of them, the one that others know first. Certificates are read before, those for asking others too.
    pub fn open(config: &Config) -> Result<(Self, SocketAddr), OpenError> {
        let tls = config.tls.server.clone().map(Serving::load).transpose()?;
        let client = &config.tls.client;
        client.key.as_ref().map(material).transpose()?;
        client.trust.as_ref().map(authorities).transpose()?;
        let (main, address) = open(config, config.http.port, "--port")?;
        let Some(tls) = tls else {
            return Ok((main.into(), address));
        };
        let plain = config
            .tls
            .plain_port
            .map(|port| open(config, port, keys::PLAIN_PORT));
        let ports = Self {
            plain: plain.transpose()?.map(|(listener, _)| listener),
            secure: Some((main, Arc::new(tls))),
        };
        Ok((ports, address))
    }
}

fn open(
    config: &Config,
    port: u16,
    key: &'static str,
) -> Result<(TcpListener, SocketAddr), OpenError> {
    let address = SocketAddr::new(config.http.address, port);
    let opened = listen(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
    match opened {
        Ok((address, listener)) => Ok((listener, address)),
        Err(error) => Err(OpenError::Port {
            address,
            error,
            key,
        }),
    }
}
