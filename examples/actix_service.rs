//! A web service on actix-web that registers itself, has the pages that its record names, and leaves in good order.
//!
//!     cargo run                                          # the registry, on port 8761
//!     cargo run --example actix_service -- 9004
//!
//! `POST /break` makes it DOWN, for its health page and within seconds for the registry, `POST /mend` makes it UP
//! again. On Ctrl-C or SIGTERM it is DOWN for two seconds, takes its registration back, and ends when the
//! requests that it has are answered. `EUREKA` names other registries, with commas between them.

use std::env;
use std::error::Error;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::{App, HttpResponse, HttpServer, Responder, get, post, web};
use heureka::client::{EurekaClient, Instance, InstanceStatus};

/// How long others have to notice that this one leaves.
const DRAIN: Duration = Duration::from_secs(2);

/// Whether the service can do its work; a real one asks its database.
type Well = AtomicBool;

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = env::args().nth(1).ok_or("wanted: PORT")?.parse()?;
    let well = web::Data::new(Well::new(true));
    // Who registers must be able to answer: the listener first.
    let listener = TcpListener::bind(("0.0.0.0", port))?;
    let client = client(listener.local_addr()?.port(), well.clone().into_inner()).await?;
    let pages = move || {
        let app = App::new().app_data(well.clone());
        app.service((home, info, health, break_it, mend))
    };
    // The client waits for the signals; the server is told when it has left.
    let server = HttpServer::new(pages).disable_signals().listen(listener)?;
    let server = server.run();
    let handle = server.handle();
    actix_web::rt::spawn(async move {
        if let Err(error) = client.shutdown_on_signal(DRAIN).await {
            eprintln!("no signal can be waited for: {error}");
        }
        handle.stop(true).await;
    });
    Ok(server.await?)
}

async fn client(port: u16, well: Arc<Well>) -> Result<EurekaClient, Box<dyn Error>> {
    let registries = env::var("EUREKA");
    let registries = registries.unwrap_or_else(|_| "http://localhost:8761/eureka/".to_string());
    let instance = Instance::new("actix-service")
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

#[get("/")]
async fn home() -> impl Responder {
    "hello from actix-web\n"
}

#[get("/info")]
async fn info() -> impl Responder {
    "{\"app\":\"actix-service\"}"
}

#[get("/health")]
async fn health(well: web::Data<Well>) -> HttpResponse {
    let status = status(&well);
    let mut answer = match status {
        InstanceStatus::Up => HttpResponse::Ok(),
        _ => HttpResponse::ServiceUnavailable(),
    };
    answer.body(format!("{{\"status\":\"{status}\"}}"))
}

#[post("/break")]
async fn break_it(well: web::Data<Well>) -> impl Responder {
    well.store(false, Ordering::Relaxed);
    HttpResponse::Ok()
}

#[post("/mend")]
async fn mend(well: web::Data<Well>) -> impl Responder {
    well.store(true, Ordering::Relaxed);
    HttpResponse::Ok()
}
