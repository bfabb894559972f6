//! wire.md §13, rows 18–25, 28, 29: as what the members of a registration are kept and shown.

use std::time::Duration;

use heureka::config::Mode;
use serde_json::json;

use crate::kit::{registering, shown, without};
use crate::support::{EPOCH, TestNode, members};

const NOWHERE: &str =
    r#""dataCenterInfo":{"@class":"com.netflix.appinfo.AmazonInfo","name":"Amazon","metadata":{}}"#;

fn amazon(id: &str) -> String {
    NOWHERE.replace("{}", &format!(r#"{{"instance-id":"{id}"}}"#))
}

#[actix_web::test]
async fn row_18_without_an_id_the_host_name_is_the_id_and_none_is_made_up() {
    let node = TestNode::start(Mode::Modern);
    let more = r#""hostName":"h9","instanceId":null"#;
    assert_eq!(
        registering(&node, "A", &members("A", "i", more))
            .await
            .status,
        204
    );
    assert_eq!(shown(&node, "A", "h9").await.get("instanceId"), None);
}

#[actix_web::test]
async fn an_id_in_the_metadata_stands_in_for_a_missing_one() {
    // wire.md §3.3, as Spring's servers do it: behind the host name, unless it begins with that.
    let node = TestNode::start(Mode::Modern);
    for (own, id) in [("x7", "host-1:x7"), ("host-1:app:80", "host-1:app:80")] {
        let more = format!(r#""instanceId":null,"metadata":{{"instanceId":"{own}"}}"#);
        let reply = registering(&node, "A", &members("A", "", &more)).await;
        assert_eq!(reply.status, 204, "{own}");
        let instance = shown(&node, "A", id).await;
        assert_eq!(
            (&instance["instanceId"], &instance["metadata"]["instanceId"]),
            (&json!(id), &json!(own))
        );
    }
}

#[actix_web::test]
async fn rows_19_20_amazon_records_and_their_ids() {
    let node = TestNode::start(Mode::Modern);
    let no_id = format!(r#""instanceId":null,{}"#, amazon("i-7"));
    assert_eq!(
        registering(&node, "A", &members("A", "", &no_id))
            .await
            .status,
        204
    );
    let instance = shown(&node, "A", "i-7").await;
    assert_eq!(instance.get("instanceId"), None);
    assert_eq!(
        instance["dataCenterInfo"]["metadata"],
        json!({"instance-id": "i-7"})
    );

    assert_eq!(
        registering(&node, "A", &members("A", "x", NOWHERE))
            .await
            .status,
        204
    );
    let instance = shown(&node, "A", "x").await;
    assert_eq!(
        instance["dataCenterInfo"]["metadata"],
        json!({"instance-id": "x"})
    );
}

#[actix_web::test]
async fn row_21_kinder_a_port_may_be_bare() {
    let node = TestNode::start(Mode::Modern);
    for (port, number, enabled) in [
        ("8080", 8080, "true"),
        (r#""8080""#, 8080, "true"),
        (r#"{"$":"8080","@enabled":"FALSE"}"#, 8080, "false"),
        (r#"{"$":8080,"@enabled":true}"#, 8080, "true"),
        (r#"{"$":"many"}"#, 0, "true"),
        (r#"{"$":70000}"#, 65535, "true"),
        (r#"{"@enabled":"false"}"#, 7001, "false"),
        ("null", 7001, "true"),
    ] {
        let reply = registering(&node, "A", &members("A", "i", &format!("\"port\":{port}"))).await;
        assert_eq!(reply.status, 204, "{port}");
        let expected = json!({"$": number, "@enabled": enabled});
        assert_eq!(shown(&node, "A", "i").await["port"], expected, "{port}");
    }
    assert_eq!(
        shown(&node, "A", "i").await["securePort"],
        json!({"$": 7002, "@enabled": "false"})
    );
}

#[actix_web::test]
async fn numbers_may_be_texts_and_odd_ones_mean_the_default() {
    // wire.md §5.2, foreign-clients.md B7.
    let node = TestNode::start(Mode::Modern);
    for (lease, interval, duration) in [
        ("{}", 30, 90),
        ("null", 30, 90),
        ("[1]", 30, 90),
        (r#"{"renewalIntervalInSecs":5,"durationInSecs":15}"#, 5, 15),
        (
            r#"{"renewalIntervalInSecs":"5","durationInSecs":"15"}"#,
            5,
            15,
        ),
        (r#"{"renewalIntervalInSecs":0,"durationInSecs":-1}"#, 30, 90),
        (
            r#"{"renewalIntervalInSecs":"","durationInSecs":"x"}"#,
            30,
            90,
        ),
        (r#"{"evictionDurationInSecs":15}"#, 30, 90),
        (r#"{"durationInSecs":99999999999}"#, 30, i32::MAX),
    ] {
        let reply = registering(
            &node,
            "A",
            &members("A", "i", &format!("\"leaseInfo\":{lease}")),
        )
        .await;
        assert_eq!(reply.status, 204, "{lease}");
        let shown = shown(&node, "A", "i").await["leaseInfo"].take();
        assert_eq!(shown["renewalIntervalInSecs"], interval, "{lease}");
        assert_eq!(shown["durationInSecs"], duration, "{lease}");
    }
    for (sent, kept) in [("7", 7), (r#""7""#, 7), ("\"x\"", 0), ("null", 1)] {
        node.register("A", &members("A", "i", &format!("\"countryId\":{sent}")))
            .await;
        assert_eq!(shown(&node, "A", "i").await["countryId"], kept, "{sent}");
    }
}

#[actix_web::test]
async fn rows_22_23_a_status_in_lower_case_is_understood_in_both_formats() {
    // Row 22 is overruled by foreign-clients.md B16: Java keeps UNKNOWN for lower case in JSON.
    for (sent, kept) in [
        ("up", "UP"),
        ("Down", "DOWN"),
        ("STARTING", "STARTING"),
        ("out_of_service", "OUT_OF_SERVICE"),
        ("BOGUS", "UNKNOWN"),
    ] {
        let node = TestNode::start(Mode::Modern);
        let json = members("A", "j", &format!(r#""status":"{sent}""#));
        assert_eq!(registering(&node, "A", &json).await.status, 204);
        let xml = format!(
            "<instance><instanceId>x</instanceId><hostName>h</hostName><app>a</app><ipAddr>1</ipAddr>\
             <status>{sent}</status><dataCenterInfo><name>MyOwn</name></dataCenterInfo></instance>"
        );
        assert_eq!(
            node.post("/eureka/apps/A", xml).xml_body().await.status,
            204
        );
        for id in ["j", "x"] {
            assert_eq!(shown(&node, "A", id).await["status"], kept, "{sent} {id}");
        }
    }
}

#[actix_web::test]
async fn row_24_without_a_stamp_the_server_s_time_is_kept() {
    let node = TestNode::start(Mode::Modern);
    node.pass(Duration::from_secs(5)).await;
    for missing in [
        without("lastDirtyTimestamp"),
        members("A", "i", r#""lastDirtyTimestamp":"""#),
    ] {
        assert_eq!(registering(&node, "A", &missing).await.status, 204);
        let stamp = (EPOCH + 5_000).to_string();
        assert_eq!(shown(&node, "A", "i").await["lastDirtyTimestamp"], stamp);
    }
}

#[actix_web::test]
async fn row_25_metadata_is_text() {
    let node = TestNode::start(Mode::Modern);
    let more = r#""metadata":{"n":1,"b":true,"f":1.10,"z":null,"@class":"x"}"#;
    assert_eq!(
        registering(&node, "A", &members("A", "i", more))
            .await
            .status,
        204
    );
    let expected = json!({"n": "1", "b": "true", "f": "1.10", "z": "null"});
    assert_eq!(shown(&node, "A", "i").await["metadata"], expected);
}

#[actix_web::test]
async fn rows_28_29_an_instance_as_the_strictest_readers_need_it() {
    let node = TestNode::start(Mode::Modern);
    let more =
        r#""isCoordinatingDiscoveryServer":true,"port":{"$":"8080","@enabled":true},"metadata":{}"#;
    node.register("A", &members("A", "i", more)).await;
    let expected = json!({
        "instanceId": "i",
        "hostName": "host-1",
        "app": "A",
        "ipAddr": "10.0.0.1",
        "status": "UP",
        "overriddenStatus": "UNKNOWN",
        "port": {"$": 8080, "@enabled": "true"},
        "securePort": {"$": 7002, "@enabled": "false"},
        "countryId": 1,
        "dataCenterInfo": {
            "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",
            "name": "MyOwn",
        },
        "leaseInfo": {
            "renewalIntervalInSecs": 30,
            "durationInSecs": 90,
            "registrationTimestamp": EPOCH,
            "lastRenewalTimestamp": EPOCH,
            "evictionTimestamp": 0,
            "serviceUpTimestamp": EPOCH,
        },
        "metadata": {"@class": "java.util.Collections$EmptyMap"},
        "vipAddress": "a",
        "isCoordinatingDiscoveryServer": "false",
        "lastUpdatedTimestamp": EPOCH.to_string(),
        "lastDirtyTimestamp": "1000",
        "actionType": "ADDED",
    });
    assert_eq!(shown(&node, "A", "i").await, expected);
}
