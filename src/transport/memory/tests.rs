//! What the network in memory does to calls.

use std::cell::RefCell;

use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};

use super::*;

const A: &str = "http://a:8761/eureka/";
const B: &str = "http://b:8761/eureka/";

fn url(text: &str) -> NodeUrl {
    text.parse().unwrap()
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Two nodes; `b` writes down what arrives, and when.
struct Two {
    world: World,
    to_b: Rc<dyn NodeApi>,
    began: Instant,
    arrived: Rc<RefCell<Vec<(u128, Arrived)>>>,
}

impl Two {
    fn new(kind: Kind) -> Self {
        let world = World::new(1);
        let (began, arrived) = (Instant::now(), Rc::<RefCell<Vec<_>>>::default());
        for (name, kind) in [(A, Kind::Own), (B, kind)] {
            world.attach(&url(name), kind);
            let arrived = arrived.clone();
            let service: Service = Rc::new(move |request| {
                let since = began.elapsed().as_millis();
                arrived.borrow_mut().push((since, request));
                Box::pin(async { answer() })
            });
            world.serve(&url(name), service);
        }
        let patience = Patience {
            connect: ms(1000),
            read: ms(5000),
        };
        let network = MemoryNetwork::new(&world, &url(A), patience, Rc::new(|| Some(sign("a"))));
        Self {
            to_b: network.node(&url("http://user:word@b:8761/eureka/")),
            world,
            began,
            arrived,
        }
    }

    fn change(&self, change: impl FnOnce(&mut Faults)) {
        self.world.change(&url(A), &url(B), change);
    }

    async fn call(&self, body: &str) -> Result<Answer, CallFailed> {
        self.to_b.call(batch(body)).await
    }

    fn since(&self) -> u128 {
        self.began.elapsed().as_millis()
    }

    /// When each body arrived.
    fn arrivals(&self) -> Vec<(u128, String)> {
        let arrived = self.arrived.borrow();
        let text = |arrived: &Arrived| String::from_utf8(arrived.body.to_vec()).unwrap();
        arrived
            .iter()
            .map(|(at, arrived)| (*at, text(arrived)))
            .collect()
    }
}

fn sign(id: &str) -> NodeSign {
    NodeSign {
        id: id.to_string(),
        version: "0.1.0".to_string(),
        open: true,
        instances: None,
    }
}

fn answer() -> Answer {
    Answer {
        status: 200,
        body: Bytes::from_static(br#"{"responseList":[]}"#),
        sign: Some(sign("b")),
        retry_after: None,
    }
}

fn batch(body: &str) -> Call {
    Call::Batch {
        body: Bytes::copy_from_slice(body.as_bytes()),
        packed: false,
    }
}

fn at(arrivals: &[(u128, &str)]) -> Vec<(u128, String)> {
    let owned = |(at, body): &(u128, &str)| (*at, body.to_string());
    arrivals.iter().map(owned).collect()
}

#[tokio::test(start_paused = true)]
async fn a_call_carries_what_http_would_carry() {
    let case = async {
        let two = Two::new(Kind::Own);
        assert_eq!(two.call("x").await, Ok(answer()));
        let (_, arrived) = two.arrived.borrow()[0].clone();
        assert_eq!(
            (arrived.method, &*arrived.path),
            ("POST", "/eureka/peerreplication/batch/")
        );
        assert_eq!(arrived.sign, Some(sign("a")));
        assert_eq!(
            arrived.credentials,
            Some(("user".to_string(), "word".to_string()))
        );
        assert!(
            arrived
                .headers
                .contains(&("content-type", "application/json"))
        );
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn over_a_cut_nothing_connects_and_an_open_connection_waits_and_is_reset() {
    let case = async {
        let two = Two::new(Kind::Own);
        two.change(|faults| faults.cut = true);
        let failed = two.call("never").await;
        assert!(
            matches!(failed, Err(CallFailed::Unreachable(_))),
            "{failed:?}"
        );
        assert_eq!(two.since(), 1000);

        two.change(|faults| faults.cut = false);
        two.call("first").await.unwrap();
        two.change(|faults| faults.cut = true);
        assert_eq!(two.call("lost").await, Err(CallFailed::TimedOut(ms(5000))));
        two.change(|faults| faults.cut = false);
        sleep(ms(60_000)).await;
        assert_eq!(two.arrivals(), at(&[(1000, "first")]));

        // A cut that heals in time only delays.
        two.call("second").await.unwrap();
        two.change(|faults| faults.cut = true);
        let later = async {
            sleep(ms(2000)).await;
            two.change(|faults| faults.cut = false);
        };
        let (answer, ()) = tokio::join!(two.call("third"), later);
        answer.unwrap();
        assert_eq!(two.arrivals()[2], (68_000, "third".to_string()));
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_cut_on_its_way_back_was_carried_out() {
    let case = async {
        let two = Two::new(Kind::Own);
        two.call("first").await.unwrap();
        two.world
            .change(&url(B), &url(A), |faults| faults.cut = true);
        assert_eq!(two.call("done").await, Err(CallFailed::TimedOut(ms(5000))));
        assert_eq!(two.arrivals(), at(&[(0, "first"), (0, "done")]));
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_may_outlive_the_patience_of_its_caller_where_that_is_asked_for() {
    let case = async {
        let two = Two::new(Kind::Own);
        two.call("first").await.unwrap();
        two.change(|faults| (faults.cut, faults.outlive) = (true, Some(ms(10_000))));
        two.call("late").await.unwrap_err();
        two.change(|faults| faults.cut = false);
        sleep(ms(20_000)).await;
        assert_eq!(two.arrivals(), at(&[(0, "first"), (15_000, "late")]));
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn requests_are_late_lost_doubled_and_overtaken() {
    let case = async {
        let two = Two::new(Kind::Own);
        let mend = || two.change(|faults| *faults = Faults::default());
        two.change(|faults| faults.delay = ms(100));
        // The connection takes a way, too.
        two.call("late").await.unwrap();
        assert_eq!(two.arrivals(), at(&[(200, "late")]));

        mend();
        two.change(|faults| faults.lose_requests = 1.0);
        two.call("lost").await.unwrap_err();
        mend();
        two.change(|faults| faults.lose_answers = 1.0);
        two.call("done").await.unwrap_err();
        assert_eq!(two.arrivals()[1..], at(&[(5200, "done")]));

        mend();
        two.change(|faults| (faults.duplicate, faults.duplicate_after) = (1.0, ms(300)));
        two.call("twice").await.unwrap();
        mend();
        two.change(|faults| (faults.reorder, faults.reorder_by) = (1.0, ms(50)));
        let second = async {
            mend();
            two.call("overtakes").await
        };
        let (one, other) = tokio::join!(two.call("overtaken"), second);
        assert!(one.is_ok() && other.is_ok());
        sleep(ms(1000)).await;
        let bodies: Vec<String> = two.arrivals().into_iter().map(|(_, body)| body).collect();
        assert_eq!(bodies[2..], ["twice", "overtakes", "overtaken", "twice"]);
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn jitter_lets_nothing_overtake_and_a_seed_repeats_it() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let case = async {
            let two = Two::new(Kind::Own);
            two.call("0").await.unwrap();
            two.change(|faults| (faults.delay, faults.jitter) = (ms(1), ms(50)));
            let mut calls = Vec::new();
            for n in 1..20 {
                calls.push(tokio::task::spawn_local(
                    two.to_b.call(batch(&n.to_string())),
                ));
            }
            for call in calls {
                call.await.unwrap().unwrap();
            }
            two.arrivals()
        };
        runs.push(LocalSet::new().run_until(case).await);
    }
    let order: Vec<String> = runs[0].iter().map(|(_, body)| body.clone()).collect();
    let expected: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    assert_eq!(order, expected);
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test(start_paused = true)]
async fn a_dead_node_refuses_and_breaks_what_is_open_and_a_paused_one_is_late() {
    let case = async {
        let two = Two::new(Kind::Own);
        two.call("first").await.unwrap();
        two.world.pause(&url(B), true);
        two.call("buffered").await.unwrap_err();
        two.world.pause(&url(B), false);
        sleep(ms(1)).await;
        assert_eq!(two.arrivals(), at(&[(0, "first"), (5000, "buffered")]));

        two.world.pause(&url(B), true);
        let death = async {
            sleep(ms(100)).await;
            two.world.detach(&url(B));
        };
        let (broken, ()) = tokio::join!(two.call("open"), death);
        assert!(matches!(broken, Err(CallFailed::Broken(_))), "{broken:?}");
        let refused = two.call("refused").await;
        assert!(
            matches!(refused, Err(CallFailed::Unreachable(_))),
            "{refused:?}"
        );
        assert_eq!(two.since(), 5101, "at once");
        assert_eq!(two.arrivals().len(), 2);
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn what_an_earlier_start_of_a_node_still_asks_reaches_nobody() {
    let case = async {
        let two = Two::new(Kind::Own);
        two.world.attach(&url(A), Kind::Own);
        let open = tokio::time::timeout(ms(60_000), two.call("ghost")).await;
        assert!(open.is_err());
        assert_eq!(two.arrivals(), []);
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn a_java_node_shows_no_sign_and_refuses_what_java_does_not_know() {
    let case = async {
        let two = Two::new(Kind::Java);
        let plain = r#"{"replicationList":[{"appName":"A","id":"i","action":"Cancel"}]}"#;
        let taken = two.call(plain).await.unwrap();
        assert_eq!((taken.status, taken.sign), (200, None));
        assert_eq!(two.arrived.borrow()[0].1.sign, None);
        for strange in [
            plain.replace("\"id\"", "\"ext\":{},\"id\""),
            plain.replace("{\"repl", "{\"more\":1,\"repl"),
        ] {
            assert_eq!(two.call(&strange).await.unwrap().status, 400, "{strange}");
        }
        let page = two.to_b.call(Call::Page { after: None }).await.unwrap();
        assert_eq!(page.status, 404);
        assert_eq!(two.world.refusals().len(), 2);
        assert_eq!(two.arrived.borrow().len(), 1);
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn what_went_over_a_way_is_counted_and_kept() {
    let case = async {
        let two = Two::new(Kind::Own);
        let body = r#"{"replicationList":[{"appName":"A","id":"i","action":"Cancel"}]}"#;
        two.call(body).await.unwrap();
        two.world
            .change(&url(A), &url(B), |faults| faults.cut = true);
        two.call(body).await.unwrap_err();
        two.call(body).await.unwrap_err();
        let traffic = two.world.traffic(&url(A), &url(B));
        assert_eq!((traffic.calls, traffic.unreached), (2, 1));
        assert_eq!(
            (traffic.bytes, traffic.items["Cancel"]),
            (2 * body.len(), 2)
        );
        let calls = two.world.calls(&url(A), &url(B));
        assert_eq!(
            calls[0].answer.as_ref().map(|(status, _)| *status),
            Some(200)
        );
        assert_eq!(
            (&*calls[1].body, &calls[1].answer),
            (body.as_bytes(), &None)
        );
        assert_eq!(two.world.traffic(&url(B), &url(A)), Traffic::default());
    };
    LocalSet::new().run_until(case).await;
}

#[tokio::test(start_paused = true)]
async fn a_name_leads_to_its_first_address_and_an_alias_to_each_in_turn() {
    let case = async {
        let two = Two::new(Kind::Own);
        let patience = Patience {
            connect: ms(1000),
            read: ms(5000),
        };
        let network = MemoryNetwork::new(&two.world, &url(A), patience, Rc::new(|| None));
        let lb = network.node(&url("http://lb:80/eureka/"));
        lb.call(Call::Apps).await.unwrap_err();
        two.world
            .alias(&url("http://lb:80/eureka/"), &[url(A), url(B)]);
        for _ in 0..2 {
            lb.call(Call::Apps).await.unwrap();
        }
        assert_eq!(two.world.traffic(&url(A), &url(B)).calls, 1);
        assert_eq!(two.world.traffic(&url(A), &url(A)).calls, 1);

        let address: IpAddr = [10, 0, 0, 7].into();
        two.world.attach(&url("http://10.0.0.7:8761/"), Kind::Own);
        two.world.serve(
            &url("http://10.0.0.7:8761/"),
            Rc::new(|_| Box::pin(async { answer() })),
        );
        two.world.name("nodes", vec![address]);
        assert_eq!(network.addresses("nodes").await.unwrap(), [address]);
        assert!(network.addresses("nobody").await.is_err());
        network
            .node(&url("http://nodes:8761/eureka/"))
            .call(Call::Apps)
            .await
            .unwrap();
        two.world.text("txt.eu", vec!["a".to_string()]);
        assert_eq!(network.texts("txt.eu").await.unwrap(), ["a"]);
    };
    LocalSet::new().run_until(case).await;
}
