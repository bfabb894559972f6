//! The server around the routes: how connections come in, which protocols are spoken, and for how long.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{Extensions, HttpService};
use actix_server::{GracefulShutdownSignal, ServerBuilder};
use actix_service::{
    IntoServiceFactory, ServiceFactory, ServiceFactoryExt, fn_service, map_config,
};
use actix_web::App;
use actix_web::dev::{AppConfig, Server};
use actix_web::web::Data;
use tokio::net::TcpStream;

use super::channel::Channel;
use super::connections::Connections;
use super::front::Front;
use super::guard::Shown;
use super::routes::configure;
use super::state::Http;
use super::streams::Streams;
use crate::tls::Serving;

/// Idle connections are kept longer than the usual pause between two heartbeats, 30 s.
const KEEP_ALIVE: Duration = Duration::from_secs(120);
/// How long a client that was answered may go on sending a body that nobody reads.
const LINGER: Duration = Duration::from_secs(1);
/// Connections are counted and bounded here; what one worker may hold is no limit of its own.
const PER_WORKER: usize = 1 << 30;

/// What a node listens on.
pub struct Ports {
    /// Without TLS.
    pub plain: Option<TcpListener>,
    /// With TLS.
    pub secure: Option<(TcpListener, Arc<Serving>)>,
}

impl From<TcpListener> for Ports {
    fn from(plain: TcpListener) -> Self {
        Self {
            plain: Some(plain),
            secure: None,
        }
    }
}

/// Serves requests on all ports, HTTP/1.1 and HTTP/2 alike, until told to stop; open requests have `grace` to
/// finish then.
pub fn serve(http: &Data<Http>, ports: Ports, grace: Duration) -> io::Result<Server> {
    let builder = Server::build()
        .disable_signals()
        .shutdown_timeout(grace.as_secs())
        .max_concurrent_connections(PER_WORKER);
    let limits = http.config.limits.clone();
    let addresses = http.live.addresses.clone();
    let port = Port {
        http: http.clone(),
        connections: Connections::new(limits, http.metrics.http.clone(), addresses),
        stopping: builder.graceful_shutdown_signal(),
        tls: None,
    };
    let builder = match ports.plain {
        Some(listener) => port.clone().listen(builder, listener)?,
        None => builder,
    };
    let builder = match ports.secure {
        Some((listener, tls)) => {
            let port = Port {
                tls: Some(tls),
                ..port
            };
            port.listen(builder, listener)?
        }
        None => builder,
    };
    Ok(builder.run())
}

/// What connections of a port are served with.
#[derive(Clone)]
struct Port {
    http: Data<Http>,
    connections: Connections,
    stopping: GracefulShutdownSignal,
    tls: Option<Arc<Serving>>,
}

impl Port {
    fn listen(self, builder: ServerBuilder, listener: TcpListener) -> io::Result<ServerBuilder> {
        let address = listener.local_addr()?;
        let name = if self.tls.is_some() { "https" } else { "http" };
        builder.listen(name, listener, move || self.service(address))
    }

    /// What a worker does with a connection.
    fn service(
        &self,
        address: SocketAddr,
    ) -> impl ServiceFactory<
        TcpStream,
        Config = (),
        Response = (),
        Error = DispatchError,
        InitError = (),
    > + use<> {
        let http = self.http.clone();
        let app = App::new().configure(|app| configure(app, &http));
        let front = Front::new(http.clone(), app.into_factory());
        let stop = self.stopping.clone();
        let service = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stop = stop.clone();
                async move { stop.notified().await }
            })
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(http.config.limits.head_time)
            .client_disconnect_timeout(LINGER)
            .local_addr(address)
            .on_connect_ext(connected)
            .finish(map_config(front, |()| AppConfig::default()));
        let port = self.clone();
        fn_service(move |stream: TcpStream| {
            let port = port.clone();
            async move {
                tokio::select! {
                    biased;
                    admitted = port.connections.admit(stream, port.tls.as_deref()) => admitted,
                    () = port.stopping.notified() => Err(DispatchError::DisconnectTimeout),
                }
            }
        })
        .and_then(service)
    }
}

/// What is kept of a connection for its requests.
fn connected(channel: &Channel, data: &mut Extensions) {
    data.insert(Streams::default());
    data.insert(Shown(channel.names()));
}
