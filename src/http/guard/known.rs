//! Everybody whom the settings know.

use std::collections::HashMap;
use std::sync::Arc;

use super::credentials::Credentials;
use super::marks::{Mark, Marker};
use crate::config::{Password, SecurityConfig, User};
use crate::model::{EpochMillis, Grant, Role, Secret};

/// Somebody who is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Holder {
    /// What the settings call them.
    pub(super) name: String,
    pub(super) grant: Grant,
    /// From when on nothing is granted.
    pub(super) expires: Option<EpochMillis>,
    proof: Proof,
}

/// By what they are recognised.
#[derive(Debug, PartialEq, Eq)]
enum Proof {
    /// The mark of `name:password`.
    Pair(Mark),
    /// The mark of a token.
    Token(Mark),
    /// A password that is kept as a hash.
    Hash(Password),
    /// Something that no header tells.
    None,
}

impl Holder {
    /// Whoever comes without credentials, where those may read.
    pub(super) fn nobody() -> Self {
        Self {
            name: "nobody".to_string(),
            grant: Grant::of(Role::Read),
            expires: None,
            proof: Proof::None,
        }
    }
}

/// A user whose password is kept as a hash.
#[derive(Debug)]
pub(super) struct Hashed {
    pub(super) holder: Arc<Holder>,
    pub(super) password: Password,
}

/// What the settings say about credentials.
pub(super) enum Knows {
    /// They are right.
    Holder(Arc<Holder>),
    /// Comparing them with this takes a while. For a name that is not known it is somebody else's, so that the
    /// time it takes does not tell; whatever comes out of it, they are wrong if `false`.
    Perhaps(Arc<Hashed>, bool),
    /// Nobody has them.
    Nobody,
}

/// Everybody.
pub(super) struct Known {
    /// By the mark of `name:password`.
    plain: HashMap<Mark, Arc<Holder>>,
    tokens: HashMap<Mark, Arc<Holder>>,
    /// By a name of their certificate.
    certificates: Vec<(String, Holder)>,
    /// By name.
    hashed: HashMap<String, Arc<Hashed>>,
    /// One of those.
    any_hashed: Option<Arc<Hashed>>,
}

impl Known {
    pub(super) fn new(config: &SecurityConfig, marker: &Marker) -> Self {
        let plain = config.users.iter().filter_map(|user| {
            let Password::Plain(password) = &user.password else {
                return None;
            };
            let pair = Secret::new(format!("{}:{}", user.name, password.reveal()));
            let mark = marker.mark(pair.reveal().as_bytes());
            Some((mark, holder(user, Proof::Pair(mark))))
        });
        let hashed = config.users.iter().filter_map(|user| {
            let hashed = Hashed {
                holder: holder(user, Proof::Hash(user.password.clone())),
                password: user.password.clone(),
            };
            let is_plain = matches!(user.password, Password::Plain(_));
            (!is_plain).then(|| (user.name.clone(), Arc::new(hashed)))
        });
        let tokens = config.tokens.iter().map(|token| {
            let mark = marker.mark(token.token.reveal().as_bytes());
            let holder = Holder {
                name: token.name.clone(),
                grant: token.grant.clone(),
                expires: token.expires,
                proof: Proof::Token(mark),
            };
            (mark, Arc::new(holder))
        });
        let hashed: HashMap<_, _> = hashed.collect();
        Self {
            plain: plain.collect(),
            tokens: tokens.collect(),
            certificates: certificates(config),
            any_hashed: hashed.values().next().cloned(),
            hashed,
        }
    }

    /// Whose certificate has these names. Who is named comes before `*`.
    pub(super) fn named(&self, names: &[String]) -> Option<&Holder> {
        let is_named =
            |subject: &String| names.iter().any(|name| name.eq_ignore_ascii_case(subject));
        let mut all = self.certificates.iter();
        let named = all.clone().find(|(subject, _)| is_named(subject));
        let any = || all.find(|(subject, _)| subject == "*" && !names.is_empty());
        named.or_else(any).map(|(_, holder)| holder)
    }

    /// Who somebody is now whose credentials were right under settings before, with the same key for marks; nobody if
    /// these know them no more.
    pub(super) fn still(&self, holder: &Holder) -> Option<Arc<Holder>> {
        match &holder.proof {
            Proof::Pair(mark) => self.plain.get(mark).cloned(),
            Proof::Token(mark) => self.tokens.get(mark).cloned(),
            Proof::Hash(password) => {
                let is = self.hashed.get(&holder.name)?;
                (is.password == *password).then(|| is.holder.clone())
            }
            Proof::None => None,
        }
    }

    /// What is known of credentials.
    pub(super) fn find(&self, credentials: &Credentials, marker: &Marker) -> Knows {
        match credentials {
            Credentials::Bearer(token) => {
                let found = self.tokens.get(&marker.mark(token.reveal().as_bytes()));
                found.cloned().map_or(Knows::Nobody, Knows::Holder)
            }
            Credentials::Basic(pair, name) => {
                let pair = pair.reveal();
                if let Some(holder) = self.plain.get(&marker.mark(pair.as_bytes())) {
                    return Knows::Holder(holder.clone());
                }
                match (self.hashed.get(&pair[..*name]), &self.any_hashed) {
                    (Some(hashed), _) => Knows::Perhaps(hashed.clone(), true),
                    (None, Some(other)) => Knows::Perhaps(other.clone(), false),
                    (None, None) => Knows::Nobody,
                }
            }
        }
    }
}

fn holder(user: &User, proof: Proof) -> Arc<Holder> {
    Arc::new(Holder {
        name: user.name.clone(),
        grant: user.grant.clone(),
        expires: None,
        proof,
    })
}

fn certificates(config: &SecurityConfig) -> Vec<(String, Holder)> {
    let all = config.certificates.iter().map(|certificate| {
        let holder = Holder {
            name: certificate.name.clone(),
            grant: certificate.grant.clone(),
            expires: None,
            proof: Proof::None,
        };
        (certificate.subject.clone(), holder)
    });
    all.collect()
}
