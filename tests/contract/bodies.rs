//! Golden answers: the exact bytes of every list and form, for a fixed registry at a fixed time.
//!
//! They are kept in `tests/golden/`; `UPDATE_GOLDEN=1` writes them anew. Commit a changed one only if
//! you can explain it to a Java client.

use std::env;
use std::fs;
use std::path::Path;
use std::time::Duration;

use heureka::config::Mode;

use crate::canon::assert_canonical;
use crate::canon_xml::assert_canonical_xml;
use crate::support::{Ask, TestNode};

const FULL: &str = r#""instanceId":"node7:orders:8080","hostName":"node7.example","app":"orders","appGroupName":"shop",
    "ipAddr":"192.0.2.7","sid":"s","status":"UP","port":{"$":8080,"@enabled":"true"},
    "securePort":{"$":8443,"@enabled":"true"},"countryId":49,
    "dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"},
    "leaseInfo":{"renewalIntervalInSecs":10,"durationInSecs":40},
    "metadata":{"zone":"a","a_b":"1","note":"a&b <c> \"q\" 'ü' /\u0001\n","e":""},
    "homePageUrl":"http://node7.example:8080/","statusPageUrl":"http://node7.example:8080/info",
    "healthCheckUrl":"http://node7.example:8080/health","secureHealthCheckUrl":"https://node7.example:8443/health",
    "vipAddress":"orders,shared","secureVipAddress":"orders-s","isCoordinatingDiscoveryServer":true,
    "lastUpdatedTimestamp":1,"lastDirtyTimestamp":"1799999999000","actionType":"DELETED","asgName":"orders-v3""#;
const SMALL: &str = r#""hostName":"node8.example","app":"orders","ipAddr":"192.0.2.8","dataCenterInfo":{"name":"Netflix"},
    "status":"STARTING","vipAddress":"shared","lastDirtyTimestamp":"1799999999000""#;
const AMAZON: &str = r#""hostName":"ec2.example","app":"billing","ipAddr":"192.0.2.9","vipAddress":"",
    "dataCenterInfo":{"@class":"com.netflix.appinfo.AmazonInfo","name":"Amazon","metadata":{"instance-id":"i-7",
    "ami-id":"ami-1","availability-zone":"us-east-1c","local-ipv4":"192.0.2.9","public-hostname":"ec2.example"}}"#;

/// Three instances: one with every member, one with hardly any and an override, one of Amazon.
async fn registry() -> TestNode {
    let node = TestNode::start(Mode::Modern);
    node.register("orders", FULL).await;
    node.register("orders", SMALL).await;
    node.register("billing", AMAZON).await;
    node.pass(Duration::from_secs(10)).await;
    for path in [
        "node7:orders:8080",
        "node8.example/status?value=OUT_OF_SERVICE",
    ] {
        assert_eq!(
            node.put(&format!("/eureka/apps/orders/{path}"))
                .await
                .status,
            200
        );
    }
    node.pass(Duration::from_millis(1_500)).await;
    node
}

/// Compares with the golden file of this name, or writes it.
fn compare(name: &str, bytes: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, bytes).unwrap();
        return;
    }
    let golden = fs::read(&path).unwrap();
    if golden != bytes {
        let same = golden.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        let from = |all: &[u8]| {
            let part = &all[same.saturating_sub(80)..all.len().min(same + 80)];
            String::from_utf8_lossy(part).into_owned()
        };
        panic!(
            "{name} differs at byte {same}\nwanted …{}…\ngot    …{}…",
            from(&golden),
            from(bytes)
        );
    }
}

#[actix_web::test]
async fn every_list_and_form_has_the_bytes_of_its_golden_file() {
    let node = registry().await;
    for (name, path, compact) in [
        ("apps.json", "/eureka/apps", false),
        ("apps.xml", "/eureka/apps", false),
        ("apps-compact.json", "/eureka/apps", true),
        ("apps-compact.xml", "/eureka/apps", true),
        ("apps-v1.xml", "/eureka/v1/apps", false),
        ("application.json", "/eureka/apps/ORDERS", false),
        ("application.xml", "/eureka/apps/ORDERS", false),
        ("application-compact.json", "/eureka/apps/ORDERS", true),
        ("application-compact.xml", "/eureka/apps/ORDERS", true),
        (
            "instance.json",
            "/eureka/apps/ORDERS/node7:orders:8080",
            false,
        ),
        (
            "instance.xml",
            "/eureka/apps/ORDERS/node7:orders:8080",
            false,
        ),
        (
            "instance-v1.xml",
            "/eureka/v1/apps/ORDERS/node8.example",
            false,
        ),
        ("vip.json", "/eureka/vips/shared", false),
        ("vip.xml", "/eureka/vips/shared", false),
        ("svip-compact.json", "/eureka/svips/orders-s", true),
        ("amazon.json", "/eureka/apps/BILLING/i-7", false),
        ("amazon.xml", "/eureka/instances/i-7", false),
        ("delta.json", "/eureka/apps/delta", false),
    ] {
        let mut ask = node.get(path);
        if name.ends_with(".json") {
            ask = ask.j();
        }
        if compact {
            ask = ask.header("X-Eureka-Accept", "compact");
        }
        let reply = ask.await;
        assert_eq!(reply.status, 200, "{name}");
        compare(name, &reply.body);
        match name.ends_with(".json") {
            _ if compact => {}
            true => assert_canonical(&reply.text()),
            false => assert_canonical_xml(&reply.text()),
        }
    }
}

#[actix_web::test]
async fn the_delta_after_a_cancel_has_the_bytes_of_its_golden_file() {
    let node = registry().await;
    assert_eq!(
        node.delete("/eureka/apps/ORDERS/node7:orders:8080")
            .await
            .status,
        200
    );
    compare(
        "delta-after-cancel.json",
        &node.get("/eureka/apps/delta").j().await.body,
    );
    compare(
        "delta-after-cancel.xml",
        &node.get("/eureka/apps/delta").await.body,
    );
    let compact = node
        .get("/eureka/apps/delta")
        .j()
        .header("X-Eureka-Accept", "compact");
    compare("delta-after-cancel-compact.json", &compact.await.body);
}

#[actix_web::test]
async fn an_empty_registry_has_the_bytes_of_its_golden_file_in_every_form() {
    let node = TestNode::start(Mode::Modern);
    let mut all = String::new();
    for path in ["/eureka/apps", "/eureka/apps/delta", "/eureka/vips/none"] {
        for accept in ["application/json", "application/xml"] {
            for form in ["full", "compact"] {
                let ask = node.get(path).header("Accept", accept);
                let reply = ask.header("X-Eureka-Accept", form).await;
                all.push_str(&format!("{path} {accept} {form}\n{}\n\n", reply.text()));
            }
        }
    }
    compare("empty.txt", all.as_bytes());
}

#[actix_web::test]
async fn the_answer_to_a_batch_has_the_bytes_of_its_golden_file() {
    let node = registry().await;
    let body = r#"{"replicationList":[
        {"appName":"ORDERS","id":"node7:orders:8080","lastDirtyTimestamp":5,"status":"UP","action":"Heartbeat"},
        {"appName":"ORDERS","id":"node9","action":"Cancel"},
        {"appName":"ORDERS","id":"node8.example","action":"StatusUpdate"},
        {"appName":"BILLING","id":"i-7","action":"Cancel"}]}"#;
    let reply = node
        .post("/eureka/peerreplication/batch/", body)
        .json_body()
        .j()
        .await;
    compare("batch.json", &reply.body);
}

#[actix_web::test]
async fn the_heads_of_answers_are_those_of_the_golden_file_to_the_letter() {
    let node = registry().await;
    let beat = "/eureka/apps/ORDERS/node7:orders:8080";
    let mut all = String::new();
    let asks: [(&str, Ask<'_>); 18] = [
        ("GET apps", node.get("/eureka/apps")),
        ("GET apps, JSON", node.get("/eureka/apps").j()),
        (
            "GET apps, gzip",
            node.get("/eureka/apps").header("Accept-Encoding", "gzip"),
        ),
        (
            "GET apps, HTML",
            node.get("/eureka/apps").header("Accept", "text/html"),
        ),
        (
            "HEAD apps",
            node.request("HEAD".parse().unwrap(), "/eureka/apps"),
        ),
        (
            "OPTIONS apps",
            node.request("OPTIONS".parse().unwrap(), "/eureka/apps"),
        ),
        ("POST apps", node.post("/eureka/apps", "")),
        ("GET apps/none", node.get("/eureka/apps/none")),
        ("GET nothing", node.get("/eureka/nothing").j()),
        (
            "POST apps/orders",
            node.post("/eureka/apps/orders", crate::kit::body(SMALL))
                .json_body(),
        ),
        (
            "POST apps/orders, broken",
            node.post("/eureka/apps/orders", "{").json_body(),
        ),
        (
            "POST apps/orders, other",
            node.post("/eureka/apps/ordes", crate::kit::body(SMALL))
                .json_body(),
        ),
        (
            "POST apps/orders, text",
            node.post("/eureka/apps/orders", "")
                .header("Content-Type", "text/plain"),
        ),
        ("PUT instance", node.put(beat)),
        ("PUT instance, JSON", node.put(beat).j()),
        (
            "PUT instance, older",
            node.put(&format!("{beat}?lastDirtyTimestamp=5"))
                .replicated(),
        ),
        ("PUT asg", node.put("/eureka/asg/x/status?value=ENABLED")),
        ("DELETE instance", node.delete(beat)),
    ];
    for (name, ask) in asks {
        let reply = ask.await;
        let mut headers: Vec<_> = reply
            .headers
            .iter()
            .map(|(n, v)| format!("{n}: {v}\n"))
            .collect();
        headers.sort();
        all.push_str(&format!("{name}\n{}\n{}\n", reply.status, headers.concat()));
    }
    compare("heads.txt", all.as_bytes());
}
