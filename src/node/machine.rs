//! What a node has from its machine: a port, a name, an address, and a way to others.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;

use tokio::net::TcpSocket;
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::{Config, keys};
use crate::http::Identity;
use crate::transport::{HttpNetwork, HttpOptions, own_address};

/// Connections that the system holds until they are accepted.
const BACKLOG: u32 = 1024;

/// Opens the port.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// Who this node is, as far as the settings and the machine tell. It listens on this port.
pub fn identity(config: &Config, port: u16, clock: &Clock) -> Identity {
    let instance = &config.instance;
    let ip_addr = instance.ip_addr.clone();
    let ip_addr = ip_addr.unwrap_or_else(|| match config.http.address {
        all if all.is_unspecified() => own_address().to_string(),
        one => one.to_string(),
    });
    let host_name = match instance.prefer_ip {
        true => ip_addr.clone(),
        false => instance.host_name.clone().unwrap_or_else(own_name),
    };
    Identity {
        node_id: Uuid::new_v4().to_string(),
        host_name,
        ip_addr,
        port,
        started: clock.now(),
        open: Arc::default(),
    }
}

/// The way to other nodes.
pub fn network(config: &Config, identity: &Identity) -> HttpNetwork {
    let (tls, config) = (config.tls.client.clone(), &config.peers);
    let myself = identity.clone();
    HttpNetwork::new(HttpOptions {
        connect_timeout: config.connect_timeout,
        read_timeout: config.read_timeout,
        idle_timeout: config.idle_timeout,
        idle_per_host: config.idle_connections,
        ip_addr: identity.ip_addr.clone(),
        tls,
        sign: Rc::new(move || myself.sign()),
    })
}

/// What Spring Cloud tells settings of the machine: its name and its address, for placeholders.
pub fn facts() -> Vec<(String, String)> {
    let facts = [
        ("spring.cloud.client.hostname", own_name()),
        ("spring.cloud.client.ip-address", own_address().to_string()),
        (keys::HOST_NAME, own_name()),
    ];
    facts
        .into_iter()
        .map(|(name, text)| (name.to_string(), text))
        .collect()
}

fn own_name() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}
