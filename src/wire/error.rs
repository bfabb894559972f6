//! What cannot be understood, and how it is said: the member, what was wanted, what came.

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
