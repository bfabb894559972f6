//! Every connection is an open file: the limit of these is raised, and never reached.

use crate::process::Process;
use crate::running::Connection;

async fn is_served(connection: &mut Connection) -> bool {
    connection.ask("GET", "/health/live", "", "").await.status == 200
}

#[tokio::test]
async fn a_low_limit_of_open_files_is_raised_as_far_as_it_goes() {
    let mut process = Process::start_with_files(64, None);
    let address = process.address();
    let mut held = Vec::new();
    for _ in 0..150 {
        let mut connection = Connection::open(address).await;
        assert!(is_served(&mut connection).await);
        held.push(connection);
    }
    process.signal("TERM");
    assert_eq!(process.end().code, Some(0));
}

#[tokio::test]
async fn a_flood_of_connections_leaves_the_node_its_own_files_and_those_it_has_let_in() {
    let mut process = Process::start_with_files(64, Some(128));
    let address = process.address();
    let (mut held, mut turned_away) = (Vec::new(), 0);
    for _ in 0..300 {
        let mut connection = Connection::open(address).await;
        if held.len() < 96 {
            assert!(is_served(&mut connection).await, "{}", held.len());
        } else {
            let all = connection.all().await;
            assert!(
                all.starts_with("HTTP/1.1 503 Service Unavailable\r\n"),
                "{all}"
            );
            turned_away += 1;
        }
        held.push(connection);
    }
    assert_eq!(turned_away, 204);
    for connection in &mut held[..96] {
        assert!(is_served(connection).await);
    }
    let metrics = held[0].ask("GET", "/metrics", "", "").await;
    assert!(metrics.text().contains("eureka_connections 96\n"));
    assert!(
        metrics
            .text()
            .contains("eureka_refused_total{reason=\"connections\"} 204\n")
    );
    process.signal("TERM");
    let end = process.end();
    let warning = "only 128 files may be open here, each connection is one; 65536 are enough for a large \
                   fleet (ulimit -Hn). At most 96 connections are let in";
    assert!(end.stdout.contains(warning), "{}", end.stdout);
    assert_eq!(end.code, Some(0));
}
