//! A web service on axum that registers itself, has the pages that its record names, and leaves in good order.
//!
//!     cargo run                                          # the registry, on port 8761
//!     cargo run --example axum_service -- 9003
//!
//! `POST /break` makes it DOWN, for its health page and within seconds for the registry, `POST /mend` makes it UP
//! again. On Ctrl-C or SIGTERM it is DOWN for two seconds, takes its registration back, and ends when the
//! requests that it has are answered. `EUREKA` names other registries, with commas between them.

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use heureka::client::{EurekaClient, Instance, InstanceStatus};
use tokio::net::TcpListener;

/// How long others have to notice that this one leaves.
const DRAIN: Duration = Duration::from_secs(2);

/// Whether the service can do its work; a real one asks its database.
type Well = Arc<AtomicBool>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = env::args().nth(1).ok_or("wanted: PORT")?.parse()?;
    let well = Well::new(AtomicBool::new(true));
    // Who registers must be able to answer: the listener first.
    let listener = TcpListener::bind(("0.0.0.0", port)).await?;
    let client = client(listener.local_addr()?.port(), well.clone()).await?;
    let leaving = async move {
        if let Err(error) = client.shutdown_on_signal(DRAIN).await {
            eprintln!("no signal can be waited for: {error}");
        }
    };
    axum::serve(listener, pages(well))
        .with_graceful_shutdown(leaving)
        .await?;
    Ok(())
}

async fn client(port: u16, well: Well) -> Result<EurekaClient, Box<dyn Error>> {
    let registries = env::var("EUREKA");
    let registries = registries.unwrap_or_else(|_| "http://localhost:8761/eureka/".to_string());
    let instance = Instance::new("axum-service")
        .port(port)
        .prefer_ip()
        .status_page("/info")
        .health_page("/health");
    let client = EurekaClient::builder()
        .server(registries)
        .register(instance)
        .replication_interval(Duration::from_secs(2))
        .health_check(move |_| {
            let status = status(&well);
            async move { Some(status) }
        });
    Ok(client.start().await?)
}

fn status(well: &Well) -> InstanceStatus {
    match well.load(Ordering::Relaxed) {
        true => InstanceStatus::Up,
        false => InstanceStatus::Down,
    }
}

fn pages(well: Well) -> Router {
    Router::new()
        .route("/", get(|| async { "hello from axum\n" }))
        .route("/info", get(|| async { "{\"app\":\"axum-service\"}" }))
        .route("/health", get(health))
        .route("/break", post(|State(well)| set(well, false)))
        .route("/mend", post(|State(well)| set(well, true)))
        .with_state(well)
}

async fn health(State(well): State<Well>) -> (StatusCode, String) {
    let status = status(&well);
    let code = match status {
        InstanceStatus::Up => StatusCode::OK,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    (code, format!("{{\"status\":\"{status}\"}}"))
}

async fn set(well: Well, is_well: bool) {
    well.store(is_well, Ordering::Relaxed);
}
