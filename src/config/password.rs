//! A password as Spring writes it: `{bcrypt}…`, `{argon2}…`, `{noop}…`, or as it is.

use argon2::PasswordHash;
use bcrypt::HashParts;

use crate::model::Secret;

/// What the password of a user is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Password {
    /// The password itself.
    Plain(Secret),
    /// Its hash by bcrypt, as in `$2a$10$…`.
    Bcrypt(Secret),
    /// Its hash by argon2, as in `$argon2id$v=19$…`.
    Argon2(Secret),
}

/// What is accepted, for whoever wrote something else.
pub(super) const WANTED_PASSWORD: &str =
    "a password, {noop} and a password, {bcrypt} and its hash, or {argon2} and its hash";

impl Password {
    /// Reads a password; `None` if it is none, or hashed in a way that is not known here.
    pub fn parse(text: &str) -> Option<Self> {
        let Some((kind, rest)) = kind_of(text) else {
            return (!text.is_empty()).then(|| Self::Plain(Secret::new(text)));
        };
        let secret = Secret::new(rest);
        match kind {
            "noop" => (!rest.is_empty()).then_some(Self::Plain(secret)),
            "bcrypt" => rest.parse::<HashParts>().ok().map(|_| Self::Bcrypt(secret)),
            // `{argon2@SpringSecurity_v5_8}` and the like say only with which parameters new hashes are made.
            argon2 if argon2 == "argon2" || argon2.starts_with("argon2@") => {
                let hash = PasswordHash::new(rest).ok()?;
                (hash.salt.is_some() && hash.hash.is_some()).then_some(Self::Argon2(secret))
            }
            _ => None,
        }
    }

    /// Whether it is compared as it is although it looks like a hash.
    pub fn looks_hashed(&self) -> bool {
        let begins = ["$2a$", "$2b$", "$2y$", "$argon2"];
        matches!(self, Self::Plain(text) if begins.iter().any(|begin| text.reveal().starts_with(begin)))
    }
}

/// The kind and what follows it, of a text that begins with `{kind}`.
fn kind_of(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('{')?.split_once('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const BCRYPT: &str = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
    const ARGON2: &str = "$argon2id$v=19$m=16,t=2,p=1$c29tZXNhbHQ$n/XcOEVQvXhEWEWvdBiEVw";

    #[test]
    fn passwords_are_read_as_spring_writes_them() {
        let secret = Secret::new;
        for (text, password) in [
            ("s3cret", Some(Password::Plain(secret("s3cret")))),
            ("{noop}s3cret", Some(Password::Plain(secret("s3cret")))),
            ("{noop}{x}", Some(Password::Plain(secret("{x}")))),
            ("{open", Some(Password::Plain(secret("{open")))),
            (
                &format!("{{bcrypt}}{BCRYPT}"),
                Some(Password::Bcrypt(secret(BCRYPT))),
            ),
            (
                &format!("{{argon2}}{ARGON2}"),
                Some(Password::Argon2(secret(ARGON2))),
            ),
            (
                &format!("{{argon2@SpringSecurity_v5_8}}{ARGON2}"),
                Some(Password::Argon2(secret(ARGON2))),
            ),
            ("", None),
            ("{noop}", None),
            ("{bcrypt}", None),
            ("{bcrypt}s3cret", None),
            ("{argon2}$argon2id$v=19$m=16,t=2,p=1", None),
            ("{pbkdf2}5d923b44a6d129f3", None),
            ("{MD5}x", None),
        ] {
            assert_eq!(Password::parse(text), password, "{text}");
        }
    }

    #[test]
    fn a_hash_without_its_kind_is_noticed() {
        for (text, noticed) in [(BCRYPT, true), (ARGON2, true), ("$2", false), ("x", false)] {
            assert_eq!(Password::Plain(Secret::new(text)).looks_hashed(), noticed);
        }
        assert!(!Password::Bcrypt(Secret::new(BCRYPT)).looks_hashed());
    }
}
