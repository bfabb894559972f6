//! Who may do what: every route for everybody, and what the guard does with those whom it does not know.

use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heureka::config::{Config, Mode, Password, Token, User};
use heureka::model::{Grant, Role, Secret};

use crate::kit::body;
use crate::support::{Ask, EPOCH, Reply, TestNode, members, pause_once};

fn user(name: &str, password: &str, grant: Grant) -> User {
    User {
        name: name.to_string(),
        password: Password::parse(password).unwrap(),
        grant,
    }
}

fn token(name: &str, role: Role, expires: Option<u64>) -> Token {
    Token {
        name: name.to_string(),
        token: Secret::new(format!("{name}-token")),
        expires,
        grant: Grant::of(role),
    }
}

/// A node that knows somebody of each kind; all passwords are `s3cret`.
fn guarded() -> Config {
    let mut config = Config::of(Mode::Modern);
    let bound = Grant {
        role: Role::Register,
        applications: vec!["a".to_string(), "shop-*".to_string()],
    };
    config.security.users = vec![
        user("reader", "s3cret", Grant::of(Role::Read)),
        user("bound", "{noop}s3cret", bound),
        user("service", "s3cret", Grant::of(Role::Register)),
        user("node", "s3cret", Grant::of(Role::Peer)),
        user("admin", "s3cret", Grant::of(Role::Admin)),
    ];
    config.security.tokens = vec![
        token("fresh", Role::Admin, Some(EPOCH + 60_000)),
        token("stale", Role::Admin, Some(EPOCH)),
    ];
    config
}

/// Values of the `Authorization` header.
mod header {
    pub const READER: &str = "Basic cmVhZGVyOnMzY3JldA==";
    pub const BOUND: &str = "Basic Ym91bmQ6czNjcmV0";
    pub const SERVICE: &str = "Basic c2VydmljZTpzM2NyZXQ=";
    pub const NODE: &str = "Basic bm9kZTpzM2NyZXQ=";
    pub const ADMIN: &str = "Basic YWRtaW46czNjcmV0";
    /// `admin:secret`
    pub const WRONG: &str = "Basic YWRtaW46c2VjcmV0";
    pub const FRESH: &str = "Bearer fresh-token";
    pub const STALE: &str = "Bearer stale-token";
}

trait As {
    fn with(self, header: &str) -> Self;
}

impl As for Ask<'_> {
    fn with(self, header: &str) -> Self {
        match header {
            "" => self,
            header => self.header("Authorization", header),
        }
    }
}

/// Those who ask, in the order of the columns.
const EVERYBODY: [&str; 8] = [
    "",
    header::READER,
    header::BOUND,
    header::SERVICE,
    header::NODE,
    header::ADMIN,
    header::WRONG,
    header::STALE,
];

const BATCH: &str = r#"{"replicationList":[{"appName":"B","id":"i","action":"Heartbeat"}]}"#;

/// The body that a request has by its method and path.
fn body_of(method: &str, path: &str) -> String {
    match (method, path) {
        ("POST", path) if path.contains("batch") => BATCH.to_string(),
        ("POST", path) if path.contains("/apps/") => {
            let app = path.rsplit('/').next().unwrap();
            body(&members(app, "i", ""))
        }
        _ => String::new(),
    }
}

async fn ask(node: &TestNode, method: &str, path: &str, header: &str) -> Reply {
    let (path, replicated) = match path.strip_suffix(" replicated") {
        Some(path) => (path, true),
        None => (path, false),
    };
    let request = node.request(method.parse().unwrap(), path).with(header);
    let request = request.body(body_of(method, path)).json_body().j();
    match replicated {
        true => request.replicated().await,
        false => request.await,
    }
}

/// A/i and B/i are there, whatever the last request did.
async fn restore(node: &TestNode) {
    for app in ["A", "B"] {
        let reply = ask(node, "POST", &format!("/eureka/apps/{app}"), header::ADMIN).await;
        assert_eq!(reply.status, 204);
    }
}

#[actix_web::test]
async fn every_route_is_for_those_who_may() {
    let node = TestNode::with(guarded());
    //                       anonymous, reader, bound to A, service, node, admin, wrong password, expired token
    for (method, path, expected) in [
        ("GET", "/eureka/apps", "401 200 200 200 200 200 401 401"),
        ("GET", "/eureka/apps/", "401 200 200 200 200 200 401 401"),
        (
            "GET",
            "/eureka/apps/delta",
            "401 200 200 200 200 200 401 401",
        ),
        ("GET", "/eureka/apps/B", "401 200 200 200 200 200 401 401"),
        ("HEAD", "/eureka/apps/B", "401 200 200 200 200 200 401 401"),
        (
            "OPTIONS",
            "/eureka/apps/B",
            "401 200 200 200 200 200 401 401",
        ),
        ("GET", "/eureka/apps/B/i", "401 200 200 200 200 200 401 401"),
        (
            "GET",
            "/eureka/apps/B/none",
            "401 404 404 404 404 404 401 401",
        ),
        (
            "GET",
            "/eureka/instances/i",
            "401 200 200 200 200 200 401 401",
        ),
        ("GET", "/eureka/vips/b", "401 200 200 200 200 200 401 401"),
        ("GET", "/eureka/svips/b", "401 200 200 200 200 200 401 401"),
        ("GET", "/eureka/status", "401 200 200 200 200 200 401 401"),
        (
            "GET",
            "/serverinfo/statusoverrides",
            "401 200 200 200 200 200 401 401",
        ),
        ("GET", "/eureka/nowhere", "401 404 404 404 404 404 401 401"),
        (
            "GET",
            "/eureka/apps/A/%FF",
            "401 400 400 400 400 400 401 401",
        ),
        // Changes of the application that `bound` is for, and of another one.
        ("POST", "/eureka/apps/A", "401 403 204 204 204 204 401 401"),
        (
            "POST",
            "/v2/apps/shop-cart",
            "401 403 204 204 204 204 401 401",
        ),
        ("POST", "/eureka/apps/B", "401 403 403 204 204 204 401 401"),
        ("PUT", "/eureka/apps/A/i", "401 403 200 200 200 200 401 401"),
        (
            "PUT",
            "/eureka//apps/%61/i",
            "401 403 200 200 200 200 401 401",
        ),
        (
            "PUT",
            "/eureka/apps/A/none",
            "401 403 404 404 404 404 401 401",
        ),
        ("PUT", "/eureka/apps/B/i", "401 403 403 200 200 200 401 401"),
        (
            "PUT",
            "/eureka/apps/B/none",
            "401 403 403 404 404 404 401 401",
        ),
        (
            "PUT",
            "/eureka/apps/A/i/status?value=DOWN",
            "401 403 200 200 200 200 401 401",
        ),
        (
            "PUT",
            "/eureka/apps/B/i/status?value=DOWN",
            "401 403 403 200 200 200 401 401",
        ),
        (
            "DELETE",
            "/eureka/apps/A/i/status",
            "401 403 200 200 200 200 401 401",
        ),
        (
            "DELETE",
            "/eureka/apps/B/i/status",
            "401 403 403 200 200 200 401 401",
        ),
        (
            "PUT",
            "/eureka/apps/A/i/metadata?k=v",
            "401 403 200 200 200 200 401 401",
        ),
        (
            "PUT",
            "/eureka/apps/B/i/metadata?k=v",
            "401 403 403 200 200 200 401 401",
        ),
        (
            "DELETE",
            "/eureka/apps/A/i",
            "401 403 200 200 200 200 401 401",
        ),
        (
            "DELETE",
            "/eureka/apps/B/i",
            "401 403 403 200 200 200 401 401",
        ),
        // What peers do.
        (
            "POST",
            "/eureka/peerreplication/batch/",
            "401 403 403 403 200 200 401 401",
        ),
        (
            "GET",
            "/eureka/peerreplication/registry",
            "401 403 403 403 404 404 401 401",
        ),
        (
            "POST",
            "/eureka/apps/A replicated",
            "401 403 403 403 204 204 401 401",
        ),
        (
            "PUT",
            "/eureka/apps/A/i replicated",
            "401 403 403 403 200 200 401 401",
        ),
        (
            "DELETE",
            "/eureka/apps/A/i replicated",
            "401 403 403 403 200 200 401 401",
        ),
        (
            "PUT",
            "/eureka/asg/g/status?value=ENABLED replicated",
            "401 403 403 403 400 400 401 401",
        ),
        (
            "PUT",
            "/eureka/asg/g/status?value=ENABLED",
            "401 403 403 403 403 400 401 401",
        ),
        // Methods that nobody takes.
        ("POST", "/eureka/apps", "401 403 403 403 403 405 401 401"),
        (
            "PATCH",
            "/eureka/apps/A/i",
            "401 403 405 405 405 405 401 401",
        ),
        (
            "POST",
            "/eureka/apps/A/i/status",
            "401 403 405 405 405 405 401 401",
        ),
        // People and their tools.
        ("GET", "/", "401 200 200 200 200 200 401 401"),
        ("GET", "/lastn", "401 200 200 200 200 200 401 401"),
        ("GET", "/instances", "401 200 200 200 200 200 401 401"),
        ("GET", "/instance", "401 404 404 404 404 404 401 401"),
        ("POST", "/act", "401 403 403 403 403 415 401 401"),
        ("GET", "/page.js", "401 200 200 200 200 200 401 401"),
        ("GET", "/nowhere", "401 404 404 404 404 404 401 401"),
        ("POST", "/", "401 403 403 403 403 405 401 401"),
        ("GET", "/metrics", "401 200 200 200 200 200 401 401"),
        (
            "GET",
            "/actuator/prometheus",
            "401 200 200 200 200 200 401 401",
        ),
        ("GET", "/api/v1/events", "401 200 200 200 200 200 401 401"),
        ("POST", "/api/v1/events", "401 403 403 403 403 405 401 401"),
        ("GET", "/actuator/info", "401 200 200 200 200 200 401 401"),
        ("DELETE", "/metrics", "401 403 403 403 403 405 401 401"),
        // Probes.
        ("GET", "/health/live", "200 200 200 200 200 200 200 200"),
        ("GET", "/health/ready", "200 200 200 200 200 200 200 200"),
        ("GET", "/actuator/health", "200 200 200 200 200 200 200 200"),
        (
            "GET",
            "/actuator/health/liveness",
            "200 200 200 200 200 200 200 200",
        ),
        (
            "GET",
            "/actuator/health/readiness",
            "200 200 200 200 200 200 200 200",
        ),
        ("POST", "/health/live", "405 405 405 405 405 405 405 405"),
    ] {
        let mut found = Vec::new();
        restore(&node).await;
        for header in EVERYBODY {
            let reply = ask(&node, method, path, header).await;
            if method == "DELETE" {
                restore(&node).await;
            }
            refusals_say_what_is_wanted(&reply, header);
            found.push(reply.status.to_string());
        }
        assert_eq!(found.join(" "), expected, "{method} {path}");
    }
}

/// Whoever is not let through is asked for credentials or told that they do not suffice, and nothing else.
fn refusals_say_what_is_wanted(reply: &Reply, header: &str) {
    let challenge = reply.header("www-authenticate");
    match reply.status {
        401 if header.starts_with("Bearer") => {
            assert_eq!(
                challenge,
                Some("Bearer realm=\"heureka\", error=\"invalid_token\"")
            );
        }
        401 => assert_eq!(
            challenge,
            Some("Basic realm=\"heureka\", charset=\"UTF-8\"")
        ),
        _ => assert_eq!(challenge, None),
    }
    if matches!(reply.status, 401 | 403) {
        assert_eq!(
            (reply.body.len(), reply.content_type()),
            (0, "application/json")
        );
    }
}

#[actix_web::test]
async fn what_was_refused_has_changed_nothing() {
    let node = TestNode::with(guarded());
    restore(&node).await;
    let before = ask(&node, "GET", "/eureka/apps", header::ADMIN)
        .await
        .json();
    for header in ["", header::WRONG, header::READER, header::BOUND] {
        for (method, path) in [
            ("DELETE", "/eureka/apps/B/i"),
            ("POST", "/eureka/apps/C"),
            ("PUT", "/eureka/apps/B/i/status?value=DOWN"),
            ("DELETE", "/eureka/apps/B/i replicated"),
        ] {
            assert!(matches!(
                ask(&node, method, path, header).await.status,
                401 | 403
            ));
        }
    }
    let after = ask(&node, "GET", "/eureka/apps", header::ADMIN)
        .await
        .json();
    assert_eq!(after, before);
}

#[actix_web::test]
async fn reading_and_metrics_can_be_opened_each_by_itself() {
    for (anonymous_read, open_metrics, expected) in [
        (false, false, "401 401 401 401 401 401"),
        (true, false, "200 200 200 401 401 401"),
        (false, true, "401 401 200 401 401 401"),
        (true, true, "200 200 200 401 401 401"),
    ] {
        let mut config = guarded();
        config.security.anonymous_read = anonymous_read;
        config.security.open_metrics = open_metrics;
        let node = TestNode::with(config);
        let health = ask(&node, "GET", "/actuator/health", "").await.json();
        assert_eq!(health["components"].is_object(), anonymous_read);
        let mut found = Vec::new();
        for (method, path, header) in [
            ("GET", "/eureka/apps", ""),
            ("GET", "/", ""),
            ("GET", "/metrics", ""),
            ("POST", "/eureka/apps/A", ""),
            ("POST", "/eureka/peerreplication/batch/", ""),
            // Who sends credentials believes in them.
            ("GET", "/eureka/apps", header::WRONG),
        ] {
            found.push(ask(&node, method, path, header).await.status.to_string());
        }
        assert_eq!(found.join(" "), expected, "{anonymous_read} {open_metrics}");
    }
}

#[actix_web::test]
async fn a_token_is_worth_something_until_it_expires() {
    let node = TestNode::with(guarded());
    for (pass, status) in [(0, 200), (59_000, 200), (1_000, 401), (60_000, 401)] {
        if pass > 0 {
            node.pass(Duration::from_millis(pass)).await;
        }
        let reply = ask(&node, "GET", "/eureka/apps", header::FRESH).await;
        assert_eq!(reply.status, status, "{pass}");
    }
}

#[actix_web::test]
async fn without_anybody_in_the_settings_everybody_may_do_everything() {
    let mut config = guarded();
    (config.security.users, config.security.tokens) = (Vec::new(), Vec::new());
    let node = TestNode::with(config);
    for header in EVERYBODY {
        assert_eq!(
            ask(&node, "POST", "/eureka/apps/A", header).await.status,
            204
        );
        assert_eq!(
            ask(&node, "PUT", "/eureka/apps/A/i", header).await.status,
            200
        );
        assert_eq!(ask(&node, "GET", "/metrics", header).await.status, 200);
    }
}

/// The same credentials in every spelling that clients have.
#[actix_web::test]
async fn credentials_are_understood_as_clients_write_them() {
    let mut config = guarded();
    let users = &mut config.security.users;
    users.push(user("umlaut", "gr\u{fc}n", Grant::of(Role::Read)));
    users.push(user("colons", "a:b:c", Grant::of(Role::Read)));
    let node = TestNode::with(config);
    for (header, status) in [
        ("basic cmVhZGVyOnMzY3JldA==", 200),
        ("BASIC  cmVhZGVyOnMzY3JldA", 200),
        ("bearer fresh-token", 200),
        // in UTF-8, and in ISO-8859-1
        ("Basic dW1sYXV0Omdyw7xu", 200),
        ("Basic dW1sYXV0Omdy/G4=", 200),
        ("Basic Y29sb25zOmE6Yjpj", 200),
        // reader:S3CRET
        ("Basic cmVhZGVyOlMzQ1JFVA==", 401),
        // READER:s3cret
        ("Basic UkVBREVSOnMzY3JldA==", 401),
        ("Bearer cmVhZGVyOnMzY3JldA==", 401),
        ("Basic fresh-token", 401),
        ("Negotiate abc", 401),
        ("Basic", 401),
    ] {
        let reply = ask(&node, "GET", "/eureka/apps", header).await;
        assert_eq!(reply.status, status, "{header}");
    }
}

/// As Spring's encoders make them, with little work for the test's sake.
const BCRYPT: &str = "{bcrypt}$2a$04$32/hdtK3LGh7RTLbTTVKQOj2xxV.v2sV6qX9MalH/STGDI5/lkOJy";
const ARGON2: &str = "{argon2@SpringSecurity_v5_8}$argon2id$v=19$m=64,t=2,p=1$HUP/Tj3MawBPegGx8i3+sg\
                      $qvk1RJIVd4lmSRBMX1qkdLZJ6t3BspjVHcd+kktGMGs";

#[actix_web::test]
async fn hashed_passwords_are_compared_and_bound_to_their_user() {
    let mut config = Config::of(Mode::Modern);
    config.security.users = vec![
        user("b", BCRYPT, Grant::of(Role::Register)),
        user("a", ARGON2, Grant::of(Role::Read)),
    ];
    let node = TestNode::with(config);
    for _ in 0..2 {
        for (header, read, change) in [
            // b, a and somebody unknown, with s3cret-ü
            ("Basic YjpzM2NyZXQtw7w=", 200, 204),
            ("Basic YTpzM2NyZXQtw7w=", 200, 403),
            ("Basic YzpzM2NyZXQtw7w=", 401, 401),
            // b:s3cret, a:s3cret
            ("Basic YjpzM2NyZXQ=", 401, 401),
            ("Basic YTpzM2NyZXQ=", 401, 401),
        ] {
            let reply = ask(&node, "GET", "/eureka/apps", header).await;
            assert_eq!(reply.status, read, "{header}");
            let reply = ask(&node, "POST", "/eureka/apps/A", header).await;
            assert_eq!(reply.status, change, "{header}");
        }
    }
}

/// A guess from an address: a password that nobody has.
async fn guess(node: &TestNode, from: &str, number: u32) -> Reply {
    let from: SocketAddr = from.parse().unwrap();
    let token = format!("Bearer guess-{number}");
    node.get("/eureka/apps").from(from).with(&token).await
}

#[actix_web::test]
async fn whoever_guesses_is_slowed_and_others_are_not() {
    let node = TestNode::with(guarded());
    let (guesser, other) = ("10.0.0.7:1", "10.0.0.8:1");
    assert_eq!(
        node.get("/eureka/apps")
            .from(guesser.parse().unwrap())
            .with(header::READER)
            .await
            .status,
        200
    );
    for number in 0..20 {
        assert_eq!(guess(&node, guesser, number).await.status, 401);
    }
    let slowed = guess(&node, "10.0.0.7:2", 20).await;
    assert_eq!(
        (slowed.status, slowed.header("retry-after")),
        (429, Some("5"))
    );
    assert_eq!(slowed.body.len(), 0);

    // Not even the right one is looked at, unless it was right before; and who repeats a wrong one guesses nothing.
    for (header, from, status) in [
        (header::ADMIN, guesser, 429),
        (header::READER, guesser, 200),
        ("Bearer guess-1", guesser, 401),
        (header::ADMIN, other, 200),
        ("Bearer guess-21", other, 401),
    ] {
        let request = node.get("/eureka/apps").from(from.parse().unwrap());
        assert_eq!(request.with(header).await.status, status, "{header} {from}");
    }
    node.pass(Duration::from_secs(5)).await;
    assert_eq!(guess(&node, guesser, 22).await.status, 401);
    assert_eq!(guess(&node, guesser, 23).await.status, 429);
}

#[actix_web::test]
async fn who_was_not_let_through_is_counted_by_why() {
    pause_once();
    let node = TestNode::with(guarded());
    for (header, method, path) in [
        ("", "GET", "/eureka/apps"),
        (header::WRONG, "GET", "/eureka/apps"),
        (header::WRONG, "GET", "/eureka/apps"),
        (header::STALE, "GET", "/eureka/apps"),
        ("Digest x", "GET", "/eureka/apps"),
        (header::READER, "POST", "/eureka/apps/A"),
        (header::BOUND, "PUT", "/eureka/apps/B/i"),
        (header::BOUND, "PUT", "/eureka/apps/A/i"),
    ] {
        ask(&node, method, path, header).await;
    }
    let page = ask(&node, "GET", "/metrics", header::ADMIN).await.text();
    for (reason, count) in [
        ("missing", 1),
        ("wrong", 2),
        ("expired", 1),
        ("malformed", 1),
        ("slowed", 0),
        ("busy", 0),
        ("forbidden", 1),
        ("other_application", 1),
        ("cross_site", 0),
    ] {
        let line = format!("eureka_auth_failures_total{{reason=\"{reason}\"}} {count}\n");
        assert!(page.contains(&line), "{line}{page}");
    }
    let refused = "eureka_http_requests_total{route=\"apps\",method=\"GET\",status=\"401\"} 5\n";
    assert!(page.contains(refused), "{page}");
}

/// On Eureka's own paths, too; clients, which are no browsers, say nothing of sites.
#[actix_web::test]
async fn what_another_site_makes_a_browser_send_is_refused() {
    let node = TestNode::with(guarded());
    for (method, path, site, origin, status) in [
        ("POST", "/", "cross-site", "http://evil.example", 403),
        ("POST", "/", "", "http://evil.example", 403),
        ("DELETE", "/metrics", "same-site", "", 403),
        ("POST", "/", "same-origin", "http://node:8761", 405),
        ("POST", "/", "", "http://node:8761", 405),
        ("POST", "/", "", "", 405),
        ("GET", "/", "cross-site", "", 200),
        (
            "POST",
            "/eureka/apps/A",
            "cross-site",
            "http://evil.example",
            403,
        ),
        ("POST", "/eureka/apps/A", "", "http://evil.example", 403),
        ("POST", "/eureka/apps/A", "none", "", 204),
        ("POST", "/eureka/apps/A", "", "", 204),
        (
            "POST",
            "/eureka/peerreplication/batch",
            "cross-site",
            "",
            403,
        ),
        ("DELETE", "/eureka/apps/A/i", "cross-site", "", 403),
    ] {
        let request = node
            .request(method.parse().unwrap(), path)
            .with(header::ADMIN);
        let request = request.header("Host", "node:8761").json_body();
        let request = [("Sec-Fetch-Site", site), ("Origin", origin)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .fold(request, |request, (name, value)| {
                request.header(name, value)
            });
        let reply = request.body(body_of(method, path)).await;
        assert_eq!(reply.status, status, "{method} {path} {site} {origin}");
    }
}

#[actix_web::test]
async fn pages_run_only_our_own_script_and_are_framed_by_nobody() {
    let node = TestNode::start(Mode::Modern);
    for path in ["/", "/instances", "/lastn"] {
        let reply = node.get(path).await;
        let policy = reply.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "style-src 'self'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'self'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(
            !policy.contains("unsafe") && !policy.contains("data:"),
            "{policy}"
        );
        for (name, value) in [
            ("x-frame-options", "DENY"),
            // With none at all browsers would call our own forms another site's.
            ("referrer-policy", "same-origin"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{path}");
        }
        let html = reply.text();
        for inline in ["<style", " style=", " onclick=", "javascript:"] {
            assert!(!html.contains(inline), "{path}: {inline}");
        }
        assert_eq!(html.matches("<script").count(), 1, "{path}");
    }
}

/// Where the pages are put is a setting, and must not decide who may act.
#[actix_web::test]
async fn actions_need_an_administrator_and_our_own_page_also_below_eureka_s_own_paths() {
    let mut config = guarded();
    config.page.path = "/eureka/apps".to_string();
    let node = TestNode::with(config);
    for (who, site, status) in [
        (header::SERVICE, "same-origin", 403),
        (header::ADMIN, "cross-site", 403),
        (header::ADMIN, "same-origin", 404),
    ] {
        let form = "do=remove&app=NONE&id=i&reason=r";
        let ask = node.post("/eureka/apps/act", form).with(who);
        let ask = ask.header("Content-Type", "application/x-www-form-urlencoded");
        let reply = ask.header("Sec-Fetch-Site", site).await;
        assert_eq!(reply.status, status, "{who} {site}");
    }
}

/// The address of the page of the first instance of a list.
fn first_page(list: &str) -> String {
    let (_, rest) = list.split_once("href=\"./instance?").unwrap();
    let (query, _) = rest.split_once('"').unwrap();
    format!("/instance?{}", query.replace("&#38;", "&"))
}

/// Where everybody may read, no browser was asked who it is for.
#[actix_web::test]
async fn whoever_reads_without_credentials_is_offered_to_sign_in_and_asked_for_them() {
    let mut config = guarded();
    config.security.anonymous_read = true;
    let node = TestNode::with(config);
    restore(&node).await;
    let form = node.get("/act?do=remove-app&app=A").await;
    assert_eq!(form.status, 401);
    assert!(
        form.header("www-authenticate")
            .unwrap()
            .starts_with("Basic ")
    );
    let list = node.get("/instances?app=A").await.text();
    assert!(!list.contains("act?do="), "{list}");
    let page = first_page(&list);
    for (who, words) in [
        (None, "Sign in to override"),
        (Some(header::ADMIN), "Remove the instance"),
    ] {
        let ask = node.get(&page);
        let ask = match who {
            Some(who) => ask.with(who),
            None => ask,
        };
        assert!(ask.await.text().contains(words), "{words}");
    }
}

/// Who may not act is offered nothing.
#[actix_web::test]
async fn pages_offer_actions_only_to_those_who_may() {
    let node = TestNode::with(guarded());
    restore(&node).await;
    let list = node
        .get("/instances?app=A")
        .with(header::ADMIN)
        .await
        .text();
    let page = first_page(&list);
    for (who, is_offered) in [
        (header::READER, false),
        (header::NODE, false),
        (header::ADMIN, true),
    ] {
        for path in [&*page, "/instances?app=A"] {
            let html = node.get(path).with(who).await.text();
            assert_eq!(html.contains("act?do="), is_offered, "{path}");
        }
        let form = node.get("/act?do=remove-app&app=A").with(who).await;
        assert_eq!(form.status, if is_offered { 200 } else { 403 });
    }
}

/// server.md §21, 73; the limiter counts only unless it is switched on.
#[actix_web::test]
async fn eureka_s_own_limiter_refuses_reads_or_counts_them() {
    for (refuses, expected) in [(true, [200, 200, 503]), (false, [200, 200, 200])] {
        let mut config = Config::of(Mode::Modern);
        config.fetch_limit.is_set = true;
        config.fetch_limit.refuses = refuses;
        config.fetch_limit.burst = 2;
        let node = TestNode::with(config.clone());
        let mut found = Vec::new();
        for _ in 0..3 {
            let reply = node
                .get("/eureka/apps")
                .header("DiscoveryIdentity-Name", "X")
                .await;
            found.push(reply.status);
        }
        assert_eq!(found, expected);
        let standard = node
            .get("/eureka/apps")
            .header("DiscoveryIdentity-Name", "DefaultClient");
        assert_eq!(standard.await.status, 200);
        let page = node.get("/metrics").await.text();
        let result = if refuses { "refused" } else { "counted" };
        let line = format!("eureka_fetches_limited_total{{kind=\"full\",result=\"{result}\"}} 1\n");
        assert!(page.contains(&line), "{page}");

        // Other settings are another limiter; the same ones are the same.
        let read = || {
            node.get("/eureka/apps")
                .header("DiscoveryIdentity-Name", "X")
        };
        apply(&node, &config).await;
        assert_eq!(read().await.status, expected[2]);
        config.fetch_limit.burst = 3;
        apply(&node, &config).await;
        assert_eq!(read().await.status, 200);
        config.fetch_limit.is_set = false;
        apply(&node, &config).await;
        for _ in 0..5 {
            assert_eq!(read().await.status, 200);
        }
    }
}

/// Takes these settings while it runs.
async fn apply(node: &TestNode, config: &Config) {
    node.node.apply(config);
    // Actors take theirs in their turn.
    tokio::task::yield_now().await;
}

#[actix_web::test]
async fn who_is_taken_out_of_the_settings_is_forgotten_at_once() {
    // `s3cret`, with little work.
    let hash = "$2a$04$32/hdtK3LGh7RTLbTTVKQOj2xxV.v2sV6qX9MalH/STGDI5/lkOJy";
    let hashed = |name: &str, role| user(name, &format!("{{bcrypt}}{hash}"), Grant::of(role));
    let header = |name: &str| {
        format!(
            "Basic {}",
            BASE64_STANDARD.encode(format!("{name}:s3cret-ü"))
        )
    };
    let (kept, gone) = (header("kept"), header("gone"));
    let everybody = [&kept, &gone, header::ADMIN, header::FRESH, header::WRONG];
    let mut config = guarded();
    config.security.users.push(hashed("kept", Role::Read));
    config.security.users.push(hashed("gone", Role::Read));
    let node = TestNode::with(config.clone());
    let statuses = async || {
        let mut found = Vec::new();
        for header in everybody {
            found.push(ask(&node, "GET", "/eureka/apps", header).await.status);
        }
        found
    };
    for _ in 0..2 {
        assert_eq!(statuses().await, [200, 200, 200, 200, 401]);
    }

    let users = &mut config.security.users;
    users.retain(|user| user.name != "gone" && user.name != "admin");
    users.push(user("admin", "secret", Grant::of(Role::Read)));
    config.security.tokens.clear();
    apply(&node, &config).await;
    for _ in 0..2 {
        // What was wrong before may be right now.
        assert_eq!(statuses().await, [200, 401, 401, 401, 200]);
    }

    // Other roles count for those who are known already.
    config.security.users.retain(|user| user.name != "kept");
    config.security.users.push(hashed("kept", Role::Admin));
    assert_eq!(ask(&node, "POST", "/eureka/apps", &kept).await.status, 403);
    apply(&node, &config).await;
    assert_eq!(ask(&node, "POST", "/eureka/apps", &kept).await.status, 405);
    // Not so if the password is another.
    config.security.users.retain(|user| user.name != "kept");
    config
        .security
        .users
        .push(user("kept", "{noop}x", Grant::of(Role::Admin)));
    apply(&node, &config).await;
    assert_eq!(ask(&node, "POST", "/eureka/apps", &kept).await.status, 401);
}

#[actix_web::test]
async fn the_door_can_be_locked_while_the_node_runs_and_not_unlocked_by_a_file_that_is_away() {
    let open = Config::of(Mode::Modern);
    let node = TestNode::with(open.clone());
    for (config, nobody, reader) in [
        (&open, 200, 200),
        (&guarded(), 401, 200),
        (&open, 401, 200),
        (&guarded(), 401, 200),
    ] {
        apply(&node, config).await;
        let nobody_s = ask(&node, "GET", "/eureka/apps", "").await.status;
        let reader_s = ask(&node, "GET", "/eureka/apps", header::READER)
            .await
            .status;
        assert_eq!((nobody_s, reader_s), (nobody, reader));
    }
    let mut anybody = guarded();
    anybody.security.anonymous_read = true;
    apply(&node, &anybody).await;
    assert_eq!(ask(&node, "GET", "/eureka/apps", "").await.status, 200);
    assert_eq!(ask(&node, "POST", "/eureka/apps/A", "").await.status, 401);
}

/// Whoever guesses wins nothing by a change of the settings.
#[actix_web::test]
async fn guesses_are_counted_on_when_settings_change() {
    let node = TestNode::with(guarded());
    let from: SocketAddr = "10.0.0.7:1000".parse().unwrap();
    let guess = async |n: usize| {
        let header = format!("Bearer guess-{n}");
        let asked = node.get("/eureka/apps").from(from);
        asked.header("Authorization", &header).await.status
    };
    for n in 0..20 {
        assert_eq!(guess(n).await, 401, "{n}");
    }
    let mut config = guarded();
    config.security.users.pop();
    apply(&node, &config).await;
    assert_eq!(guess(20).await, 429);
}

/// A change of the settings slows nobody whose credentials were right, whatever others send from their address.
#[actix_web::test]
async fn who_was_right_is_not_slowed_by_those_who_guess_when_settings_change() {
    let mut config = guarded();
    config
        .security
        .users
        .push(user("b", BCRYPT, Grant::of(Role::Read)));
    let node = TestNode::with(config.clone());
    let read = async |header: &str| {
        let asked = node.get("/eureka/apps").from("10.0.0.7:1".parse().unwrap());
        asked.with(header).await.status
    };
    // b with s3cret-ü
    let hashed = "Basic YjpzM2NyZXQtw7w=";
    for header in [header::READER, header::FRESH, header::ADMIN, hashed] {
        assert_eq!(read(header).await, 200, "{header}");
    }
    for number in 0..20 {
        assert_eq!(guess(&node, "10.0.0.7:2", number).await.status, 401);
    }
    config
        .security
        .users
        .retain(|user| !matches!(&*user.name, "admin" | "service"));
    config
        .security
        .users
        .push(user("admin", "other", Grant::of(Role::Admin)));
    apply(&node, &config).await;
    for (header, status) in [
        (header::READER, 200),
        (header::FRESH, 200),
        (hashed, 200),
        // These would be guesses: one whose password is another now, and one who never came before.
        (header::ADMIN, 429),
        (header::NODE, 429),
    ] {
        assert_eq!(read(header).await, status, "{header}");
    }
    // What a token grants is what the settings say now.
    config.security.tokens[0].grant = Grant::of(Role::Read);
    apply(&node, &config).await;
    let changed = ask(&node, "POST", "/eureka/apps/A", header::FRESH).await;
    assert_eq!((read(header::FRESH).await, changed.status), (200, 403));
}
