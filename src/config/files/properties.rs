//! Java's `.properties`: `name=value`, `name: value` or `name value`, comments after `#` or `!`, lines that go on
//! after a backslash, `\u0041`, and documents between lines `#---` or `!---` (config.md §6.2).
//!
//! A name that stands twice has its last value, as in Java. Texts are UTF-8.

use std::iter::Peekable;
use std::str::Chars;

use super::document::MOST_VALUES;
use super::{Document, FileError, Line};

/// The documents of a text.
pub(in crate::config) fn from_properties(text: &str) -> Result<Vec<Document>, FileError> {
    let mut documents = vec![Document::default()];
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let line = line.trim_start_matches(BLANKS);
        if matches!(line.trim_end(), "#---" | "!---") {
            documents.push(Document::default());
            continue;
        }
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut whole = line.to_string();
        while goes_on(&whole) {
            whole.pop();
            let Some((next, _)) = lines.next() else { break };
            whole.push_str(next.trim_start_matches(BLANKS));
        }
        if let Some(document) = documents.last_mut() {
            put(document, &whole, number)?;
        }
    }
    Ok(documents)
}

const BLANKS: [char; 3] = [' ', '\t', '\u{c}'];

/// An odd number of backslashes at the end.
fn goes_on(line: &str) -> bool {
    let slashes = line.len() - line.trim_end_matches('\\').len();
    slashes % 2 == 1
}

fn put(document: &mut Document, line: &str, number: usize) -> Result<(), FileError> {
    let syntax = |problem: &str| FileError::Syntax {
        line: number,
        problem: problem.to_string(),
    };
    let unicode = || syntax("wanted four hexadecimal digits after \\u");
    let mut letters = line.chars().peekable();
    let name = part(&mut letters, true).ok_or_else(unicode)?;
    skip_blanks(&mut letters);
    if letters.next_if(|c| matches!(c, '=' | ':')).is_some() {
        skip_blanks(&mut letters);
    }
    let text = part(&mut letters, false).ok_or_else(unicode)?;
    document.lines.retain(|line| line.name != name);
    document.lines.push(Line { name, text, number });
    match document.lines.len() > MOST_VALUES {
        true => Err(FileError::TooMuch),
        false => Ok(()),
    }
}

fn skip_blanks(letters: &mut Peekable<Chars<'_>>) {
    while letters.next_if(|c| BLANKS.contains(c)).is_some() {}
}

/// A name, which ends at the first separator, or a value.
fn part(letters: &mut Peekable<Chars<'_>>, is_name: bool) -> Option<String> {
    let mut text = String::new();
    let ends = |c: &char| is_name && (matches!(c, '=' | ':') || BLANKS.contains(c));
    while let Some(letter) = letters.next_if(|c| !ends(c)) {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        text.push(match letters.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('f') => '\u{c}',
            Some('u') => unicode(letters)?,
            Some(other) => other,
            None => break,
        });
    }
    Some(text)
}

/// The letter of four digits, or of two times four where Java needs a pair.
fn unicode(letters: &mut Peekable<Chars<'_>>) -> Option<char> {
    let mut digits = || {
        let digits: String = letters.by_ref().take(4).collect();
        u16::from_str_radix(&digits, 16)
            .ok()
            .filter(|_| digits.len() == 4)
    };
    let first = digits()?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first.into());
    }
    let pair = [first, {
        (letters.next() == Some('\\') && letters.next() == Some('u')).then_some(())?;
        let digits: String = letters.by_ref().take(4).collect();
        u16::from_str_radix(&digits, 16).ok()?
    }];
    char::decode_utf16(pair).next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Vec<(String, String, usize)>> {
        let documents = from_properties(text).unwrap().into_iter();
        let lines = |document: Document| document.lines.into_iter();
        documents
            .map(|document| {
                lines(document)
                    .map(|l| (l.name, l.text, l.number))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn names_and_values_are_read_as_java_does() {
        for (line, name, value) in [
            ("a=b", "a", "b"),
            ("  a : b ", "a", "b "),
            ("a b=c", "a", "b=c"),
            ("a", "a", ""),
            ("a=", "a", ""),
            (r"a\ b\=c=\ d", "a b=c", " d"),
            (r"a=x\u00e9\t\\", "a", "xé\t\\"),
            (r"a=\ud83d\ude00", "a", "😀"),
            ("a=1,\\\n   2", "a", "1,2"),
            ("a=1\\", "a", "1"),
            ("a=1\na=2", "a", "2"),
            ("url=http://h:8761/eureka/", "url", "http://h:8761/eureka/"),
        ] {
            let got = &read(line)[0];
            assert_eq!(got.len(), 1, "{line}");
            assert_eq!(
                (got[0].0.as_str(), got[0].1.as_str()),
                (name, value),
                "{line}"
            );
        }
    }

    #[test]
    fn lines_are_counted_and_documents_and_comments_told_apart() {
        let text = "# c\n! c\n\na=1\\\n  2\nb=3\r\n#---\nc=4\n!---  \n";
        let line = |name: &str, text: &str, number| (name.to_string(), text.to_string(), number);
        let wanted = vec![
            vec![line("a", "12", 4), line("b", "3", 6)],
            vec![line("c", "4", 8)],
            vec![],
        ];
        assert_eq!(read(text), wanted);
    }

    #[test]
    fn a_broken_letter_is_named_with_its_line() {
        for text in [
            "a=1\nb=\\u12",
            "a=1\nb=\\u12g4",
            "a=1\nb=\\ud83dx",
            "a=1\n\\u=\\n",
        ] {
            let error = from_properties(text).unwrap_err().to_string();
            assert_eq!(
                error, "line 2: wanted four hexadecimal digits after \\u",
                "{text}"
            );
        }
    }
}
