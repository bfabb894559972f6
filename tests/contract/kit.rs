//! Words that the tests here share.

use serde_json::{Map, Value};

use crate::support::{Ask, TestNode, members};

/// `{"instance":{…}}` around members.
pub fn body(members: &str) -> String {
    format!("{{\"instance\":{{{members}}}}}")
}

/// The registration of `members`, not sent yet.
pub fn registering<'n>(node: &'n TestNode, app: &str, members: &str) -> Ask<'n> {
    node.post(&format!("/eureka/apps/{app}"), body(members))
        .json_body()
}

/// A node's `A/i` as it is registered in most tests, without one of its members.
pub fn without(member: &str) -> String {
    let object = format!("{{{}}}", members("A", "i", ""));
    let mut object: Map<String, Value> = serde_json::from_str(&object).unwrap();
    object.remove(member).unwrap();
    let text = Value::from(object).to_string();
    text[1..text.len() - 1].to_string()
}

/// An instance as readers of JSON see it.
pub async fn shown(node: &TestNode, app: &str, id: &str) -> Value {
    let reply = node.get(&format!("/eureka/apps/{app}/{id}")).j().await;
    assert_eq!(reply.status, 200, "{app}/{id}");
    reply.json()["instance"].take()
}

/// A list as readers of JSON see it: what is under `applications`.
pub async fn list(node: &TestNode, path: &str) -> Value {
    let reply = node.get(&format!("/eureka/{path}")).j().await;
    assert_eq!(reply.status, 200, "{path}");
    reply.json()["applications"].take()
}

/// All instances of a list, as `APP/id`.
pub fn names(list: &Value) -> Vec<String> {
    let name = |instance: &Value| {
        let id = instance["instanceId"]
            .as_str()
            .or(instance["hostName"].as_str());
        format!("{}/{}", instance["app"].as_str().unwrap(), id.unwrap())
    };
    let apps = list["application"].as_array().unwrap().iter();
    apps.flat_map(|app| app["instance"].as_array().unwrap())
        .map(name)
        .collect()
}
