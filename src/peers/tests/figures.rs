//! Metrics, and the state for people.

use std::time::Duration;

use super::fake::{Reply, sign};
use super::world::World;
use crate::model::Origin;

fn page(world: &World) -> String {
    world.metrics.upkeep();
    world.metrics.render(&[])
}

#[actix::test]
async fn metrics_say_how_things_stand_with_each_peer() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    world.peer("c").always(Some(Reply::unreachable()));
    world.peer("b").then(Reply::slow(30));
    world.register("1").await;
    world.pass(5000).await;
    let page = page(&world);
    for line in [
        r#"eureka_peer_up{peer="http://b:8761/eureka/"} 1"#,
        r#"eureka_peer_up{peer="http://c:8761/eureka/"} 0"#,
        r#"eureka_replication_queue_length{peer="http://b:8761/eureka/"} 0"#,
        r#"eureka_replication_queue_length{peer="http://c:8761/eureka/"} 1"#,
        r#"eureka_replication_items_total{peer="http://b:8761/eureka/",action="Register",result="ok"} 1"#,
        r#"eureka_replication_batches_total{peer="http://b:8761/eureka/",result="ok"} 2"#,
        r#"eureka_replication_lag_seconds_bucket{peer="http://b:8761/eureka/",le="0.05"} 1"#,
        r#"eureka_replication_lag_seconds_bucket{peer="http://b:8761/eureka/",le="0.025"} 0"#,
        r#"eureka_replication_batch_size_bucket{peer="http://b:8761/eureka/",le="1"} 1"#,
        r#"eureka_replication_seconds_count{peer="http://b:8761/eureka/"} 2"#,
        r#"eureka_peer_last_contact_timestamp_seconds{peer="http://b:8761/eureka/"} 1000.03"#,
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    for name in ["oldest_seconds", "backoff_seconds"] {
        let start = format!(r#"eureka_replication_{name}{{peer="http://c:8761/eureka/"}} "#);
        let at = page.find(&start).unwrap() + start.len();
        let value: f64 = page[at..].lines().next().unwrap().parse().unwrap();
        assert!(value > 1.0, "{name} {value}");
    }
}

#[actix::test]
async fn a_peer_that_is_gone_leaves_no_figures_behind() {
    tokio::time::pause();
    let world = World::with(&["b", "c"]).await;
    world.learn(["1"]).await;
    world.peer("c").always(Some(Reply::unreachable()));
    world.cancel("1", Origin::Client).await;
    world.pass(1000).await;
    world.set_list(&["b"]).await;
    let page = page(&world);
    assert!(page.contains(r#"peer="http://b:8761/eureka/""#), "{page}");
    assert!(!page.contains(r#"peer="http://c:8761/eureka/""#), "{page}");
}

#[actix::test]
async fn the_state_says_who_is_there_and_what_waits() {
    tokio::time::pause();
    let world = World::prepared(
        &["b", "c"],
        |_| {},
        |peer| *peer.sign.borrow_mut() = Some(sign("b1", true)),
    )
    .await;
    world.peer("c").always(Some(Reply::unreachable()));
    world.register("1").await;
    world.pass(5000).await;
    let state = world.state().await;
    let [b, c] = &state[..] else {
        panic!("{state:?}");
    };
    assert!(b.up && !c.up);
    assert_eq!(b.sign, Some(sign("b1", true)));
    let contact = b.last_contact.unwrap();
    assert!((1_000_001..1_000_010).contains(&contact), "{contact}");
    assert_eq!((b.queue_length, b.oldest, b.pause), (0, None, None));
    assert_eq!(c.queue_length, 1);
    assert!(c.oldest.unwrap() >= Duration::from_secs(4));
    assert!(c.pause.unwrap() >= Duration::from_secs(1));
}
