//! A node on a real port, with threads of its own, and a plain HTTP/1.1 connection to it.

#![allow(dead_code)]

use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::rt::System;
use heureka::clock::Clock;
use heureka::config::Config;
use heureka::http::Ports;
use heureka::node::{self, Node, Placement};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a test waits for something that has to come.
const LONGEST: Duration = Duration::from_secs(60);

/// A node that runs until this is dropped.
pub struct Running {
    pub address: SocketAddr,
    /// Where it listens without TLS.
    pub plain: Option<SocketAddr>,
    server: ServerHandle,
}

impl Running {
    /// Starts a node on a free port of this machine.
    ///
    /// A busy machine makes its workers late, which is not what these tests are about: they turn nobody away.
    pub fn start(config: Config) -> Self {
        let any = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
        Self::try_start(config, any).unwrap()
    }

    /// Starts a node where another one was, as soon as that is gone.
    pub async fn start_at(config: Config, address: SocketAddr) -> Self {
        loop {
            match Self::try_start(config.clone(), address) {
                Some(running) => return running,
                None => tokio::task::yield_now().await,
            }
        }
    }

    fn try_start(mut config: Config, address: SocketAddr) -> Option<Self> {
        config.overload.shed_lag = Duration::ZERO;
        (config.http.address, config.http.port) = (address.ip(), address.port());
        let (ready, started) = mpsc::channel();
        std::thread::spawn(move || {
            System::new().block_on(async move {
                // Who dropped the other end learns that there is no node.
                let Ok((ports, address)) = Ports::open(&config) else {
                    return;
                };
                let plain = ports.plain.as_ref().map(|port| port.local_addr().unwrap());
                let clock = Clock::system();
                let identity = node::identity(&config, address.port(), &clock);
                let network = node::network(&config, &identity);
                let node = Node::assemble(
                    config,
                    clock,
                    identity,
                    Placement::OwnThreads,
                    Rc::new(network),
                );
                let server = node.serve(ports).unwrap();
                ready.send((address, plain, server.handle())).unwrap();
                server.await.unwrap();
            });
        });
        let (address, plain, server) = started.recv().ok()?;
        Some(Self {
            address,
            plain,
            server,
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The order is given here; nobody needs to wait until it is carried out.
        drop(self.server.stop(false));
    }
}

/// One connection, kept open from request to request.
pub struct Connection {
    stream: TcpStream,
    /// What was read beyond the last answer.
    rest: Vec<u8>,
}

/// An answer as it came over the wire; header names in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(n, _)| n == name);
        named.next().map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            rest: Vec::new(),
        }
    }

    /// Where the other side is.
    pub fn peer(&self) -> SocketAddr {
        self.stream.peer_addr().unwrap()
    }

    /// Sends these bytes as they are.
    pub async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// Sends a request, `headers` each with its line end, and reads the answer.
    pub async fn ask(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let length = match (method, body.len()) {
            ("GET" | "HEAD" | "DELETE", 0) => String::new(),
            (_, length) => format!("Content-Length: {length}\r\n"),
        };
        let head = format!("{method} {path} HTTP/1.1\r\nHost: node\r\n{headers}{length}\r\n");
        self.send(format!("{head}{body}").as_bytes()).await;
        self.answer(method == "HEAD").await
    }

    /// Reads one answer; `headless` if none of its body is sent.
    pub async fn answer(&mut self, bodiless: bool) -> Answer {
        let end = loop {
            match find(&self.rest, b"\r\n\r\n") {
                Some(end) => break end,
                None => assert!(
                    self.read_more().await,
                    "closed within the head of an answer"
                ),
            }
        };
        let head = String::from_utf8(self.rest.drain(..end + 4).collect()).unwrap();
        let mut answer = parse_head(&head);
        let no_body = bodiless || matches!(answer.status, 100..=199 | 204 | 304);
        let length = match answer.header("content-length") {
            Some(length) if !no_body => length.parse().unwrap(),
            _ => 0,
        };
        while self.rest.len() < length {
            assert!(
                self.read_more().await,
                "closed within the body of an answer"
            );
        }
        answer.body = self.rest.drain(..length).collect();
        answer
    }

    /// The stream itself.
    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Says that nothing more will be sent.
    pub async fn finish(&mut self) {
        // It may be closed already.
        let _ = self.stream.shutdown().await;
    }

    /// Everything that comes until the other side closes.
    pub async fn all(&mut self) -> String {
        while self.read_more().await {}
        String::from_utf8_lossy(&self.rest).into_owned()
    }

    /// Whether the other side closes without sending anything more.
    pub async fn is_closed(&mut self) -> bool {
        self.rest.is_empty() && !self.read_more().await
    }

    /// Reads what there is; `false` at the end.
    async fn read_more(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        let read = timeout(LONGEST, self.stream.read(&mut buffer)).await;
        // A connection that is reset is as closed as one that ends.
        let read = read.expect("nothing comes, and no end").unwrap_or(0);
        self.rest.extend_from_slice(&buffer[..read]);
        read > 0
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
}

fn parse_head(head: &str) -> Answer {
    let mut lines = head.trim_end().split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .unwrap();
    let pair = |line: &str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_string())
    };
    Answer {
        status: status.parse().unwrap(),
        headers: lines.map(pair).collect(),
        body: Vec::new(),
    }
}
