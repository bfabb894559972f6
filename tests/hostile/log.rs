//! What clients send can stand in the log, but never begin a line of it.

use crate::process::Process;
use crate::running::Connection;
use crate::support::members;
use crate::world::encoded;

/// Ends a line, paints it red, turns the direction, rings the bell; as JSON and as it is.
const EVIL_JSON: &str =
    r"x\n2026-01-01T00:00:00Z ERROR forged\r\u001b[31m\u202e\u0007\u2028\u0085\u009b1m";
const EVIL: &str =
    "x\n2026-01-01T00:00:00Z ERROR forged\r\u{1b}[31m\u{202e}\u{7}\u{2028}\u{85}\u{9b}1m";

const JSON: &str = "Content-Type: application/json\r\n";
const XML: &str = "Content-Type: application/xml\r\n";

/// Method, path, headers and body of a request.
type Sent = (&'static str, String, &'static str, String);

fn post(path: &str, headers: &'static str, body: impl Into<String>) -> Sent {
    ("POST", path.to_string(), headers, body.into())
}

/// Registrations, the first of which is accepted.
fn registrations() -> Vec<Sent> {
    let record = |app: &str, id: &str, more: &str| {
        format!("{{\"instance\":{{{}}}}}", members(app, id, more))
    };
    let named = format!("/eureka/apps/{}", encoded(EVIL));
    let center = format!("\"dataCenterInfo\":\"{EVIL_JSON}\"");
    let center_name = format!("\"dataCenterInfo\":{{\"name\":\"{EVIL_JSON}\"}}");
    let a = "/eureka/apps/A";
    vec![
        post(&named, JSON, record(EVIL_JSON, EVIL_JSON, "")),
        post(&named, JSON, record("other", "i", "")),
        post(a, JSON, record(EVIL_JSON, "i", "")),
        post(a, JSON, record("A", "i", &center)),
        post(a, JSON, record("A", "i", &center_name)),
        post(a, JSON, format!("{{\"a\":1,\"{EVIL_JSON}\":2}}")),
        post(a, JSON, format!("\"{EVIL}\"")),
        post(a, XML, format!("<{EVIL}></a>")),
        post(a, XML, format!("<a>&{EVIL};</a>")),
        post(a, XML, "<a></\u{1b}[31m\u{202e}>"),
        post(a, XML, "<\u{1b}[31m></b>"),
        post(a, "Content-Type: \u{9b}1m\r\n", "x"),
        post(a, "Content-Encoding: \u{9b}1m\r\n", "x"),
    ]
}

/// What concerns the instance that was accepted, and batches.
fn orders() -> Vec<Sent> {
    let app = encoded(EVIL);
    let instance = format!("/eureka/apps/{app}/{app}");
    let put = |path: String| ("PUT", path, "", String::new());
    let batch = "/eureka/peerreplication/batch";
    let order = format!(
        r#"{{"appName":"{EVIL_JSON}","id":"{EVIL_JSON}","action":"StatusUpdate","status":"{EVIL_JSON}"}}"#
    );
    let record = format!(
        r#"{{"appName":"{EVIL_JSON}","id":"i","action":"Register","instanceInfo":{{{}}}}}"#,
        members("other\\n", "i", "")
    );
    vec![
        post(
            batch,
            JSON,
            format!(r#"{{"replicationList":[{order},{record}]}}"#),
        ),
        post(
            batch,
            JSON,
            format!(r#"{{"replicationList":[{{"action":"{EVIL_JSON}"}}]}}"#),
        ),
        put(format!("{instance}/metadata?{app}={app}")),
        put(format!("{instance}/status?value={app}")),
        put(format!("{instance}/status?value=DOWN")),
        put(format!("{instance}?lastDirtyTimestamp={app}")),
        ("DELETE", instance, "", String::new()),
    ]
}

async fn send_all(connection: &mut Connection) {
    for (method, path, headers, body) in registrations().into_iter().chain(orders()) {
        let reply = connection.ask(method, &path, headers, &body).await;
        assert!(
            (200..500).contains(&reply.status),
            "{method} {path}: {reply:?}"
        );
    }
}

async fn log(format: &str) -> String {
    let mut process = Process::start(&["--port", "0", "--log", format], &[("RUST_LOG", "debug")]);
    let mut connection = if format == "text" {
        Connection::open(process.address()).await
    } else {
        let line = loop {
            let line = process.line();
            assert_ne!(line, "", "ended before it listened");
            if line.contains("listening on http://") {
                break line;
            }
        };
        let (_, address) = line.split_once("listening on http://").unwrap();
        let port = address.split([':', '"']).nth(1).unwrap();
        Connection::open(format!("127.0.0.1:{port}").parse().unwrap()).await
    };
    send_all(&mut connection).await;
    process.signal("TERM");
    let end = process.end();
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
    end.stdout
}

#[tokio::test]
async fn no_line_of_the_log_is_begun_or_painted_by_a_client() {
    let log = log("text").await;
    assert!(log.contains("forged"), "it is in the log: {log}");
    for line in log.split('\n').filter(|line| !line.is_empty()) {
        // The node's own lines begin with the present time.
        let own = line.starts_with("20") && !line.starts_with("2026-01-01") && line.contains("Z ");
        assert!(own, "{line:?}");
        assert!(
            !line
                .chars()
                .any(|c| c.is_control() || c == '\u{202e}' || c == '\u{2028}'),
            "{line:?}"
        );
    }
    for word in [
        "registered",
        "request refused",
        "batch item refused",
        "metadata updated",
        "operator action",
    ] {
        assert!(log.contains(word), "{word}: {log}");
    }
}

#[tokio::test]
async fn with_json_logs_every_line_is_still_one_object() {
    let log = log("json").await;
    assert!(log.contains("forged"), "it is in the log: {log}");
    for line in log.split('\n').filter(|line| !line.is_empty()) {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(object["message"].is_string(), "{line:?}");
    }
}
