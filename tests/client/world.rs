//! Servers in memory: they share one registry, as a cluster does, and each is well, dead, silent or odd.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use heureka::client::{
    Backend, Builder, CallFailed, EurekaClient, Instance, Pending, Request, Response, ServiceAt,
};
use heureka::clock::Clock;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

/// The wall clock of a test begins here.
pub const EPOCH: u64 = 1_800_000_000_000;
/// How long an answer takes where nothing is wrong.
const USUAL: Duration = Duration::from_millis(2);

/// How a server behaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Mood {
    Well,
    /// Nobody listens.
    Dead,
    /// It takes requests and never answers.
    Silent,
    /// It answers this to everything.
    Says(Response),
}

/// What a server got.
#[derive(Clone, Debug, PartialEq)]
pub struct Got {
    /// Since the test began.
    pub at: Duration,
    pub host: String,
    /// `PUT apps/ORDERS/i?status=UP…`, below the service URL.
    pub line: String,
    pub status: u16,
}

/// A record as the servers have it.
#[derive(Clone, Debug)]
pub struct Record {
    pub body: Value,
    pub dirty: u64,
}

struct State {
    began: Instant,
    moods: BTreeMap<String, Mood>,
    delay: Duration,
    records: BTreeMap<String, Record>,
    /// What changed, with the action in it, the oldest first.
    changes: Vec<Value>,
    /// What deltas are answered, in the place of a delta.
    no_delta: Option<u16>,
    /// The hash code that lists have, in the place of the right one.
    hash: Option<String>,
    names: BTreeMap<String, Vec<String>>,
    log: Vec<Got>,
    headers: Vec<(&'static str, String)>,
    overdue: Duration,
}

/// All servers; clones are the same world.
#[derive(Clone)]
pub struct World(Arc<Mutex<State>>);

impl World {
    /// Servers that are well, under these host names.
    pub fn of(hosts: &[&str]) -> Self {
        Self(Arc::new(Mutex::new(State {
            began: Instant::now(),
            moods: hosts
                .iter()
                .map(|host| (host.to_string(), Mood::Well))
                .collect(),
            delay: USUAL,
            records: BTreeMap::new(),
            changes: Vec::new(),
            no_delta: None,
            hash: None,
            names: BTreeMap::new(),
            log: Vec::new(),
            headers: Vec::new(),
            overdue: Duration::ZERO,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn mood(&self, host: &str, mood: Mood) {
        self.state().moods.insert(host.to_string(), mood);
    }

    pub fn says(&self, host: &str, status: u16) {
        let says = Response {
            status,
            ..Response::default()
        };
        self.mood(host, Mood::Says(says));
    }

    /// How long every answer takes.
    pub fn delay(&self, delay: Duration) {
        self.state().delay = delay;
    }

    /// The registry loses everything.
    pub fn forget(&self) {
        self.state().records.clear();
    }

    /// An instance registers by other means.
    pub fn put(&self, app: &str, id: &str, status: &str) {
        let instance = json!({
            "instanceId": id, "hostName": format!("{id}.example"), "app": app, "ipAddr": "10.0.0.9",
            "status": status, "vipAddress": app.to_lowercase(), "lastDirtyTimestamp": "1",
            "dataCenterInfo": {"name": "MyOwn"},
        });
        self.state()
            .put(app, id, json!({ "instance": instance }), 1);
    }

    /// An instance goes, and deltas say so.
    pub fn take(&self, app: &str, id: &str) {
        self.state().take(&format!("{app}/{id}"));
    }

    /// An instance goes, and no delta says so.
    pub fn lose(&self, app: &str, id: &str) {
        let mut state = self.state();
        assert!(state.take(&format!("{app}/{id}")));
        state.changes.pop();
    }

    /// An instance gets a pair of metadata.
    pub fn metadata(&self, app: &str, id: &str, key: &str, value: &str) {
        let mut state = self.state();
        let Record { mut body, dirty } = state.records[&format!("{app}/{id}")].clone();
        body["instance"]["metadata"][key] = value.into();
        state.put(app, id, body, dirty);
    }

    /// An instance is somewhere else.
    #[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
    pub fn reached_at(&self, app: &str, id: &str, host: &str, port: u16) {
        let mut state = self.state();
        let Record { mut body, dirty } = state.records[&format!("{app}/{id}")].clone();
        body["instance"]["hostName"] = host.into();
        body["instance"]["port"] = json!({"$": port, "@enabled": "true"});
        state.put(app, id, body, dirty);
    }

    /// Deltas are empty from now on, until something else happens.
    pub fn forget_changes(&self) {
        self.state().changes.clear();
    }

    /// An operator orders a status.
    pub fn order(&self, app: &str, id: &str, status: &str) {
        let mut state = self.state();
        let Record { mut body, dirty } = state.records[&format!("{app}/{id}")].clone();
        body["instance"]["status"] = status.into();
        state.put(app, id, body, dirty);
    }

    pub fn no_delta(&self, status: u16) {
        self.state().no_delta = Some(status);
    }

    /// What a name stands for: addresses, texts or hosts, whatever is asked. Nothing takes it away.
    pub fn name(&self, name: &str, texts: &[&str]) {
        let texts = texts.iter().map(|text| text.to_string()).collect();
        self.state().names.insert(name.to_string(), texts);
    }

    fn named(&self, name: &str) -> io::Result<Vec<String>> {
        let found = self.state().names.get(name).cloned();
        let found = found.filter(|found| !found.is_empty());
        found.ok_or_else(|| io::Error::other(format!("{name} is not known")))
    }

    /// Lists have a wrong hash code, or none.
    pub fn hash(&self, hash: &str) {
        self.state().hash = Some(hash.to_string());
    }

    /// `APP/id` of all that are registered.
    pub fn keys(&self) -> Vec<String> {
        self.state().records.keys().cloned().collect()
    }

    pub fn record(&self, key: &str) -> Option<Record> {
        self.state().records.get(key).cloned()
    }

    pub fn log(&self) -> Vec<Got> {
        self.state().log.clone()
    }

    /// The lines that came, without what follows a `?`.
    pub fn lines(&self) -> Vec<String> {
        let plain = |got: Got| got.line.split('?').next().unwrap().to_string();
        self.log().into_iter().map(plain).collect()
    }

    /// How many requests of this method came.
    pub fn count(&self, method: &str) -> usize {
        let log = self.log();
        log.iter()
            .filter(|got| got.line.starts_with(method))
            .count()
    }

    /// By how much any request outlived the time that it was given.
    pub fn overdue(&self) -> Duration {
        self.state().overdue
    }

    /// The headers of the last request.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        self.state().headers.clone()
    }

    /// A client of all servers, that registers nothing yet.
    pub fn client(&self, seed: u64) -> Builder {
        let hosts: Vec<_> = self.state().moods.keys().cloned().collect();
        let urls: Vec<_> = hosts
            .iter()
            .map(|host| format!("http://{host}/eureka/"))
            .collect();
        EurekaClient::builder()
            .server(urls.join(","))
            .backend(self.clone())
            .clock(Clock::starting_at(EPOCH))
            .seed(seed)
    }

    /// A client that is going to register this, and nothing else.
    pub fn registering(&self, seed: u64, instance: Instance) -> Builder {
        let client = self.client(seed).fetch_registry(false);
        client.register(instance)
    }

    /// A client that registers `ORDERS/i`, and does nothing else.
    pub async fn orders(&self, seed: u64) -> EurekaClient {
        let client = self.registering(seed, orders());
        client.start().await.unwrap()
    }

    /// A client that only follows the registry, and has read it once.
    pub async fn reader(&self) -> EurekaClient {
        let client = self.client(1).wait_fetched(secs(10)).start().await;
        client.unwrap()
    }
}

pub fn orders() -> Instance {
    Instance::new("orders")
        .id("i")
        .host_name("h")
        .ip_addr("10.0.0.7")
        .port(9000)
}

impl State {
    fn answer(&mut self, host: &str, request: &Request, path: &str) -> Response {
        let answer = match self.moods.get(host) {
            Some(Mood::Says(says)) => says.clone(),
            _ if request.method == "GET" => self.list(path),
            _ => Response {
                status: self.carry_out(request, path),
                ..Response::default()
            },
        };
        self.note(host, request, path, answer.status);
        answer
    }

    fn put(&mut self, app: &str, id: &str, body: Value, dirty: u64) {
        let mut change = body["instance"].clone();
        change["actionType"] = "ADDED".into();
        self.changed(change);
        self.records
            .insert(format!("{app}/{id}"), Record { body, dirty });
    }

    /// One entry for each instance, the newest last.
    fn changed(&mut self, change: Value) {
        let key = |change: &Value| (change["app"].clone(), change["instanceId"].clone());
        self.changes.retain(|known| key(known) != key(&change));
        self.changes.push(change);
    }

    fn take(&mut self, key: &str) -> bool {
        let Some(record) = self.records.remove(key) else {
            return false;
        };
        let mut change = record.body["instance"].clone();
        change["actionType"] = "DELETED".into();
        self.changed(change);
        true
    }

    /// A full list, the last twenty changes, or those of a VIP.
    fn list(&self, path: &str) -> Response {
        let path = path.split('?').next().unwrap();
        let all = || {
            self.records
                .values()
                .map(|record| record.body["instance"].clone())
        };
        let instances: Vec<Value> = match path {
            "apps/" => all().collect(),
            "apps/delta" => self.changes.iter().rev().take(20).rev().cloned().collect(),
            _ => {
                let vip = path.strip_prefix("vips/").unwrap();
                all()
                    .filter(|instance| instance["vipAddress"] == vip)
                    .collect()
            }
        };
        let status = match self.no_delta {
            Some(status) if path == "apps/delta" => status,
            _ if path.starts_with("vips/") && instances.is_empty() => 404,
            _ => 200,
        };
        let hash = self.hash.clone().unwrap_or_else(|| self.right_hash());
        let apps: Vec<_> = instances
            .iter()
            .map(|instance| json!({"name": instance["app"], "instance": [instance]}))
            .collect();
        let list = json!({"applications": {
            "versions__delta": "1", "apps__hashcode": hash, "application": apps,
        }});
        Response {
            status,
            body: list.to_string().into(),
            ..Response::default()
        }
    }

    fn right_hash(&self) -> String {
        let mut counts = BTreeMap::<&str, usize>::new();
        for record in self.records.values() {
            let status = record.body["instance"]["status"].as_str().unwrap();
            *counts.entry(status).or_default() += 1;
        }
        let counts = counts.iter();
        counts
            .map(|(status, count)| format!("{status}_{count}_"))
            .collect()
    }

    fn note(&mut self, host: &str, request: &Request, path: &str, status: u16) {
        self.headers = request.headers.clone();
        self.log.push(Got {
            at: self.began.elapsed(),
            host: host.to_string(),
            line: format!("{} {path}", request.method),
            status,
        });
    }

    /// As Eureka does it: a heartbeat with a newer stamp than the record's is unknown, too.
    fn carry_out(&mut self, request: &Request, path: &str) -> u16 {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let key = path.trim_start_matches("apps/").to_string();
        match request.method {
            "POST" => {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                let instance = &body["instance"];
                let id = instance["instanceId"].as_str().unwrap().to_string();
                let dirty = instance["lastDirtyTimestamp"].as_str().unwrap();
                let dirty = dirty.parse().unwrap();
                self.put(&key, &id, body, dirty);
                204
            }
            "PUT" => {
                let dirty = query.split_once("lastDirtyTimestamp=").unwrap().1;
                let dirty: u64 = dirty.parse().unwrap();
                match self.records.get(&key) {
                    Some(record) if record.dirty >= dirty => 200,
                    _ => 404,
                }
            }
            "DELETE" => match self.take(&key) {
                true => 200,
                false => 404,
            },
            _ => 405,
        }
    }
}

/// A request for as long as somebody waits for it.
struct Waited {
    world: World,
    since: Instant,
    timeout: Duration,
}

impl Drop for Waited {
    fn drop(&mut self) {
        let over = self.since.elapsed().saturating_sub(self.timeout);
        let state = &mut *self.world.state();
        state.overdue = state.overdue.max(over);
    }
}

impl Backend for World {
    fn send(&self, request: Request) -> Pending<Result<Response, CallFailed>> {
        let world = self.clone();
        let waited = Waited {
            world: self.clone(),
            since: Instant::now(),
            timeout: request.timeout,
        };
        Box::pin(async move {
            let _waited = waited;
            let url = Url::parse(&request.url).unwrap();
            let host = url.host_str().unwrap().to_string();
            let path = request.url.split_once("/eureka/").unwrap().1.to_string();
            let mood = world.state().moods.get(&host).cloned();
            let delay = world.state().delay;
            match mood {
                None | Some(Mood::Dead) => {
                    let why = format!("{host} refuses connections");
                    return Err(CallFailed::Unreachable(why));
                }
                Some(Mood::Silent) => std::future::pending().await,
                Some(Mood::Well | Mood::Says(_)) => sleep(delay / 2).await,
            }
            // From here on it is carried out, whoever waits for the answer.
            let answer = world.state().answer(&host, &request, &path);
            sleep(delay / 2).await;
            Ok(answer)
        })
    }

    fn addresses(&self, host: &str) -> Pending<io::Result<Vec<IpAddr>>> {
        let found = self.named(host);
        let addresses = found.map(|texts| texts.iter().map(|text| text.parse().unwrap()).collect());
        Box::pin(async { addresses })
    }

    fn texts(&self, name: &str) -> Pending<io::Result<Vec<String>>> {
        let found = self.named(name);
        Box::pin(async { found })
    }

    /// The last host is for when the others fail.
    fn services(&self, name: &str) -> Pending<io::Result<Vec<ServiceAt>>> {
        let found = self.named(name).map(|hosts| {
            let last = hosts.len() - 1;
            let hosts = hosts.into_iter().enumerate();
            let service = |(index, host)| ServiceAt {
                host,
                port: 8761,
                priority: if index == last { 2 } else { 1 },
            };
            hosts.map(service).collect()
        });
        Box::pin(async { found })
    }
}

/// Seconds, for sums.
pub fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub async fn pass(time: Duration) {
    sleep(time).await;
}
