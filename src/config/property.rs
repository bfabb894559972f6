//! One value as it was given, and where.

use std::cell::OnceCell;

use super::placeholders::{Filled, PlaceholderError};
use super::relaxed::{Name, Spelling};

/// A name and a value from one of the sources.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: Name,
    /// As it was given, with its placeholders.
    pub(super) text: String,
    /// The place, for people.
    pub(super) from: String,
    /// Which source it is of; what a higher one says counts more.
    pub(super) rank: usize,
    /// Without placeholders, once somebody has asked: a random value stays the same.
    pub(super) filled: OnceCell<Result<Filled, PlaceholderError>>,
}

/// A value and the place it came from, for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) text: String,
    pub(super) from: String,
    /// Whether the name came as it was meant; in the environment case and dashes are lost.
    pub(super) exact: bool,
    /// Which source it is of; what a higher one says counts more.
    pub(super) rank: usize,
    /// Placeholders in it that nobody knows.
    pub(super) unknown: Vec<String>,
}

impl Found {
    /// A part of something that is known by its place only.
    pub(super) fn nowhere(from: &str) -> Self {
        Self {
            text: String::new(),
            from: from.to_string(),
            exact: true,
            rank: 0,
            unknown: Vec::new(),
        }
    }
}

impl Property {
    pub(super) fn new(name: Name, text: String, from: String) -> Self {
        Self {
            name,
            text,
            from,
            rank: 0,
            filled: OnceCell::new(),
        }
    }

    /// With this text in place of its own.
    pub(super) fn found(&self, filled: &Filled) -> Found {
        Found {
            text: filled.text.clone(),
            unknown: filled.unknown.clone(),
            from: self.from.clone(),
            exact: self.name.spelling == Spelling::Dotted,
            rank: self.rank,
        }
    }
}
