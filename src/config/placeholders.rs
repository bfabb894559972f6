//! `${name}`, `${name:default}` and each within the other (config.md §6.4).
//!
//! The first colon ends the name. What is not known and has no default stays as it is written, and so does what
//! has a backslash before it. Whose values these are is not known here.

use rand::RngExt;

/// What asks for a value that is not there, or for itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PlaceholderError {
    /// A value that needs itself.
    #[error("${{{0}}} leads back to itself")]
    Circle(String),
    /// More than anybody writes.
    #[error("placeholders within more than {DEEPEST} placeholders")]
    TooDeep,
    /// Together they make a text without end.
    #[error("placeholders that never end")]
    TooLong,
}

const DEEPEST: usize = 50;
const LONGEST: usize = 1 << 20;
/// Texts that are filled in for one value, so that doubling has an end.
const MOST: usize = 10_000;

/// A text with its placeholders filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) text: String,
    /// Names that nobody knows, which stay as they are.
    pub(super) unknown: Vec<String>,
}

/// Fills in what `lookup` knows, whose texts may have placeholders of their own.
pub(super) fn fill(
    text: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Filled, PlaceholderError> {
    let mut filler = Filler {
        lookup,
        open: Vec::new(),
        unknown: Vec::new(),
        left: MOST,
    };
    let text = filler.fill(text, 0)?;
    let unknown = filler.unknown;
    Ok(Filled { text, unknown })
}

struct Filler<'l> {
    lookup: &'l dyn Fn(&str) -> Option<String>,
    /// Names whose values are being filled in.
    open: Vec<String>,
    unknown: Vec<String>,
    left: usize,
}

impl Filler<'_> {
    fn fill(&mut self, text: &str, depth: usize) -> Result<String, PlaceholderError> {
        if depth > DEEPEST {
            return Err(PlaceholderError::TooDeep);
        }
        self.left = self.left.checked_sub(1).ok_or(PlaceholderError::TooLong)?;
        let mut filled = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, here) = rest.split_at(start);
            if let Some(before) = before.strip_suffix('\\') {
                filled.push_str(before);
                filled.push_str("${");
                rest = &here[2..];
                continue;
            }
            let Some(end) = end_of(here) else { break };
            filled.push_str(before);
            filled.push_str(&self.value(&here[2..end], depth)?);
            if filled.len() > LONGEST {
                return Err(PlaceholderError::TooLong);
            }
            rest = &here[end + 1..];
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// What stands for `${inner}`.
    fn value(&mut self, inner: &str, depth: usize) -> Result<String, PlaceholderError> {
        let (name, default) = split(inner);
        let name = self.fill(name, depth + 1)?;
        let name = name.trim();
        if let Some(text) = random(name) {
            return Ok(text);
        }
        if let Some(text) = (self.lookup)(name) {
            if self.open.iter().any(|open| open == name) {
                return Err(PlaceholderError::Circle(name.to_string()));
            }
            self.open.push(name.to_string());
            let text = self.fill(&text, depth + 1);
            self.open.pop();
            return text;
        }
        match default {
            Some(default) => self.fill(default, depth + 1),
            None => {
                self.unknown.push(name.to_string());
                Ok(format!("${{{name}}}"))
            }
        }
    }
}

/// Where the brace is that belongs to the first one.
fn end_of(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("${") {
            depth += 1;
            at += 2;
            continue;
        }
        if rest.starts_with('}') {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// The name and the default, at the first colon that is in no placeholder of its own.
fn split(inner: &str) -> (&str, Option<&str>) {
    let mut depth = 0_usize;
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => return (&inner[..at], Some(&inner[at + 1..])),
            _ => {}
        }
    }
    (inner, None)
}

/// `random.uuid`, `.value`, `.int`, `.long`, and the last two below a number or in a range.
fn random(name: &str) -> Option<String> {
    let kind = name.strip_prefix("random.")?;
    let mut random = rand::rng();
    match kind {
        "uuid" => return Some(uuid::Uuid::new_v4().to_string()),
        "value" => return Some(uuid::Uuid::new_v4().simple().to_string()),
        "int" => return Some(random.random::<i32>().to_string()),
        "long" => return Some(random.random::<i64>().to_string()),
        _ => {}
    }
    let range = ["int", "long"]
        .iter()
        .find_map(|kind_of| kind.strip_prefix(kind_of))?;
    let range = range.strip_prefix(['(', '['])?.strip_suffix([')', ']'])?;
    let (from, to) = range.split_once(',').unwrap_or(("0", range));
    let (from, to): (i64, i64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (from < to).then(|| random.random_range(from..to).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<Filled, PlaceholderError> {
        let known = [
            ("host", "h"),
            ("port", "8761"),
            ("url", "http://${host}:${port}/"),
            ("which", "host"),
            ("empty", ""),
            ("a", "${b}"),
            ("b", "x${a}"),
        ];
        fill(text, &|name| {
            let found = known.iter().find(|(known, _)| *known == name)?;
            Some(found.1.to_string())
        })
    }

    #[test]
    fn placeholders_are_filled_in_with_defaults_and_each_within_the_other() {
        for (text, wanted) in [
            ("http://${host}:${port}/eureka/", "http://h:8761/eureka/"),
            ("${url}x", "http://h:8761/x"),
            ("${PEER:http://x:1/eureka/}", "http://x:1/eureka/"),
            ("${no:${nor:c}}", "c"),
            ("${no:${host}}-", "h-"),
            ("${no:}", ""),
            ("${empty:x}", ""),
            ("${ host }", "h"),
            ("${${which}}", "h"),
            ("${${no:which}:d}", "host"),
            (r"\${host}", "${host}"),
            (r"a\${host} ${host}", "a${host} h"),
            ("${host", "${host"),
            ("$host}", "$host}"),
            ("é${host}é", "éhé"),
        ] {
            let got = filled(text).unwrap();
            assert_eq!(
                (got.text.as_str(), got.unknown.len()),
                (wanted, 0),
                "{text}"
            );
        }
    }

    #[test]
    fn what_nobody_knows_stays_and_is_named() {
        let got = filled("${host}/${no.such}/${}").unwrap();
        assert_eq!(got.text, "h/${no.such}/${}");
        assert_eq!(got.unknown, ["no.such", ""]);
    }

    #[test]
    fn circles_and_depths_are_refused() {
        let circle = PlaceholderError::Circle("a".to_string());
        assert_eq!(filled("${a}"), Err(circle));
        let deep = "${x:".repeat(60) + &"}".repeat(60);
        assert_eq!(filled(&deep), Err(PlaceholderError::TooDeep));
        let doubling = fill("${x0}", &|name| {
            let level: u32 = name.strip_prefix('x')?.parse().ok()?;
            (level < 40).then(|| format!("${{x{0}:}}${{x{0}:}}", level + 1))
        });
        assert_eq!(doubling, Err(PlaceholderError::TooLong));
    }

    #[test]
    fn random_values_are_of_their_kind() {
        for (name, fits) in [
            ("random.uuid", (|text| text.len() == 36) as fn(&str) -> bool),
            ("random.value", |text| text.len() == 32),
            ("random.int", |text| text.parse::<i32>().is_ok()),
            ("random.long", |text| text.parse::<i64>().is_ok()),
            ("random.int(3)", |text| ["0", "1", "2"].contains(&text)),
            ("random.int[7,8]", |text| text == "7"),
            ("random.long(1, 2)", |text| text == "1"),
        ] {
            let got = filled(&format!("${{{name}}}")).unwrap();
            assert!(
                fits(&got.text) && got.unknown.is_empty(),
                "{name}: {}",
                got.text
            );
        }
        for name in ["random.int(5,5)", "random.nothing", "random.int(x)"] {
            assert_eq!(filled(&format!("${{{name}}}")).unwrap().unknown, [name]);
        }
    }
}
