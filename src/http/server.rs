//! The server around the routes: how connections come in, which protocols are spoken, and for how long.

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_http::HttpService;
use actix_http::error::DispatchError;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::App;
use actix_web::dev::{AppConfig, Server};
use actix_web::web::Data;
use tokio::net::TcpStream;

use super::connections::{Connection, Connections};
use super::front::Front;
use super::routes::configure;
use super::state::Http;
use super::streams::Streams;

/// Idle connections are kept longer than the usual pause between two heartbeats, 30 s.
const KEEP_ALIVE: Duration = Duration::from_secs(120);
/// How long a client that was answered may go on sending a body that nobody reads.
const LINGER: Duration = Duration::from_secs(1);
/// Connections are counted and bounded here; what one worker may hold is no limit of its own.
const PER_WORKER: usize = 1 << 30;

/// Serves requests on `listener`, HTTP/1.1 and HTTP/2 alike, until told to stop; open requests have `grace` to
/// finish then.
pub fn serve(http: &Data<Http>, listener: TcpListener, grace: Duration) -> io::Result<Server> {
    let limits = http.config.limits.clone();
    let head_time = limits.head_time;
    let connections = Connections::new(limits, http.metrics.http.clone());
    let http = http.clone();
    let address = listener.local_addr()?;
    let builder = Server::build()
        .disable_signals()
        .shutdown_timeout(grace.as_secs())
        .max_concurrent_connections(PER_WORKER);
    let stopping = builder.graceful_shutdown_signal();
    let builder = builder.listen("http", listener, move || {
        let app = App::new().configure(|app| configure(app, &http));
        let front = Front::new(http.clone(), app.into_factory());
        let stop = stopping.clone();
        let service = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stop = stop.clone();
                async move { stop.notified().await }
            })
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(head_time)
            .client_disconnect_timeout(LINGER)
            .local_addr(address)
            .on_connect_ext(|_: &Connection, data| _ = data.insert(Streams::default()))
            .finish(map_config(front, |()| AppConfig::default()));
        let (connections, stop) = (connections.clone(), stopping.clone());
        fn_service(move |stream: TcpStream| {
            let (connections, stop) = (connections.clone(), stop.clone());
            async move {
                tokio::select! {
                    biased;
                    admitted = connections.admit(stream) => admitted,
                    () = stop.notified() => Err(DispatchError::DisconnectTimeout),
                }
            }
        })
        .and_then(service)
    })?;
    Ok(builder.run())
}
