//! Secrets that are planted in every setting, and looked for in everything that a node says: its log, its
//! answers, its pages and its metrics.

use crate::process::{Process, refused};
use crate::running::{Answer, Connection};

/// Part of every secret that is planted.
const PLANTED: &str = "pl4nted";
/// admin:pl4nted-user
const ADMIN: &str = "Authorization: Basic YWRtaW46cGw0bnRlZC11c2Vy\r\n";
/// admin:pl4nted-wrong
const WRONG: &str = "Authorization: Basic YWRtaW46cGw0bnRlZC13cm9uZw==\r\n";
/// What base64 makes of the beginnings of both.
const ENCODED: &str = "YWRtaW46cGw0bnRlZC";

const SETTINGS: [&str; 9] = [
    "--port=0",
    "--server.address=127.0.0.1",
    "--spring.security.user.name=admin",
    "--spring.security.user.password=pl4nted-user",
    "--eureka.server.security.tokens.t.token=pl4nted-token",
    "--eureka.server.security.tokens.t.roles=read",
    "--eureka.client.service-url.defaultZone=http://node:pl4nted-peer@127.0.0.1:9/eureka/,https://node:pl4nted-peer@localhost:9/eureka/",
    "--eureka.client.tls.key-store-password=pl4nted-store",
    "--eureka.server.wait-time-in-ms-when-sync-empty=0",
];

async fn said_by(connection: &mut Connection, headers: &str) -> String {
    let mut said = String::new();
    let mut note = |answer: Answer| {
        for (name, value) in &answer.headers {
            said.push_str(&format!("{name}: {value}\n"));
        }
        said.push_str(&String::from_utf8_lossy(&answer.body));
    };
    for path in [
        "/",
        "/lastn",
        "/instances",
        "/instance?app=A&id=i",
        "/metrics",
        "/actuator/prometheus",
        "/actuator/info",
        "/actuator/health",
        "/eureka/apps",
        "/eureka/status",
        "/serverinfo/statusoverrides",
        "/eureka/nowhere",
    ] {
        note(connection.ask("GET", path, headers, "").await);
    }
    let json = format!("{headers}Content-Type: application/json\r\n");
    note(
        connection
            .ask("PUT", "/eureka/apps/A/i?lastDirtyTimestamp=x", headers, "")
            .await,
    );
    note(connection.ask("PUT", "/eureka/apps/A/i", headers, "").await);
    for (path, body) in [
        ("/eureka/apps/A", "{"),
        ("/eureka/peerreplication/batch/", "["),
    ] {
        let mut other = Connection::open(connection.peer()).await;
        note(other.ask("POST", path, &json, body).await);
    }
    said
}

#[tokio::test]
async fn no_secret_is_said_anywhere() {
    let mut process = Process::start(&SETTINGS, &[]);
    let mut connection = Connection::open(process.address()).await;
    let mut said = String::new();
    for headers in ["", WRONG, ADMIN, "Authorization: Bearer pl4nted-token\r\n"] {
        said.push_str(&said_by(&mut connection, headers).await);
    }
    process.signal("TERM");
    let end = process.end();
    assert_eq!(end.code, Some(0), "{}", end.stderr);
    assert!(
        said.contains("eureka_auth_failures_total"),
        "the pages were read"
    );
    for (name, text) in [
        ("answers", &said),
        ("log", &end.stdout),
        ("errors", &end.stderr),
    ] {
        for secret in [PLANTED, ENCODED] {
            let found = text.lines().find(|line| line.contains(secret));
            assert_eq!(found, None, "{secret} in {name}");
        }
    }
}

#[test]
fn settings_that_cannot_be_used_are_named_without_their_secrets() {
    let lines = refused(
        &[
            "--spring.security.user.password={md5}pl4nted",
            "--eureka.server.security.tokens.t.token=pl4nted",
            "--eureka.client.service-url.defaultZone=ftp://node:pl4nted@host/",
            "--server.ssl.key-store=none.p12",
            "--server.ssl.key-store-password=pl4nted-a",
            "--server.ssl.key-password=pl4nted-b",
        ],
        &[],
    );
    assert!(lines.len() >= 3, "{lines:#?}");
    assert!(
        lines.iter().all(|line| !line.contains(PLANTED)),
        "{lines:#?}"
    );
}
