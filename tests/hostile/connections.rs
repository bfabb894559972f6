//! Connections that send nothing, too little, too slowly, or read nothing; and too many of them.

use std::time::Duration;

use heureka::config::{Config, LimitsConfig, Mode};

use crate::running::{Connection, Running};
use crate::support::members;

/// As long as a test may wait for what must happen.
const LONG: Duration = Duration::from_secs(30);

fn node(set: impl FnOnce(&mut LimitsConfig)) -> Running {
    let mut config = Config::of(Mode::Modern);
    set(&mut config.limits);
    Running::start(config)
}

async fn metric(connection: &mut Connection, name: &str) -> u64 {
    let page = connection.ask("GET", "/metrics", "", "").await;
    let line = page.text().lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0, |value| value.trim().parse().unwrap())
}

async fn refused(connection: &mut Connection, reason: &str) -> u64 {
    metric(
        connection,
        &format!("eureka_refused_total{{reason=\"{reason}\"}}"),
    )
    .await
}

/// Asks until there are so many connections; the one that asks is among them.
async fn until_open(connection: &mut Connection, expected: u64) {
    let asking = async { while metric(connection, "eureka_connections ").await != expected {} };
    tokio::time::timeout(LONG, asking).await.unwrap();
}

async fn register(connection: &mut Connection, app: &str, id: &str, more: &str) {
    let body = format!("{{\"instance\":{{{}}}}}", members(app, id, more));
    let headers = "Content-Type: application/json\r\n";
    let path = format!("/eureka/apps/{app}");
    let reply = connection.ask("POST", &path, headers, &body).await;
    assert_eq!(reply.status, 204, "{reply:?}");
}

#[tokio::test]
async fn who_sends_nothing_or_half_a_head_is_told_408_and_closed() {
    // The server's clock for this ticks twice a second.
    let node = node(|limits| limits.head_time = Duration::from_millis(600));
    for begin in ["", "G", "PUT /eureka/apps/A/i HTTP/1.1\r\nHost: no"] {
        let mut connection = Connection::open(node.address).await;
        connection.send(begin.as_bytes()).await;
        let all = connection.all().await;
        assert!(
            all.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
            "{begin}: {all}"
        );
        if begin.is_empty() {
            assert!(
                all.ends_with("no request came (eureka.server.head-time-in-ms)"),
                "{all}"
            );
        }
    }
    let mut other = Connection::open(node.address).await;
    assert_eq!(refused(&mut other, "slow").await, 1);
    until_open(&mut other, 1).await;
}

#[tokio::test]
async fn who_sends_half_of_a_later_head_is_closed_too() {
    let node = node(|limits| {
        limits.head_time = Duration::from_millis(50);
        limits.body_time = Duration::from_millis(50);
    });
    let mut connection = Connection::open(node.address).await;
    for _ in 0..3 {
        let reply = connection.ask("GET", "/health/live", "", "").await;
        assert_eq!(reply.status, 200);
    }
    connection
        .send(b"GET /health/live HTTP/1.1\r\nHost: no")
        .await;
    assert_eq!(connection.all().await, "");
    let mut other = Connection::open(node.address).await;
    assert_eq!(refused(&mut other, "slow").await, 1);
    until_open(&mut other, 1).await;
}

#[tokio::test]
async fn an_idle_connection_that_was_answered_is_left_alone() {
    let node = node(|limits| {
        limits.head_time = Duration::from_millis(1);
        limits.body_time = Duration::from_millis(1);
    });
    let mut idle = Connection::open(node.address).await;
    assert_eq!(idle.ask("GET", "/health/live", "", "").await.status, 200);
    // The time-outs of others pass meanwhile.
    for _ in 0..5 {
        let mut silent = Connection::open(node.address).await;
        assert_ne!(silent.all().await, "");
    }
    assert_eq!(idle.ask("GET", "/health/live", "", "").await.status, 200);
}

#[tokio::test]
async fn who_sends_half_a_body_is_told_408_and_closed_and_nothing_is_registered() {
    let node = node(|limits| limits.body_time = Duration::from_millis(50));
    let text = "the body took longer than 50 ms (eureka.server.body-time-in-ms)";
    for (method, path, encoding, begin) in [
        (
            "POST",
            "/eureka/apps/A",
            "Content-Length: 500",
            "{\"instance\":",
        ),
        (
            "POST",
            "/eureka/apps/A",
            "Transfer-Encoding: chunked",
            "5\r\n{\"ins\r\n",
        ),
        (
            "POST",
            "/eureka/peerreplication/batch/",
            "Content-Length: 50",
            "",
        ),
        ("PUT", "/eureka/apps/A/i", "Content-Length: 500", "x"),
        ("DELETE", "/eureka/apps/A/i", "Content-Length: 1", ""),
    ] {
        let mut connection = Connection::open(node.address).await;
        let head = format!("{method} {path} HTTP/1.1\r\nHost: node\r\n{encoding}\r\n\r\n{begin}");
        connection.send(head.as_bytes()).await;
        let reply = connection.answer(false).await;
        assert_eq!(
            (reply.status, reply.text()),
            (408, text),
            "{method} {encoding}"
        );
        let reads_on = encoding.contains("chunked");
        assert!(
            reads_on || connection.is_closed().await,
            "{method} {encoding}"
        );
    }
    let mut other = Connection::open(node.address).await;
    assert_eq!(refused(&mut other, "slow").await, 5);
    assert_eq!(metric(&mut other, "eureka_registry_revision ").await, 0);
}

#[tokio::test]
async fn who_sends_a_body_that_is_too_long_is_told_413_while_it_still_sends() {
    let node = node(|_| ());
    let long = "x".repeat(3 << 20);
    let text = "the body is longer than 1048576 bytes (eureka.server.max-body-bytes)";
    for (method, path) in [("POST", "/eureka/apps/A"), ("PUT", "/eureka/apps/A/i")] {
        let mut connection = Connection::open(node.address).await;
        let reply = connection.ask(method, path, "", &long).await;
        assert_eq!((reply.status, reply.text()), (413, text), "{method}");
        assert!(connection.is_closed().await, "{method}");
    }
}

/// Ten megabytes are more than the system takes over for a client that reads nothing.
#[tokio::test]
async fn who_never_reads_an_answer_of_10_mb_is_closed_and_others_are_served() {
    let node = node(|limits| limits.answer_time = Duration::from_millis(300));
    let mut other = Connection::open(node.address).await;
    let metadata = format!(r#""metadata":{{"k":"{}"}}"#, "x".repeat(65_000));
    for id in 0..160 {
        register(&mut other, "A", &format!("i-{id}"), &metadata).await;
    }
    let mut deaf = Vec::new();
    for _ in 0..5 {
        let mut connection = Connection::open(node.address).await;
        let ask = b"GET /eureka/apps HTTP/1.1\r\nHost: node\r\nAccept: application/json\r\n\r\n";
        connection.send(ask).await;
        // The answer is on its way.
        connection.stream().readable().await.unwrap();
        deaf.push(connection);
    }
    until_open(&mut other, 1).await;
    let whole = other
        .ask("GET", "/eureka/apps", "Accept: application/json\r\n", "")
        .await;
    assert!(whole.body.len() > 10_000_000);
    assert_eq!(whole.text().matches("\"instanceId\"").count(), 160);
}

/// By HTTP/2 a client can be all attention, and yet grant no room for an answer.
#[tokio::test]
async fn who_opens_streams_and_takes_no_answer_gets_so_many_and_no_more() {
    let node = node(|limits| limits.streams.max = 20);
    let stream = tokio::net::TcpStream::connect(node.address).await.unwrap();
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(0);
    let (sender, connection) = builder.handshake::<_, bytes::Bytes>(stream).await.unwrap();
    tokio::spawn(connection);
    let mut taken = Vec::new();
    let url = format!("http://{}/health/live", node.address);
    for count in 1..=25 {
        let mut ready = sender.clone().ready().await.unwrap();
        let request = get(&url);
        let (answer, _) = ready.send_request(request, true).unwrap();
        let answer = answer.await.unwrap();
        assert_eq!(
            answer.status().as_u16(),
            if count > 20 { 503 } else { 200 },
            "{count}"
        );
        taken.push(answer);
    }
    let mut other = Connection::open(node.address).await;
    assert_eq!(refused(&mut other, "connections").await, 5);
    let long = http::Request::get(&url).header("x-long", "x".repeat(40_000));
    let mut ready = sender.clone().ready().await.unwrap();
    let (answer, _) = ready.send_request(long.body(()).unwrap(), true).unwrap();
    assert_eq!(answer.await.unwrap().status().as_u16(), 431);
    // Streams that are given up make room again.
    drop(taken);
    let served = async {
        loop {
            let mut ready = sender.clone().ready().await.unwrap();
            let (answer, _) = ready.send_request(get(&url), true).unwrap();
            if answer.await.unwrap().status().as_u16() == 200 {
                return;
            }
        }
    };
    tokio::time::timeout(LONG, served).await.unwrap();
}

/// `GET`, as the HTTP/2 client takes it.
fn get(url: &str) -> http::Request<()> {
    http::Request::get(url).body(()).unwrap()
}

#[tokio::test]
async fn connections_beyond_the_limit_are_told_503_and_make_room_again() {
    let node = node(|limits| limits.connections = Some(3));
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut connection = Connection::open(node.address).await;
        let reply = connection.ask("GET", "/health/live", "", "").await;
        assert_eq!(reply.status, 200);
        held.push(connection);
    }
    register(&mut held[0], "A", "i", "").await;
    for flood in 1..=50 {
        let mut connection = Connection::open(node.address).await;
        let all = connection.all().await;
        assert!(
            all.starts_with("HTTP/1.1 503 Service Unavailable\r\n"),
            "{all}"
        );
        let text = "too many connections (eureka.server.max-connections)";
        assert!(
            all.ends_with(text) && all.contains("Retry-After: 1\r\n"),
            "{all}"
        );
        let beat = held[1].ask("PUT", "/eureka/apps/A/i", "", "").await;
        assert_eq!(beat.status, 200, "those that are in are served");
        assert_eq!(refused(&mut held[2], "connections").await, flood);
    }
    held.remove(0);
    until_open(&mut held[0], 2).await;
    let mut connection = Connection::open(node.address).await;
    assert_eq!(
        connection.ask("GET", "/health/live", "", "").await.status,
        200
    );
}

#[tokio::test]
async fn connections_beyond_the_share_of_an_address_are_told_429_and_closed() {
    let node = node(|limits| limits.address_connections.max = 2);
    let mut first = Connection::open(node.address).await;
    let second = Connection::open(node.address).await;
    until_open(&mut first, 2).await;
    for n in 1..4 {
        let mut beyond = Connection::open(node.address).await;
        beyond
            .send(b"GET /health/live HTTP/1.1\r\nHost: node\r\n\r\n")
            .await;
        let all = beyond.all().await;
        assert!(
            all.starts_with("HTTP/1.1 429 Too Many Requests\r\n"),
            "{all}"
        );
        let text =
            "too many connections from one address (eureka.server.max-connections-per-address)";
        assert!(
            all.contains("\r\nRetry-After: 1\r\n") && all.ends_with(text),
            "{all}"
        );
        assert_eq!(refused(&mut first, "address").await, n);
    }
    drop(second);
    until_open(&mut first, 1).await;
    let mut third = Connection::open(node.address).await;
    assert_eq!(third.ask("GET", "/health/live", "", "").await.status, 200);
}
