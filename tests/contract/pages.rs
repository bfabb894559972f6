//! The pages for people: what they show, whatever clients sent, wherever they are put.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::http::StatusCode;
use heureka::config::{Config, Mode};
use serde_json::{Value, json};

use crate::support::{TestNode, members};

/// What nobody sends in good faith, in every member of a record.
const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "javascript:alert(1)//",
    "</bdi></td></table><style>*{display:none}</style>",
    "{{ 7 * 7 }}&lt;b&gt;&#x27;'",
    "\u{202e}\u{2066}gnirts\u{200f}\u{0}é😀",
];

async fn page(node: &TestNode, path: &str) -> String {
    let reply = node.get(path).await;
    assert_eq!(reply.status, 200, "{path}");
    assert_eq!(reply.content_type(), "text/html; charset=utf-8", "{path}");
    reply.text()
}

/// The addresses in a page, as they stand there.
fn addresses(html: &str) -> Vec<String> {
    let attributes = ["href=\"", "src=\"", "action=\""];
    let after = attributes.iter().flat_map(|name| html.split(name).skip(1));
    let addresses = after.filter_map(|rest| rest.split('"').next());
    addresses
        .map(|address| address.replace("&#38;", "&").replace("&amp;", "&"))
        .collect()
}

/// One of our own script, and none of anybody else's; nothing inline.
fn runs_nothing_foreign(html: &str, case: &str) {
    assert_eq!(html.matches("<script").count(), 1, "{case}");
    assert!(
        html.contains("<script type=\"module\" src=\"./page.js?v="),
        "{case}"
    );
    for raw in [
        "<img",
        "<style",
        " style=",
        "href=\"javascript:",
        " onerror=alert(1)>",
    ] {
        assert!(!html.contains(raw), "{case}: {raw}");
    }
}

/// Clients send what they like as a stamp.
#[actix_web::test]
async fn a_stamp_beyond_all_calendars_breaks_no_page() {
    let node = TestNode::start(Mode::Modern);
    for stamp in [253_402_300_800_000, i64::MAX as u64] {
        let more = format!("\"lastDirtyTimestamp\":\"{stamp}\"");
        let body = format!("{{\"instance\":{{{}}}}}", members("A", "i", &more));
        let registered = node.post("/eureka/apps/A", body).json_body().await;
        assert_eq!(registered.status, 204);
        for path in ["/", "/instances", "/lastn", "/status"] {
            assert!(node.get(path).await.status < 500, "{path} {stamp}");
        }
        let html = page(&node, "/instance?app=A&id=i").await;
        assert!(html.contains("9999-12-31T23:59:59Z"), "{stamp}");
        assert!(html.contains(&stamp.to_string()));
    }
}

async fn register_value(node: &TestNode, app: &str, instance: &Value) -> u16 {
    let body = json!({ "instance": instance }).to_string();
    let path: String = form_urlencoded::byte_serialize(app.as_bytes()).collect();
    let path = path.replace('+', "%20");
    node.post(&format!("/eureka/apps/{path}"), body)
        .json_body()
        .await
        .status
}

fn hostile(text: &str) -> Value {
    json!({
        "instanceId": text, "hostName": text, "app": text, "ipAddr": text, "sid": text,
        "appGroupName": text, "asgName": text, "vipAddress": text, "secureVipAddress": text,
        "homePageUrl": text, "statusPageUrl": text, "healthCheckUrl": text,
        "secureHealthCheckUrl": format!("http://h/\" onclick=\"x{text}"),
        "metadata": { text: text, "zone": text, "version": text, "k": text.repeat(10_000 / text.len()) },
        "dataCenterInfo": { "name": "MyOwn", "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo" },
    })
}

#[actix_web::test]
async fn what_clients_send_stays_text_on_every_page_and_only_http_becomes_a_link() {
    for text in HOSTILE {
        let node = TestNode::start(Mode::Modern);
        assert_eq!(
            register_value(&node, text, &hostile(text)).await,
            204,
            "{text}"
        );
        let list = page(&node, "/instances").await;
        let own = addresses(&list);
        let own = own.iter().find(|address| address.contains("instance?app="));
        let own = own.unwrap().trim_start_matches('.').to_string();
        for path in ["/", "/instances", "/lastn", &*own] {
            let html = page(&node, path).await;
            runs_nothing_foreign(&html, path);
            for address in addresses(&html) {
                let is_ours = ["./", "#"].iter().any(|own| address.starts_with(own));
                assert!(
                    is_ours || address.starts_with("http://h/"),
                    "{path}: {address}"
                );
            }
        }
        assert!(page(&node, &own).await.contains("secureHealthCheckUrl"));
    }
}

#[actix_web::test]
async fn what_is_asked_for_stays_text_too() {
    let node = TestNode::start(Mode::Modern);
    for text in HOSTILE {
        let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let query = format!("q={text}&app={text}&zone={text}&show={text}&sort={text}&page={text}");
        runs_nothing_foreign(&page(&node, &format!("/instances?{query}")).await, &text);
        let reply = node.get(&format!("/instance?app={text}&id={text}")).await;
        assert_eq!(reply.status, 404);
        runs_nothing_foreign(&reply.text(), &text);
    }
}

#[actix_web::test]
async fn an_empty_registry_has_all_pages() {
    let node = TestNode::start(Mode::Modern);
    let first = page(&node, "/").await;
    for words in [
        "All is well",
        "Nobody has registered yet; this node stands alone.",
        "System Status",
        "DS Replicas",
        "Instances currently registered with Eureka",
        "General Info",
        "Instance Info",
        "Renews threshold",
        "Renews (last min)",
        "Lease expiration enabled",
        "Data center",
        "Environment",
        "Uptime",
        "No instances available",
        "The first figure comes a minute after the start.",
    ] {
        assert!(first.contains(words), "{words}");
    }
    assert!(
        page(&node, "/instances")
            .await
            .contains("No instance is registered.")
    );
    assert!(page(&node, "/lastn").await.contains("None since startup."));
    for path in ["/instance", "/instance?app=A", "/instance?app=A&id=i"] {
        let reply = node.get(path).await;
        assert_eq!(reply.status, 404, "{path}");
        assert!(
            reply
                .text()
                .contains("No such instance is registered here.")
        );
    }
}

/// Wherever a proxy puts the pages, since all that they name is named relative to them.
#[actix_web::test]
async fn pages_name_each_other_wherever_they_are_put() {
    for (context, folder) in [
        ("", ""),
        ("/ctx", ""),
        ("", "/dash"),
        ("/ctx", "/a/dash"),
        ("", "/instance"),
    ] {
        let mut config = Config::of(Mode::Modern);
        config.http.context_path = context.to_string();
        config.page.path = folder.to_string();
        let node = TestNode::with(config);
        let body = format!("{{\"instance\":{{{}}}}}", members("A", "a/b:c d+e", ""));
        let path = format!("{context}/eureka/apps/A");
        assert_eq!(node.post(&path, body).json_body().await.status, 204);
        let home = format!("{context}{folder}");
        let mut seen = Vec::new();
        let mut ahead = vec![if home.is_empty() {
            "/".to_string()
        } else {
            home.clone()
        }];
        while let Some(path) = ahead.pop() {
            let at = url::Url::parse(&format!("http://node{path}")).unwrap();
            let reply = node.get(&path).await;
            assert_eq!(reply.status, 200, "{path}");
            seen.push(path);
            if reply.content_type() != "text/html; charset=utf-8" {
                continue;
            }
            // What forms are sent to is no page.
            let named = addresses(&reply.text());
            for address in named.iter().filter(|address| *address != "./act") {
                assert!(!address.starts_with('/'), "{address}");
                let next = at.join(address).unwrap();
                let next = next[url::Position::BeforePath..url::Position::AfterQuery].to_string();
                assert!(
                    next.starts_with(&format!("{home}/")) || next == home,
                    "{next}"
                );
                if !seen.contains(&next) && !ahead.contains(&next) && seen.len() < 60 {
                    ahead.push(next);
                }
            }
        }
        for name in [
            "/",
            "/instances",
            "/lastn",
            "/style.css",
            "/page.js",
            "/icon.svg",
            "/instance?app=A&id=a%2Fb%3Ac+d%2Be",
        ] {
            let wanted = format!("{home}{name}");
            assert!(
                seen.iter().any(|path| path.starts_with(&wanted)),
                "{wanted}: {seen:?}"
            );
        }
    }
}

#[actix_web::test]
async fn instances_are_found_filtered_sorted_and_paged_without_scripts() {
    let node = TestNode::start(Mode::Modern);
    for n in 0..250 {
        let status = if n % 10 == 0 { "DOWN" } else { "UP" };
        let more = format!(
            r#""status":"{status}","metadata":{{"zone":"z{}","version":"1.{n}"}}"#,
            n % 3
        );
        let app = format!("APP{}", n % 5);
        node.register(&app, &members(&app, &format!("i-{n:03}"), &more))
            .await;
    }
    for (query, summary, first) in [
        ("", "1 to 100 of 250", "i-000"),
        ("page=3", "201 to 250 of 250", "i-004"),
        ("page=99", "201 to 250 of 250", "i-004"),
        ("q=i-24", "1 to 10 of 10 found, of 250 in all", "i-240"),
        ("q=I-24+z0", "1 to 4 of 4 found, of 250 in all", "i-240"),
        ("show=DOWN", "1 to 25 of 25 found, of 250 in all", "i-000"),
        (
            "show=odd&sort=id&dir=desc",
            "1 to 25 of 25 found, of 250 in all",
            "i-240",
        ),
        (
            "app=app4&zone=z1",
            "1 to 17 of 17 found, of 250 in all",
            "i-004",
        ),
        ("sort=id&dir=desc", "1 to 100 of 250", "i-249"),
        ("q=nobody", "None of 250 fits.", ""),
    ] {
        let html = page(&node, &format!("/instances?{query}")).await;
        assert!(
            html.contains(&format!("role=\"status\">{summary}</p>")),
            "{query}: {html}"
        );
        let rows = html.split("<tbody>").nth(1).unwrap_or_default();
        let row = rows.split("<td>").nth(2).unwrap_or_default();
        assert!(
            row.contains(&format!("<bdi>{first}</bdi>")) || first.is_empty(),
            "{query}: {row}"
        );
    }
    let first = page(&node, "/").await;
    assert!(
        first.contains("250 in 5 applications")
            && first.contains("25 instances are DOWN or UNKNOWN")
    );
    assert!(
        first.contains("instances?app=APP0&amp;show=DOWN")
            || first.contains("instances?app=APP0&#38;show=DOWN"),
        "{first}"
    );
}

#[actix_web::test]
async fn an_instance_s_page_says_why_it_has_its_status_and_how_its_lease_stands() {
    let node = TestNode::start(Mode::Modern);
    node.register(
        "A",
        &members(
            "A",
            "i",
            r#""statusPageUrl":"http://h/info","homePageUrl":"ftp://h/""#,
        ),
    )
    .await;
    let path = "/instance?app=a&id=i";
    let html = page(&node, path).await;
    for words in [
        "The instance says so itself.",
        "It beats every 30 s, last 0 s ago.",
        "its lease ends in 90 s",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert!(
        html.contains("<a href=\"http://h/info\" rel=\"noopener noreferrer\">")
            && !html.contains("href=\"ftp:")
    );
    assert_eq!(
        node.put("/eureka/apps/A/i/status?value=OUT_OF_SERVICE")
            .await
            .status,
        200
    );
    node.pass(Duration::from_secs(50)).await;
    let html = page(&node, path).await;
    for words in [
        "An override orders OUT_OF_SERVICE, given 50 s ago (2027-01-15T08:00:00Z); the instance itself says UP.",
        "Silent: the last heartbeat came 50 s ago",
        "its lease ends in 40 s",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    assert!(page(&node, "/").await.contains("1 instance is silent"));
}

/// One sample a minute, shown from the second one on.
#[actix_web::test]
async fn the_page_draws_the_renewals_of_the_last_hour() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    for _ in 0..3 {
        node.pass(Duration::from_secs(30)).await;
        assert_eq!(node.put("/eureka/apps/A/i").await.status, 200);
        node.pass(Duration::from_secs(30)).await;
    }
    node.pass(Duration::from_secs(1)).await;
    let html = page(&node, "/").await;
    assert!(
        html.contains("over the last 3 min: between 1 and 1, last 1; threshold 1."),
        "{html}"
    );
    assert!(html.contains("<polyline class=\"renewals\" points=\""));
}

// === what changes ===

/// The next event of a stream; nothing at its end.
async fn event(body: &mut BoxBody) -> Option<String> {
    let bytes = poll_fn(|cx| Pin::new(&mut *body).poll_next(cx)).await?;
    Some(String::from_utf8(bytes.unwrap().to_vec()).unwrap())
}

#[actix_web::test]
async fn viewers_are_told_of_a_change_within_a_second_and_let_go_when_the_node_leaves() {
    let node = TestNode::start(Mode::Modern);
    let response = node.get("/live").response().await;
    assert_eq!(response.status(), StatusCode::OK);
    let mut body = response.into_body();
    assert_eq!(
        event(&mut body).await.unwrap(),
        "retry: 5000\n\nevent: revision\ndata: 0\n\n"
    );
    let clock = node.node.http.clock.clone();
    node.register("A", &members("A", "i", "")).await;
    let before = clock.now().mono;
    assert_eq!(
        event(&mut body).await.unwrap(),
        "event: revision\ndata: 1\n\n"
    );
    assert!(clock.now().mono - before <= 1000);
    // Nothing new: a sign of life, before a proxy gives up.
    assert_eq!(event(&mut body).await.unwrap(), ": still here\n\n");
    assert!(clock.now().mono - before <= 30_000);
    node.node.http.stopping.store(true, Ordering::Release);
    assert_eq!(event(&mut body).await, None);
}

#[actix_web::test]
async fn there_are_not_more_viewers_than_may_be() {
    let node = TestNode::start(Mode::Modern);
    let mut open = Vec::new();
    loop {
        let response = node.get("/live").response().await;
        if response.status() == StatusCode::SERVICE_UNAVAILABLE {
            break;
        }
        open.push(response);
        assert!(open.len() < 1000);
    }
    assert_eq!(open.len(), 64);
    open.pop();
    assert_eq!(node.get("/live").response().await.status(), StatusCode::OK);
}

// === what happened, and acting ===

#[actix_web::test]
async fn an_instance_s_page_says_what_happened_to_it_even_after_it_left() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    assert_eq!(node.delete("/eureka/apps/A/i").await.status, 200);
    let reply = node.get("/instance?app=a&id=i").await;
    assert_eq!(reply.status, 404);
    let html = reply.text();
    for words in [
        "What is known of its end is below.",
        "cancelled, was UP",
        "registered, UP",
        "<bdi>client",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    let first = page(&node, "/").await;
    assert!(first.contains("What happened of late") && first.contains("cancelled, was UP"));
}

async fn act(node: &TestNode, form: &str) -> (u16, String) {
    let ask = node
        .post("/act", form)
        .header("Content-Type", "application/x-www-form-urlencoded");
    let reply = ask.header("Sec-Fetch-Site", "same-origin").await;
    (reply.status, reply.text())
}

#[actix_web::test]
async fn an_operator_overrides_with_a_reason_and_an_end_takes_it_back_and_removes() {
    let node = TestNode::start(Mode::Modern);
    for id in ["i", "j", "k"] {
        node.register("A", &members("A", id, "")).await;
    }
    let html = page(&node, "/instance?app=A&id=i").await;
    assert!(
        html.contains("act?do=override&amp;app=A&#38;id=i")
            || html.contains("act?do=override&amp;app=A&amp;id=i"),
        "{html}"
    );
    let form = page(&node, "/act?do=override&app=A&id=i").await;
    assert!(form.contains("<form method=\"post\" action=\"./act\">"));

    let order = "do=override&app=A&id=i&status=OUT_OF_SERVICE&minutes=60&reason=disk+%3Cb%3Efull";
    assert_eq!(act(&node, order).await.0, 200);
    let html = page(&node, "/instance?app=A&id=i").await;
    for words in [
        "An override orders OUT_OF_SERVICE until 2027-01-15T09:00:00Z, given 0 s ago (2027-01-15T08:00:00Z) by anonymous \
         (disk &#60;b&#62;full); the instance itself says UP.",
        "Take the override back",
        "override ordered, UP → OUT_OF_SERVICE, until 2027-01-15T09:00:00Z",
        "operator anonymous",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    assert_eq!(
        act(&node, "do=end-override&app=A&id=i&reason=done").await.0,
        200
    );
    assert!(
        page(&node, "/instance?app=A&id=i")
            .await
            .contains("an override was taken back")
    );

    assert_eq!(act(&node, "do=remove&app=A&id=i&reason=gone").await.0, 200);
    assert_eq!(node.get("/instance?app=A&id=i").await.status, 404);
    assert_eq!(act(&node, "do=remove&app=A&id=i&reason=gone").await.0, 404);
    assert!(
        page(&node, "/instances?app=A")
            .await
            .contains("act?do=remove-app")
    );
    assert!(
        page(&node, "/act?do=remove-app&app=a")
            .await
            .contains("<b>2 instances are</b> taken out")
    );
    assert!(
        act(&node, "do=remove-app&app=a&reason=all")
            .await
            .1
            .contains("2 instances are removed.")
    );
    assert!(
        page(&node, "/instances")
            .await
            .contains("No instance is registered.")
    );
}

#[actix_web::test]
async fn an_override_ends_by_itself_when_its_time_is_over() {
    let node = TestNode::start(Mode::Modern);
    let lease = r#""leaseInfo":{"durationInSecs":900}"#;
    node.register("A", &members("A", "i", lease)).await;
    let order = "do=override&app=A&id=i&status=DOWN&minutes=1&reason=restart";
    assert_eq!(act(&node, order).await.0, 200);
    assert!(
        page(&node, "/instance?app=A&id=i")
            .await
            .contains("orders DOWN until 2027-01-15T08:01:00Z")
    );
    node.pass(Duration::from_secs(70)).await;
    let html = page(&node, "/instance?app=A&id=i").await;
    for words in [
        "the time of an override was over 10 s ago",
        "override ended, DOWN → UP",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
}

#[actix_web::test]
async fn an_action_that_is_not_whole_does_nothing_and_says_what_is_missing() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", "")).await;
    let revision = node.node.http.published.revision();
    for (form, status, words) in [
        ("", 400, "do: wanted"),
        ("do=remove&app=A&id=i", 400, "reason: wanted"),
        (
            "do=override&app=A&id=i&status=up&reason=r",
            400,
            "status: wanted",
        ),
        (
            "do=override&app=A&id=i&status=UP&minutes=x&reason=r",
            400,
            "minutes: wanted",
        ),
        (
            "do=remove&app=A&id=none&reason=r",
            404,
            "not registered here",
        ),
        (
            "do=remove-app&app=NONE&reason=r",
            404,
            "not registered here",
        ),
        (
            "do=remove&app=%3Cscript%3E&id=%FF%00&reason=r",
            404,
            "not registered here",
        ),
    ] {
        let (got, html) = act(&node, form).await;
        assert_eq!(got, status, "{form}");
        assert!(html.contains(words), "{form}: {html}");
        runs_nothing_foreign(&html, form);
    }
    let form = "do=remove&app=A&id=i&reason=r";
    assert_eq!(node.post("/act", form).json_body().await.status, 415);
    let ask = || {
        node.post("/act", form)
            .header("Content-Type", "application/x-www-form-urlencoded")
    };
    assert_eq!(
        ask().header("Sec-Fetch-Site", "cross-site").await.status,
        403
    );
    assert_eq!(
        ask()
            .header("Host", "node:1")
            .header("Origin", "http://evil.example")
            .await
            .status,
        403
    );
    for (path, status) in [
        ("/act", 400),
        ("/act?do=remove&app=A&id=none", 404),
        ("/act?do=remove-app&app=none", 404),
    ] {
        assert_eq!(node.get(path).await.status, status, "{path}");
    }
    assert_eq!(
        node.put("/act").await.header("allow"),
        Some("GET,HEAD,POST")
    );
    assert_eq!(node.node.http.published.revision(), revision);
}
