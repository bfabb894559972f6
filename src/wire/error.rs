//! What cannot be understood, and how it is said: the member, what was wanted, what came.

use crate::model::TooMuch;

/// A body that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Not the format it says it is.
    #[error("{0}")]
    Malformed(String),
    /// Well-formed, but a member has a value that means nothing.
    #[error("{field}: wanted {wanted}, got {got}")]
    Unusable {
        /// The member, with its path.
        field: &'static str,
        /// What would have been understood.
        wanted: &'static str,
        /// What came, shortened.
        got: String,
    },
    /// Deeper or wider than a limit allows.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}

impl ReadError {
    /// An [`ReadError::Unusable`] that quotes at most 60 characters of what came.
    pub(super) fn unusable(field: &'static str, wanted: &'static str, got: &str) -> Self {
        Self::Unusable {
            field,
            wanted,
            got: shortened(got),
        }
    }
}

/// `text`, cut to at most 60 characters and quoted, with control characters escaped: fit for a log
/// line or an error message.
pub fn shortened(text: &str) -> String {
    let mut kept: String = text.chars().take(60).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    format!("{kept:?}")
}

/// `text` on one line and at most 500 characters long: what could end a line, move a cursor or turn the
/// direction of writing is escaped. Messages quote what clients sent, and go into the log.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 500;
    let mut line = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST {
            line.push('…');
            break;
        }
        match c {
            '"' | '\'' | '\\' => line.push(c),
            c => line.extend(c.escape_debug()),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_quotes_can_neither_end_its_line_nor_flood_it() {
        for (text, expected) in [
            ("a \"b\" 'c' \\ é", "a \"b\" 'c' \\ é"),
            ("a\r\nb\0", "a\\r\\nb\\0"),
            (
                "\u{1b}[2J\u{202e}x\u{2028}",
                "\\u{1b}[2J\\u{202e}x\\u{2028}",
            ),
            ("\u{9b}1m", "\\u{9b}1m"),
        ] {
            assert_eq!(one_line(text), expected);
        }
        assert_eq!(one_line(&"x".repeat(9000)).chars().count(), 501);
    }
}
