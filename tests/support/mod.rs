//! A whole node without a socket, and requests to it that read like the protocol's tables.
//!
//! Everything runs on the test's own thread, so that `tokio::time::pause()` reaches all of it: minutes
//! pass by `node.pass(…)`.

#![allow(clippy::unwrap_used, dead_code)]

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use actix_web::http::Method;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, web};
use heureka::clock::Clock;
use heureka::config::{Config, Mode};
use heureka::http;
use heureka::node::{self, Node, Placement};
use serde_json::Value;

/// The wall clock of a test begins here.
pub const EPOCH: u64 = 1_800_000_000_000;

/// A node on the test's thread.
pub struct TestNode {
    pub node: Node,
}

impl TestNode {
    /// A node with the defaults of `mode`, in paused time.
    pub fn start(mode: Mode) -> Self {
        Self::with(Config::of(mode))
    }

    /// A node with these settings, in paused time.
    pub fn with(config: Config) -> Self {
        tokio::time::pause();
        let clock = Clock::starting_at(EPOCH);
        let identity = node::identity(8761, &clock);
        let node = Node::assemble(config, clock, identity, Placement::Here);
        Self { node }
    }

    /// Lets time pass, timers included.
    pub async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
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

/// A request on its way; awaiting it sends it.
pub struct Ask<'n> {
    node: &'n TestNode,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl<'n> Ask<'n> {
    fn new(node: &'n TestNode, method: Method, path: &str) -> Self {
        Self {
            node,
            method,
            path: path.to_string(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_string(), value.to_string()));
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
        let http = self.node.node.http.clone();
        let app = App::new().configure(|app: &mut web::ServiceConfig| http::configure(app, &http));
        let service = init_service(app).await;
        let mut request = TestRequest::with_uri(&self.path).method(self.method);
        for (name, value) in &self.headers {
            request = request.append_header((name.as_str(), value.as_str()));
        }
        let response = call_service(&service, request.set_payload(self.body).to_request()).await;
        let status = response.status().as_u16();
        let headers = response.headers();
        let headers = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_string()))
            .collect();
        let body = read_body(response).await.to_vec();
        Reply {
            status,
            headers,
            body,
        }
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
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
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
