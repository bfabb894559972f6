//! YAML to names and values, document by document.
//!
//! A map's names are joined by dots, a list's elements have their index, `a.b[0]`; names in brackets follow
//! without a dot. A name that stands twice in one map is a mistake. Aliases and `<<` are written out.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::document::MOST_VALUES;
use super::yaml_text::text_of;
use super::{Document, FileError, Line};

/// Maps within maps.
const DEEPEST: usize = 100;

/// What stands in one place.
#[derive(Clone)]
struct Node {
    line: usize,
    value: Value,
}

#[derive(Clone)]
enum Value {
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// The documents of a text; what is empty or has only comments in it is none.
pub(in crate::config) fn from_yaml(text: &str) -> Result<Vec<Document>, FileError> {
    let mut reader = Reader {
        events: Parser::new_from_str(text.trim_start_matches('\u{feff}')),
        anchors: HashMap::new(),
        left: MOST_VALUES,
    };
    let mut documents = Vec::new();
    while let Some((event, span)) = reader.next()? {
        if !matches!(event, Event::DocumentStart(_)) {
            continue;
        }
        let (event, start) = reader.next()?.unwrap_or((Event::Nothing, span));
        let node = reader.node(event, start, 0)?;
        let mut document = Document::default();
        match &node.value {
            Value::Map(_) => write_out("", &node, &mut document),
            Value::Text(text) if text.is_empty() => {}
            _ => {
                return Err(FileError::Syntax {
                    line: node.line,
                    problem: "wanted a map of names and values".to_string(),
                });
            }
        }
        documents.push(document);
    }
    Ok(documents)
}

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, (Node, usize)>,
    left: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<Option<(Event<'t>, Span)>, FileError> {
        self.events.next_event().transpose().map_err(syntax)
    }

    /// The next event in a list or map.
    fn within(&mut self, started: Span) -> Result<(Event<'t>, Span), FileError> {
        self.next()?.ok_or(FileError::Syntax {
            line: started.start.line(),
            problem: "what begins here has no end".to_string(),
        })
    }

    /// The node that begins with this event.
    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, FileError> {
        if depth > DEEPEST {
            return Err(FileError::TooMuch);
        }
        let before = self.left;
        self.spend(1)?;
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let text = match is_plain {
                    true => text_of(&text),
                    false => text.into_owned(),
                };
                (anchor, Value::Text(text))
            }
            Event::SequenceStart(anchor, _) => (anchor, self.list(span, depth)?),
            Event::MappingStart(anchor, _) => (anchor, self.map(span, depth)?),
            Event::Alias(id) => return self.alias(id, span),
            _ => (0, Value::Text(String::new())),
        };
        let line = span.start.line();
        let node = Node { line, value };
        if anchor > 0 {
            self.anchors
                .insert(anchor, (node.clone(), before - self.left));
        }
        Ok(node)
    }

    fn spend(&mut self, nodes: usize) -> Result<(), FileError> {
        self.left = self.left.checked_sub(nodes).ok_or(FileError::TooMuch)?;
        Ok(())
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<Node, FileError> {
        let (node, size) = self.anchors.get(&id).cloned().ok_or(FileError::Syntax {
            line: span.start.line(),
            problem: "this alias is within what it stands for".to_string(),
        })?;
        self.spend(size)?;
        Ok(node)
    }

    fn list(&mut self, started: Span, depth: usize) -> Result<Value, FileError> {
        let mut nodes = Vec::new();
        loop {
            let (event, span) = self.within(started)?;
            if event == Event::SequenceEnd {
                return Ok(Value::List(nodes));
            }
            nodes.push(self.node(event, span, depth + 1)?);
        }
    }

    fn map(&mut self, started: Span, depth: usize) -> Result<Value, FileError> {
        let (mut entries, mut merged) = (Vec::new(), Vec::new());
        loop {
            let (event, span) = self.within(started)?;
            let (name, is_merge) = match event {
                Event::MappingEnd => break,
                Event::Scalar(text, style, ..) => {
                    let is_merge = text == "<<" && style == ScalarStyle::Plain;
                    (text.into_owned(), is_merge)
                }
                _ => {
                    return Err(FileError::Syntax {
                        line: span.start.line(),
                        problem: "wanted a name before the colon".to_string(),
                    });
                }
            };
            let line = span.start.line();
            let (event, span) = self.within(started)?;
            let mut node = self.node(event, span, depth + 1)?;
            if is_merge {
                merged.push(node);
                continue;
            }
            // Where the name stands, for a value that is on a line of its own, or that is not there.
            node.line = line;
            if entries.iter().any(|(known, _)| *known == name) {
                return Err(FileError::Twice { line, name });
            }
            entries.push((name, node));
        }
        merged
            .into_iter()
            .for_each(|node| merge(node, &mut entries));
        Ok(Value::Map(entries))
    }
}

/// What a `<<` brings, but for names that are there.
fn merge(node: Node, entries: &mut Vec<(String, Node)>) {
    match node.value {
        Value::Map(others) => {
            for (name, node) in others {
                if !entries.iter().any(|(known, _)| *known == name) {
                    entries.push((name, node));
                }
            }
        }
        Value::List(nodes) => nodes.into_iter().for_each(|node| merge(node, entries)),
        Value::Text(_) => {}
    }
}

fn write_out(name: &str, node: &Node, document: &mut Document) {
    let mut line = |text: &str| {
        document.lines.push(Line {
            name: name.to_string(),
            text: text.to_string(),
            number: node.line,
        });
    };
    match &node.value {
        Value::Text(text) => line(text),
        Value::List(nodes) if nodes.is_empty() => line(""),
        Value::Map(entries) if entries.is_empty() && !name.is_empty() => line(""),
        Value::List(nodes) => {
            for (index, node) in nodes.iter().enumerate() {
                write_out(&format!("{name}[{index}]"), node, document);
            }
        }
        Value::Map(entries) => {
            for (entry, node) in entries {
                let dot = match name.is_empty() || entry.starts_with('[') {
                    true => "",
                    false => ".",
                };
                write_out(&format!("{name}{dot}{entry}"), node, document);
            }
        }
    }
}

fn syntax(error: ScanError) -> FileError {
    FileError::Syntax {
        line: error.marker().line(),
        problem: error.info().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name=value@line`, a list of them for each document.
    fn read(text: &str) -> Vec<Vec<String>> {
        let documents = from_yaml(text).unwrap().into_iter();
        let shown = |line: Line| format!("{}={}@{}", line.name, line.text, line.number);
        documents
            .map(|document| document.lines.into_iter().map(shown).collect())
            .collect()
    }

    #[test]
    fn maps_and_lists_become_names_in_the_order_of_the_text() {
        let text = "\
server:
  port: 8761
eureka:
  client.serviceUrl:
    defaultZone: >-
      http://a/,
      http://b/
    \"[my/key]\": 'on'
  roles: [read, {name: x}]
  none: []
  empty: {}
  nothing:
z: on # comment
";
        assert_eq!(
            read(text),
            [[
                "server.port=8761@2",
                "eureka.client.serviceUrl.defaultZone=http://a/, http://b/@5",
                "eureka.client.serviceUrl[my/key]=on@8",
                "eureka.roles[0]=read@9",
                "eureka.roles[1].name=x@9",
                "eureka.none=@10",
                "eureka.empty=@11",
                "eureka.nothing=@12",
                "z=true@13",
            ]]
        );
    }

    #[test]
    fn documents_are_told_apart_and_empty_texts_have_none_or_nothing_in_them() {
        assert_eq!(
            read("a: 1\n---\nb: 2\n---\n# c\n"),
            [vec!["a=1@1"], vec!["b=2@3"], vec![]]
        );
        assert_eq!(read("---\na: 1\n...\n---\nb: 2\n").len(), 2);
        for text in ["", "# only a comment\n", "\u{feff}"] {
            assert_eq!(read(text).concat(), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn aliases_and_merged_maps_are_written_out() {
        let text = "base: &b {x: 1, y: 2}\na:\n  <<: *b\n  y: 3\nb: *b\n";
        assert_eq!(
            read(text),
            [[
                "base.x=1@1",
                "base.y=2@1",
                "a.y=3@4",
                "a.x=1@1",
                "b.x=1@1",
                "b.y=2@1"
            ]]
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, wanted) in [
            ("a: 1\nb: 2\na: 3\n", "line 3: a stands here a second time"),
            ("a:\n  - 1\n- 2\n", "line 3: "),
            ("a: 1\nb: \"x\n", "line 2: "),
            ("a: 1\n b: 2\n", "line 2: "),
            ("- a\n", "line 1: wanted a map"),
            ("text\n", "line 1: wanted a map"),
            ("? [a]\n: 1\n", "line 1: wanted a name"),
            ("a: &x [*x]\n", "line 1: this alias"),
            ("a:\n\t- b\n", "line 2: "),
        ] {
            let error = from_yaml(text).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{text:?}: {error}");
        }
    }

    #[test]
    fn aliases_of_aliases_do_not_fill_the_memory_and_depth_has_an_end() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_string();
        for n in 1..12 {
            let tens = vec![format!("*a{}", n - 1); 10].join(", ");
            text += &format!("a{n}: &a{n} [{tens}]\n");
        }
        assert_eq!(from_yaml(&text), Err(FileError::TooMuch));
        let deep = "[".repeat(5_000);
        assert!(from_yaml(&format!("a: {deep}")).is_err());
    }
}
