//! The floor: a bare hyper server that answers every request with nothing, to compare with.
//!
//!     cargo run --release --example floor -- 8790

#![allow(clippy::unwrap_used)]

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

async fn nothing(_: Request<Incoming>) -> Result<Response<Empty<Bytes>>, Infallible> {
    Ok(Response::new(Empty::new()))
}

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok());
    let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(8790)))
        .await
        .unwrap();
    println!("listening on http://{}", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        tokio::spawn(async move {
            let server = hyper::server::conn::http1::Builder::new();
            // A client that breaks off ends its connection only.
            let _ = server
                .serve_connection(TokioIo::new(stream), service_fn(nothing))
                .await;
        });
    }
}
