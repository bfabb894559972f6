//! How nodes of this kind recognise each other: a header on calls and answers, which all others ignore.

use std::fmt;
use std::str::FromStr;

/// The header's name. On a call it says who asks, on an answer to such a call who answers; no answer to anybody
/// else has it.
pub const SIGN: &str = "x-heureka-node";

/// Who a node is, in that header: `ID; VERSION; open` or `ID; VERSION; loading`, and after one more semicolon how
/// many instances it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSign {
    /// Made anew at every start of the node.
    pub id: String,
    /// The version of its program.
    pub version: String,
    /// Whether it serves lists: it has all that its peers had.
    pub open: bool,
    /// Instances that it holds, if it says so.
    pub instances: Option<usize>,
}

impl fmt::Display for NodeSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.open { "open" } else { "loading" };
        write!(f, "{}; {}; {state}", self.id, self.version)?;
        match self.instances {
            Some(instances) => write!(f, "; {instances}"),
            None => Ok(()),
        }
    }
}

/// A header that says nothing of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("wanted id; version; open or loading")]
pub struct NoSign;

impl FromStr for NodeSign {
    type Err = NoSign;

    fn from_str(text: &str) -> Result<Self, NoSign> {
        let mut parts = text.split(';').map(str::trim);
        let mut part = || parts.next().filter(|part| !part.is_empty()).ok_or(NoSign);
        let (id, version, state) = (part()?, part()?, part()?);
        Ok(Self {
            id: id.to_string(),
            version: version.to_string(),
            open: match state {
                "open" => true,
                "loading" => false,
                _ => return Err(NoSign),
            },
            instances: parts.next().and_then(|part| part.parse().ok()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_comes_back_from_its_text_and_others_are_none() {
        for (open, instances) in [(true, None), (false, Some(0)), (true, Some(12_345))] {
            let sign = NodeSign {
                id: "1b4e".to_string(),
                version: "0.1.0".to_string(),
                open,
                instances,
            };
            assert_eq!(sign.to_string().parse(), Ok(sign));
        }
        // What a later version adds is skipped.
        for later in ["1b4e; 0.9; open; more", "1b4e; 0.9; open; 7; more"] {
            assert!(later.parse::<NodeSign>().is_ok(), "{later}");
        }
        for text in [
            "",
            ";",
            "1b4e",
            "1b4e; 0.1.0",
            "1b4e; 0.1.0; shut",
            "; 0.1.0; open",
        ] {
            assert_eq!(text.parse::<NodeSign>(), Err(NoSign), "{text}");
        }
    }
}
