//! Metadata keys as element names, and back (wire.md §7.2).
//!
//! `$` is written `_-`, `_` is written `__`, every other character that an XML name cannot hold, or
//! cannot begin with, `_.` and four hexadecimal digits. Unlike the reference we also escape the colon:
//! readers that know name spaces take it for one (foreign-clients.md X5).

/// Appends `key` as an element name.
pub(super) fn encode(out: &mut Vec<u8>, key: &str) {
    for (index, c) in key.chars().enumerate() {
        match c {
            '$' => out.extend_from_slice(b"_-"),
            '_' => out.extend_from_slice(b"__"),
            c if may_stand(c, index == 0) => {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            c => {
                // Characters outside the basic plane go as two units, as in Java.
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("_.{unit:04x}").as_bytes());
                }
            }
        }
    }
}

/// Undoes [`encode`]; an underscore that begins none of the escapes stands for itself.
pub(super) fn decode(name: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '_' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        } else if let Some(after) = rest.strip_prefix('_') {
            units.push(u16::from(b'_'));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('-') {
            units.push(u16::from(b'$'));
            rest = after;
        } else if let Some((unit, after)) = escaped_unit(rest) {
            units.push(unit);
            rest = after;
        } else {
            units.push(u16::from(b'_'));
        }
    }
    String::from_utf16_lossy(&units)
}

fn escaped_unit(rest: &str) -> Option<(u16, &str)> {
    let digits = rest.strip_prefix('.')?;
    let (digits, after) = digits.split_at_checked(4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u16::from_str_radix(digits, 16).ok()?, after))
}

/// Whether an XML 1.0 name may hold `c` (without the colon), at its start or later, in its first edition as
/// well as in its fifth: Java's readers keep to the first, which knows letters only, and refuse a whole list for
/// one name.
fn may_stand(c: char, first: bool) -> bool {
    let is_letter = c == '_' || c.is_alphabetic();
    let starts = is_letter
        && matches!(c,
        'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}');
    let follows = matches!(c, '-' | '.' | '0'..='9');
    starts || (!first && follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_names_and_names_become_keys() {
        for (key, name) in [
            ("zone", "zone"),
            ("a_b", "a__b"),
            ("a$b", "a_-b"),
            ("a b", "a_.0020b"),
            ("9x", "_.0039x"),
            ("a.b-c9", "a.b-c9"),
            ("k:x", "k_.003ax"),
            ("é", "é"),
            ("中文", "中文"),
            ("\u{fffd}\u{200d}", "_.fffd_.200d"),
            ("-x", "_.002dx"),
            ("😀", "_.d83d_.de00"),
            ("_.0020", "__.0020"),
            ("\u{0}", "_.0000"),
        ] {
            let mut out = Vec::new();
            encode(&mut out, key);
            assert_eq!(String::from_utf8(out).unwrap(), name);
            assert_eq!(decode(name), key);
        }
    }

    #[test]
    fn a_single_underscore_from_a_client_that_does_not_escape_is_kept() {
        for name in ["my_key", "_", "x_.00", "x_.zzzz"] {
            assert_eq!(decode(name), name);
        }
    }
}
