//! A small XML document as a tree, with its size and depth bounded.
//!
//! No document type, no entity but the five of XML itself and character references: nothing that could
//! reach outside the body or grow inside it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::model::ContentLimits;
use crate::wire::ReadError;

/// An element with its text and its child elements; comments are gone.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: HashMap<String, String>,
    pub(super) text: String,
    pub(super) children: Vec<Element>,
}

impl Element {
    /// The text without white space around it; `None` if there is none (B11: empty means absent).
    pub(super) fn content(&self) -> Option<&str> {
        Some(self.text.trim()).filter(|text| !text.is_empty())
    }

    /// The last child of this name.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().rev().find(|child| child.name == name)
    }
}

/// Reads a document; what follows its root element is ignored.
pub(super) fn parse(body: &str, limits: &ContentLimits) -> Result<Element, ReadError> {
    let mut reader = Reader::from_str(body);
    let mut open: Vec<Element> = Vec::new();
    let mut size = Size { limits, members: 0 };
    loop {
        let event = reader.read_event().map_err(malformed)?;
        let closed = match event {
            Event::Start(start) => {
                limits.nesting.allows_depth("the body", open.len() + 1)?;
                open.push(element(&start, &mut size)?);
                None
            }
            Event::Empty(start) => Some(element(&start, &mut size)?),
            Event::End(_) => open.pop(),
            Event::Text(text) => {
                append(&mut open, &text.xml10_content());
                None
            }
            Event::CData(text) => {
                append(&mut open, &text.xml10_content());
                None
            }
            Event::GeneralRef(reference) => {
                append(&mut open, &resolved(&reference)?);
                None
            }
            Event::DocType(_) => return Err(malformed("a document type is not allowed")),
            Event::Eof => return Err(malformed("the document ends too early")),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => None,
        };
        let Some(element) = closed else { continue };
        match open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => return Ok(element),
        }
    }
}

fn malformed(error: impl ToString) -> ReadError {
    ReadError::Malformed(error.to_string())
}

/// Elements and attributes so far. Each costs more memory here than it has bytes in the body.
struct Size<'l> {
    limits: &'l ContentLimits,
    members: usize,
}

impl Size<'_> {
    fn one_more(&mut self) -> Result<(), ReadError> {
        self.members += 1;
        let limit = self.limits.members;
        Ok(limit.allows_count("the body", self.members, "elements and attributes")?)
    }
}

fn element(start: &BytesStart<'_>, size: &mut Size<'_>) -> Result<Element, ReadError> {
    size.one_more()?;
    let mut element = Element {
        name: start.name().as_ref().to_string(),
        ..Element::default()
    };
    // The reader's own check for doubled attributes compares each with each.
    for attribute in start.attributes().with_checks(false) {
        size.one_more()?;
        let attribute = attribute.map_err(malformed)?;
        let value = quick_xml::escape::unescape(&attribute.value).map_err(malformed)?;
        let name = attribute.key.as_ref().to_string();
        match element.attributes.entry(name) {
            Entry::Vacant(place) => _ = place.insert(value.into_owned()),
            Entry::Occupied(_) => return Err(malformed("an attribute is there twice")),
        }
    }
    Ok(element)
}

fn append(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn resolved(reference: &BytesRef<'_>) -> Result<String, ReadError> {
    if let Some(c) = reference.resolve_char_ref().map_err(malformed)? {
        return Ok(c.to_string());
    }
    resolve_predefined_entity(reference)
        .map(str::to_string)
        .ok_or_else(|| malformed(format!("unknown entity &{};", &**reference)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limit;

    #[test]
    fn text_entities_attributes_and_sections_are_read() {
        let root = parse(
            "<?xml version=\"1.0\"?><!-- c --><a x='1&amp;2'> <b>l&lt;r &#x41;&#66;</b><c><![CDATA[<&>]]></c><d/></a>tail",
            &ContentLimits::NONE,
        )
        .unwrap();
        assert_eq!(root.attributes["x"], "1&2");
        assert_eq!(root.child("b").unwrap().content(), Some("l<r AB"));
        assert_eq!(root.child("c").unwrap().content(), Some("<&>"));
        assert_eq!(root.child("d").unwrap().content(), None);
        assert!(root.child("e").is_none());
    }

    #[test]
    fn what_is_not_a_small_plain_document_is_refused() {
        let deep = "<a>".repeat(40);
        for (body, part) in [
            ("", "too early"),
            ("text", "too early"),
            ("<a>", "too early"),
            ("<a></b>", "expected `</a>`"),
            (
                "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
                "document type",
            ),
            ("<a>&x;</a>", "unknown entity &x;"),
            ("<a>&#x110000;</a>", ""),
            ("<a x='1' y='2' x='3'/>", "twice"),
            (&deep, "deeper than 32 levels"),
        ] {
            let error = parse(body, &ContentLimits::NONE);
            let error = error.unwrap_err().to_string();
            assert!(error.contains(part), "{body}: {error}");
        }
    }
    #[test]
    fn elements_and_attributes_are_counted_together() {
        let limits = ContentLimits {
            members: Limit::new(4, "wide"),
            ..ContentLimits::NONE
        };
        for (body, fits) in [
            ("<a x='1'><b/><c></c></a>", true),
            ("<a x='1'><b/><c></c><d/></a>", false),
            ("<a u='1' v='2' w='3'/>", true),
            ("<a u='1' v='2' w='3' x='4'/>", false),
        ] {
            assert_eq!(parse(body, &limits).is_ok(), fits, "{body}");
        }
    }
}
