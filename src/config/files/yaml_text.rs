//! Plain words of YAML as Spring's reader sees them: it makes a value of them first, and a text of that.
//!
//! So `on` becomes `true`, `012` becomes `10`, `1_000` becomes `1000`, `1.10` becomes `1.1` (config.md §6.5).
//! Words in quotation marks stay as they are.

/// The text that a plain word stands for.
pub(super) fn text_of(word: &str) -> String {
    match word {
        "" | "~" | "null" | "Null" | "NULL" => return String::new(),
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return "true".to_string();
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return "false".to_string();
        }
        _ => {}
    }
    let number = integer(word).map(|number| number.to_string());
    number
        .or_else(|| float(word))
        .unwrap_or_else(|| word.to_string())
}

/// YAML 1.1: decimal, octal after a 0, hexadecimal, binary, and to the base of 60 with colons.
fn integer(word: &str) -> Option<i128> {
    let (minus, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = digits.replace('_', "");
    let number = if plain.contains(':') {
        base_60(&plain)?
    } else if let Some(hex) = plain.strip_prefix("0x") {
        based(hex, 16)?
    } else if let Some(binary) = plain.strip_prefix("0b") {
        based(binary, 2)?
    } else if plain.len() > 1 && plain.starts_with('0') {
        based(&plain[1..], 8)?
    } else {
        based(&plain, 10)?
    };
    Some(if minus { -number } else { number })
}

fn based(digits: &str, base: u32) -> Option<i128> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    i128::from_str_radix(digits, base).ok().filter(|_| plain)
}

/// `1:30` is 90; the first part has no leading 0, and the others are below 60.
fn base_60(digits: &str) -> Option<i128> {
    let mut parts = digits.split(':');
    let first = parts.next().filter(|first| !first.starts_with('0'))?;
    parts.try_fold(based(first, 10)?, |number, part| {
        let part = based(part, 10).filter(|_| part.len() <= 2)?;
        let below = (0..60).contains(&part);
        number.checked_mul(60)?.checked_add(part).filter(|_| below)
    })
}

/// With a point in it; as Java writes it.
fn float(word: &str) -> Option<String> {
    let digits = word.trim_start_matches(['+', '-']);
    let starts = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let of_float = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | 'e' | 'E' | '+' | '-');
    let has_digit = digits.contains(|c: char| c.is_ascii_digit());
    if !starts || !has_digit || !word.chars().all(of_float) || word.matches('.').count() != 1 {
        return None;
    }
    let exponent = digits.split_once(['e', 'E']);
    if exponent.is_some_and(|(_, exponent)| !exponent.starts_with(['+', '-'])) {
        return None;
    }
    let number: f64 = word.replace('_', "").parse().ok()?;
    Some(java(number))
}

/// Java's text of a number: a point always, and a power of ten outside 0.001 to 10 million.
fn java(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{number:?}");
    }
    let text = format!("{number:E}");
    match text.split_once('E') {
        Some((digits, power)) if !digits.contains('.') => format!("{digits}.0E{power}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_become_what_spring_makes_of_them() {
        for (word, text) in [
            ("", ""),
            ("~", ""),
            ("null", ""),
            ("on", "true"),
            ("No", "false"),
            ("nO", "nO"),
            ("8761", "8761"),
            ("-1", "-1"),
            ("+5", "5"),
            ("012", "10"),
            ("0", "0"),
            ("08", "08"),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("1_000", "1000"),
            ("1:30", "90"),
            ("8761:8761", "8761:8761"),
            ("0.85", "0.85"),
            ("1.10", "1.1"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("1.5e+3", "1500.0"),
            ("1.5e3", "1.5e3"),
            ("1e3", "1e3"),
            ("12345678.9", "1.23456789E7"),
            ("10000000.0", "1.0E7"),
            ("0.0001", "1.0E-4"),
            ("1.2.3", "1.2.3"),
            ("10.0.0.7", "10.0.0.7"),
            (".", "."),
            ("-", "-"),
            ("0x", "0x"),
            ("9-9", "9-9"),
            ("5s", "5s"),
            ("http://a:1/", "http://a:1/"),
            (
                "99999999999999999999999999999999999999999999",
                "99999999999999999999999999999999999999999999",
            ),
        ] {
            assert_eq!(text_of(word), text, "{word}");
        }
    }
}
