//! A text that is never shown: what prints it prints stars.

use std::fmt;

use zeroize::Zeroize;

/// A password, a token or a key. It is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text from being shown.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for whoever compares or sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_not_shown() {
        let secret = Secret::new("s3cret");
        assert_eq!(
            format!("{secret:?} {:#?}", Some(&secret)),
            "*** Some(\n    ***,\n)"
        );
        assert_eq!(secret.reveal(), "s3cret");
    }
}
