//! Group 8: which servers there are, by zones, TXT records, SRV records and addresses, and lists that change.

use heureka::client::{Builder, EurekaClient, ServerPlace, StartError};

use crate::world::{Mood, World, orders, pass, secs};

/// A client of no server yet, which asks this world.
fn client(world: &World) -> Builder {
    EurekaClient::builder()
        .backend(world.clone())
        .seed(1)
        .fetch_registry(false)
        .register(orders())
}

fn last_host(world: &World) -> String {
    world
        .log()
        .last()
        .map(|got| got.host.clone())
        .unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn servers_of_the_own_zone_are_asked_first_or_last() {
    for (zone, prefer, expected) in [
        (Some("z2"), true, ["c", "d"]),
        (Some("z2"), false, ["a", "b"]),
        (None, true, ["a", "b"]),
    ] {
        let world = World::of(&["a", "b", "c", "d"]);
        let mut builder = client(&world)
            .server_in_zone("z1", "http://a/eureka,http://b/eureka")
            .server_in_zone("z2", "http://c/eureka/, http://d/eureka/")
            .prefer_own_zone(prefer);
        if let Some(zone) = zone {
            builder = builder.zone(zone);
        }
        let _client = builder.start().await.unwrap();
        pass(secs(60)).await;
        assert!(
            expected.contains(&last_host(&world).as_str()),
            "{zone:?} {prefer}"
        );
        // Without that zone the others serve.
        for host in expected {
            world.mood(host, Mood::Dead);
        }
        pass(secs(60)).await;
        assert!(!expected.contains(&last_host(&world).as_str()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_tree_of_txt_records_names_zones_and_hosts() {
    let world = World::of(&["a.example", "b.example", "c.example"]);
    world.name("txt.eu.example", &["\"z2.example txt.z1.example\""]);
    world.name("txt.z1.example", &["a.example", "b.example"]);
    world.name("txt.z2.example", &["c.example"]);
    let place = ServerPlace::http(8761, "eureka");
    let builder = client(&world)
        .servers_by_txt("eu", "example", place)
        .zone("z2");
    let client = builder.start().await.unwrap();
    assert!(client.wait_registered(secs(5)).await);
    assert_eq!(last_host(&world), "c.example");
    // The zone has a server less, and a name that cannot be looked up changes nothing.
    world.mood("c.example", Mood::Dead);
    world.name("txt.z1.example", &[]);
    pass(secs(600)).await;
    let refuge = last_host(&world);
    assert!(
        ["a.example", "b.example"].contains(&refuge.as_str()),
        "{refuge}"
    );
}

#[tokio::test(start_paused = true)]
async fn srv_records_name_hosts_and_ports() {
    let world = World::of(&["a.example", "b.example", "spare.example"]);
    world.name(
        "_eureka._tcp.example",
        &["a.example", "b.example", "spare.example"],
    );
    let place = ServerPlace::http(1, "/eureka/");
    let builder = client(&world).servers_by_srv("_eureka._tcp.example", place);
    let client = builder.start().await.unwrap();
    assert!(client.wait_registered(secs(5)).await);
    assert_ne!(last_host(&world), "spare.example");
    world.mood("a.example", Mood::Dead);
    world.mood("b.example", Mood::Dead);
    pass(secs(60)).await;
    assert_eq!(last_host(&world), "spare.example");
}

/// The list changes: who stayed with a server that is no longer in it goes to another one, and where names are not
/// known at the start the client waits for them.
#[tokio::test(start_paused = true)]
async fn a_list_that_changes_moves_clients() {
    let world = World::of(&["10.1.0.1", "10.1.0.2", "eureka"]);
    let builder = client(&world)
        .server("http://eureka:8761/eureka/")
        .each_address_is_a_server()
        .look_up_servers_every(secs(30));
    world.name("eureka", &["10.1.0.1"]);
    let client = builder.start().await.unwrap();
    assert!(client.wait_registered(secs(5)).await);
    pass(secs(60)).await;
    assert_eq!(last_host(&world), "10.1.0.1");
    world.name("eureka", &["10.1.0.2"]);
    pass(secs(62)).await;
    assert_eq!(last_host(&world), "10.1.0.2");
    // Names cannot be looked up: the list in use stays.
    world.name("eureka", &[]);
    pass(secs(62)).await;
    assert_eq!(last_host(&world), "10.1.0.2");
}

#[tokio::test(start_paused = true)]
async fn names_that_come_later_are_waited_for() {
    let world = World::of(&["a.example"]);
    let place = ServerPlace::http(8761, "eureka");
    let client = client(&world)
        .servers_by_srv("srv.example", place)
        .start()
        .await
        .unwrap();
    pass(secs(20)).await;
    assert!(world.log().is_empty());
    world.name("srv.example", &["a.example"]);
    assert!(client.wait_registered(secs(60)).await);
}

#[tokio::test(start_paused = true)]
async fn no_server_and_no_url_are_told_at_the_start() {
    let world = World::of(&[]);
    let error = client(&world).start().await.unwrap_err();
    assert_eq!(error, StartError::NoServers);
    let error = client(&world)
        .server("http://u:secret@")
        .start()
        .await
        .unwrap_err();
    let StartError::BadServer { url } = &error else {
        panic!("{error:?}");
    };
    assert!(!url.contains("secret"), "{url}");
}

/// client.md §16.1: `enabled` is the whole client, `register-with-eureka` its registration, wherever `register` stands.
#[tokio::test(start_paused = true)]
async fn settings_turn_the_client_off_or_its_registration() {
    let off = |name: &str| [(name.to_string(), "false".to_string())];
    let world = World::of(&["a"]);
    let client = world.client(1).with_settings(off("EUREKA_CLIENT_ENABLED"));
    let client = client.unwrap().register(orders()).start().await.unwrap();
    assert!(client.watch().is_none() && client.own_instance().is_none());
    let name = "eureka.client.register-with-eureka";
    let reader = world.client(1).with_settings(off(name)).unwrap();
    let reader = reader.register(orders()).start().await.unwrap();
    pass(secs(100)).await;
    assert!(reader.own_instance().is_none() && reader.watch().is_some());
    assert!(world.lines().iter().all(|line| line.starts_with("GET")));
    client.shutdown().await;
    reader.shutdown().await;
    // A client that asks nobody needs no server.
    let nobody = EurekaClient::builder().with_settings(off("eureka.client.enabled"));
    nobody.unwrap().start().await.unwrap();
}
