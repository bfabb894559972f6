//! Requests that one server understands in one way and the next in another, over a real connection: there is one
//! answer, a refusal, and the connection is closed; what was hidden behind it is never carried out.

use heureka::config::{Config, Mode};

use crate::running::{Connection, Running};
use crate::support::members;

/// What somebody would like to have carried out unseen.
const HIDDEN: &str = "DELETE /eureka/apps/GOOD/good-1 HTTP/1.1\r\nHost: node\r\n\r\n";
const BEAT: &str = "PUT /eureka/apps/GOOD/good-1 HTTP/1.1\r\n";

/// A node that holds `GOOD/good-1`.
async fn node() -> Running {
    let mut config = Config::of(Mode::Modern);
    config.limits.body_time = std::time::Duration::from_millis(200);
    let node = Running::start(config);
    let mut connection = Connection::open(node.address).await;
    let body = format!("{{\"instance\":{{{}}}}}", members("GOOD", "good-1", ""));
    let headers = "Content-Type: application/json\r\n";
    let reply = connection
        .ask("POST", "/eureka/apps/GOOD", headers, &body)
        .await;
    assert_eq!(reply.status, 204);
    node
}

/// The statuses of all answers to these bytes until the connection is closed.
async fn statuses(node: &Running, bytes: &[u8]) -> Vec<u16> {
    let mut connection = Connection::open(node.address).await;
    connection.send(bytes).await;
    connection.finish().await;
    let all = connection.all().await;
    let status = |line: &str| line.split(' ').nth(1)?.parse().ok();
    all.lines()
        .filter(|line| line.starts_with("HTTP/1."))
        .filter_map(status)
        .collect()
}

async fn is_unspoiled(node: &Running, case: &str) {
    let mut connection = Connection::open(node.address).await;
    let reply = connection
        .ask("GET", "/eureka/apps/GOOD/good-1", "", "")
        .await;
    assert_eq!(reply.status, 200, "{case}");
    let metrics = connection.ask("GET", "/metrics", "", "").await;
    assert!(
        metrics.text().contains("eureka_registry_revision 1\n"),
        "{case}"
    );
}

#[tokio::test]
async fn a_body_whose_length_is_ambiguous_is_refused_with_all_that_follows() {
    let node = node().await;
    for lines in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 50\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: 5 5\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: -5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: 5.0\r\n",
        "Content-Length: \r\n",
        "Content-Length: five\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length : 5\r\n",
        " Content-Length: 5\r\n",
        "Content-Length\r\n",
        "Content\0Length: 5\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: identity, chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding:\x0bchunked\r\n",
        "Transfer-Encoding: \"chunked\"\r\n",
        "X: a\r\n b: folded\r\n",
        "X: a\r\n\tTransfer-Encoding: chunked\r\n",
        "X: a\rTransfer-Encoding: chunked\r\n",
        "X: a\0b\r\n",
        "X: a\x01b\r\n",
        ": nameless\r\n",
        "X Y: z\r\n",
        "(X): y\r\n",
        "Host: other\r\n",
    ] {
        for body in ["", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"] {
            let bytes = format!("{BEAT}Host: node\r\n{lines}\r\n{body}{HIDDEN}");
            let case = format!("{lines:?} {body:?}");
            assert_eq!(statuses(&node, bytes.as_bytes()).await, [400], "{case}");
        }
    }
    is_unspoiled(&node, "lengths").await;
}

#[tokio::test]
async fn first_lines_that_are_none_are_refused() {
    let node = node().await;
    for (status, begin) in [
        (400, "PUT /eureka/apps/GOOD/good-1\r\nHost: node\r\n"),
        (
            400,
            "PUT /eureka/apps/GOOD/good-1 HTTP/0.9\r\nHost: node\r\n",
        ),
        (
            400,
            "PUT /eureka/apps/GOOD/good-1 HTTP/1.2\r\nHost: node\r\n",
        ),
        (
            400,
            "PUT /eureka/apps/GOOD/good-1 HTTP/2.0\r\nHost: node\r\n",
        ),
        (
            400,
            "PUT /eureka/apps/GOOD/good-1 http/1.1\r\nHost: node\r\n",
        ),
        (
            400,
            "PUT /eureka/apps/GOOD/good-1 HTTP/1.1 x\r\nHost: node\r\n",
        ),
        (
            400,
            "PUT  /eureka/apps/GOOD/good-1 HTTP/1.1\r\nHost: node\r\n",
        ),
        (400, "PUT /eureka apps HTTP/1.1\r\nHost: node\r\n"),
        (400, "PUT /eureka\0apps HTTP/1.1\r\nHost: node\r\n"),
        (400, "PUT /eureka\x01 HTTP/1.1\r\nHost: node\r\n"),
        (400, "PUT eureka/apps HTTP/1.1\r\nHost: node\r\n"),
        (400, "P\0T / HTTP/1.1\r\nHost: node\r\n"),
        (400, "{\"instance\":{}} / HTTP/1.1\r\nHost: node\r\n"),
        (400, " PUT / HTTP/1.1\r\nHost: node\r\n"),
        (400, "PUT / HTTP/1.1\r\n"),
        (
            400,
            "PUT /eureka/apps/GOOD/good-1 HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
        ),
        (400, "\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03"),
        (400, "SSH-2.0-OpenSSH_9.9\r\n"),
    ] {
        let bytes = format!("{begin}\r\n{HIDDEN}");
        assert_eq!(
            statuses(&node, bytes.as_bytes()).await,
            [status],
            "{begin:?}"
        );
    }
    let long = "x".repeat(200_000);
    for (status, begin) in [
        (431, format!("{BEAT}Host: node\r\nX: {long}")),
        (
            431,
            format!("{BEAT}Host: node\r\nX: {long}\r\n\r\n{HIDDEN}"),
        ),
        (
            431,
            format!("{BEAT}Host: node\r\n{}\r\n{HIDDEN}", "X: y\r\n".repeat(200)),
        ),
        (431, format!("{BEAT}Host: node\r\n{long}")),
        (
            400,
            format!(
                "PUT /{} HTTP/1.1\r\nHost: node\r\n\r\n{HIDDEN}",
                &long[..70_000]
            ),
        ),
        (400, format!("{long} / HTTP/1.1\r\nHost: node\r\n\r\n")),
    ] {
        let got = statuses(&node, begin.as_bytes()).await;
        assert!(got == [status] || got == [431], "{}: {got:?}", &begin[..80]);
    }
    is_unspoiled(&node, "first lines").await;
}

#[tokio::test]
async fn chunks_that_are_none_end_the_connection_before_what_follows() {
    let node = node().await;
    for chunks in [
        "x\r\n",
        "-1\r\nx\r\n0\r\n\r\n",
        "0x1\r\nx\r\n0\r\n\r\n",
        "1 1\r\nx\r\n0\r\n\r\n",
        "FFFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n",
        "FFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n",
        "1\r\nxx\r\n0\r\n\r\n",
        "1\r\nx0\r\n\r\n",
        "1\nx\n0\n\n",
        "1;\0\r\nx\r\n0\r\n\r\n",
        "\r\n",
        ";a=b\r\n\r\n",
    ] {
        let head = format!("{BEAT}Host: node\r\nTransfer-Encoding: chunked\r\n\r\n");
        let got = statuses(&node, format!("{head}{chunks}{HIDDEN}").as_bytes()).await;
        assert!(
            matches!(got[..], [400] | [400, 400] | [408] | []),
            "{chunks:?}: {got:?}"
        );
    }
    is_unspoiled(&node, "chunks").await;
}

#[tokio::test]
async fn what_stands_in_a_body_is_no_request_and_what_follows_it_is() {
    let node = node().await;
    let length = HIDDEN.len();
    let size = format!("{length:x}");
    for (framed, statuses_of) in [
        (
            format!("Content-Length: {length}\r\n\r\n{HIDDEN}"),
            [200, 200],
        ),
        (
            format!("Transfer-Encoding: chunked\r\n\r\n{size}\r\n{HIDDEN}\r\n0\r\n\r\n"),
            [200, 200],
        ),
        (
            format!(
                "Transfer-Encoding: CHUNKED\r\n\r\n{size};a=\"b\"\r\n{HIDDEN}\r\n0\r\nX: y\r\n\r\n"
            ),
            [200, 200],
        ),
        // An unknown line may say anything.
        (
            format!("X-Content-Length: 1\r\nContent-Length: {length}\r\n\r\n{HIDDEN}"),
            [200, 200],
        ),
    ] {
        let next = "GET /eureka/apps/GOOD/good-1 HTTP/1.1\r\nHost: node\r\n\r\n";
        let bytes = format!("{BEAT}Host: node\r\n{framed}{next}");
        assert_eq!(
            statuses(&node, bytes.as_bytes()).await,
            statuses_of,
            "{framed:?}"
        );
    }
    // Lines that end with a bare LF are read like others, by everybody in front of us, too.
    let bare = format!("{BEAT}Host: node\nContent-Length: {length}\n\n{HIDDEN}");
    let got = statuses(&node, bare.as_bytes()).await;
    assert!(got == [200] || got == [400], "{got:?}");
    is_unspoiled(&node, "bodies").await;
}

#[tokio::test]
async fn a_hundred_requests_at_once_are_answered_in_their_order() {
    let node = node().await;
    let mut bytes = String::new();
    for n in 0..100 {
        let path = if n % 2 == 0 {
            "/eureka/apps/GOOD/good-1"
        } else {
            "/eureka/apps/GOOD/none"
        };
        bytes += &format!("PUT {path} HTTP/1.1\r\nHost: node\r\n\r\n");
    }
    let got = statuses(&node, bytes.as_bytes()).await;
    let expected: Vec<u16> = (0..100)
        .map(|n| if n % 2 == 0 { 200 } else { 404 })
        .collect();
    assert_eq!(got, expected);
    is_unspoiled(&node, "pipelined").await;
}

#[tokio::test]
async fn an_offer_of_web_sockets_is_declined_by_an_ordinary_answer() {
    let node = node().await;
    let offer = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for (method, path) in [
        ("GET", "/eureka/apps"),
        ("PUT", "/eureka/apps/GOOD/good-1"),
        ("GET", "/"),
    ] {
        let mut connection = Connection::open(node.address).await;
        let head = format!("{method} {path} HTTP/1.1\r\nHost: node\r\n{offer}\r\n");
        connection.send(format!("{head}{HIDDEN}").as_bytes()).await;
        let reply = connection.answer(false).await;
        assert_eq!(reply.status, 200, "{method} {path}");
        assert!(connection.is_closed().await, "{method} {path}");
    }
    is_unspoiled(&node, "web sockets").await;
}
