//! Which names mean the same (config.md §7).
//!
//! A name is split at its dots; what stands in brackets is one element, an index or data. Words are compared by
//! their letters and digits alone, in lower case. In the environment dots are underscores, as are the
//! underscores in a word, so there a word may be several parts. What stands for a `<…>` of a key is data: it
//! keeps its case, but for the environment, where it has none.

/// How a place spells names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `eureka.server.mode`.
    Dotted,
    /// `EUREKA_SERVER_MODE`: the case of data is lost.
    Environment,
}

/// A name as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) spelling: Spelling,
    elements: Vec<Element>,
}

/// What stands between two dots, or in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Element {
    text: String,
    uniform: String,
    in_brackets: bool,
}

impl Element {
    fn new(text: &str, in_brackets: bool) -> Self {
        Self {
            text: text.to_string(),
            uniform: uniform(text),
            in_brackets,
        }
    }

    fn is_index(&self) -> bool {
        self.in_brackets && is_number(&self.text)
    }

    /// As data: an index with its brackets, else without, and without the letters that Spring takes out.
    fn data(&self) -> String {
        let kept = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match self {
            index if index.is_index() => format!("[{}]", index.text),
            Self { in_brackets, .. } if *in_brackets => self.text.clone(),
            plain => plain.text.chars().filter(kept).collect(),
        }
    }
}

impl Name {
    /// A name from a file, a JSON text or an argument.
    pub(super) fn dotted(text: &str) -> Self {
        Self {
            text: text.to_string(),
            spelling: Spelling::Dotted,
            elements: elements(text),
        }
    }

    /// A name from the environment. With a dot in it, as a container's description may have it, it is spelt as
    /// anywhere else.
    pub(super) fn environment(text: &str) -> Self {
        if text.contains('.') {
            return Self::dotted(text);
        }
        let parts = text.split('_').filter(|part| !part.is_empty());
        Self {
            text: text.to_string(),
            spelling: Spelling::Environment,
            elements: parts.map(|part| Element::new(part, false)).collect(),
        }
    }

    /// The first element in its uniform spelling.
    pub(super) fn first(&self) -> &str {
        self.elements
            .first()
            .map_or("", |element| element.uniform.as_str())
    }
}

/// A key, maybe with data in it: `eureka.client.region`, `eureka.client.service-url.<zone>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(String),
    /// Stands for data; at the end of a key for all that follows.
    Hole,
    /// Data that is known.
    Data(String),
    /// `[0]` and the like.
    Index,
}

impl Pattern {
    /// Of a key in its canonical spelling.
    pub(super) fn of(key: &str) -> Self {
        let parts = elements(key).into_iter().map(|element| match element {
            hole if hole.text.starts_with('<') => Part::Hole,
            data if data.in_brackets => Part::Data(data.data()),
            word => Part::Word(word.uniform),
        });
        Self(parts.collect())
    }

    /// Of a name that stands in a placeholder: there is nothing open in it.
    pub(super) fn literally(name: &str) -> Self {
        let parts = elements(name).into_iter().map(|element| match element {
            data if data.in_brackets => Part::Data(data.data()),
            word => Part::Word(word.uniform),
        });
        Self(parts.collect())
    }

    /// With data for the first `<…>`.
    pub(super) fn at(mut self, data: &str) -> Self {
        if let Some(hole) = self.0.iter_mut().find(|part| **part == Part::Hole) {
            *hole = Part::Data(data.to_string());
        }
        self
    }

    /// This key's elements of a list, or the entries of this map.
    pub(super) fn below(mut self) -> Self {
        self.0.push(Part::Hole);
        self
    }

    /// An element of this key's list.
    pub(super) fn below_index(mut self) -> Self {
        self.0.push(Part::Index);
        self
    }

    /// What stands in a name for the `<…>` of this key, if it is one of it.
    pub(super) fn data_in(&self, name: &Name) -> Option<Vec<String>> {
        let mut data = Vec::new();
        let fits = match name.spelling {
            Spelling::Dotted => dotted(&self.0, &name.elements, &mut data),
            Spelling::Environment => environment(&self.0, &name.elements, &mut data),
        };
        fits.then_some(data)
    }
}

/// Part by part; what is left at the end belongs to a last `<…>`.
fn dotted(parts: &[Part], elements: &[Element], data: &mut Vec<String>) -> bool {
    match (parts, elements) {
        ([], []) => true,
        ([Part::Hole], [_, ..]) => {
            let text = joined(elements);
            let something = !text.is_empty();
            data.push(text);
            something
        }
        ([part, parts @ ..], [element, elements @ ..]) => {
            let fits = match part {
                Part::Word(word) => !element.in_brackets && *word == element.uniform,
                Part::Data(known) => *known == element.data(),
                Part::Index => element.is_index(),
                Part::Hole => {
                    data.push(element.data());
                    true
                }
            };
            fits && dotted(parts, elements, data)
        }
        _ => false,
    }
}

/// `a.b[0]` and, of data in brackets, what stands in them.
fn joined(elements: &[Element]) -> String {
    let mut text = String::new();
    for element in elements {
        if !text.is_empty() && !element.is_index() {
            text.push('.');
        }
        text.push_str(&element.data());
    }
    text
}

/// A word or known data may be several parts, and so may be what stands for `<…>`: then as few as will do.
fn environment(parts: &[Part], elements: &[Element], data: &mut Vec<String>) -> bool {
    let [part, rest @ ..] = parts else {
        return elements.is_empty();
    };
    if *part == Part::Hole && rest.is_empty() {
        data.push(lower(elements));
        return !elements.is_empty();
    }
    (1..=elements.len()).any(|count| {
        let (head, tail) = elements.split_at(count);
        let text: String = head
            .iter()
            .map(|element| element.uniform.as_str())
            .collect();
        let known = data.len();
        let fits = match part {
            Part::Word(word) => *word == text,
            Part::Data(known) => uniform(known) == text,
            Part::Index => is_number(&text),
            Part::Hole => {
                data.push(lower(head));
                true
            }
        };
        let fits = fits && environment(rest, tail, data);
        if !fits {
            data.truncate(known);
        }
        fits
    })
}

/// What the environment leaves of data; a number alone is an index.
fn lower(elements: &[Element]) -> String {
    let parts = elements.iter().map(|element| element.text.to_lowercase());
    let text = parts.collect::<Vec<_>>().join("_");
    match is_number(&text) {
        true => format!("[{text}]"),
        false => text,
    }
}

fn elements(text: &str) -> Vec<Element> {
    let mut elements = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let in_brackets = rest
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'));
        let (element, behind) = match in_brackets {
            Some((inner, behind)) => (Element::new(inner, true), behind),
            None => {
                // An element has a first letter, or there would be no end.
                let mut letters = rest.char_indices().skip(1);
                let end = letters.find(|(_, c)| matches!(c, '.' | '['));
                let end = end.map_or(rest.len(), |(at, _)| at);
                (Element::new(&rest[..end], false), &rest[end..])
            }
        };
        elements.push(element);
        rest = behind.strip_prefix('.').unwrap_or(behind);
    }
    elements
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Letters and digits alone, in lower case.
pub(super) fn uniform(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data_in(key: &str, name: &Name) -> Option<Vec<String>> {
        Pattern::of(key).data_in(name)
    }

    /// config.md §7.1, §7.2, C1.
    #[test]
    fn every_spelling_that_spring_takes_is_the_same_name() {
        let key = "eureka.server.enable-self-preservation";
        for name in [
            "eureka.server.enable-self-preservation",
            "eureka.server.enableSelfPreservation",
            "eureka.server.enable_self_preservation",
            "eureka.server.ENABLESELFPRESERVATION",
            "EUREKA.SERVER.ENABLE_SELF_PRESERVATION",
        ] {
            assert!(data_in(key, &Name::dotted(name)).is_some(), "{name}");
            assert!(data_in(key, &Name::environment(name)).is_some(), "{name}");
        }
        for name in [
            "EUREKA_SERVER_ENABLESELFPRESERVATION",
            "EUREKA_SERVER_ENABLE_SELF_PRESERVATION",
            "eureka_server_enableselfpreservation",
        ] {
            assert!(data_in(key, &Name::environment(name)).is_some(), "{name}");
            assert!(data_in(key, &Name::dotted(name)).is_none(), "{name}");
        }
        for name in [
            "eureka.server",
            "eureka.server.enable-self-preservations",
            "eureka.server.enable.self-preservation",
            "eureka.server.enable-self-preservation.x",
            "eureka.server.enable-self-preservation[0]",
            "",
            "..",
            "é[",
        ] {
            assert!(data_in(key, &Name::dotted(name)).is_none(), "{name}");
        }
        let generated = Name::dotted("eureka.server.retention-time-in-m-s-in-delta-queue");
        assert!(
            data_in(
                "eureka.server.retention-time-in-ms-in-delta-queue",
                &generated
            )
            .is_some()
        );
    }

    #[test]
    fn data_keeps_its_case_and_may_be_several_elements_at_the_end_only() {
        let users = "eureka.server.users.<name>.password";
        for (key, name, data) in [
            ("a.b.<key>", "A.b.defaultZone", "defaultZone"),
            ("a.b.<key>", "a.b.management.port", "management.port"),
            ("a.b.<key>", "a.b.under_score-d", "under_score-d"),
            ("a.b.<key>", "a.b./odd key", "oddkey"),
            ("a.b.<key>", "a.b[/odd key]", "/odd key"),
            ("a.b.<key>", "a.b[eu.west].x", "eu.west.x"),
            ("a.b.<key>", "a.b.list[3]", "list[3]"),
            (users, "eureka.server.users.Alice.pass-word", "Alice"),
            (users, "eureka.server.users[a.b@c].password", "a.b@c"),
            (users, "eureka.server.users[0].password", "[0]"),
        ] {
            let got = data_in(key, &Name::dotted(name));
            assert_eq!(got, Some(vec![data.to_string()]), "{name}");
        }
        for (key, name, data) in [
            ("a.b-c.<key>", "A_B_C_DEFAULT_ZONE", "default_zone"),
            ("a.b-c.<key>", "A_BC_Z1", "z1"),
            (users, "EUREKA_SERVER_USERS_ALICE_PASSWORD", "alice"),
            (users, "EUREKA_SERVER_USERS_A_B_PASSWORD", "a_b"),
            (users, "EUREKA_SERVER_USERS_0_PASS_WORD", "[0]"),
        ] {
            let got = data_in(key, &Name::environment(name));
            assert_eq!(got, Some(vec![data.to_string()]), "{name}");
        }
        for name in [
            "eureka.server.users.password",
            "eureka.server.users.a.b.password",
        ] {
            assert_eq!(data_in(users, &Name::dotted(name)), None, "{name}");
        }
    }

    #[test]
    fn known_data_is_told_apart_by_case_but_for_the_environment() {
        let bob = Pattern::of("users.<name>.password").at("Bob");
        assert!(bob.data_in(&Name::dotted("users.Bob.password")).is_some());
        assert!(bob.data_in(&Name::dotted("users[Bob].password")).is_some());
        assert!(bob.data_in(&Name::dotted("users.bob.password")).is_none());
        assert!(
            bob.data_in(&Name::environment("USERS_BOB_PASSWORD"))
                .is_some()
        );
        let first = Pattern::of("users.<name>.roles").at("[0]").below();
        let roles = first.data_in(&Name::dotted("users[0].roles[1]"));
        assert_eq!(roles, Some(vec!["[1]".to_string()]));
        let roles = first.data_in(&Name::environment("USERS_0_ROLES_1"));
        assert_eq!(roles, Some(vec!["[1]".to_string()]));
    }
}
