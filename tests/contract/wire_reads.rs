//! wire.md §13, rows 1–11, 52–58, 70, 71, 73: what is read, in which form.

use std::time::Duration;

use heureka::config::Mode;
use serde_json::json;

use crate::kit::{list, names, registering, shown};
use crate::support::{TestNode, members};

const EMPTY: &str =
    r#"{"applications":{"versions__delta":"1","apps__hashcode":"","application":[]}}"#;

/// A node that holds `A/i`.
async fn node() -> TestNode {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", r#""metadata":{"a_b":"c"}"#))
        .await;
    node
}

#[actix_web::test]
async fn row_01_a_list_is_xml_for_whoever_does_not_say() {
    let reply = node().await.get("/eureka/apps").await;
    assert_eq!(
        (reply.status, reply.content_type()),
        (200, "application/xml")
    );
    assert!(
        reply
            .text()
            .starts_with("<applications>\n  <versions__delta>1<")
    );
}

#[actix_web::test]
async fn row_02_an_empty_registry_is_a_list_without_applications() {
    let node = TestNode::start(Mode::Modern);
    let reply = node.get("/eureka/apps").j().await;
    assert_eq!(
        (reply.status, reply.content_type()),
        (200, "application/json")
    );
    assert_eq!(reply.text(), EMPTY);
    let xml = "<applications>\n  <versions__delta>1</versions__delta>\n  <apps__hashcode></apps__hashcode>\n</applications>";
    assert_eq!(node.get("/eureka/apps").await.text(), xml);
}

#[actix_web::test]
async fn row_03_slash_and_version_make_no_difference() {
    let node = node().await;
    let plain = node.get("/eureka/apps").j().await;
    for path in ["/eureka/apps/", "/eureka/v2/apps", "/eureka/v2/apps/"] {
        let reply = node.get(path).j().await;
        assert_eq!((reply.status, reply.text()), (200, plain.text()), "{path}");
    }
}

#[actix_web::test]
async fn row_04_one_instance_stands_in_an_array_of_an_array() {
    let apps = list(&node().await, "apps").await;
    assert_eq!(apps["application"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        apps["application"][0]["instance"].as_array().map(Vec::len),
        Some(1)
    );
}

#[actix_web::test]
async fn rows_05_06_07_accept_decides_between_406_xml_and_json() {
    let node = node().await;
    for (accept, status, content_type) in [
        ("text/html", 406, ""),
        (
            "text/html,application/xml;q=0.9,*/*;q=0.8",
            200,
            "application/xml",
        ),
        // Row 7: Java's body is JSON, too, but labelled as XML.
        ("application/xml, application/json", 200, "application/json"),
    ] {
        let reply = node.get("/eureka/apps").header("Accept", accept).await;
        assert_eq!(
            (reply.status, reply.content_type()),
            (status, content_type),
            "{accept}"
        );
        assert_eq!(reply.body.is_empty(), status == 406, "{accept}");
    }
}

#[actix_web::test]
async fn row_08_a_list_is_packed_for_whoever_asks() {
    let node = node().await;
    let plain = node.get("/eureka/apps").j().await;
    let packed = node
        .get("/eureka/apps")
        .j()
        .header("Accept-Encoding", "gzip, deflate")
        .await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert_eq!(packed.content_type(), "application/json");
    assert_eq!(packed.text(), plain.text());
    assert_eq!(plain.header("content-encoding"), None);
}

#[actix_web::test]
async fn row_09_overruled_one_application_is_a_list_and_packed_as_well() {
    // The issue of the single node: gzip for every list when asked. Single instances stay plain.
    let node = node().await;
    for (path, coding) in [("/eureka/apps/A", Some("gzip")), ("/eureka/apps/A/i", None)] {
        let reply = node.get(path).j().header("Accept-Encoding", "gzip").await;
        assert_eq!(
            (reply.status, reply.header("content-encoding")),
            (200, coding),
            "{path}"
        );
    }
}

#[actix_web::test]
async fn rows_10_11_lists_have_a_compact_form_and_instances_have_not() {
    let node = node().await;
    for (path, word, full) in [
        ("/eureka/apps", "COMPACT", false),
        ("/eureka/apps", "full", true),
        ("/eureka/apps", "tiny", true),
        ("/eureka/apps/delta", "compact", false),
        ("/eureka/apps/A", "compact", false),
        ("/eureka/vips/a", "compact", false),
        ("/eureka/svips/none", "compact", false),
        ("/eureka/apps/A/i", "compact", true),
        ("/eureka/instances/i", "compact", true),
    ] {
        let reply = node.get(path).j().header("X-Eureka-Accept", word).await;
        for member in [
            "\"metadata\"",
            "\"leaseInfo\"",
            "\"overriddenStatus\"",
            "\"lastDirtyTimestamp\"",
        ] {
            assert_eq!(
                reply.text().contains(member),
                full,
                "{path} {word} {member}"
            );
        }
    }
}

#[actix_web::test]
async fn row_52_an_application_goes_with_its_last_instance() {
    let node = node().await;
    node.register("A", &members("A", "j", "")).await;
    assert_eq!(node.delete("/eureka/apps/A/i").await.status, 200);
    assert_eq!(node.get("/eureka/apps/A").j().await.status, 200);
    assert_eq!(node.delete("/eureka/apps/A/j").await.status, 200);
    let reply = node.get("/eureka/apps/A").j().await;
    assert_eq!((reply.status, reply.body.len()), (404, 0));
    assert_eq!(node.get("/eureka/apps").j().await.text(), EMPTY);
}

#[actix_web::test]
async fn row_53_the_delta_after_a_cancel_shows_who_went_and_the_hash_of_who_stays() {
    let node = node().await;
    node.register("A", &members("A", "j", r#""status":"DOWN""#))
        .await;
    node.delete("/eureka/apps/A/i").await;
    let delta = list(&node, "apps/delta").await;
    assert_eq!(names(&delta), ["A/j", "A/i"], "who went comes last");
    let gone = &delta["application"][0]["instance"][1];
    assert_eq!(
        (&gone["actionType"], &gone["status"]),
        (&json!("DELETED"), &json!("UP"))
    );
    assert!(gone["leaseInfo"]["evictionTimestamp"].as_u64() > Some(0));
    assert_eq!(delta["apps__hashcode"], "DOWN_1_");
}

#[actix_web::test]
async fn row_54_heartbeats_leave_no_trace_in_the_delta() {
    let node = node().await;
    assert_eq!(names(&list(&node, "apps/delta").await), ["A/i"]);
    for _ in 0..8 {
        node.pass(Duration::from_secs(30)).await;
        assert_eq!(
            node.put("/eureka/apps/A/i?lastDirtyTimestamp=1000")
                .await
                .status,
            200
        );
    }
    let delta = list(&node, "apps/delta").await;
    assert_eq!(delta["application"], json!([]));
    assert_eq!(delta["apps__hashcode"], "UP_1_");
}

#[actix_web::test]
async fn row_55_the_hash_counts_instances_by_status_in_the_order_of_their_names() {
    let node = TestNode::start(Mode::Modern);
    for (app, id, status) in [("A", "1", "UP"), ("B", "1", "DOWN"), ("A", "2", "UP")] {
        node.register(app, &members(app, id, &format!(r#""status":"{status}""#)))
            .await;
    }
    for path in ["apps", "apps/delta"] {
        assert_eq!(
            list(&node, path).await["apps__hashcode"],
            "DOWN_1_UP_2_",
            "{path}"
        );
    }
    for (id, status) in [
        ("3", "STARTING"),
        ("4", "OUT_OF_SERVICE"),
        ("5", "UNKNOWN"),
        ("6", "UP"),
    ] {
        node.register("A", &members("A", id, &format!(r#""status":"{status}""#)))
            .await;
    }
    let hash = "DOWN_1_OUT_OF_SERVICE_1_STARTING_1_UNKNOWN_1_UP_3_";
    assert_eq!(list(&node, "apps").await["apps__hashcode"], hash);
}

#[actix_web::test]
async fn row_56_a_vip_that_nobody_has_is_an_empty_list() {
    let node = node().await;
    let empty = EMPTY.replace("\"1\"", "\"-1\"");
    for path in [
        "/eureka/vips/unknown",
        "/eureka/svips/unknown",
        "/eureka/svips/a",
    ] {
        let reply = node.get(path).j().await;
        assert_eq!((reply.status, reply.text()), (200, empty.clone()), "{path}");
    }
}

#[actix_web::test]
async fn row_57_a_vip_is_an_element_of_the_list_to_the_letter() {
    let node = TestNode::start(Mode::Modern);
    let vips = r#""vipAddress":"orders,o2, o3","secureVipAddress":"s1,orders""#;
    node.register("A", &members("A", "i", vips)).await;
    node.register(
        "B",
        &members("B", "j", r#""vipAddress":"o2","status":"DOWN""#),
    )
    .await;
    for (path, expected, hash) in [
        ("vips/orders", &["A/i"][..], "UP_1_"),
        ("vips/Orders", &[], ""),
        ("vips/orders,o2", &[], ""),
        ("vips/o2", &["A/i", "B/j"], "DOWN_1_UP_1_"),
        ("vips/o3", &[], ""),
        ("vips/%20o3", &["A/i"], "UP_1_"),
        ("vips/s1", &[], ""),
        ("svips/s1", &["A/i"], "UP_1_"),
        ("svips/o2", &[], ""),
    ] {
        let found = list(&node, path).await;
        assert_eq!(names(&found), expected, "{path}");
        assert_eq!(found["apps__hashcode"], hash, "{path}");
        assert_eq!(found["versions__delta"], "-1", "{path}");
    }
}

#[actix_web::test]
async fn row_58_an_instance_is_found_by_its_id_alone() {
    let node = node().await;
    let reply = node.get("/eureka/instances/i").j().await;
    assert_eq!(
        (reply.status, &reply.json()["instance"]["app"]),
        (200, &json!("A"))
    );
    for path in ["/eureka/instances/none", "/eureka/instances/I"] {
        let reply = node.get(path).j().await;
        assert_eq!((reply.status, reply.body.len()), (404, 0), "{path}");
    }
}

#[actix_web::test]
async fn row_70_unknown_regions_are_no_reason_for_anything() {
    let node = node().await;
    let plain = node.get("/eureka/apps").j().await.text();
    for query in ["regions=nowhere", "regions=", "regions=a,b", "x=y"] {
        let reply = node.get(&format!("/eureka/apps?{query}")).j().await;
        assert_eq!(
            (reply.status, reply.text()),
            (200, plain.clone()),
            "{query}"
        );
    }
}

#[actix_web::test]
async fn row_71_an_application_may_have_a_blank_in_its_name() {
    let node = TestNode::start(Mode::Modern);
    let reply = registering(&node, "a%20b", &members("A B", "i", "")).await;
    assert_eq!(reply.status, 204);
    let reply = node.get("/eureka/apps/A%20B").j().await;
    assert_eq!(
        (reply.status, &reply.json()["application"]["name"]),
        (200, &json!("A B"))
    );
    // A plus is a plus in a path.
    assert_eq!(node.get("/eureka/apps/A+B").j().await.status, 404);
    assert_eq!(shown(&node, "A%20B", "i").await["app"], "A B");
}

#[actix_web::test]
async fn row_73_an_underscore_is_doubled_in_the_name_of_an_element() {
    let xml = node().await.get("/eureka/apps/A/i").await.text();
    assert!(
        xml.contains("\n  <metadata>\n    <a__b>c</a__b>\n  </metadata>\n"),
        "{xml}"
    );
}
