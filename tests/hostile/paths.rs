//! Paths and parameters that hope to be understood as something else.

use heureka::model::InstanceKey;

use crate::support::members;
use crate::world::{World, well_formed};

/// Heartbeats for the good instance, which may be spelt in a few ways and no other.
#[actix_web::test]
async fn a_path_is_decoded_once_and_means_one_thing() {
    let world = World::new().await;
    for (status, path) in [
        (200, "/eureka/apps/GOOD/good-1"),
        (200, "/eureka/apps/GOOD/%67ood-1"),
        (200, "/eureka/apps/%47%4F%4f%44/good-1"),
        (200, "//eureka///apps//good//good-1//"),
        (200, "/eureka/apps/GOOD/good-1;jsessionid=1"),
        (200, "/eureka/apps;a=b/GOOD;c/good-1;;;"),
        (200, "/eureka/apps/GOOD/good-1?"),
        (200, "/eureka/apps/GOOD/good-1?%00=%ff&&=&;&status=%00"),
        (404, "/eureka/apps/GOOD/%2567ood-1"),
        (404, "/eureka/apps/GOOD/GOOD-1"),
        (404, "/eureka/apps/GOOD/good-1%00"),
        (404, "/eureka/apps/GOOD/good-1%0d%0aX:%20y"),
        (404, "/eureka/apps/GOOD/good-1%20"),
        (404, "/eureka/apps/GOOD/good-1+"),
        (404, "/eureka/apps/GOOD/good-1%3Bx"),
        (404, "/eureka/apps/GOOD/good-1%2F"),
        (404, "/eureka/apps/GOOD/good-1%2Fstatus"),
        (404, "/eureka/apps/GOOD/good-1/.."),
        (404, "/eureka/apps/GOOD/."),
        (404, "/eureka/apps/GOOD/.."),
        (404, "/eureka/apps/x/../GOOD/good-1"),
        (404, "/eureka/apps/x/%2e%2e/GOOD/good-1"),
        (404, "/eureka/x/../apps/GOOD/good-1"),
        (404, "/eureka/./apps/GOOD/good-1"),
        (404, "/..%2feureka/apps/GOOD/good-1"),
        (404, "/EUREKA/apps/GOOD/good-1"),
        (404, "/eureka/Apps/GOOD/good-1"),
        (404, "/eureka%2Fapps/GOOD/good-1"),
        (404, "/eureka\\apps/GOOD/good-1"),
        (404, "/eureka/v2/v2/apps/GOOD/good-1"),
        (404, "/eureka/apps/GOOD/%u0067ood-1"),
        (404, "/eureka/apps/GOOD/good-%"),
        (404, "/eureka/apps/GOOD/good-%3"),
        (404, "/eureka/apps/GOOD/good-%zz"),
        (404, "/eureka/apps/GO%D0%9ED/good-1"),
        (404, "/eureka/apps/%E2%80%AEDOOG/good-1"),
        (400, "/eureka/apps/GOOD/%ff"),
        (400, "/eureka/apps/GOOD/%c0%ae"),
        (400, "/eureka/apps/%ed%a0%80/good-1"),
        (400, "/%ff/apps/GOOD/good-1"),
        (405, "/eureka/apps/GOOD%2Fgood-1"),
        (405, "/eureka/apps/GOOD"),
        (405, "/eureka/apps"),
        (404, "/eureka/apps/;/GOOD/;"),
        (404, "/eureka/apps/;"),
        (404, "/eureka/;/apps/GOOD/good-1"),
    ] {
        let reply = world.send(world.node.put(path)).await;
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        well_formed(&reply);
        world.is_unspoiled().await;
    }
    world.lists_are_whole().await;
}

/// What is cut off at a semicolon leaves no name of nothing.
#[actix_web::test]
async fn an_application_without_a_name_cannot_be_registered() {
    let world = World::new().await;
    let nameless =
        r#"{"instance":{"hostName":"h","ipAddr":"1","dataCenterInfo":{"name":"MyOwn"}}}"#;
    for path in [
        "/eureka/apps/;",
        "/eureka/apps/;a=b",
        "/eureka/apps//",
        "/eureka/apps/%20;/",
    ] {
        let reply = world
            .send(world.node.post(path, nameless).json_body())
            .await;
        let expected = match path.contains("%20") {
            true => 204,
            false if path.ends_with("//") => 405,
            false => 404,
        };
        assert_eq!(reply.status, expected, "{path}");
    }
    world.lists_are_whole().await;
    world.forget_the_others().await;
}

#[actix_web::test]
async fn long_paths_cost_nothing() {
    let world = World::new().await;
    for path in [
        "/".repeat(30_000),
        "/a".repeat(15_000),
        "/.".repeat(15_000),
        format!("/eureka/apps/{}", "%41".repeat(10_000)),
        format!("/eureka/apps/A/{}", ";".repeat(30_000)),
        format!("/eureka/apps/A/i?{}", "a&".repeat(15_000)),
        format!("/eureka/apps/A/i?{}", "&".repeat(30_000)),
        format!("/eureka/vips/{}", "%2C".repeat(10_000)),
        format!("/eureka/instances/{}", "+".repeat(30_000)),
    ] {
        for ask in [
            world.node.get(&path),
            world.node.put(&path),
            world.node.delete(&path),
        ] {
            let reply = world.send(ask).await;
            well_formed(&reply);
        }
    }
    world.is_unspoiled().await;
    world.pages_are_whole().await;
}

#[actix_web::test]
async fn parameters_that_mean_nothing_are_refused_and_do_nothing() {
    let world = World::new().await;
    world.node.register("A", &members("A", "i", "")).await;
    let digits = "9".repeat(400);
    let many: String = (0..1001).map(|n| format!("k{n}=v&")).collect();
    let mut cases = Vec::new();
    for value in [
        "",
        "up",
        "UP%00",
        "UP%20",
        "%55%50%0A",
        "UP,DOWN",
        "%E2%80%AEPU",
        "%3CUP%3E",
        "0",
        "null",
        "[]",
        "%ff",
        "U%50P",
    ] {
        cases.push(format!("/eureka/apps/A/i/status?value={value}"));
    }
    cases.push("/eureka/apps/A/i/status".into());
    cases.push("/eureka/apps/A/i/status?VALUE=DOWN".into());
    for stamp in [
        "",
        "x",
        "1e9",
        "0x1",
        "1.0",
        "1,000",
        "9223372036854775808",
        "-9223372036854775809",
        "%00",
        "1%00",
        "%D9%A1",
        "%EF%BC%91",
        "+",
        "--1",
        "NaN",
        &digits,
    ] {
        cases.push(format!("/eureka/apps/A/i?lastDirtyTimestamp={stamp}"));
        cases.push(format!(
            "/eureka/apps/A/i/status?value=DOWN&lastDirtyTimestamp={stamp}"
        ));
    }
    for pairs in ["=x", "a=1&=2", "%00&=", many.as_str()] {
        cases.push(format!("/eureka/apps/A/i/metadata?{pairs}"));
    }
    cases.push(format!("/eureka/apps/A/i/metadata?{}", "a".repeat(33_000)));
    for path in &cases {
        let reply = world.send(world.node.put(path)).await;
        assert!(matches!(reply.status, 400 | 431), "{path}: {reply:?}");
        assert!(!reply.body.is_empty(), "who is refused is told why: {path}");
    }
    // Odd, but text: taken, and written as what it is.
    let key = InstanceKey::new("A", "i");
    for (pair, name, value) in [
        ("%00=%00", "\0", "\0"),
        ("%0a=%1b[2J", "\n", "\u{1b}[2J"),
        ("a%ff=%ff", "a\u{fffd}", "\u{fffd}"),
        ("%E2%80%AE=%3C/k%3E", "\u{202e}", "</k>"),
        ("%26%3D=%2526", "&=", "%26"),
        ("x+y=+", "x y", " "),
        (";=;", ";", ";"),
    ] {
        let path = format!("/eureka/apps/A/i/metadata?{pair}");
        assert_eq!(
            world.send(world.node.put(&path)).await.status,
            200,
            "{path}"
        );
        let held = world.node.node.http.published.index.get(&key).unwrap();
        assert_eq!(
            held.info.metadata.get(name).map(|v| &**v),
            Some(value),
            "{path}"
        );
        world.lists_are_whole().await;
    }
    world.forget_the_others().await;
    world.pages_are_whole().await;
}

#[actix_web::test]
async fn methods_and_heads_that_nobody_needs() {
    let world = World::new().await;
    for method in ["TRACE", "CONNECT", "PATCH", "get", "PURGE", "X-Y", "PRI"] {
        for path in [
            "/eureka/apps",
            "/eureka/apps/GOOD/good-1",
            "/",
            "/metrics",
            "/nowhere",
        ] {
            let reply = world
                .send(world.node.request(method.parse().unwrap(), path))
                .await;
            assert!(
                matches!(reply.status, 404 | 405),
                "{method} {path}: {reply:?}"
            );
        }
    }
    for (name, value) in [
        ("Accept", "\u{e9}"),
        ("Accept", ";;;,,,/,*"),
        ("Accept", "application/json;q=1e999"),
        ("Accept", "application/json;q=-1, */*;q=\""),
        ("Accept-Encoding", "gzip;q=NaN, \"gzip\", gzip;;;"),
        ("Accept-Encoding", ",,,,"),
        ("X-Eureka-Accept", "\u{202e}"),
        ("X-Netflix-Discovery-Replication", "true, true"),
        ("Content-Type", "\u{ff}"),
        ("Content-Encoding", "gzip"),
        ("Host", "<script>alert(1)</script>"),
        ("X-Forwarded-For", "127.0.0.1\u{e9}"),
        ("X-HTTP-Method-Override", "DELETE"),
    ] {
        for path in [
            "/eureka/apps",
            "/eureka/apps/GOOD/good-1",
            "/",
            "/eureka/status",
        ] {
            for ask in [world.node.get(path), world.node.put(path)] {
                well_formed(&world.send(ask.header(name, value)).await);
            }
        }
        let long = format!("{value},").repeat(2000);
        well_formed(
            &world
                .send(world.node.get("/eureka/apps").header(name, &long))
                .await,
        );
    }
    world.is_unspoiled().await;
    world.pages_are_whole().await;
}
