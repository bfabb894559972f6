//! Over real sockets: redirects, credentials, base paths, and servers that answer something else.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use heureka::client::{Builder, EurekaClient, Event, Instance};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::waiting::LONGEST;

fn client(url: &str) -> Builder {
    let instance = Instance::new("orders")
        .id("a:b/c d")
        .host_name("h")
        .ip_addr("10.0.0.7");
    EurekaClient::builder()
        .server(url)
        .fetch_registry(false)
        .register(instance)
}

async fn taking(path_of_it: &str) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path(path_of_it))
        .respond_with(ResponseTemplate::new(204))
        .mount(&server)
        .await;
    server
}

/// Group 1: slash or none, `/v2` or none.
#[tokio::test]
async fn the_base_is_what_was_configured() {
    for (base, posted) in [
        ("/eureka", "/eureka/apps/ORDERS"),
        ("/eureka/", "/eureka/apps/ORDERS"),
        ("/eureka/v2", "/eureka/v2/apps/ORDERS"),
        ("", "/apps/ORDERS"),
    ] {
        let server = taking(posted).await;
        let url = format!("{}{base}", server.uri());
        let client = client(&url).start().await.unwrap();
        assert!(client.wait_registered(LONGEST).await, "{base}");
        client.shutdown().await;
        let requests = server.received_requests().await.unwrap();
        let delete = requests.last().unwrap();
        let expected = posted.replace("ORDERS", "ORDERS/a:b%2Fc%20d");
        assert_eq!(delete.url.path(), expected);
        let agent = delete.headers["user-agent"].to_str().unwrap();
        assert!(agent.starts_with("heureka-client/"), "{agent}");
    }
}

/// Group 12.
#[tokio::test]
async fn a_password_with_colons_and_percents_arrives_whole() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(header("authorization", "Basic dTpwOnElNDA=")) // u:p:q%40
        .respond_with(ResponseTemplate::new(204))
        .mount(&server)
        .await;
    let url = server.uri().replace("http://", "http://u:p%3Aq%2540@");
    let client = client(&url).start().await.unwrap();
    assert!(client.wait_registered(LONGEST).await);
    client.shutdown().await;
}

/// Group 12: a token that is refused is renewed once, at once.
#[tokio::test]
async fn a_refused_token_is_renewed() {
    let server = MockServer::start().await;
    for (token, status) in [("Bearer old", 401), ("Bearer new", 204)] {
        Mock::given(header("authorization", token))
            .respond_with(ResponseTemplate::new(status))
            .mount(&server)
            .await;
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let tokens = move |fresh: bool| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move { Ok::<_, io::Error>(if fresh { "new" } else { "old" }.to_string()) }
    };
    let client = client(&server.uri())
        .bearer_tokens(tokens)
        .start()
        .await
        .unwrap();
    let mut events = client.events();
    assert!(client.wait_registered(LONGEST).await);
    assert!(matches!(events.try_recv(), Ok(Event::Registered { .. })));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    client.shutdown().await;
}

/// client.md §11.4: the method stays, the host name stays, credentials stay at home.
#[tokio::test]
async fn a_redirect_is_followed_with_the_body_and_without_the_password() {
    for status in [301, 302, 307, 308] {
        let there = taking("/elsewhere/apps/ORDERS").await;
        let here = MockServer::start().await;
        let location = format!("{}/elsewhere/apps/ORDERS", there.uri());
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(status).insert_header("location", location))
            .mount(&here)
            .await;
        let url = here.uri().replace("http://", "http://u:p@");
        let client = client(&url).start().await.unwrap();
        assert!(client.wait_registered(LONGEST).await, "{status}");
        let first = &here.received_requests().await.unwrap()[0];
        let second = &there.received_requests().await.unwrap()[0];
        assert_eq!(first.body, second.body);
        assert!(first.headers.contains_key("authorization"));
        assert!(!second.headers.contains_key("authorization"));
        client.shutdown().await;
    }
}

#[tokio::test]
async fn redirects_in_a_circle_and_redirects_that_are_not_wanted_are_failures() {
    for follow in [true, false] {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(302).insert_header("location", "/again"))
            .mount(&server)
            .await;
        let client = client(&server.uri())
            .follow_redirects(follow)
            .start()
            .await
            .unwrap();
        let mut events = client.events();
        let event = tokio::time::timeout(LONGEST, events.recv()).await.unwrap();
        assert!(
            matches!(event, Ok(Event::RegistrationFailed(_))),
            "{event:?}"
        );
        let requests = server.received_requests().await.unwrap().len();
        assert_eq!(requests, if follow { 6 } else { 1 });
        client.shutdown().await;
    }
}
