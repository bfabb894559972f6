//! How deep and how wide a JSON text is, found out before it is read.
//!
//! One pass over the bytes that knows strings and brackets and nothing else: of a text that is no JSON it may
//! say anything, since reading that fails anyway.

use crate::model::{ContentLimits, TooMuch};

/// Levels whose members are counted apart: more than any limit that can be set.
const LEVELS: usize = 256;

/// Whether the first value of `text` keeps the limits of depth and width.
pub(in crate::wire) fn check(text: &str, limits: &ContentLimits) -> Result<(), TooMuch> {
    let mut commas = [0; LEVELS];
    let mut depth = 0;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'{' | b'[' => {
                depth += 1;
                limits.nesting.allows_depth("the body", depth)?;
                commas[depth % LEVELS] = 0;
            }
            b'}' | b']' if depth > 1 => depth -= 1,
            b'}' | b']' => return Ok(()),
            b',' => {
                commas[depth % LEVELS] += 1;
                let members = commas[depth % LEVELS] + 1;
                limits
                    .members
                    .allows_count("a part of the body", members, "members")?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limit;

    #[test]
    fn brackets_and_commas_count_unless_they_stand_in_a_string_or_behind_the_value() {
        let limits = ContentLimits {
            nesting: Limit::new(3, "deep"),
            members: Limit::new(3, "wide"),
            ..ContentLimits::NONE
        };
        for (text, key) in [
            ("", None),
            (r#"{"a":{"b":{}}}"#, None),
            (r#"{"a":[{"b":[]}]}"#, Some("deep")),
            (r#"{"a":"[[[[,,,,","b":1,"c":2}"#, None),
            (r#"{"a\"[[[[":"\\","b":1,"c":2}"#, None),
            (r#"{"a":1,"b":1,"c":1,"d":1}"#, Some("wide")),
            (r#"{"a":[1,2,3],"b":[1,2,3],"c":[1,2,3]}"#, None),
            (r#"[{"a":1,"b":1},{"a":1,"b":1},{"a":1,"b":1}]"#, None),
            ("[1,2,3,4]", Some("wide")),
            ("{} [[[[[1,2,3,4,5", None),
            ("]]]]", None),
            (r#"{"a\"#, None),
        ] {
            let refused = check(text, &limits).err();
            assert_eq!(refused.map(|refused| refused.limit.key), key, "{text}");
        }
        let unlimited = ContentLimits {
            nesting: Limit::NONE,
            ..limits
        };
        assert!(check(&"[".repeat(2000), &unlimited).is_ok());
    }
}
