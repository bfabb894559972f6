//! Settings that change while a node runs.

use std::time::Duration;

use tokio::time::Instant;

use crate::process::Process;
use crate::running::Connection;
use crate::world::Folder;

/// How long a test waits for something that has to come.
const LONGEST: Duration = Duration::from_secs(60);

const FILE: &str = "\
server.port: 0
eureka.server.disable-delta: false
";

/// Asks for the delta until its status is this one.
async fn delta_is(connection: &mut Connection, status: u16) {
    let end = Instant::now() + LONGEST;
    loop {
        let got = connection
            .ask("GET", "/eureka/apps/delta", "", "")
            .await
            .status;
        if got == status {
            return;
        }
        assert!(Instant::now() < end, "{got} and not {status}");
        tokio::task::yield_now().await;
    }
}

/// The next line with these words in it.
fn says(node: &mut Process, words: &str) -> String {
    loop {
        let line = node.line();
        assert_ne!(line, "", "ended without saying {words:?}");
        if line.contains(words) {
            return line;
        }
    }
}

#[tokio::test]
async fn a_changed_file_is_taken_and_a_bad_one_changes_nothing() {
    let mut folder = Folder::with(FILE);
    let mut node = folder.start(&[], &[]);
    let mut connection = Connection::open(node.address()).await;
    delta_is(&mut connection, 200).await;

    // Nobody says anything: the file has changed.
    folder = folder.file("application.yml", &FILE.replace("false", "true"));
    delta_is(&mut connection, 403).await;
    says(&mut node, "settings changed: eureka.server.disable-delta");

    folder = folder.file("application.yml", &FILE.replace("false", "maybe"));
    let line = says(
        &mut node,
        "settings stay as they are: eureka.server.disable-delta",
    );
    assert!(line.contains("application.yml, line 2"), "{line}");
    delta_is(&mut connection, 403).await;

    // A new file counts as well; what cannot change is named.
    folder = folder.file("application.yml", &FILE.replace("false", "true"));
    folder = folder.file(
        "config/application.yml",
        "eureka.server.mode: classic\nserver.port: 1",
    );
    let line = says(&mut node, "with a restart only");
    assert!(
        line.contains("eureka.server.mode") && line.contains("server.port"),
        "{line}"
    );

    let _folder = folder.file("config/application.yml", "eureka.server.disable-delta: no");
    delta_is(&mut connection, 200).await;
    node.signal("HUP");
    says(&mut node, "settings read again: nothing has changed");
    node.signal("TERM");
    assert_eq!(node.end().code, Some(0));
}

#[tokio::test]
async fn a_peer_that_is_named_later_is_told_what_happens() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free.local_addr().unwrap();
    let named = Folder::with("server.port: 0");
    let mut other = named.start(&[], &[]);
    let other_address = other.address();
    let file = |peer: &str| {
        format!("server.port: 0\neureka.client.service-url.defaultZone: http://{peer}/eureka/\n")
    };
    drop(free);
    let folder = Folder::with(&file(&nobody.to_string()));
    let mut node = folder.start(&["--eureka.client.register-with-eureka=false"], &[]);
    let mut here = Connection::open(node.address()).await;
    let folder = folder.file("application.yml", &file(&other_address.to_string()));
    says(
        &mut node,
        "settings changed: eureka.client.service-url.defaultZone",
    );
    // What happens before the node has a queue for it, a peer hears with the next heartbeat; here there is none.
    says(&mut node, "replicating to this peer");
    let body = r#"{"instance":{"instanceId":"i","hostName":"h","app":"A","ipAddr":"10.0.0.1",
        "dataCenterInfo":{"name":"MyOwn"}}}"#;
    let json = "Content-Type: application/json\r\n";
    assert_eq!(
        here.ask("POST", "/eureka/apps/A", json, body).await.status,
        204
    );
    let mut there = Connection::open(other_address).await;
    let end = Instant::now() + LONGEST;
    while there.ask("GET", "/eureka/apps/A", "", "").await.status != 200 {
        assert!(Instant::now() < end, "the peer was not told");
        // What was there before a peer was named reaches it with the next heartbeat.
        let beat = here.ask("PUT", "/eureka/apps/A/i", "", "").await;
        assert_eq!(beat.status, 200);
        tokio::task::yield_now().await;
    }
    drop(folder);
}

/// Asks for lists until their status is this one.
async fn lists_are(connection: &mut Connection, headers: &str, status: u16) {
    let end = Instant::now() + LONGEST;
    loop {
        let got = connection.ask("GET", "/eureka/apps", headers, "").await;
        if got.status == status {
            return;
        }
        assert!(Instant::now() < end, "{} and not {status}", got.status);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn who_may_do_what_changes_with_the_file() {
    const TOKEN: &str = "Authorization: Bearer a-long-token-by-chance\r\n";
    let token = "\
server.port: 0
eureka.server.security.tokens.t: { token: a-long-token-by-chance, roles: read }
";
    let folder = Folder::with("server.port: 0");
    let mut node = folder.start(&[], &[]);
    let mut connection = Connection::open(node.address()).await;
    lists_are(&mut connection, "", 200).await;
    let folder = folder.file("application.yml", token);
    lists_are(&mut connection, "", 401).await;
    lists_are(&mut connection, TOKEN, 200).await;
    says(
        &mut node,
        "settings changed: eureka.server.security.tokens.t.",
    );
    let folder = folder.file("application.yml", &token.replace("by-chance", "2"));
    lists_are(&mut connection, TOKEN, 401).await;
    let limited = format!("{token}eureka.server.max-requests-per-second-per-address: 1\n");
    let folder = folder.file("application.yml", &limited);
    lists_are(&mut connection, TOKEN, 429).await;
    says(
        &mut node,
        "settings changed: eureka.server.max-requests-per-second-per-address",
    );
    // A file that is empty, or away for a moment, opens no door.
    let _folder = folder.file("application.yml", "server.port: 0");
    says(&mut node, "the settings name no user, token or certificate");
    lists_are(&mut connection, "", 401).await;
    lists_are(&mut connection, TOKEN, 200).await;
}

#[tokio::test]
async fn heartbeats_compare_stamps_or_not_as_the_file_says() {
    let file =
        |differs| format!("server.port: 0\neureka.server.sync-when-timestamp-differs: {differs}\n");
    let folder = Folder::with(&file(true));
    let mut node = folder.start(&[], &[]);
    let mut connection = Connection::open(node.address()).await;
    let body = r#"{"instance":{"instanceId":"i","hostName":"h","app":"A","ipAddr":"10.0.0.1",
        "lastDirtyTimestamp":"5","dataCenterInfo":{"name":"MyOwn"}}}"#;
    let json = "Content-Type: application/json\r\n";
    let registered = connection.ask("POST", "/eureka/apps/A", json, body).await;
    assert_eq!(registered.status, 204);
    let mut folder = folder;
    for (differs, status) in [(true, 404), (false, 200), (true, 404)] {
        folder = folder.file("application.yml", &file(differs));
        let end = Instant::now() + LONGEST;
        // A stamp that is newer than the one on file.
        let path = "/eureka/apps/A/i?lastDirtyTimestamp=9";
        loop {
            let got = connection.ask("PUT", path, "", "").await.status;
            if got == status {
                break;
            }
            assert!(Instant::now() < end, "{got} and not {status}");
            tokio::task::yield_now().await;
        }
    }
}

/// The node waits for a peer that is not there, and longer than any test: until the file says otherwise.
#[tokio::test]
async fn a_node_that_waits_for_somebody_to_copy_from_may_be_told_to_stop_waiting() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free.local_addr().unwrap();
    let file = |wait: u64| {
        format!(
            "server.port: 0\neureka.client.service-url.defaultZone: http://{nobody}/eureka/\n\
             eureka.server.wait-time-in-ms-when-sync-empty: {wait}\n"
        )
    };
    drop(free);
    let folder = Folder::with(&file(3_600_000));
    let mut node = folder.start(&[], &[]);
    let mut connection = Connection::open(node.address()).await;
    lists_are(&mut connection, "", 503).await;
    let _folder = folder.file("application.yml", &file(1));
    lists_are(&mut connection, "", 200).await;
}
