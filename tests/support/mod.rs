//! A whole node without a socket, and requests to it that read like the protocol's tables.
//!
//! Everything runs on the test's own thread, so that `tokio::time::pause()` reaches all of it: minutes
//! pass by `node.pass(…)`. What must hold for every reply is checked on every reply.

#![allow(clippy::unwrap_used, dead_code)]

use std::cell::Cell;
use std::future::{Future, IntoFuture};
use std::io::Read;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use actix_http::Response;
use actix_service::{IntoServiceFactory, Service as _, ServiceFactory};
use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::dev::AppConfig;
use actix_web::http::Method;
use actix_web::test::TestRequest;
use actix_web::{App, web};
use flate2::bufread::GzDecoder;
use heureka::clock::Clock;
use heureka::config::{Config, Mode};
use heureka::http;
use heureka::node::{self, Node, Placement};
use serde_json::Value;
use tokio::runtime::{Handle, Id};
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// The wall clock of a test begins here.
pub const EPOCH: u64 = 1_800_000_000_000;

/// A node on the test's thread.
pub struct TestNode {
    pub node: Node,
    service: OnceCell<Service>,
    /// How late its worker pretends to be.
    late: Option<Duration>,
}

/// All routes of a node; made once, since that is most of the work of a small request.
type Service = Box<dyn Fn(TestRequest) -> Pin<Box<dyn Future<Output = Response<BoxBody>>>>>;

impl TestNode {
    /// A node with the defaults of `mode`, in paused time.
    pub fn start(mode: Mode) -> Self {
        Self::with(Config::of(mode))
    }

    /// A node with these settings, in paused time. A test may start several; they share its time.
    pub fn with(config: Config) -> Self {
        pause_once();
        let clock = Clock::starting_at(EPOCH);
        let identity = node::identity(&config, 8761, &clock);
        let network = node::network(&config, &identity);
        Self::of(Node::assemble(
            config,
            clock,
            identity,
            Placement::Here,
            Rc::new(network),
        ))
    }

    /// A node that was put together elsewhere, in whatever time that has.
    pub fn of(node: Node) -> Self {
        Self {
            node,
            service: OnceCell::new(),
            late: None,
        }
    }

    /// The same node, with a worker that is always so late.
    pub fn late_by(&mut self, lag: Duration) {
        self.late = Some(lag);
        self.service = OnceCell::new();
    }

    /// Lets exactly so much time pass, timers included. They tick in whole milliseconds and fire up to
    /// one late.
    pub async fn pass(&self, time: Duration) {
        let end = Instant::now() + time;
        tokio::time::sleep_until(end - Duration::from_millis(1)).await;
        tokio::time::advance(end.saturating_duration_since(Instant::now())).await;
    }

    pub fn get(&self, path: &str) -> Ask<'_> {
        Ask::new(self, Method::GET, path)
    }

    pub fn put(&self, path: &str) -> Ask<'_> {
        Ask::new(self, Method::PUT, path)
    }

    pub fn delete(&self, path: &str) -> Ask<'_> {
        Ask::new(self, Method::DELETE, path)
    }

    /// A POST with a body and no Content-Type; see [`Ask::json_body`].
    pub fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Ask<'_> {
        Ask {
            body: body.into(),
            ..Ask::new(self, Method::POST, path)
        }
    }

    pub fn request(&self, method: Method, path: &str) -> Ask<'_> {
        Ask::new(self, method, path)
    }

    /// Registers an instance from the JSON text of its members; panics unless that is answered 204.
    pub async fn register(&self, app: &str, members: &str) {
        let body = format!("{{\"instance\":{{{members}}}}}");
        let reply = self
            .post(&format!("/eureka/apps/{app}"), body)
            .json_body()
            .await;
        assert_eq!(reply.status, 204, "{}", reply.text());
    }
}

async fn service(node: &Node, late: Option<Duration>) -> Service {
    let http = node.http.clone();
    let app = App::new().configure(|app: &mut web::ServiceConfig| http::configure(app, &http));
    let front = http::Front::new(node.http.clone(), app.into_factory());
    let front = match late {
        Some(lag) => front.late_by(lag),
        None => front,
    };
    let service = front.new_service(AppConfig::default()).await.unwrap();
    let service = Rc::new(service);
    Box::new(move |request| {
        let service = service.clone();
        Box::pin(async move {
            let answer = service.call(request.to_request()).await;
            answer.unwrap_or_else(|error| panic!("{error}"))
        })
    })
}

/// Pauses the time of this test's runtime, if no node did so before: tokio refuses to do it twice.
pub fn pause_once() {
    thread_local! {
        static PAUSED: Cell<Option<Id>> = const { Cell::new(None) };
    }
    let here = Some(Handle::current().id());
    if PAUSED.replace(here) != here {
        tokio::time::pause();
    }
}

/// A request on its way; awaiting it sends it.
pub struct Ask<'n> {
    node: &'n TestNode,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    from: Option<SocketAddr>,
}

impl<'n> Ask<'n> {
    fn new(node: &'n TestNode, method: Method, path: &str) -> Self {
        Self {
            node,
            method,
            path: path.to_string(),
            headers: Vec::new(),
            body: Vec::new(),
            from: None,
        }
    }

    /// From this address.
    pub fn from(mut self, address: SocketAddr) -> Self {
        self.from = Some(address);
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    /// A body, whatever the method.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// `Accept: application/json`.
    pub fn j(self) -> Self {
        self.header("Accept", "application/json")
    }

    /// `x-netflix-discovery-replication: true`.
    pub fn replicated(self) -> Self {
        self.header("x-netflix-discovery-replication", "true")
    }

    /// `Content-Type: application/json`.
    pub fn json_body(self) -> Self {
        self.header("Content-Type", "application/json")
    }

    /// `Content-Type: application/xml`.
    pub fn xml_body(self) -> Self {
        self.header("Content-Type", "application/xml")
    }

    async fn send(self) -> Reply {
        let response = self.response().await;
        let status = response.status().as_u16();
        let size = response.body().size();
        let headers = response.headers();
        let headers = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_string()))
            .collect();
        let body = to_bytes(response.into_body()).await.unwrap().to_vec();
        let reply = Reply {
            status,
            headers,
            body,
        };
        reply.keeps_its_promises(size);
        reply
    }

    /// Sends it and does not read the body of the answer.
    pub async fn response(self) -> Response<BoxBody> {
        let mut request = TestRequest::with_uri(&self.path).method(self.method);
        if let Some(address) = self.from {
            request = request.peer_addr(address);
        }
        for (name, value) in &self.headers {
            request = request.append_header((name.as_str(), value.as_str()));
        }
        let service = self
            .node
            .service
            .get_or_init(|| service(&self.node.node, self.node.late))
            .await;
        // Actors begin before the first request: one that never began panics where the test ends.
        tokio::task::yield_now().await;
        // As on a connection: without a body there is no payload either.
        let request = match self.body.is_empty() {
            true => request,
            false => request.set_payload(self.body),
        };
        service(request).await
    }
}

impl<'n> IntoFuture for Ask<'n> {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + 'n>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn content_type(&self) -> &str {
        self.header("content-type").unwrap_or("")
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.unpacked()).unwrap()
    }

    /// The body without its content coding: one gzip member and nothing after it, or as it came.
    pub fn unpacked(&self) -> Vec<u8> {
        let Some(coding) = self.header("content-encoding") else {
            return self.body.clone();
        };
        assert_eq!(coding, "gzip");
        let mut rest = &self.body[..];
        let mut plain = Vec::new();
        // Reads no byte beyond the first member.
        GzDecoder::new(&mut rest).read_to_end(&mut plain).unwrap();
        assert!(
            rest.is_empty(),
            "{} bytes after the first member",
            rest.len()
        );
        plain
    }

    /// What must hold for every reply, whatever it answers.
    fn keeps_its_promises(&self, size: BodySize) {
        // wire.md §13 row 74, foreign-clients.md P13.
        for name in ["set-cookie", "etag", "location", "vary"] {
            assert_eq!(self.header(name), None, "{self:?}");
        }
        // The length goes out as Content-Length; nothing is chunked.
        let length = self.body.len() as u64;
        let is_sized = size == BodySize::Sized(length) || (size == BodySize::None && length == 0);
        assert!(is_sized, "{size:?} but {length} bytes: {self:?}");
        // The label tells the truth (foreign-clients.md N4).
        match self.content_type() {
            _ if self.body.is_empty() => {}
            "application/json" => _ = self.json(),
            "application/xml" => assert!(self.text().starts_with('<'), "{}", self.text()),
            "image/svg+xml" => assert!(self.text().starts_with("<svg"), "{self:?}"),
            other => assert!(other.starts_with("text/"), "{self:?}"),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.unpacked())
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// The members of an ordinary registration: `host-1`, UP, stamp 1000.
pub fn members(app: &str, id: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { "," };
    format!(
        r#""instanceId":"{id}","hostName":"host-1","app":"{app}","ipAddr":"10.0.0.1","vipAddress":"{}",
        "dataCenterInfo":{{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"}},
        "lastDirtyTimestamp":"1000"{comma}{more}"#,
        app.to_lowercase()
    )
}
