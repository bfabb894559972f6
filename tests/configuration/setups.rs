//! Three whole set-ups as people have them, in files beside this one: they start, do what the files say, and cluster.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::process::Process;
use crate::running::Connection;
use crate::world::Folder;

/// How long a test waits for something that has to come.
const LONGEST: Duration = Duration::from_secs(60);
const JSON: &str = "Accept: application/json\r\nContent-Type: application/json\r\n";

/// Ports that nobody uses just now.
fn free_ports() -> [String; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port().to_string())
}

async fn list(node: SocketAddr) -> String {
    let mut connection = Connection::open(node).await;
    let reply = connection.ask("GET", "/eureka/v2/apps", JSON, "").await;
    reply.text().to_string()
}

/// Asks a node for its list until all these words are in it.
async fn shows(node: SocketAddr, words: &[&str]) {
    let end = Instant::now() + LONGEST;
    loop {
        let text = timeout(LONGEST, list(node)).await.unwrap();
        if words.iter().all(|word| text.contains(word)) {
            return;
        }
        assert!(Instant::now() < end, "{words:?} are not in {text}");
    }
}

async fn register(node: SocketAddr, app: &str) {
    let body = format!(
        r#"{{"instance":{{"instanceId":"i","hostName":"h","app":"{app}","ipAddr":"10.0.0.1",
        "dataCenterInfo":{{"name":"MyOwn"}}}}}}"#
    );
    let mut connection = Connection::open(node).await;
    let path = format!("/eureka/apps/{app}");
    assert_eq!(connection.ask("POST", &path, JSON, &body).await.status, 204);
}

fn warnings(node: &mut Process) -> Vec<String> {
    node.signal("TERM");
    let end = node.end();
    assert_eq!(end.code, Some(0), "{end:?}");
    assert!(end.stderr.is_empty(), "{end:?}");
    let lines = end.stdout.lines().filter(|line| line.contains(" WARN "));
    // What this machine and the order of the starts bring is no setting.
    let others = [
        "files may be open",
        "the peer is not there",
        "self-preservation: ",
    ];
    let is_other = |line: &&str| others.iter().any(|other| line.contains(other));
    lines
        .filter(|line| !is_other(line))
        .map(|line| line.split_once(" WARN ").unwrap().1.trim().to_string())
        .collect()
}

#[tokio::test]
async fn a_single_node_starts_alone_and_serves_at_once() {
    let [port, _] = free_ports();
    let folder = Folder::of_setup("single-node", &[("port: 8761", &format!("port: {port}"))]);
    let config = folder.config(&[], &[]).unwrap();
    assert!(!config.preservation.enabled && config.peers.register == Some(false));
    assert_eq!(config.peers.max_batches, 20);
    let mut node = folder.start(&[], &[]);
    let address = node.address();
    register(address, "A").await;
    shows(address, &[r#""instanceId":"i""#]).await;
    let warnings = warnings(&mut node);
    let starts = [
        "eureka.server.response-cache-update-interval-ms has no effect",
        "eureka.client.fetch-registry: false does not",
        "management.endpoints.web.exposure.include has no effect",
    ];
    for start in starts {
        assert!(
            warnings.iter().any(|line| line.starts_with(start)),
            "{start}: {warnings:#?}"
        );
    }
}

#[tokio::test]
async fn two_nodes_of_one_file_find_each_other_by_their_profiles() {
    let [first, second] = free_ports();
    let folder = Folder::of_setup(
        "two-nodes",
        &[
            ("port: 8761", &format!("port: {first}")),
            ("port: 8762", &format!("port: {second}")),
            ("http://peer1:8761", &format!("http://127.0.0.1:{first}")),
            ("http://peer2:8762", &format!("http://127.0.0.1:{second}")),
        ],
    );
    let mut one = folder.start(&[], &[("SPRING_PROFILES_ACTIVE", "peer1")]);
    let mut two = folder.start(&["--spring.profiles.active=peer2"], &[]);
    let (at_one, at_two) = (one.address(), two.address());
    register(at_one, "A").await;
    register(at_two, "B").await;
    for node in [at_one, at_two] {
        let words = [
            "\"A\"",
            "\"B\"",
            "DISCOVERY",
            "\"first\"",
            "\"second\"",
            "\"r2\"",
            "\"peer1\"",
            "\"peer2\"",
        ];
        shows(node, &words).await;
    }
    let aws =
        "eureka.server.binding-strategy has no effect: there is nothing of AWS in this server";
    let old =
        "application.yml: spring.profiles is read as spring.config.activate.on-profile; write that";
    for node in [&mut one, &mut two] {
        let warnings = warnings(node);
        assert!(warnings.contains(&aws.to_string()), "{warnings:?}");
        assert!(warnings.contains(&old.to_string()), "{warnings:?}");
    }
}

#[tokio::test]
async fn nodes_with_netflix_properties_cluster_under_the_path_of_the_war() {
    let [first, second] = free_ports();
    let start = |own: &str| {
        let folder = Folder::of_setup(
            "netflix",
            &[
                ("eureka.port=8080", &format!("eureka.port={own}")),
                ("http://first:8080", &format!("http://127.0.0.1:{first}")),
                (
                    "http://second:${eureka.port}",
                    &format!("http://127.0.0.1:{second}"),
                ),
            ],
        );
        let node = folder.start(&[], &[]);
        (folder, node)
    };
    let ((folder, mut one), (_two, mut two)) = (start(&first), start(&second));
    let config = folder.config(&[], &[]).unwrap();
    assert_eq!(config.peers.zones, ["z1", "z2"]);
    assert_eq!(config.peers.read_timeout, Duration::from_secs(2));
    let (at_one, at_two) = (one.address(), two.address());
    assert_eq!(at_one.port().to_string(), first);
    register(at_one, "A").await;
    for node in [at_one, at_two] {
        shows(
            node,
            &["\"A\"", "\"EUREKA\"", "eureka.mydomain.net", "\"r1\""],
        )
        .await;
    }
    let aws =
        "eureka.server.binding-strategy has no effect: there is nothing of AWS in this server";
    for node in [&mut one, &mut two] {
        assert_eq!(warnings(node), [aws]);
    }
}
