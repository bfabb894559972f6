//! What may be wrong with settings.

/// Something that keeps the node from starting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value that cannot be used.
    #[error("{key}: wanted {wanted}, got {text:?} from {from}")]
    Value {
        /// The canonical key, with its data filled in.
        key: String,
        /// What was given; not where it may be a secret.
        text: String,
        /// Where it was given.
        from: String,
        /// What would have been right.
        wanted: &'static str,
    },
    /// A key that is not set although another one needs it.
    #[error("{key}: wanted {wanted}, as {by} needs it, and it is not set")]
    Missing {
        /// The canonical key, with its data filled in.
        key: String,
        /// What would have been right.
        wanted: &'static str,
        /// Which key needs it.
        by: String,
    },
    /// A value whose placeholders cannot be filled in.
    #[error("{key}: {problem}, from {from}")]
    Placeholder {
        /// The canonical key, with its data filled in.
        key: String,
        /// What is wrong, in words.
        problem: String,
        /// Where it was given.
        from: String,
    },
    /// A file or another source that cannot be read, or not be understood.
    #[error("{from}: {problem}")]
    Source {
        /// Which one.
        from: String,
        /// What is wrong, in words.
        problem: String,
    },
}
