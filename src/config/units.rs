//! Numbers, times and sizes as Spring writes them.

use std::borrow::Cow;
use std::time::Duration;

/// The longest time that makes sense.
const YEAR: Duration = Duration::from_secs(366 * 24 * 3600);

/// A whole number without what Spring allows around it: `0x1F` is 31, `+5` is 5.
pub(super) fn decimal(text: &str) -> Cow<'_, str> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    match hex.and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
        Some(number) => format!("{sign}{number}").into(),
        None => text.into(),
    }
}

/// `500ms`, `30s`, `5m`, `2h`, `1d`, `PT1M30S`; a number alone is of milliseconds.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let text = text.trim().to_ascii_lowercase();
    let duration = match text.strip_prefix("pt") {
        Some(parts) => iso(parts)?,
        None => {
            let digits = text.find(|c: char| !c.is_ascii_digit());
            let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
            let number: u64 = number.parse().ok()?;
            match unit.trim() {
                "" | "ms" => Duration::from_millis(number),
                "ns" => Duration::from_nanos(number),
                "us" => Duration::from_micros(number),
                unit => Duration::from_secs(number.checked_mul(seconds(unit)?)?),
            }
        }
    };
    Some(duration).filter(|duration| *duration <= YEAR)
}

fn seconds(unit: &str) -> Option<u64> {
    match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        "d" => Some(24 * 3600),
        _ => None,
    }
}

/// What follows after `PT`: whole hours, minutes and seconds.
fn iso(mut parts: &str) -> Option<Duration> {
    let mut sum = (!parts.is_empty()).then_some(0_u64)?;
    while !parts.is_empty() {
        let end = parts.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = parts[..end].parse().ok()?;
        let unit = parts.get(end..=end)?;
        sum = sum.checked_add(number.checked_mul(seconds(unit)?)?)?;
        parts = &parts[end + 1..];
    }
    Some(Duration::from_secs(sum))
}

/// `8192`, `8KB`, `1MB`.
pub(super) fn size(text: &str) -> Option<usize> {
    let text = text.trim().to_ascii_uppercase();
    let digits = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let shift = match unit.trim() {
        "" | "B" => 0,
        "KB" => 10,
        "MB" => 20,
        "GB" => 30,
        _ => return None,
    };
    let number: usize = number.parse().ok()?;
    // Far beyond any machine, and far from where sums overflow.
    number
        .checked_mul(1 << shift)
        .filter(|size| (1..=1 << 40).contains(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_hexadecimal() {
        for (text, number) in [
            ("0x1F", "31"),
            ("-0X10", "-16"),
            ("17", "17"),
            ("0.85", "0.85"),
            ("0x", "0x"),
            ("0xg", "0xg"),
            ("many", "many"),
        ] {
            assert_eq!(decimal(text), number);
        }
    }

    #[test]
    fn times_and_sizes_are_read_as_spring_reads_them() {
        for (text, millis) in [
            ("0", Some(0)),
            ("500", Some(500)),
            ("500ms", Some(500)),
            ("30s", Some(30_000)),
            ("5 m", Some(300_000)),
            ("2h", Some(7_200_000)),
            ("1d", Some(86_400_000)),
            ("PT1M30S", Some(90_000)),
            ("pt2h", Some(7_200_000)),
            ("PT", None),
            ("PT5", None),
            ("-1s", None),
            ("5x", None),
            ("s", None),
            ("", None),
            ("99999999999999999999s", None),
            ("400d", None),
        ] {
            assert_eq!(duration(text), millis.map(Duration::from_millis), "{text}");
        }
        for (text, bytes) in [
            ("1", Some(1)),
            ("8KB", Some(8192)),
            ("2 mb", Some(2 << 20)),
            ("7B", Some(7)),
            ("0", None),
            ("8K", None),
            ("KB", None),
            ("9999999GB", None),
        ] {
            assert_eq!(size(text), bytes, "{text}");
        }
    }
}
