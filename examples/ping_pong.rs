//! Two services that find each other: each registers itself, answers, and calls the other once a second.
//!
//!     cargo run                                          # the registry, on port 8761
//!     cargo run --example ping_pong -- ping 9001 pong
//!     cargo run --example ping_pong -- pong 9002 ping
//!
//! Start more copies on other ports and see them take turns; stop one with Ctrl-C and see it leave. `EUREKA` names
//! other registries, with commas between them.

use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use heureka::client::{EurekaClient, Instance, InstanceStatus};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::time::interval;

/// How long others have to notice that this one leaves.
const DRAIN: Duration = Duration::from_secs(2);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [name, port, other] = &arguments[..] else {
        return Err("wanted: NAME PORT OTHER".into());
    };
    let registries = env::var("EUREKA");
    let registries = registries.unwrap_or_else(|_| "http://localhost:8761/eureka/".to_string());

    // Who registers must be able to answer: the listener first.
    let listener = TcpListener::bind(("0.0.0.0", port.parse()?)).await?;
    let instance = Instance::new(name)
        .port(listener.local_addr()?.port())
        .prefer_ip()
        .status_page("/info")
        .health_page("/health");
    let client = EurekaClient::builder()
        .server(registries)
        .register(instance)
        .health_check(|_| async { Some(InstanceStatus::Up) })
        .fetch_interval(Duration::from_secs(5))
        .start()
        .await?;

    let own = client.own_instance().map(|own| own.id().to_string());
    let own = own.unwrap_or_default();
    tokio::spawn(serve(listener, own.clone()));
    tokio::spawn(call(client.clone(), own, other.clone()));
    client.shutdown_on_signal(DRAIN).await?;
    Ok(())
}

/// Answers everything with the own id.
async fn serve(listener: TcpListener, own: String) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let own = own.clone();
        tokio::spawn(async move {
            let answer = service_fn(|_: Request<Incoming>| {
                let own = Bytes::from(own.clone());
                async { Ok::<_, Infallible>(Response::new(Full::new(own))) }
            });
            let http = hyper::server::conn::http1::Builder::new();
            // A caller that goes away is no matter.
            _ = http.serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

/// Calls one instance of the other service after the other.
async fn call(client: EurekaClient, own: String, other: String) {
    // Only plain HTTP is asked for, so no certificates need to be on this machine.
    let http = reqwest::Client::builder().tls_certs_only([]).build();
    let http = match http {
        Ok(http) => http,
        Err(error) => return eprintln!("{own} cannot ask anybody: {error}"),
    };
    let mut seconds = interval(Duration::from_secs(1));
    loop {
        seconds.tick().await;
        let answer = client.call(&other, 3, |url| {
            let request = http.get(url).timeout(Duration::from_secs(2)).send();
            async move { request.await?.error_for_status()?.text().await }
        });
        match answer.await {
            Ok(text) => println!("{own} asked {other}: {text} answered"),
            Err(error) => println!("{own} asked {other}: {error}"),
        }
    }
}
