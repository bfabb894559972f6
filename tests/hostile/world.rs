//! A node with one instance that means well, and what must stay true of it whatever else comes.

use std::collections::BTreeMap;

use heureka::config::Mode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::canon::assert_canonical;
use crate::canon_xml::assert_canonical_xml;
use crate::support::{Ask, Reply, TestNode, members};

/// How the good instance can be read.
const VIEWS: [&str; 4] = [
    "/eureka/apps/GOOD",
    "/eureka/apps/GOOD/good-1",
    "/eureka/instances/good-1",
    "/eureka/vips/good",
];

/// The node, and the good instance as it was first read.
pub struct World {
    pub node: TestNode,
    good: Vec<(String, String)>,
}

impl World {
    pub async fn new() -> Self {
        let node = TestNode::start(Mode::Modern);
        let more = r#""metadata":{"zone":"eu-1","note":"a<b>&\"c\""},"homePageUrl":"http://h/""#;
        node.register("GOOD", &members("GOOD", "good-1", more))
            .await;
        let mut world = Self {
            node,
            good: Vec::new(),
        };
        world.good = world.read_good().await;
        world
    }

    async fn read_good(&self) -> Vec<(String, String)> {
        let mut read = Vec::new();
        for path in VIEWS {
            for ask in [self.node.get(path), self.node.get(path).j()] {
                let reply = ask.await;
                assert_eq!(reply.status, 200, "{path}");
                read.push((path.to_string(), without_hash(reply.text())));
            }
        }
        read
    }

    pub fn revision(&self) -> u64 {
        self.node.node.http.published.revision()
    }

    /// Sends a request. Whatever it is, it is no error of the node, and if it is refused nothing is changed.
    pub async fn send(&self, ask: Ask<'_>) -> Reply {
        let before = self.revision();
        let reply = ask.await;
        assert!((200..500).contains(&reply.status), "{reply:?}");
        if reply.status >= 400 {
            assert_eq!(self.revision(), before, "{reply:?}");
        }
        reply
    }

    /// Nobody can tell that anything happened: the good instance is there, byte for byte.
    pub async fn is_unspoiled(&self) {
        assert_eq!(self.read_good().await, self.good);
    }

    /// Lists are well-formed and canonical, and their hash codes agree with what is in them.
    pub async fn lists_are_whole(&self) {
        for path in ["/eureka/apps", "/eureka/apps/delta"] {
            let json = self.node.get(path).j().await.text();
            assert_canonical(&json);
            let xml = self.node.get(path).await.text();
            assert_canonical_xml(&xml);
            for compact in [self.node.get(path), self.node.get(path).j()] {
                let compact = compact.header("X-Eureka-Accept", "compact").await;
                assert_eq!(compact.status, 200, "{path}");
                well_formed(&compact);
            }
        }
        let list = self.list().await;
        let xml = self.node.get("/eureka/apps").await.text();
        let xml = roxmltree::Document::parse(&xml).unwrap();
        let hash = list["apps__hashcode"].as_str().unwrap();
        assert_eq!(counted(&list), hash);
        let find = |name: &str| {
            xml.descendants()
                .filter(|node| node.has_tag_name(name))
                .count()
        };
        assert_eq!(find("instance"), instances(&list).len());
        let xml_hash = xml
            .descendants()
            .find(|node| node.has_tag_name("apps__hashcode"));
        assert_eq!(xml_hash.unwrap().text(), Some(hash));
    }

    /// What people and their tools read has no line or tag in it that a client made.
    pub async fn pages_are_whole(&self) {
        let metrics = self.node.get("/metrics").await.text();
        for line in metrics.lines().filter(|line| !line.is_empty()) {
            let known = ["#", "eureka_", "process_"];
            assert!(known.iter().any(|name| line.starts_with(name)), "{line}");
        }
        for path in ["/", "/instances", "/lastn"] {
            let page = self.node.get(path).await;
            assert_eq!(page.status, 200);
            let page = page.text();
            // Our own is the only one.
            assert_eq!(page.matches("<script").count(), 1, "{page}");
            assert!(!page.contains("=\"javascript:"), "{page}");
        }
        for path in ["/eureka/status", "/eureka/serverinfo/statusoverrides"] {
            for ask in [self.node.get(path), self.node.get(path).j()] {
                let reply = ask.await;
                assert_eq!(reply.status, 200, "{path}");
                well_formed(&reply);
            }
        }
    }

    /// The full list, as JSON.
    pub async fn list(&self) -> Value {
        let reply = self.node.get("/eureka/apps").j().await;
        assert_eq!(reply.status, 200);
        reply.json()["applications"].take()
    }

    /// Every instance but the good one can be found under its own name, read in both formats, and removed.
    pub async fn forget_the_others(&self) {
        for instance in instances(&self.list().await) {
            let text = |name: &str| instance[name].as_str().filter(|text| !text.is_empty());
            let app = text("app").unwrap();
            let amazon = instance["dataCenterInfo"]["metadata"]["instance-id"].as_str();
            let id = text("instanceId").or(amazon).or(text("hostName")).unwrap();
            if app == "GOOD" && id == "good-1" {
                continue;
            }
            let path = format!("/eureka/apps/{}/{}", encoded(app), encoded(id));
            for ask in [self.node.get(&path), self.node.get(&path).j()] {
                let reply = ask.await;
                assert_eq!(reply.status, 200, "{path}");
                well_formed(&reply);
            }
            assert_eq!(self.node.delete(&path).await.status, 200, "{path}");
        }
        self.is_unspoiled().await;
        assert_eq!(instances(&self.list().await).len(), 1);
    }
}

/// A name as one segment of a path.
pub fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

/// What an answer says about all instances goes on changing; the rest is the good instance's own.
fn without_hash(mut text: String) -> String {
    for (begin, end) in [
        ("\"apps__hashcode\":\"", '"'),
        ("\"versions__delta\":\"", '"'),
        ("<apps__hashcode>", '<'),
        ("<versions__delta>", '<'),
    ] {
        if let Some(at) = text.find(begin) {
            let from = at + begin.len();
            let to = from + text[from..].find(end).unwrap();
            text.replace_range(from..to, "");
        }
    }
    text
}

/// The body is what its label says.
pub fn well_formed(reply: &Reply) {
    match reply.content_type() {
        _ if reply.body.is_empty() => {}
        "application/json" => _ = reply.json(),
        "application/xml" => {
            let text = reply.text();
            let read = roxmltree::Document::parse(&text);
            assert!(read.is_ok(), "{read:?}: {text}");
        }
        other => assert!(other.starts_with("text/"), "{other}"),
    }
}

fn instances(list: &Value) -> Vec<Value> {
    let apps = list["application"].as_array().unwrap().iter();
    apps.flat_map(|app| app["instance"].as_array().unwrap().clone())
        .collect()
}

/// The hash code that a list should have.
fn counted(list: &Value) -> String {
    let mut counts = BTreeMap::<String, usize>::new();
    for instance in instances(list) {
        let status = instance["status"].as_str().unwrap();
        *counts.entry(status.to_string()).or_default() += 1;
    }
    counts
        .iter()
        .map(|(status, count)| format!("{status}_{count}_"))
        .collect()
}
