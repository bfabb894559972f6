//! With a node of this crate, over a real socket: what one client registers another finds, and nobody else has to.

use std::time::Duration;

use heureka::client::{Builder, EurekaClient, Filter, Instance, InstanceStatus};
use heureka::config::{Config, Mode};

use crate::running::{Connection, Running};
use crate::waiting::{LONGEST, until};

const JSON: &str = "Accept: application/json\r\n";

fn client(node: &Running) -> Builder {
    EurekaClient::builder()
        .server(format!("http://{}/eureka", node.address))
        .fetch_interval(Duration::from_millis(50))
}

fn orders(id: &str) -> Instance {
    Instance::new("orders")
        .id(id)
        .host_name("h")
        .ip_addr("10.0.0.7")
        .metadata("zone", "z1")
}

#[tokio::test]
async fn what_one_registers_another_finds_changes_and_all() {
    let node = Running::start(Config::of(Mode::Modern));
    let reader = client(&node)
        .wait_fetched(LONGEST)
        .filter(Filter::All)
        .start()
        .await
        .unwrap();
    // Ids as foreign clients have them.
    let writer = client(&node)
        .register(orders("host:orders:8080/ü 1"))
        .wait_registered(LONGEST);
    let writer = writer.start().await.unwrap();
    until(&reader, |reader| !reader.instances("orders").is_empty()).await;
    let found = reader.instances("ORDERS")[0].clone();
    let own = writer.own_instance().unwrap();
    // All but what the server sets.
    let mut expected = own.clone();
    (expected.last_updated, expected.action) = (found.last_updated, found.action);
    assert_eq!(*found, expected);
    writer.update_metadata([("version", "2")]);
    let version = |reader: &EurekaClient| {
        let instances = reader.instances("orders");
        instances.first()?.metadata.get("version").cloned()
    };
    until(&reader, |reader| version(reader).as_deref() == Some("2")).await;
    writer.set_status(InstanceStatus::Down);
    let is_down = |reader: &EurekaClient| {
        let status = reader.instances("orders").first().map(|info| info.status);
        status == Some(InstanceStatus::Down)
    };
    until(&reader, is_down).await;
    writer.shutdown().await;
    until(&reader, |reader| reader.instances("orders").is_empty()).await;
    reader.shutdown().await;
}

#[tokio::test]
async fn an_operator_s_order_is_seen_and_a_lost_registration_is_made_again() {
    let node = Running::start(Config::of(Mode::Modern));
    let lease = (Duration::from_secs(1), Duration::from_secs(3));
    let client = client(&node).register(orders("i").lease(lease.0, lease.1));
    let client = client.wait_registered(LONGEST).start().await.unwrap();
    until(&client, |client| !client.instances("orders").is_empty()).await;
    let mut operator = Connection::open(node.address).await;
    let path = "/eureka/apps/ORDERS/i/status?value=OUT_OF_SERVICE";
    assert_eq!(operator.ask("PUT", path, JSON, "").await.status, 200);
    let out = Some(InstanceStatus::OutOfService);
    until(&client, |client| client.instances("orders").is_empty()).await;
    assert_eq!(client.remote_status(), out);
    assert_eq!(client.own_instance().unwrap().status, InstanceStatus::Up);
    // Somebody deletes it; its next heartbeat finds out.
    let gone = operator
        .ask("DELETE", "/eureka/apps/ORDERS/i", JSON, "")
        .await;
    assert_eq!(gone.status, 200);
    until(&client, |client| !client.instances("orders").is_empty()).await;
    client.shutdown().await;
    let gone = operator.ask("GET", "/eureka/apps/ORDERS/i", JSON, "").await;
    assert_eq!(gone.status, 404);
}
