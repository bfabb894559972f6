//! A running node in the terminal: tables, JSON and exit codes, as an operator and their scripts meet them.

use std::process::{Command, Stdio};

use crate::process::{Process, ran};
use crate::running::Connection;

const RECORD: &str = r#"{"instance":{"instanceId":"i","hostName":"h\u001b[31m","app":"ORDERS","ipAddr":"10.0.0.1",
    "status":"UP","dataCenterInfo":{"name":"MyOwn"}}}"#;

/// What a command prints about a node, and its exit code.
fn said(url: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let end = ran(&[arguments, &["--url", url]].concat());
    (end.code, end.stdout + &end.stderr)
}

/// A line with single blanks.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_operator_sees_what_is_held_and_orders_a_status_and_takes_that_back() {
    let mut process = Process::start(&["--port", "0"], &[]);
    let address = process.address();
    let mut connection = Connection::open(address).await;
    let json = "Content-Type: application/json\r\n";
    let registered = connection
        .ask("POST", "/eureka/apps/ORDERS", json, RECORD)
        .await;
    assert_eq!(registered.status, 204);
    let url = format!("http://{address}");
    let lines = |arguments: &[&str]| {
        let (code, text) = said(&url, arguments);
        assert_eq!(code, Some(0), "{text}");
        text.lines().map(words).collect::<Vec<_>>()
    };
    let apps = lines(&["apps"]);
    assert_eq!(apps, ["APPLICATION INSTANCES STATUSES", "ORDERS 1 UP 1"]);
    let given = [
        "override",
        "ORDERS",
        "i",
        "OUT_OF_SERVICE",
        "--reason",
        "disk",
    ];
    assert!(lines(&given).is_empty());
    let instances = lines(&["instances", "orders"]);
    let begins = "i OUT_OF_SERVICE UP OUT_OF_SERVICE by anonymous h\\u{1b}[31m";
    assert!(instances[1].starts_with(begins), "{instances:?}");
    assert!(lines(&["override", "ORDERS", "i", "--end"]).is_empty());
    let events = lines(&[
        "events",
        "--instance",
        "i",
        "--kind",
        "override",
        "--kind",
        "override-ended",
    ]);
    let tails = [
        "OUT_OF_SERVICE > UP operator 127.0.0.1 -",
        "UP > OUT_OF_SERVICE operator 127.0.0.1 disk",
    ];
    for (event, tail) in events[1..].iter().zip(tails) {
        assert!(event.ends_with(tail), "{event}");
    }
    assert_eq!(events.len(), 3);
    let peers = lines(&["peers"]);
    assert_eq!(peers, ["PEER UP BEHIND KIND LAST CONTACT WAITING"]);
    let (_, text) = said(&url, &["apps", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["apps"][0]["name"], "ORDERS");
}

/// An answer has so many at most.
#[tokio::test]
async fn all_instances_are_listed_however_many_there_are() {
    // Nobody reads a line for each.
    let quiet = [("RUST_LOG", "info,heureka::registry=warn")];
    let mut process = Process::start(&["--port", "0"], &quiet);
    let address = process.address();
    let mut connection = Connection::open(address).await;
    for number in 0..1001 {
        let record = RECORD.replace("\"i\"", &format!("\"i-{number}\""));
        let json = "Content-Type: application/json\r\n";
        let path = "/eureka/apps/ORDERS";
        let registered = connection.ask("POST", path, json, &record).await;
        assert_eq!(registered.status, 204);
    }
    let url = format!("http://{address}");
    let (_, table) = said(&url, &["instances", "orders"]);
    let ids = table.lines().skip(1).map(|line| line.split(' ').next());
    assert_eq!(ids.collect::<std::collections::BTreeSet<_>>().len(), 1001);
    let (_, text) = said(&url, &["instances", "orders", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["instances"].as_array().unwrap().len(), 1001);
    assert_eq!(answer.get("next"), None);
}

#[test]
fn scripts_are_told_by_an_exit_code_what_is_wrong() {
    let users = [
        "--eureka.server.security.users.ops.password=s3cret",
        "--eureka.server.security.users.ops.roles=admin",
        "--eureka.server.security.users.eye.password=s3cret",
        "--eureka.server.security.users.eye.roles=read",
    ];
    let mut process = Process::start(&[&["--port", "0"], &users[..]].concat(), &[]);
    let url = format!("http://{}", process.address());
    let (ops, eye) = (["--user", "ops:s3cret"], ["--user", "eye:s3cret"]);
    let order = ["override", "A", "i", "DOWN"];
    for (arguments, code, text) in [
        (["apps"].to_vec(), 4, "answered 401"),
        ([&["apps"], &eye[..]].concat(), 0, "APPLICATION"),
        ([&order[..], &eye[..]].concat(), 4, "answered 403"),
        (
            [&order[..], &ops[..]].concat(),
            3,
            "answered 404 Not Found: not found",
        ),
        ([&["instances", "A"], &eye[..]].concat(), 3, "answered 404"),
        (
            [&["events", "--kind", "x"], &eye[..]].concat(),
            5,
            "kind: wanted",
        ),
        (["override", "A", "i"].to_vec(), 2, "<STATUS>"),
        (["instances", "."].to_vec(), 2, "no name of"),
    ] {
        let (got, said) = said(&url, &arguments);
        assert_eq!(got, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(text), "{arguments:?}: {said}");
    }
    for (path, code, text) in [
        ("/eureka/", 0, "APPLICATION"),
        ("/eureka/v2", 0, "APPLICATION"),
        ("/elsewhere", 1, "not as a node does"),
    ] {
        let (got, said) = said(&format!("{url}{path}"), &[&["apps"], &eye[..]].concat());
        assert_eq!(got, Some(code), "{path}: {said}");
        assert!(said.contains(text), "{path}: {said}");
    }
    let (code, text) = said("http://127.0.0.1:9", &["peers"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("nothing answers"), "{text}");
}

/// As with `| head`.
#[test]
fn nobody_who_reads_what_is_printed_is_no_error() {
    for arguments in [&["check-config"][..], &["completions", "bash"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heureka"));
        let command = command.args(arguments).stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let end = child.wait_with_output().unwrap();
        assert!(end.status.success() && end.stderr.is_empty(), "{end:?}");
    }
}

#[test]
fn shells_complete_the_command_line() {
    for shell in ["bash", "zsh", "fish"] {
        let end = ran(&["completions", shell]);
        assert_eq!(end.code, Some(0), "{}", end.stderr);
        for word in ["override", "check-config", "instances"] {
            assert!(end.stdout.contains(word), "{shell}: {word}");
        }
    }
}
