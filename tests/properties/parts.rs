//! A body taken apart, so that it can be compared: strictly, and without the server's own readers.

use roxmltree::Node;
use serde_json::Value;

use crate::support::EPOCH;

/// The shape of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Json,
    JsonCompact,
    Xml,
    XmlV1,
    XmlCompact,
}

/// An element: what it is called, its one attribute, and its text or its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    pub name: String,
    pub attribute: Option<(String, String)>,
    pub text: String,
    pub children: Vec<Element>,
}

/// An instance in a list: JSON or XML.
#[derive(Clone, Debug, PartialEq)]
pub enum Instance {
    Json(Value),
    Xml(Element),
}

/// A body, taken apart.
#[derive(Debug)]
pub struct List {
    /// `versions__delta`, `apps__hashcode` and, in the reduced form, whether nobody is registered;
    /// nothing of it for one application alone.
    pub head: Option<(String, String, Option<String>)>,
    pub apps: Vec<(String, Vec<Instance>)>,
}

/// Panics unless the body is well-formed and has nothing in it that a list has not.
pub fn read(shape: Shape, body: &[u8]) -> List {
    let text = std::str::from_utf8(body).unwrap();
    match shape {
        Shape::Json | Shape::JsonCompact => read_json(text),
        Shape::Xml | Shape::XmlV1 | Shape::XmlCompact => {
            let document = roxmltree::Document::parse(text).unwrap_or_else(|error| {
                panic!("{error}: {text}");
            });
            read_xml(document.root_element())
        }
    }
}

fn read_json(text: &str) -> List {
    let body: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let (name, value) = only(&body);
    if name == "application" {
        return List {
            head: None,
            apps: vec![json_app(value)],
        };
    }
    assert_eq!(name, "applications");
    let word = |name: &str| value[name].as_str().unwrap().to_string();
    let empty = value.get("registeredApplicationsEmpty");
    assert_eq!(
        value.as_object().unwrap().len(),
        3 + usize::from(empty.is_some())
    );
    let empty = empty.map(|flag| flag.as_bool().unwrap().to_string());
    let apps = value["application"].as_array().unwrap();
    List {
        head: Some((word("versions__delta"), word("apps__hashcode"), empty)),
        apps: apps.iter().map(json_app).collect(),
    }
}

fn only(value: &Value) -> (&str, &Value) {
    let members = value.as_object().unwrap();
    assert_eq!(members.len(), 1, "{value}");
    members
        .iter()
        .next()
        .map(|(name, value)| (name.as_str(), value))
        .unwrap()
}

fn json_app(app: &Value) -> (String, Vec<Instance>) {
    assert_eq!(app.as_object().unwrap().len(), 2);
    let instances = app["instance"].as_array().unwrap().iter();
    let name = app["name"].as_str().unwrap().to_string();
    (name, instances.cloned().map(Instance::Json).collect())
}

fn read_xml(root: Node<'_, '_>) -> List {
    if root.tag_name().name() == "application" {
        return List {
            head: None,
            apps: vec![xml_app(root)],
        };
    }
    assert_eq!(root.tag_name().name(), "applications");
    let word = |name: &str| {
        let mut named = root
            .children()
            .filter(|node| node.tag_name().name() == name);
        named
            .next()
            .map(|node| node.text().unwrap_or_default().to_string())
    };
    let apps = root
        .children()
        .filter(|node| node.tag_name().name() == "application");
    let empty = word("registeredApplicationsEmpty");
    List {
        head: Some((
            word("versions__delta").unwrap(),
            word("apps__hashcode").unwrap(),
            empty,
        )),
        apps: apps.map(xml_app).collect(),
    }
}

fn xml_app(app: Node<'_, '_>) -> (String, Vec<Instance>) {
    let mut elements = app.children().filter(Node::is_element);
    let name = elements.next().unwrap();
    assert_eq!(name.tag_name().name(), "name");
    let instances = elements.map(|node| Instance::Xml(element(node)));
    (
        name.text().unwrap_or_default().to_string(),
        instances.collect(),
    )
}

fn element(node: Node<'_, '_>) -> Element {
    let attributes: Vec<_> = node.attributes().collect();
    assert!(attributes.len() < 2 && node.tag_name().namespace().is_none());
    let pair = |attribute: &roxmltree::Attribute<'_, '_>| {
        (attribute.name().to_string(), attribute.value().to_string())
    };
    let children: Vec<Element> = node
        .children()
        .filter(Node::is_element)
        .map(element)
        .collect();
    let texts = node
        .children()
        .filter_map(|child| child.text().filter(|_| child.is_text()));
    let text: String = texts.collect();
    assert!(
        children.is_empty() || text.trim().is_empty(),
        "text beside elements: {text}"
    );
    Element {
        name: node.tag_name().name().to_string(),
        attribute: attributes.first().map(pair),
        text: if children.is_empty() {
            text
        } else {
            String::new()
        },
        children,
    }
}

impl Instance {
    /// What it says is the base of its lease, in milliseconds since the node began.
    pub fn base(&self) -> Option<u64> {
        let shown = match self {
            Self::Json(value) => value["leaseInfo"]["lastRenewalTimestamp"].as_u64(),
            Self::Xml(element) => element
                .child("leaseInfo")
                .and_then(|lease| lease.child("lastRenewalTimestamp")?.text.parse().ok()),
        };
        shown.map(|shown: u64| shown - EPOCH)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self {
            Self::Json(value) => value[name].as_str(),
            Self::Xml(element) => element.child(name).map(|child| child.text.as_str()),
        }
    }
}

impl Element {
    fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }
}
