//! Who may do what.

use super::Password;
use crate::model::{EpochMillis, Grant, Secret};

/// Everybody who is known, and what others may do. Without anybody the node is open to all who reach it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecurityConfig {
    /// Those who come with a name and a password.
    pub users: Vec<User>,
    /// Those who come with a token.
    pub tokens: Vec<Token>,
    /// Those who come with a certificate.
    pub certificates: Vec<Certificate>,
    /// Whether lists and pages may be read without credentials; default false.
    pub anonymous_read: bool,
    /// Whether `/metrics` and `/actuator/prometheus` may be read without credentials; default false.
    pub open_metrics: bool,
}

impl SecurityConfig {
    /// Whether anybody is known. If not, nobody is asked.
    pub fn is_on(&self) -> bool {
        !self.users.is_empty() || !self.tokens.is_empty() || !self.certificates.is_empty()
    }
}

/// Somebody with a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The name; no colon, since HTTP ends it with one.
    pub name: String,
    /// What the password is compared with.
    pub password: Password,
    /// What the user may do.
    pub grant: Grant,
}

/// Somebody with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// For the log.
    pub name: String,
    /// The token.
    pub token: Secret,
    /// From when on it is worth nothing; default never.
    pub expires: Option<EpochMillis>,
    /// What its bearer may do.
    pub grant: Grant,
}

/// Somebody with a certificate that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// For the log.
    pub name: String,
    /// The common name of its subject, the whole subject, or one of its alternative names; `*` is every one.
    pub subject: String,
    /// What its holder may do.
    pub grant: Grant,
}
