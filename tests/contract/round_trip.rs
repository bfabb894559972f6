//! What goes out comes in again: an answer is itself a registration, in both formats, and names nobody
//! would choose survive the way.

use heureka::config::Mode;
use serde_json::{Value, json};

use crate::kit::{registering, shown};
use crate::support::{TestNode, members};

/// Without what the node sets at each registration.
fn content(mut instance: Value) -> Value {
    let object = instance.as_object_mut().unwrap();
    for member in ["leaseInfo", "lastUpdatedTimestamp", "actionType"] {
        object.remove(member).unwrap();
    }
    instance
}

#[actix_web::test]
async fn an_answer_is_a_registration_of_the_same_record_in_both_formats() {
    let node = TestNode::start(Mode::Modern);
    let amazon = r#""dataCenterInfo":{"name":"Amazon","metadata":{"instance-id":"i","x_y":"<&>"}}"#;
    let odd = r#""metadata":{"a b":"1","9x":"2","k:x":"3","a_b$c":"","é😀":"<&>\"'","_":"5","__":"6","_.0020":"7",
        "-":"8","a__b_-c":"9","xml":"10","blank":" x ","line":"a\nb\rc\td"}"#;
    let urls = r#""homePageUrl":"http://h/?a=b&c=d","secureVipAddress":"s","asgName":"g","sid":"s","countryId":7"#;
    for more in [
        amazon,
        odd,
        urls,
        r#""status":"STARTING","securePort":{"$":1,"@enabled":"true"}"#,
        "",
    ] {
        node.register("A", &members("A", "i", more)).await;
        let before = content(shown(&node, "A", "i").await);
        for accept in ["application/json", "application/xml"] {
            let answer = node.get("/eureka/apps/A/i").header("Accept", accept).await;
            assert_eq!(node.delete("/eureka/apps/A/i").await.status, 200);
            let ask = node.post("/eureka/apps/A", answer.body.clone());
            assert_eq!(
                ask.header("Content-Type", accept).await.status,
                204,
                "{}",
                answer.text()
            );
            assert_eq!(
                content(shown(&node, "A", "i").await),
                before,
                "{}",
                answer.text()
            );
        }
        assert_eq!(node.delete("/eureka/apps/A/i").await.status, 200);
    }
}

#[actix_web::test]
async fn the_copy_in_a_batch_answer_can_be_registered_as_it_is() {
    let node = TestNode::start(Mode::Modern);
    node.register("A", &members("A", "i", r#""metadata":{"zone":"a"}"#))
        .await;
    let before = content(shown(&node, "A", "i").await);
    // It goes to another node: this one would take a registration so soon after the cancellation for a late one.
    let other = TestNode::start(Mode::Modern);
    let batch = async |node: &TestNode, item: Value| {
        let body = json!({ "replicationList": [item] }).to_string();
        let reply = node
            .post("/eureka/peerreplication/batch/", body)
            .json_body()
            .j()
            .await;
        reply.json()["responseList"][0].take()
    };
    let beat = json!({"appName": "A", "id": "i", "lastDirtyTimestamp": 1, "action": "Heartbeat"});
    let copy = batch(&node, beat).await["responseEntity"].take();
    let register = json!({"appName": "A", "id": "i", "instanceInfo": copy, "action": "Register"});
    let answer = batch(&other, register).await;
    assert_eq!(answer, json!({"statusCode": 200}));
    assert_eq!(content(shown(&other, "A", "i").await), before);
}

#[actix_web::test]
async fn names_beyond_ascii_are_folded_alike_wherever_they_stand() {
    let node = TestNode::start(Mode::Modern);
    for (body, path, upper) in [
        ("größe", "gr%C3%B6%C3%9Fe", "GRÖSSE"),
        ("ǆ-ıi", "%C7%86-%C4%B1i", "Ǆ-II"),
    ] {
        assert_eq!(
            registering(&node, path, &members(body, "i", ""))
                .await
                .status,
            204,
            "{body}"
        );
        assert_eq!(shown(&node, path, "i").await["app"], upper);
        assert_eq!(
            node.get(&format!("/eureka/apps/{path}")).await.status,
            200,
            "{body}"
        );
        assert_eq!(
            node.put(&format!("/eureka/apps/{path}/i")).await.status,
            200,
            "{body}"
        );
        assert_eq!(
            node.put(&format!("/eureka/apps/{path}/i/status?value=DOWN"))
                .await
                .status,
            200,
            "{body}"
        );
        assert_eq!(
            node.delete(&format!("/eureka/apps/{path}/i")).await.status,
            200,
            "{body}"
        );
    }
}
