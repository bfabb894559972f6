//! Numbers and times as people read them. Pure.

use std::borrow::Borrow;

use crate::clock::Millis;

/// Characters of a client's text that a row of a table shows.
const SHORT: usize = 80;

/// How long something took: `12 s`, `3 min`, `2 h 05 min`, `3 d 4 h`.
pub(super) fn span(millis: Millis) -> String {
    let seconds = millis / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{minutes} min"),
        7200..172_800 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// How long ago something was.
pub(super) fn ago(millis: Millis) -> String {
    format!("{} ago", span(millis))
}

/// A number with its thousands apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            // Narrow, and no place to break a line.
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// The same of a count.
pub(super) fn number(count: impl Borrow<usize>) -> String {
    grouped(*count.borrow() as u64)
}

/// A number and what it counts.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{} {noun}", number(count))
}

/// The beginning of a text that may be long.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        None => text.to_string(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// An address that may become a link.
pub(super) fn link(url: &str) -> Option<String> {
    let is_safe = url.starts_with("http://") || url.starts_with("https://");
    is_safe.then(|| url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_get_coarser_the_longer_they_are() {
        for (seconds, text) in [
            (0, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7199, "119 min"),
            (7260, "2 h 01 min"),
            (172_800, "2 d 0 h"),
            (300_000, "3 d 11 h"),
        ] {
            assert_eq!(span(seconds * 1000), text);
        }
    }

    #[test]
    fn thousands_stand_apart_and_one_is_singular() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1\u{202f}000");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(counted(1, "peer", "peers"), "1 peer");
        assert_eq!(counted(0, "peer", "peers"), "0 peers");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(short("é"), "é");
        assert_eq!(short(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(short(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
    }

    #[test]
    fn only_http_and_https_become_links() {
        for (url, is_linked) in [
            ("http://h/info", true),
            ("https://h/info", true),
            ("javascript:alert(1)", false),
            (" http://h", false),
            ("data:text/html,x", false),
            ("/info", false),
            ("", false),
        ] {
            assert_eq!(link(url).is_some(), is_linked, "{url}");
        }
    }
}
