//! Good things made bad: a body with something in it that does not belong there, a segment of a path.

use rand::RngExt;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

use crate::world::encoded;

/// What does not belong into a text.
const TOKENS: [&str; 40] = [
    "\0",
    "\u{1}",
    "\u{7f}",
    "\u{85}",
    "\u{202e}",
    "\u{2028}",
    "\u{fffe}",
    "\u{feff}",
    "\u{10ffff}",
    "\n",
    "\r\n",
    "\t",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "{\"a\":",
    "[[[[",
    ",",
    ":",
    "1e999",
    "-1",
    "NaN",
    "9223372036854775808",
    "<",
    ">",
    "</",
    "<a>",
    "&x;",
    "&#0;",
    "&amp;",
    "<!DOCTYPE a>",
    "<![CDATA[",
    "]]>",
    "<!--",
];
/// Names that are taken for something else.
const NAMES: [&str; 24] = [
    "A", "a", "i", "delta", "DELTA", "status", "metadata", ".", "..", "%", "%00", "+", "x y", ";",
    "/", "//", "\0", "\n", "é", "ŉ", "ß", "\u{202e}", "😀", "<b>",
];

/// A body that differs from a good one in one to three places.
pub fn spoilt(good: &[u8], is_json: bool, rng: &mut SmallRng) -> Vec<u8> {
    if is_json && rng.random_ratio(1, 2) {
        return other_values(good, rng);
    }
    let mut body = good.to_vec();
    for _ in 0..rng.random_range(1..4) {
        spoil_bytes(&mut body, rng);
    }
    body
}

fn spoil_bytes(body: &mut Vec<u8>, rng: &mut SmallRng) {
    let at = rng.random_range(0..=body.len());
    let end = (at + rng.random_range(0..20)).min(body.len());
    match rng.random_range(0..6) {
        0 => body.truncate(at),
        1 => _ = body.drain(at..end),
        2 => {
            let again = body[at..end].to_vec();
            _ = body.splice(at..at, again);
        }
        3 if at < body.len() => body[at] ^= 1 << rng.random_range(0..8),
        4 if at < body.len() => body[at] = rng.random(),
        _ => {
            let token = TOKENS[rng.random_range(0..TOKENS.len())];
            _ = body.splice(at..at, token.bytes());
        }
    }
}

/// The same JSON with other values: well-formed, and so read to its end.
fn other_values(good: &[u8], rng: &mut SmallRng) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice(good) else {
        return good.to_vec();
    };
    for _ in 0..rng.random_range(1..4) {
        replace_one(&mut value, rng);
    }
    value.to_string().into_bytes()
}

fn replace_one(value: &mut Value, rng: &mut SmallRng) {
    // The outermost levels are seldom replaced: there would be nothing left.
    let goes_on = rng.random_ratio(5, 6);
    match value {
        Value::Object(members) if goes_on && !members.is_empty() => {
            let at = rng.random_range(0..members.len());
            let name = members.keys().nth(at).cloned().unwrap();
            match rng.random_range(0..8) {
                0 => _ = members.remove(&name),
                1 => _ = members.insert(odd_text(rng), odd_value(rng)),
                _ => replace_one(&mut members[&name], rng),
            }
        }
        Value::Array(elements) if goes_on && !elements.is_empty() => {
            let at = rng.random_range(0..elements.len());
            replace_one(&mut elements[at], rng);
        }
        value => *value = odd_value(rng),
    }
}

fn odd_text(rng: &mut SmallRng) -> String {
    match rng.random_range(0..4) {
        0 => NAMES.choose(rng).unwrap().to_string(),
        1 => "x".repeat(rng.random_range(0..2000)),
        2 => (0..rng.random_range(0..8))
            .map(|_| rng.random::<char>())
            .collect(),
        _ => {
            let tokens =
                (0..rng.random_range(0..4)).map(|_| TOKENS[rng.random_range(0..TOKENS.len())]);
            tokens.collect()
        }
    }
}

fn odd_value(rng: &mut SmallRng) -> Value {
    match rng.random_range(0..10) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(rng.random::<i64>()),
        3 => json!(rng.random::<f64>() * 1e300),
        4 => json!(u64::MAX),
        5 => json!([odd_text(rng), 1, null, [], {}]),
        6 => json!({odd_text(rng): odd_text(rng), "@class": "x", "name": "Amazon", "$": -1}),
        7 => json!(["UP", "DOWN", "OUT_OF_SERVICE", "STARTING", "up", ""].choose(rng)),
        _ => json!(odd_text(rng)),
    }
}

/// A segment of a path: a name, encoded or half so.
pub fn segment(rng: &mut SmallRng) -> String {
    let name = match rng.random_range(0..8) {
        0 => odd_text(rng),
        1 => {
            return [
                "%2e%2e", "%00", "%252e", "%ff", "%C0%AE", "%2F", ";x=y", "%0d%0a", "%zz", "%",
            ][rng.random_range(0..10)]
            .to_string();
        }
        2..5 => ["A", "i", "ORDERS"][rng.random_range(0..3)].to_string(),
        _ => NAMES.choose(rng).unwrap().to_string(),
    };
    encoded(&name)
}
