//! Three nodes as processes on real ports: what one is told all show, and no reader ever sees less than was
//! acknowledged a second before, whichever node is killed and started again.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "support/process.rs"]
mod process;

use std::cell::{Cell, RefCell};
use std::net::TcpListener;
use std::rc::Rc;
use std::time::Duration;

use process::Process;
use reqwest::{Client, StatusCode};
use tokio::task::{LocalSet, yield_now};
use tokio::time::{Instant, timeout};

/// How long a test waits for something that has to come.
const LONGEST: Duration = Duration::from_secs(60);
/// What was acknowledged so long ago is in every list.
const A_SECOND: Duration = Duration::from_secs(1);
const NODES: usize = 3;

/// Ports that nobody uses just now.
fn free_ports() -> [u16; NODES] {
    let listeners = [(); NODES].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

/// The nodes of a cluster, and how to speak to them.
struct Cluster {
    ports: [u16; NODES],
    nodes: RefCell<[Option<Process>; NODES]>,
    client: Client,
}

impl Cluster {
    fn start() -> Self {
        // Another test may have done it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cluster = Self {
            ports: free_ports(),
            nodes: RefCell::default(),
            client: Client::builder().timeout(LONGEST).build().unwrap(),
        };
        (0..NODES).for_each(|node| cluster.start_node(node));
        cluster
    }

    /// All have the same list, itself in it: by name and by address, with and without a slash, and a blank.
    fn start_node(&self, node: usize) {
        let [a, b, c] = self.ports;
        let peers = format!(
            "http://127.0.0.1:{a}/eureka/,http://localhost:{b}/eureka, http://127.0.0.1:{c}/eureka"
        );
        let mut process = Process::start(
            &[
                &format!("--port={}", self.ports[node]),
                "--server.address=127.0.0.1",
                &format!("--eureka.client.service-url.defaultZone={peers}"),
                "--eureka.client.register-with-eureka=false",
                "--eureka.server.wait-time-in-ms-when-sync-empty=1000",
                "--eureka.server.shed-lag-in-ms=0",
            ],
            &[],
        );
        process.address();
        self.nodes.borrow_mut()[node] = Some(process);
    }

    fn kill(&self, node: usize) {
        // Dropping a process kills it.
        self.nodes.borrow_mut()[node] = None;
    }

    fn url(&self, node: usize, path: &str) -> String {
        format!("http://127.0.0.1:{}/eureka/{path}", self.ports[node])
    }

    async fn register(&self, node: usize, id: &str) {
        let body = format!(
            r#"{{"instance":{{"instanceId":"{id}","hostName":"h","app":"A","ipAddr":"10.0.0.1",
            "dataCenterInfo":{{"name":"MyOwn"}}}}}}"#
        );
        let request = self.client.post(self.url(node, "apps/A")).body(body);
        let request = request.header("content-type", "application/json");
        let status = request.send().await.unwrap().status();
        assert_eq!(status, StatusCode::NO_CONTENT, "{id} at {node}");
    }

    /// How many instances the node lists; `None` while it lists none at all, or is not there.
    async fn listed(&self, node: usize) -> Option<usize> {
        let request = self.client.get(self.url(node, "apps"));
        let answer = request.header("accept", "application/json").send().await;
        let answer = answer
            .ok()
            .filter(|answer| answer.status() == StatusCode::OK)?;
        let list: serde_json::Value = serde_json::from_slice(&answer.bytes().await.ok()?).ok()?;
        let apps = list["applications"]["application"].as_array().unwrap();
        let of_app = |app: &serde_json::Value| app["instance"].as_array().unwrap().len();
        Some(apps.iter().map(of_app).sum())
    }

    /// Waits until these nodes list so many.
    async fn until_listed(&self, nodes: &[usize], count: usize) {
        for node in nodes {
            let wait = async {
                while self.listed(*node).await != Some(count) {
                    yield_now().await;
                }
            };
            let waited = timeout(LONGEST, wait).await;
            assert!(waited.is_ok(), "node {node} does not list {count}");
        }
    }
}

#[tokio::test]
async fn what_one_node_is_told_all_of_them_show() {
    let cluster = Cluster::start();
    for node in 0..NODES {
        cluster.register(node, &format!("i{node}")).await;
    }
    cluster.until_listed(&[0, 1, 2], NODES).await;
    let gone = cluster.client.delete(cluster.url(1, "apps/A/i0"));
    assert_eq!(gone.send().await.unwrap().status(), StatusCode::OK);
    cluster.until_listed(&[0, 1, 2], NODES - 1).await;
}

/// What was acknowledged, and when.
#[derive(Default)]
struct Acknowledged {
    all: RefCell<Vec<Instant>>,
}

impl Acknowledged {
    fn count(&self) -> usize {
        self.all.borrow().len()
    }

    fn by(&self, then: Instant) -> usize {
        self.all.borrow().partition_point(|at| *at <= then)
    }
}

#[tokio::test]
async fn no_reader_sees_less_than_was_acknowledged_a_second_before_while_nodes_are_killed() {
    let cluster = Rc::new(Cluster::start());
    let acknowledged = Rc::new(Acknowledged::default());
    let over = Rc::new(Cell::new(false));
    let local = LocalSet::new();
    let readers: Vec<_> = (0..NODES)
        .map(|node| {
            let (cluster, acknowledged, over) =
                (cluster.clone(), acknowledged.clone(), over.clone());
            local.spawn_local(async move {
                let mut reads = 0;
                while !over.get() {
                    let asked = Instant::now();
                    if let Some(listed) = cluster.listed(node).await {
                        let expected = asked
                            .checked_sub(A_SECOND)
                            .map_or(0, |t| acknowledged.by(t));
                        assert!(listed >= expected, "{listed} of {expected} at node {node}");
                        reads += 1;
                    }
                    yield_now().await;
                }
                reads
            })
        })
        .collect();
    let story = async {
        for victim in 0..NODES {
            let others = [(victim + 1) % NODES, (victim + 2) % NODES];
            write(&cluster, &acknowledged, &[0, 1, 2]).await;
            cluster.until_listed(&others, acknowledged.count()).await;
            cluster.kill(victim);
            write(&cluster, &acknowledged, &others).await;
            cluster.start_node(victim);
            write(&cluster, &acknowledged, &others).await;
            cluster.until_listed(&[0, 1, 2], acknowledged.count()).await;
        }
        over.set(true);
        for reader in readers {
            assert!(reader.await.unwrap() > 10);
        }
    };
    local.run_until(story).await;
    assert_eq!(acknowledged.count(), NODES * 60);
}

/// Registers twenty instances, each at the next of these nodes.
async fn write(cluster: &Cluster, acknowledged: &Acknowledged, nodes: &[usize]) {
    for n in 0..20 {
        let id = format!("i{}", acknowledged.count());
        cluster.register(nodes[n % nodes.len()], &id).await;
        acknowledged.all.borrow_mut().push(Instant::now());
    }
}

#[tokio::test]
async fn a_node_that_is_told_to_stop_tells_its_peers_everything_first() {
    let cluster = Cluster::start();
    cluster.until_listed(&[0, 1, 2], 0).await;
    for n in 0..50 {
        cluster.register(0, &format!("i{n}")).await;
    }
    let mut leaving = cluster.nodes.borrow_mut()[0].take().unwrap();
    leaving.signal("TERM");
    let end = leaving.end();
    assert_eq!(end.code, Some(0), "{end:?}");
    for node in [1, 2] {
        assert_eq!(cluster.listed(node).await, Some(50), "{}", end.stdout);
    }
}
