//! Times as scripts write them: `600ms`, `5s`, `2m`; stamps: `100`, or `@600` since the beginning.

use std::time::Duration;

use crate::cluster::age;
use crate::support::EPOCH;

/// `600ms`, `5s`, `2m`, `1h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| format!("no time: {text}"))?;
    match &text[digits.len()..] {
        "ms" => Ok(Duration::from_millis(number)),
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(60 * number)),
        "h" => Ok(Duration::from_secs(3600 * number)),
        _ => Err(format!("no time: {text}")),
    }
}

/// `+5m` or `-5m`, in milliseconds.
pub fn step(text: &str) -> Result<i64, String> {
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err(format!("wanted + or - and a time, got {text}")),
    };
    Ok(sign * duration(rest)?.as_millis() as i64)
}

/// A client's stamp: a number, `@` and milliseconds since the beginning, or `now`.
pub fn stamp(text: &str) -> Result<u64, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("no stamp: {text}"));
    match (text, text.strip_prefix('@')) {
        ("now", _) => Ok(now()),
        (_, Some(since)) => Ok(EPOCH + number(since)?),
        _ => number(text),
    }
}

/// What a client's clock shows.
pub fn now() -> u64 {
    EPOCH + age()
}
