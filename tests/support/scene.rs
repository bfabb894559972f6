//! What scenarios say to a node, in few words: instances are named `APP/id`, answers come as short texts.
//!
//! Beside `support/mod.rs`, which speaks HTTP.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::future::{Future, IntoFuture, poll_fn};
use std::ops::Deref;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use actix_web::http::Method;
use heureka::clock::Clock;
use heureka::config::{Config, Mode, Protection};
use heureka::node::{self, Node, Placement};
use serde_json::Value;

use crate::support::{Ask, EPOCH, Reply, TestNode, members};

/// A node in a story.
pub struct Scene {
    pub mode: Mode,
    inner: TestNode,
}

impl Deref for Scene {
    type Target = TestNode;

    fn deref(&self) -> &TestNode {
        &self.inner
    }
}

impl Scene {
    pub fn modern() -> Self {
        Self::with(Config::of(Mode::Modern))
    }

    pub fn classic() -> Self {
        Self::with(Config::of(Mode::Classic))
    }

    pub fn with(config: Config) -> Self {
        Self {
            mode: config.mode,
            inner: TestNode::with(config),
        }
    }

    /// A node of each mode, one after the other, each with a clock that begins when its turn comes.
    pub fn both() -> impl Iterator<Item = Self> {
        std::iter::once_with(Self::modern).chain(std::iter::once_with(Self::classic))
    }

    /// The same with nothing that keeps ended leases.
    pub fn both_unprotected() -> impl Iterator<Item = Self> {
        let modes = [Mode::Modern, Mode::Classic].into_iter();
        modes.map(|mode| Self::with(unprotected(mode)))
    }

    /// A node in a time that stands still already.
    pub fn in_paused_time(config: Config) -> Self {
        let mode = config.mode;
        let clock = Clock::starting_at(EPOCH);
        let identity = node::identity(&config, 8761, &clock);
        let network = node::network(&config, &identity);
        let node = Node::assemble(config, clock, identity, Placement::Here, Rc::new(network));
        Self {
            mode,
            inner: TestNode::of(node),
        }
    }

    /// A node that was put together elsewhere.
    pub fn of(node: Node) -> Self {
        Self {
            mode: node.http.config.mode,
            inner: TestNode::of(node),
        }
    }

    pub async fn seconds(&self, seconds: u64) {
        exactly(Duration::from_secs(seconds)).await;
    }

    pub async fn millis(&self, millis: u64) {
        exactly(Duration::from_millis(millis)).await;
    }

    /// The number of the last visible change.
    pub fn revision(&self) -> u64 {
        self.node.http.published.revision()
    }

    // === what is done ===

    /// A registration of `APP/id`: UP and stamp 1000 unless `more` says otherwise.
    pub fn registration(&self, name: &str, more: &str) -> Ask<'_> {
        let (app, id) = split(name);
        let body = format!("{{\"instance\":{{{}}}}}", members(app, id, more));
        self.post(&format!("/eureka/apps/{app}"), body).json_body()
    }

    /// Registers as a client.
    pub async fn announce(&self, name: &str, more: &str) {
        let reply = self.registration(name, more).await;
        assert_eq!(reply.status, 204, "{}", reply.text());
    }

    /// Registers as a peer.
    pub async fn announce_by_peer(&self, name: &str, more: &str) {
        let reply = self.registration(name, more).replicated().await;
        assert_eq!(reply.status, 204, "{}", reply.text());
    }

    /// A heartbeat with this query.
    pub async fn beat(&self, name: &str, query: &str) -> u16 {
        self.put(&path(name, "", query)).await.status
    }

    /// The same from a peer; with its answer.
    pub async fn beat_by_peer(&self, name: &str, query: &str) -> Reply {
        self.put(&path(name, "", query)).j().replicated().await
    }

    /// Orders a status.
    pub async fn order(&self, name: &str, query: &str) -> u16 {
        self.put(&path(name, "/status", query)).await.status
    }

    /// Takes an order back.
    pub async fn clear(&self, name: &str, query: &str) -> u16 {
        self.delete(&path(name, "/status", query)).await.status
    }

    pub async fn add_metadata(&self, name: &str, query: &str) -> u16 {
        self.put(&path(name, "/metadata", query)).await.status
    }

    pub async fn cancel(&self, name: &str) -> u16 {
        self.delete(&path(name, "", "")).await.status
    }

    /// Items of a peer's batch; returns the answers.
    pub async fn batch(&self, items: &str) -> Vec<Value> {
        let body = format!("{{\"replicationList\":[{items}]}}");
        let reply = self.post("/eureka/peerreplication/batch/", body);
        let answer = reply.json_body().j().await.json();
        answer["responseList"].as_array().unwrap().clone()
    }

    // === what is seen ===

    /// The instance, read alone; panics unless it is there.
    pub async fn shown(&self, name: &str) -> Value {
        let reply = self.get(&path(name, "", "")).j().await;
        assert_eq!(reply.status, 200, "{name}");
        reply.json()["instance"].clone()
    }

    /// The answer to reading the instance alone.
    pub async fn found(&self, name: &str) -> u16 {
        self.get(&path(name, "", "")).j().await.status
    }

    /// `STATUS/OVERRIDE` of an instance, read alone.
    pub async fn statuses(&self, name: &str) -> String {
        let shown = self.shown(name).await;
        let word = |member: &str| shown[member].as_str().unwrap().to_string();
        format!("{}/{}", word("status"), word("overriddenStatus"))
    }

    /// A time of the instance's lease, in milliseconds since the scene began; 0 for never.
    pub async fn lease_time(&self, name: &str, member: &str) -> u64 {
        let shown = self.shown(name).await;
        shown["leaseInfo"][member]
            .as_u64()
            .unwrap()
            .saturating_sub(EPOCH)
    }

    /// A list of applications as `APP/id STATUS ACTION`, in the order of the answer.
    pub async fn list(&self, path: &str) -> Vec<String> {
        let reply = self.get(&format!("/eureka/{path}")).j().await;
        assert_eq!(reply.status, 200, "{path}");
        rows(&reply.json())
    }

    /// Everything.
    pub async fn apps(&self) -> Vec<String> {
        self.list("apps").await
    }

    /// What changed lately.
    pub async fn delta(&self) -> Vec<String> {
        self.list("apps/delta").await
    }

    /// The overrides as the reference lists them.
    pub async fn overrides(&self) -> Value {
        self.get("/serverinfo/statusoverrides").j().await.json()
    }

    /// One series of the metrics, 0 if there is none.
    pub async fn count(&self, series: &str) -> f64 {
        let page = self.get("/metrics").await.text();
        let value = page
            .lines()
            .filter_map(|line| line.strip_prefix(series))
            .find_map(|rest| rest.strip_prefix(' '));
        value.map_or(0.0, |value| value.parse().unwrap())
    }

    /// Renewals that were counted, by whatever they found.
    pub async fn renewals(&self, origin: &str) -> f64 {
        let mut sum = 0.0;
        for result in ["ok", "newer", "older"] {
            let labels = format!("{{origin=\"{origin}\",result=\"{result}\"}}");
            sum += self.count(&format!("eureka_renewals_total{labels}")).await;
        }
        sum
    }

    /// Leases that the metrics tell.
    pub async fn leases(&self) -> f64 {
        self.count("eureka_leases").await
    }

    /// Requests of this kind that were answered so.
    pub async fn answered(&self, route: &str, method: &str, status: u16) -> f64 {
        let labels = format!("{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}");
        self.count(&format!("eureka_http_requests_total{labels}"))
            .await
    }
}

/// The defaults of a mode, but that self-preservation keeps nothing.
pub fn unprotected(mode: Mode) -> Config {
    let mut config = Config::of(mode);
    config.preservation.enabled = false;
    if mode == Mode::Modern {
        config.preservation.protection = Protection::Off;
    }
    config
}

/// Lets this time pass, timers included, and not a millisecond more. A sleep in paused time oversleeps by
/// up to one, so the last two are stepped over.
pub async fn exactly(time: Duration) {
    let end = tokio::time::Instant::now() + time;
    if let Some(most) = time.checked_sub(Duration::from_millis(2)) {
        tokio::time::sleep(most).await;
    }
    tokio::time::advance(end - tokio::time::Instant::now()).await;
    settle().await;
}

/// Lets everything that is due be carried out, without letting time pass.
pub async fn settle() {
    for _ in 0..16 {
        tokio::task::yield_now().await;
    }
}

/// `APP/id` in its two parts.
pub fn split(name: &str) -> (&str, &str) {
    name.split_once('/').unwrap()
}

fn path(name: &str, below: &str, query: &str) -> String {
    let mark = if query.is_empty() { "" } else { "?" };
    format!("/eureka/apps/{name}{below}{mark}{query}")
}

/// The instances of a list or of one application as `APP/id STATUS ACTION`.
pub fn rows(body: &Value) -> Vec<String> {
    instances(body)
        .iter()
        .map(|instance| {
            let word = |member: &str| instance[member].as_str().unwrap();
            let id = instance["instanceId"].as_str().unwrap_or("-");
            format!(
                "{}/{id} {} {}",
                word("app"),
                word("status"),
                word("actionType")
            )
        })
        .collect()
}

/// The instances of a list or of one application.
pub fn instances(body: &Value) -> Vec<Value> {
    let apps = match &body["applications"]["application"] {
        Value::Array(apps) => apps.clone(),
        _ => vec![body["application"].clone()],
    };
    let of_app = |app: &Value| app["instance"].as_array().cloned().unwrap_or_default();
    apps.iter().flat_map(of_app).collect()
}

/// The hash code that a list says, and the one that its content has.
pub fn hash_codes(body: &Value) -> (String, String) {
    let said = body["applications"]["apps__hashcode"].as_str().unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for instance in instances(body) {
        let status = instance["status"].as_str().unwrap();
        *counts.entry(status.to_string()).or_default() += 1;
    }
    let counted = counts.iter().map(|(status, n)| format!("{status}_{n}_"));
    (said.to_string(), counted.collect())
}

/// Requests sent at the same time, each polled in turn; their answers in the order of the requests.
pub async fn at_once<'f, T>(
    requests: impl IntoIterator<Item = Pin<Box<dyn Future<Output = T> + 'f>>>,
) -> Vec<T> {
    let mut open: Vec<_> = requests.into_iter().map(Some).collect();
    let mut answers: Vec<Option<T>> = open.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (request, answer) in open.iter_mut().zip(&mut answers) {
            if let Some(future) = request
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *answer = Some(value);
                *request = None;
            }
        }
        match open.iter().all(Option::is_none) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    answers.into_iter().flatten().collect()
}

/// A request that sets out after so many turns of the others.
pub fn later<'f>(
    turns: usize,
    request: impl IntoFuture<Output = Reply> + 'f,
) -> Pin<Box<dyn Future<Output = Reply> + 'f>> {
    Box::pin(async move {
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
        request.await
    })
}

/// A list in every form and coding: what to put behind `/eureka`, and the headers.
pub fn every_form(list: &str) -> Vec<(String, Vec<(&'static str, &'static str)>)> {
    let mut forms = Vec::new();
    for (version, accept, compact) in [
        ("", "application/json", false),
        ("", "application/json", true),
        ("", "application/xml", false),
        ("/v1", "application/xml", false),
        ("", "application/xml", true),
    ] {
        for gzip in [false, true] {
            let mut headers = vec![("Accept", accept)];
            headers.extend(compact.then_some(("X-Eureka-Accept", "compact")));
            headers.extend(gzip.then_some(("Accept-Encoding", "gzip")));
            forms.push((format!("/eureka{version}/{list}"), headers));
        }
    }
    forms
}

impl Scene {
    /// Reads a list in one of [`every_form`]; the body unpacked, as text.
    pub async fn read_form(&self, form: &(String, Vec<(&'static str, &'static str)>)) -> String {
        let (path, headers) = form;
        let mut ask = self.request(Method::GET, path);
        for (name, value) in headers {
            ask = ask.header(name, value);
        }
        let reply = ask.await;
        assert_eq!(reply.status, 200, "{path} {headers:?}");
        reply.text()
    }
}
