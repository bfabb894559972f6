//! Passwords on connections that are kept open, and between nodes.

use std::net::SocketAddr;

use heureka::config::{Config, Mode, Password, User};
use heureka::model::{Grant, Role};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::running::{Answer, Connection, Running};
use crate::{LONGEST, registration};

/// node:s3cret
const NODE: &str = "Authorization: Basic bm9kZTpzM2NyZXQ=\r\n";
const JSON: &str = "Accept: application/json\r\nContent-Type: application/json\r\n";

/// A node that knows one other, by this password.
fn guarded(password: &str) -> Config {
    let mut config = Config::of(Mode::Modern);
    config.security.users = vec![User {
        name: "node".to_string(),
        password: Password::parse(password).unwrap(),
        grant: Grant::of(Role::Peer),
    }];
    config
}

async fn register(connection: &mut Connection, app: &str, headers: &str) -> Answer {
    let (path, headers) = (format!("/eureka/apps/{app}"), format!("{JSON}{headers}"));
    connection
        .ask("POST", &path, &headers, &registration(app))
        .await
}

/// A client that waits to be asked for its credentials sends the same request again with them.
#[tokio::test]
async fn whoever_is_asked_for_credentials_may_bring_them_on_the_same_or_another_connection() {
    let node = Running::start(guarded("s3cret"));
    let mut connection = Connection::open(node.address).await;
    for _ in 0..3 {
        let refused = connection.ask("PUT", "/eureka/apps/A/i", "", "").await;
        assert_eq!(refused.status, 401);
        let beat = connection.ask("PUT", "/eureka/apps/A/i", NODE, "").await;
        assert_eq!(beat.status, 404, "the same connection goes on");
    }
    let refused = register(&mut connection, "A", "").await;
    assert_eq!((refused.status, refused.body.len()), (401, 0));
    if refused.header("connection") == Some("close") {
        assert!(connection.is_closed().await);
        connection = Connection::open(node.address).await;
    }
    assert_eq!(register(&mut connection, "A", NODE).await.status, 204);
    assert_eq!(
        connection
            .ask("PUT", "/eureka/apps/A/i", NODE, "")
            .await
            .status,
        200
    );
}

/// A body that is never read cannot hold up who refuses it.
#[tokio::test]
async fn nobody_waits_for_the_body_of_a_refused_request() {
    let node = Running::start(guarded("s3cret"));
    let mut connection = Connection::open(node.address).await;
    let head = format!(
        "POST /eureka/apps/A HTTP/1.1\r\nHost: node\r\n{JSON}Content-Length: 1000000\r\n\r\n{{"
    );
    connection.send(head.as_bytes()).await;
    assert_eq!(connection.answer(false).await.status, 401);
}

async fn metrics(address: SocketAddr, headers: &str) -> String {
    let mut connection = Connection::open(address).await;
    let page = connection.ask("GET", "/metrics", headers, "").await;
    assert_eq!(page.status, 200);
    page.text().to_string()
}

/// The figure in this line of a page of metrics.
fn figure(page: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let mut lines = page.lines().filter(|line| line.starts_with(name));
    let line = lines.find(|line| labels.iter().all(|label| line.contains(label)))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[tokio::test]
async fn wrong_credentials_between_nodes_are_shown_and_lose_nothing() {
    let right = Running::start(guarded("{noop}s3cret"));
    let address = right.address;
    let port = address.port();
    // It is the node at this address that has to change: the other one keeps what it waits with.
    drop(right);
    let strict = Running::start_at(guarded("another"), address).await;

    let mut config = Config::of(Mode::Modern);
    let url = format!("http://node:s3cret@127.0.0.1:{port}/eureka/");
    let zone = config.peers.zones[0].clone();
    config
        .peers
        .service_urls
        .insert(zone, vec![url.parse().unwrap()]);
    config.peers.register = Some(false);
    let node = Running::start(config);
    let mut connection = Connection::open(node.address).await;
    assert_eq!(register(&mut connection, "A", "").await.status, 204);

    let began = Instant::now();
    let forbidden = |page: &str| {
        let name = "eureka_replication_batches_total";
        figure(page, name, &["result=\"forbidden\""]).is_some_and(|batches| batches >= 2.0)
    };
    let page = loop {
        let page = metrics(node.address, "").await;
        if forbidden(&page) {
            break page;
        }
        assert!(began.elapsed() < LONGEST, "{page}");
        yield_now().await;
    };
    assert_eq!(
        figure(&page, "eureka_replication_queue_length", &[]),
        Some(1.0)
    );
    assert_eq!(figure(&page, "eureka_peer_up", &[]), Some(0.0));
    let shown = connection.ask("GET", "/", "", "").await;
    assert!(shown.text().contains("DOWN") && !shown.text().contains("s3cret"));
    assert!(!page.contains("s3cret"));

    drop(strict);
    let right = Running::start_at(guarded("s3cret"), address).await;
    let mut there = Connection::open(right.address).await;
    while there.ask("GET", "/eureka/apps/A/i", NODE, "").await.status != 200 {
        assert!(began.elapsed() < LONGEST);
        yield_now().await;
    }
}
