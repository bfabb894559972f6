//! `http://orders/…` with reqwest and with tower.

use crate::world::World;

/// A reader of a registry in which the instances of `billing` are at these addresses.
async fn reader(world: &World, ports: &[u16]) -> heureka::client::EurekaClient {
    for port in ports {
        let id = format!("b-{port}");
        world.put("BILLING", &id, "UP");
        world.reached_at("BILLING", &id, "127.0.0.1", *port);
    }
    world.reader().await
}

#[cfg(feature = "reqwest-middleware")]
mod with_reqwest {
    use reqwest::StatusCode;
    use reqwest_middleware::ClientBuilder;
    use wiremock::matchers::{method, path, query_param};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;

    /// A program that uses reqwest without a provider of its own makes its client after ours.
    fn http(client: &heureka::client::EurekaClient) -> reqwest_middleware::ClientWithMiddleware {
        // Here the world stands in for the HTTP backend that does it.
        _ = rustls::crypto::ring::default_provider().install_default();
        ClientBuilder::new(reqwest::Client::new())
            .with(client.reqwest_middleware())
            .build()
    }

    async fn answering(status: u16) -> MockServer {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(status).set_body_string(status.to_string());
        Mock::given(path("/invoices"))
            .and(query_param("of", "me"))
            .respond_with(answer)
            .mount(&server)
            .await;
        server
    }

    async fn count(server: &MockServer) -> usize {
        server.received_requests().await.unwrap().len()
    }

    #[tokio::test]
    async fn a_name_goes_to_an_instance_and_to_the_next_one_if_that_may_be() {
        let world = World::of(&["a"]);
        let (good, busy) = (answering(200).await, answering(503).await);
        let ports = [good.address().port(), busy.address().port()];
        let client = reader(&world, &ports).await;
        let http = http(&client);
        for _ in 0..4 {
            let answer = http
                .get("http://billing/invoices?of=me")
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), StatusCode::OK);
        }
        assert_eq!(count(&good).await, 4);
        assert!(count(&busy).await >= 1);
        // What may not be carried out twice is not.
        let mut statuses = Vec::new();
        let before = count(&good).await + count(&busy).await;
        for _ in 0..2 {
            let answer = http
                .post("http://billing/invoices?of=me")
                .body("x")
                .send()
                .await;
            statuses.push(answer.unwrap().status().as_u16());
        }
        assert_eq!(count(&good).await + count(&busy).await, before + 2);
        statuses.sort_unstable();
        assert!(
            statuses == [200, 503] || statuses == [200, 200],
            "{statuses:?}"
        );
    }

    #[tokio::test]
    async fn what_is_no_name_is_left_as_it_is() {
        let world = World::of(&["a"]);
        let server = MockServer::start().await;
        Mock::given(method("GET"))
            .respond_with(ResponseTemplate::new(200))
            .mount(&server)
            .await;
        let client = reader(&world, &[1]).await;
        let http = http(&client);
        let answer = http.get(server.uri()).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        assert!(http.get("http://nobody.invalid/").send().await.is_err());
    }
}

#[cfg(feature = "tower")]
mod with_tower {
    use std::convert::Infallible;
    use std::future::{Ready, poll_fn, ready};
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use heureka::client::{InstanceInfo, InstanceKey};
    use http::{Request, Response};
    use tower::discover::{Change, Discover};
    use tower_layer::Layer;
    use tower_service::Service;

    use super::*;
    use crate::world::{pass, secs};

    /// Answers where it was sent.
    #[derive(Clone)]
    struct Echo;

    impl Service<Request<()>> for Echo {
        type Response = Response<String>;
        type Error = Infallible;
        type Future = Ready<Result<Response<String>, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, request: Request<()>) -> Self::Future {
            let there = request.uri().to_string();
            // The first instance is not well.
            let status = if there.contains(":9001") { 503 } else { 200 };
            let answer = Response::builder().status(status).body(there);
            ready(Ok(answer.unwrap()))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_goes_to_instances_in_turn_and_who_fails_is_left_alone() {
        let world = World::of(&["a"]);
        let client = reader(&world, &[9001, 9002]).await;
        let mut service = client.tower_layer().layer(Echo);
        let mut seen = Vec::new();
        for _ in 0..20 {
            let request = Request::get("http://billing/invoices?of=me")
                .body(())
                .unwrap();
            seen.push(service.call(request).await.unwrap().into_body());
        }
        let at = |port: u16| format!("http://127.0.0.1:{port}/invoices?of=me");
        let to = |port: u16| seen.iter().filter(|seen| **seen == at(port)).count();
        assert_eq!((to(9001), to(9002)), (3, 17));
        // What is to be secure is not sent in clear, and what has a dot is somebody's own.
        world.put("PAY.EXAMPLE", "p", "UP");
        pass(secs(31)).await;
        assert!(client.pick("pay.example").is_ok());
        for uri in [
            "http://nobody/",
            "http://billing:80/",
            "/billing",
            "https://billing/invoices",
            "http://pay.example/",
        ] {
            let request = Request::get(uri).body(()).unwrap();
            assert_eq!(service.call(request).await.unwrap().into_body(), uri);
        }
    }

    /// What a balancer is told until nothing is left to tell: `+id port`, `-id`, or `end`.
    async fn told(
        services: &mut (impl Discover<Key = InstanceKey, Service = u16> + Unpin),
    ) -> Vec<String> {
        let mut told = Vec::new();
        poll_fn(|context| {
            loop {
                told.push(match Pin::new(&mut *services).poll_discover(context) {
                    Poll::Ready(Some(Ok(Change::Insert(key, port)))) => {
                        format!("+{} {port}", key.id)
                    }
                    Poll::Ready(Some(Ok(Change::Remove(key)))) => format!("-{}", key.id),
                    Poll::Ready(Some(Err(_))) => panic!("it cannot fail"),
                    Poll::Ready(None) => {
                        told.push("end".to_string());
                        return Poll::Ready(());
                    }
                    Poll::Pending => return Poll::Ready(()),
                });
            }
        })
        .await;
        told
    }

    #[tokio::test(start_paused = true)]
    async fn a_balancer_is_told_who_comes_who_goes_and_who_moved() {
        let world = World::of(&["a"]);
        let client = reader(&world, &[9001, 9002]).await;
        let connect = |info: &Arc<InstanceInfo>| info.port.number;
        let mut services = client.tower_discover("billing", connect).unwrap();
        assert_eq!(told(&mut services).await, ["+b-9001 9001", "+b-9002 9002"]);
        assert_eq!(told(&mut services).await, [""; 0]);
        // Something else of the record, a new place, one that comes and one that goes.
        world.metadata("BILLING", "b-9001", "version", "2");
        pass(secs(31)).await;
        assert_eq!(told(&mut services).await, [""; 0]);
        world.reached_at("BILLING", "b-9002", "127.0.0.1", 9102);
        world.put("BILLING", "b-9003", "UP");
        world.take("BILLING", "b-9001");
        pass(secs(31)).await;
        assert_eq!(
            told(&mut services).await,
            ["+b-9002 9102", "+b-9003 7001", "-b-9001"]
        );
        // Who is not usable goes, too.
        world.order("BILLING", "b-9002", "OUT_OF_SERVICE");
        pass(secs(31)).await;
        assert_eq!(told(&mut services).await, ["-b-9002"]);
        client.shutdown().await;
        assert_eq!(told(&mut services).await, ["end"]);
    }
}
