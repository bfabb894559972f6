//! Nothing acknowledged is lost or hidden: a real node with threads of its own, 64 clients at once.
//!
//! Each client changes its own instance over one connection and, after every acknowledgement, reads over
//! another one, in turns in every kind of list, in JSON and XML, plain and packed. What it reads must show
//! its change. Of the others it must see states that existed: never a mix of two registrations, never an
//! older one than it saw in a list before, and a hash code that is that of the content. Beside them, clients
//! that only merge deltas must agree with every hash code that they get.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "support/running.rs"]
mod running;

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;

use heureka::config::{Config, Mode};
use running::{Answer, Connection, Running};

const CLIENTS: usize = 64;
const STEPS: usize = 40;
/// Clients that merge deltas, and how often each does.
const MERGERS: usize = 4;
const POLLS: usize = 40;

// === what is read ===

/// An instance as a reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    id: String,
    status: String,
    action: String,
    /// The number of the registration.
    n: usize,
    /// The number of the last update of metadata since then.
    m: usize,
}

/// A list or an instance as it was read.
#[derive(Debug)]
struct Seen {
    hash_code: Option<String>,
    rows: BTreeMap<String, Row>,
}

/// The value of a member; the texts of this test have nothing in them that is escaped.
fn member<'t>(text: &'t str, json: bool, name: &str) -> Option<&'t str> {
    let (mark, end) = match json {
        true => (format!("\"{name}\":\""), '"'),
        false => (format!("<{name}>"), '<'),
    };
    text.split_once(&mark)?.1.split(end).next()
}

fn seen(answer: &Answer) -> Seen {
    let mut unpacked = String::new();
    let text = if answer.header("content-encoding") == Some("gzip") {
        let mut unpack = flate2::read::GzDecoder::new(&answer.body[..]);
        unpack.read_to_string(&mut unpacked).unwrap();
        &unpacked
    } else {
        answer.text()
    };
    let json = text.starts_with('{');
    // Everything of an instance comes after its id.
    let mark = if json {
        "\"instanceId\":\""
    } else {
        "<instanceId>"
    };
    let rows = text.split(mark).skip(1).map(|text| row(text, json));
    Seen {
        hash_code: member(text, json, "apps__hashcode").map(str::to_string),
        rows: rows.map(|row| (row.id.clone(), row)).collect(),
    }
}

/// A registration says its number in three places, which agree or are a mix of two.
fn row(text: &str, json: bool) -> Row {
    let word = |name| member(text, json, name).unwrap().to_string();
    let number = |name| word(name).parse::<usize>().unwrap();
    let n = number("n");
    assert_eq!(number("lastDirtyTimestamp"), n, "a mix: {text}");
    assert_eq!(number("statusPageUrl"), n, "a mix: {text}");
    let id = text.split(['"', '<']).next().unwrap();
    Row {
        id: id.to_string(),
        status: word("status"),
        action: word("actionType"),
        n,
        m: number("m"),
    }
}

fn hash_code<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.for_each(|row| *counts.entry(&row.status).or_default() += 1);
    counts
        .iter()
        .map(|(status, n)| format!("{status}_{n}_"))
        .collect()
}

// === the clients ===

/// What the registry has acknowledged of one instance.
#[derive(Clone, Debug)]
struct Held {
    status: &'static str,
    ordered: Option<&'static str>,
    n: usize,
    m: usize,
}

/// One client with its instance.
struct Client {
    number: usize,
    writer: Connection,
    reader: Connection,
    /// `None` if it is not registered.
    held: Option<Held>,
    /// Changes so far.
    changes: usize,
    /// The newest registration of each instance that a list showed.
    newest: BTreeMap<String, usize>,
    random: u64,
}

impl Client {
    async fn new(address: SocketAddr, number: usize) -> Self {
        Self {
            number,
            writer: Connection::open(address).await,
            reader: Connection::open(address).await,
            held: None,
            changes: 0,
            newest: BTreeMap::new(),
            random: number as u64 + 1,
        }
    }

    /// A number below `end`: the same story every time, as far as one client goes.
    fn random(&mut self, end: usize) -> usize {
        let next = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = next.wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % end
    }

    fn app(&self) -> String {
        format!("APP-{}", self.number % 8)
    }

    fn id(&self) -> String {
        format!("i{}", self.number)
    }

    async fn write(&mut self, method: &str, below: &str, query: &str) {
        let path = format!("/eureka/apps/{}/{}{below}{query}", self.app(), self.id());
        let answer = self.writer.ask(method, &path, "", "").await;
        assert_eq!(answer.status, 200, "{method} {path}");
    }

    /// Changes something; returns once that is acknowledged.
    async fn change(&mut self) {
        self.changes += 1;
        let (what, n) = (self.random(8), self.changes);
        let status = ["DOWN", "OUT_OF_SERVICE", "STARTING", "UP"][self.random(4)];
        let Some(mut held) = self.held.take() else {
            return self.register(None).await;
        };
        match what {
            0 | 1 => return self.register(held.ordered).await,
            2 => return self.write("DELETE", "", "").await,
            3 | 4 => {
                self.write("PUT", "/metadata", &format!("?m={n}")).await;
                held.m = n;
            }
            5 => {
                self.write("DELETE", "/status", &format!("?value={status}"))
                    .await;
                if held.ordered.take().is_some() {
                    held.status = status;
                }
            }
            _ => {
                self.write("PUT", "/status", &format!("?value={status}"))
                    .await;
                if held.status != status {
                    (held.status, held.ordered) = (status, Some(status));
                }
            }
        }
        self.held = Some(held);
    }

    /// As UP; an order that is in force stays.
    async fn register(&mut self, ordered: Option<&'static str>) {
        let (app, id, n) = (self.app(), self.id(), self.changes);
        let body = format!(
            r#"{{"instance":{{"instanceId":"{id}","hostName":"h","app":"{app}","ipAddr":"10.0.0.1",
            "status":"UP","dataCenterInfo":{{"name":"MyOwn"}},"vipAddress":"vip-{app}","statusPageUrl":"{n}",
            "lastDirtyTimestamp":"{n}","metadata":{{"n":"{n}","m":"0"}}}}}}"#
        );
        let headers = "Content-Type: application/json\r\n";
        let path = format!("/eureka/apps/{app}");
        let answer = self.writer.ask("POST", &path, headers, &body).await;
        assert_eq!(answer.status, 204, "{path}: {answer:?}");
        self.held = Some(Held {
            status: ordered.unwrap_or("UP"),
            ordered,
            n,
            m: 0,
        });
    }

    /// Reads in the `turn`'s way and checks that what was acknowledged is there.
    async fn check(&mut self, turn: usize) {
        let (app, id) = (self.app(), self.id());
        let path = match turn % 7 {
            0 => "apps".to_string(),
            1 => "apps/delta".to_string(),
            2 | 3 => format!("apps/{app}"),
            4 | 5 => format!("vips/vip-{app}"),
            _ => format!("apps/{app}/{id}"),
        };
        let accept = ["json", "xml"][turn / 7 % 2];
        let packed = ["", "Accept-Encoding: gzip\r\n"][turn / 14 % 2];
        let headers = format!("Accept: application/{accept}\r\n{packed}");
        let answer = self
            .reader
            .ask("GET", &format!("/eureka/{path}"), &headers, "")
            .await;
        let seen = match answer.status {
            404 => seen(&Answer {
                body: Vec::new(),
                ..answer
            }),
            status => {
                assert_eq!(status, 200, "{path}");
                seen(&answer)
            }
        };
        let case = format!("{path} {headers:?} after change {}", self.changes);
        self.is_shown(&seen, path == "apps/delta", &case);
        if turn % 7 != 6 {
            self.goes_on(&seen, &case);
        }
        if path == "apps" || path.starts_with("vips") {
            assert_eq!(
                seen.hash_code,
                Some(hash_code(seen.rows.values())),
                "{case}"
            );
        }
    }

    fn is_shown(&self, seen: &Seen, delta: bool, case: &str) {
        let shown = seen.rows.get(&self.id());
        match &self.held {
            Some(held) => {
                let row = shown.unwrap_or_else(|| panic!("hidden: {} in {case}", self.id()));
                let expected = (held.status, held.n, held.m);
                assert_eq!(
                    (&*row.status, row.n, row.m),
                    expected,
                    "{} in {case}",
                    self.id()
                );
                assert_ne!(row.action, "DELETED", "{case}");
            }
            None if delta => assert_eq!(shown.map(|row| &*row.action), Some("DELETED"), "{case}"),
            None => assert_eq!(shown, None, "{case}"),
        }
    }

    /// Of nobody a list shows an older registration than a list before.
    fn goes_on(&mut self, seen: &Seen, case: &str) {
        for row in seen.rows.values() {
            let newest = self.newest.entry(row.id.clone()).or_default();
            assert!(
                row.n >= *newest,
                "{} went back to {} in {case}",
                row.id,
                row.n
            );
            *newest = row.n;
        }
    }

    async fn live(mut self) {
        for step in 0..STEPS {
            self.change().await;
            self.check(self.number + step).await;
        }
    }
}

/// Reads everything once, then merges what each delta says, as Java's client does.
async fn merge_deltas(address: SocketAddr) -> BTreeMap<String, Row> {
    let mut connection = Connection::open(address).await;
    let mut merged = read(&mut connection, "apps").await.rows;
    for poll in 0..POLLS {
        let delta = read(&mut connection, "apps/delta").await;
        for (id, row) in delta.rows {
            match row.action.as_str() {
                "DELETED" => _ = merged.remove(&id),
                _ => _ = merged.insert(id, row),
            }
        }
        assert_eq!(
            delta.hash_code,
            Some(hash_code(merged.values())),
            "poll {poll}"
        );
    }
    merged
}

async fn read(connection: &mut Connection, list: &str) -> Seen {
    let accept = "Accept: application/json\r\n";
    seen(
        &connection
            .ask("GET", &format!("/eureka/{list}"), accept, "")
            .await,
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_acknowledged_is_lost_or_hidden_from_64_concurrent_clients() {
    let node = Running::start(Config::of(Mode::Modern));
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        clients.push(Client::new(node.address, number).await);
    }
    let mergers: Vec<_> = (0..MERGERS)
        .map(|_| tokio::spawn(merge_deltas(node.address)))
        .collect();
    let clients: Vec<_> = clients
        .into_iter()
        .map(|client| tokio::spawn(client.live()))
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    for merger in mergers {
        merger.await.unwrap();
    }

    let mut connection = Connection::open(node.address).await;
    let all = read(&mut connection, "apps").await;
    assert_eq!(all.hash_code, Some(hash_code(all.rows.values())));
    // Nothing changes any more: whoever merges now ends with everything there is.
    assert_eq!(merge_deltas(node.address).await, all.rows);
}
