//! What needs a real port or a real process: connections, protocols, the command line, start and stop.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "support/process.rs"]
mod process;
#[path = "support/running.rs"]
mod running;

use std::net::TcpListener;

use heureka::config::{Config, Mode};
use process::{Process, ran, refused};
use running::{Connection, Running};

const JSON: &str = "Accept: application/json\r\nContent-Type: application/json\r\n";
const BODY: &str = r#"{"instance":{"instanceId":"i","hostName":"h","app":"A","ipAddr":"10.0.0.1",
    "dataCenterInfo":{"name":"MyOwn"}}}"#;

fn node() -> Running {
    Running::start(Config::of(Mode::Modern))
}

async fn registered(node: &Running) -> Connection {
    let mut connection = Connection::open(node.address).await;
    let reply = connection.ask("POST", "/eureka/apps/A", JSON, BODY).await;
    assert_eq!(reply.status, 204, "{reply:?}");
    connection
}

// === connections ===

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let node = node();
    let mut connection = registered(&node).await;
    for _ in 0..20 {
        let beat = connection
            .ask("PUT", "/eureka/apps/A/i?status=UP", "", "")
            .await;
        assert_eq!(
            (beat.status, beat.header("content-length")),
            (200, Some("0"))
        );
        let list = connection.ask("GET", "/eureka/apps", JSON, "").await;
        assert_eq!((list.status, list.header("connection")), (200, None));
        assert!(list.text().contains(r#""instanceId":"i""#));
        assert_eq!(
            connection
                .ask("PUT", "/eureka/apps/A/none", "", "")
                .await
                .status,
            404
        );
    }
}

#[tokio::test]
async fn a_connection_that_asks_to_be_closed_is_closed_after_its_answer() {
    let node = node();
    let mut connection = registered(&node).await;
    let last = connection
        .ask("GET", "/eureka/apps", "Connection: close\r\n", "")
        .await;
    assert_eq!(
        (last.status, last.header("connection")),
        (200, Some("close"))
    );
    assert!(last.text().ends_with("</applications>"));
    assert!(connection.is_closed().await);
}

#[tokio::test]
async fn whatever_body_a_heartbeat_brings_the_connection_can_be_used_again() {
    let node = node();
    let mut connection = registered(&node).await;
    let beat = "/eureka/apps/A/i";
    let long = "x".repeat(100_000);
    for (headers, body) in [
        (JSON, "{}"),
        ("Content-Type: text/plain\r\n", "junk"),
        ("", "GET /eureka/apps HTTP/1.1\r\n\r\n"),
        (JSON, &long),
    ] {
        let reply = connection.ask("PUT", beat, headers, body).await;
        assert_eq!(reply.status, 200, "{headers} {body:.20}");
        assert_eq!(connection.ask("PUT", beat, "", "").await.status, 200);
    }
    let head = format!("PUT {beat} HTTP/1.1\r\nHost: node\r\nTransfer-Encoding: chunked\r\n\r\n");
    connection
        .send(format!("{head}2\r\n{{}}\r\n0\r\n\r\n").as_bytes())
        .await;
    assert_eq!(connection.answer(false).await.status, 200);
    let gone = connection.ask("DELETE", beat, "", "{}").await;
    assert_eq!(gone.status, 200);
    assert_eq!(connection.ask("GET", beat, "", "").await.status, 404);
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let node = node();
    let mut connection = registered(&node).await;
    for path in [
        "/eureka/apps",
        "/eureka/apps/A",
        "/eureka/apps/A/i",
        "/eureka/apps/NONE",
        "/eureka/nowhere",
        "/health/live",
        "/lastn",
    ] {
        for headers in ["", JSON, "Accept-Encoding: gzip\r\n"] {
            let mut get = connection.ask("GET", path, headers, "").await;
            let head = connection.ask("HEAD", path, headers, "").await;
            get.headers.retain(|(name, _)| name != "date");
            get.body.clear();
            let mut expected = head.clone();
            expected.headers.retain(|(name, _)| name != "date");
            assert_eq!(expected, get, "{path} {headers}");
        }
    }
}

// === protocols ===

/// Armeria's and everybody else's who knows beforehand that the port speaks HTTP/2.
#[tokio::test]
async fn t11_http_2_by_prior_knowledge_is_spoken_on_the_same_port() {
    let node = node();
    // The node's own calls bring TLS into every client; which, each program says.
    _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .no_proxy()
        .http2_prior_knowledge()
        .build()
        .unwrap();
    let url = |path: &str| format!("http://{}/eureka/{path}", node.address);
    let register = client
        .post(url("apps/A"))
        .header("Content-Type", "application/json");
    let reply = register.body(BODY).send().await.unwrap();
    assert_eq!(
        (reply.status().as_u16(), reply.version()),
        (204, reqwest::Version::HTTP_2)
    );
    let beats = (0..10).map(|_| client.put(url("apps/A/i")).send());
    for beat in beats.map(tokio::spawn).collect::<Vec<_>>() {
        let reply = beat.await.unwrap().unwrap();
        assert_eq!(
            (reply.status().as_u16(), reply.content_length()),
            (200, Some(0))
        );
    }
    let list = client
        .get(url("apps"))
        .header("Accept", "application/json")
        .send()
        .await
        .unwrap();
    assert!(list.text().await.unwrap().contains(r#""instanceId":"i""#));
    assert_eq!(
        client
            .delete(url("apps/A/i"))
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
}

#[tokio::test]
async fn t11_an_offer_to_change_to_http_2_is_answered_in_http_1() {
    let node = node();
    let offer =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    for (method, path, status) in [("OPTIONS", "*", 404), ("GET", "/eureka/apps", 200)] {
        let mut connection = Connection::open(node.address).await;
        let reply = connection.ask(method, path, offer, "").await;
        assert_eq!(reply.status, status, "{method} {path}");
        assert_eq!(reply.header("upgrade"), None, "nothing was changed to");
        assert_eq!(reply.header("connection"), Some("close"));
        assert!(connection.is_closed().await);
    }
    let mut connection = Connection::open(node.address).await;
    assert_eq!(connection.ask("OPTIONS", "*", "", "").await.status, 404);
    let options = connection.ask("OPTIONS", "/eureka/apps/A", "", "").await;
    assert_eq!(options.header("allow"), Some("POST,GET,OPTIONS"));
}

#[tokio::test]
async fn t24_who_waits_for_100_before_sending_a_body_gets_it_and_then_204() {
    let node = node();
    let mut connection = Connection::open(node.address).await;
    for _ in 0..2 {
        let head = head_of_registration();
        connection.send(head.as_bytes()).await;
        assert_eq!(connection.answer(true).await.status, 100);
        connection.send(BODY.as_bytes()).await;
        assert_eq!(connection.answer(false).await.status, 204);
    }
}

/// Everything of a registration but its body, which waits for the server's word.
fn head_of_registration() -> String {
    let length = BODY.len();
    format!(
        "POST /eureka/apps/A HTTP/1.1\r\nHost: node\r\n{JSON}Content-Length: {length}\r\n\
         Expect: 100-continue\r\n\r\n"
    )
}

// === the process ===

/// With an idle connection open, and a request whose body is still on its way.
async fn is_told_to_stop(signal: &str, word: &str) {
    let mut process = Process::start(&["--port", "0"], &[]);
    let address = process.address();
    let mut idle = Connection::open(address).await;
    assert_eq!(idle.ask("GET", "/health/ready", "", "").await.status, 200);
    let mut busy = Connection::open(address).await;
    busy.send(head_of_registration().as_bytes()).await;
    assert_eq!(busy.answer(true).await.status, 100);

    process.signal(signal);
    let line = process.line();
    assert!(line.contains(word), "{line}");
    busy.send(BODY.as_bytes()).await;
    assert_eq!(
        busy.answer(false).await.status,
        204,
        "finished all the same"
    );
    assert!(busy.is_closed().await && idle.is_closed().await);
    let end = process.end();
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn sigterm_lets_open_requests_finish_and_ends_the_process_with_0() {
    is_told_to_stop("TERM", "SIGTERM: finishing open requests").await;
}

#[tokio::test]
async fn ctrl_c_lets_open_requests_finish_and_ends_the_process_with_0() {
    is_told_to_stop("INT", "Ctrl-C: finishing open requests").await;
}

#[test]
fn whoever_reads_that_it_listens_can_already_tell_it_to_stop() {
    let mut process = Process::start(&["--port", "0"], &[]);
    assert!(process.line().contains("listening on http://"));
    process.signal("TERM");
    let end = process.end();
    assert_eq!(end.code, Some(0), "{}", end.stdout);
}

#[test]
fn health_is_told_by_an_exit_code_and_one_line() {
    let health = |arguments: &[&str]| ran(&[&["health"], arguments].concat());
    let mut open = Process::start(&["--port", "0"], &[]);
    let port = open.address().port();
    let url = format!("http://127.0.0.1:{port}");
    let end = health(&["--url", &url]);
    let said = format!("{url}/health/ready: {{\"status\":\"UP\"}}\n");
    assert_eq!((end.code, end.stdout), (Some(0), said), "{}", end.stderr);
    // Found by the settings that it was started with.
    assert_eq!(health(&["--port", &port.to_string()]).code, Some(0));

    // Its peer will never answer, so it lives and is not ready.
    let nobody = "--eureka.client.service-url.defaultZone=http://127.0.0.1:9/eureka/";
    let mut waiting = Process::start(&["--port", "0", nobody], &[]);
    let url = format!("http://{}", waiting.address());
    let end = health(&["--url", &url]);
    assert_eq!((end.code, end.stdout.as_str()), (Some(1), ""));
    assert!(end.stderr.contains("answered 503"), "{}", end.stderr);
    assert_eq!(health(&["--url", &url, "--live"]).code, Some(0));

    open.signal("TERM");
    assert_eq!(open.end().code, Some(0));
    let end = health(&["--port", &port.to_string()]);
    assert_eq!((end.code, end.stdout.as_str()), (Some(1), ""));
    assert!(end.stderr.contains("nothing answers"), "{}", end.stderr);
}

#[test]
fn a_fleet_registers_beats_reads_and_leaves_and_its_figures_are_told() {
    let mut node = Process::start(&["--port", "0"], &[]);
    let url = format!("http://{}/eureka/", node.address());
    let fleet = [
        "bench",
        "--url",
        &url,
        "--instances",
        "20",
        "--connections",
        "3",
    ];
    let times = ["--beat", "0.1", "--read", "0.1", "--seconds", "0.5"];
    let end = ran(&[&fleet[..], &times].concat());
    assert_eq!(end.code, Some(0), "{end:?}");
    for kind in [
        "registrations         20",
        "heartbeats",
        "full lists            20",
        "deltas",
        "cancellations         20",
    ] {
        assert!(end.stdout.contains(kind), "{kind}: {}", end.stdout);
    }
    node.signal("TERM");
    assert_eq!(node.end().code, Some(0));
    let end = ran(&[&fleet[..], &["--seconds", "x"]].concat());
    assert_eq!(end.code, Some(2));
    assert!(end.stderr.contains("wanted a number"), "{}", end.stderr);
}

#[test]
fn a_port_in_use_is_one_clear_line_and_exit_code_2() {
    let taken = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let lines = refused(&["--port", &port], &[]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let start = format!("heureka: cannot listen on 0.0.0.0:{port}: ");
    assert!(lines[0].starts_with(&start), "{lines:?}");
    assert!(lines[0].contains("--port"), "{lines:?}");
}

#[test]
fn every_setting_that_cannot_be_used_is_named_at_once_with_exit_code_2() {
    let arguments = [
        "--port",
        "x",
        "--eureka.server.mode=fast",
        "--server.address=not here",
    ];
    let environment = [("EUREKA_SERVER_DISABLE_DELTA", "perhaps")];
    let mut lines = refused(&arguments, &environment);
    lines.sort();
    let expected = [
        "heureka: eureka.server.disable-delta: wanted true or false, got \"perhaps\" \
         from the environment variable EUREKA_SERVER_DISABLE_DELTA",
        "heureka: eureka.server.mode: wanted modern or classic, got \"fast\" \
         from the argument --eureka.server.mode",
        "heureka: server.address: wanted an IP address, or a name that this machine can look up, got \"not here\" \
         from the argument --server.address",
        "heureka: server.port: wanted a number from 0 to 65535, got \"x\" \
         from the argument --server.port",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn the_start_says_three_lines_with_the_real_port_and_heartbeats_say_nothing() {
    let mut process = Process::start(&["--port", "0"], &[]);
    let mut connection = Connection::open(process.address()).await;
    let reply = connection.ask("POST", "/eureka/apps/A", JSON, BODY).await;
    assert_eq!(reply.status, 204);
    for _ in 0..50 {
        assert_eq!(
            connection
                .ask("PUT", "/eureka/apps/A/i", "", "")
                .await
                .status,
            200
        );
        assert_eq!(
            connection.ask("GET", "/eureka/apps", "", "").await.status,
            200
        );
    }
    process.signal("TERM");
    let end = process.end();
    // Unless this machine allows few open files, which the start says, too.
    let lines = end.stdout.lines();
    let lines: Vec<&str> = lines
        .filter(|line| !line.contains("files may be open"))
        .collect();
    let words = [
        "listening on http://",
        "modern mode",
        "/eureka/",
        "registered",
        "SIGTERM",
        "stopped",
    ];
    assert_eq!(lines.len(), words.len(), "{lines:#?}");
    for (line, word) in lines.iter().zip(words) {
        assert!(line.contains(word), "{line}");
    }
}

#[tokio::test]
async fn with_json_logs_every_line_is_an_object_with_a_message() {
    let arguments = [
        "--port",
        "0",
        "--log",
        "json",
        "--eureka.server.no-such-key=1",
    ];
    let mut process = Process::start(&arguments, &[]);
    let mut connection = Connection::open(process.address()).await;
    let headers = "Content-Type: text/csv\r\n";
    let refused = connection
        .ask("POST", "/eureka/apps/A", headers, "a,b")
        .await;
    assert_eq!(refused.status, 415);
    process.signal("TERM");
    let end = process.end();
    assert!(end.stdout.lines().count() >= 6, "{}", end.stdout);
    for line in end.stdout.lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        for member in ["timestamp", "level", "message"] {
            assert!(object[member].is_string(), "{member}: {line}");
        }
    }
    assert!(end.stdout.contains("no-such-key"), "{}", end.stdout);
}

#[tokio::test]
async fn the_environment_may_set_the_port_in_spring_s_spelling_and_the_command_line_wins() {
    let taken = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut process = Process::start(
        &[],
        &[("SERVER_PORT", "0"), ("SERVER_ADDRESS", "127.0.0.1")],
    );
    let address = process.address();
    assert!(
        address.ip().is_loopback() && address.port() > 0,
        "{address}"
    );
    let mut connection = Connection::open(address).await;
    assert_eq!(
        connection.ask("GET", "/health/live", "", "").await.status,
        200
    );

    let lines = refused(&[], &[("SERVER_PORT", &port)]);
    assert!(lines[0].contains(&port), "{lines:?}");
    let mut process = Process::start(&["--server.port=0"], &[("SERVER_PORT", &port)]);
    assert_ne!(process.address().port().to_string(), port);
}
