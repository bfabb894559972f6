//! From settings to who may do what.

use std::collections::BTreeSet;
use std::time::UNIX_EPOCH;

use humantime::parse_rfc3339_weak;

use super::key::Key;
use super::password::WANTED_PASSWORD;
use super::property::Found;
use super::read::Reader;
use super::{Certificate, Password, SecurityConfig, Token, User, keys};
use crate::model::{EpochMillis, Grant, Role, Secret};

/// What Spring calls its user where the settings do not.
const SPRING_NAME: &str = "user";
/// Tokens shorter than this, in bytes, are warned of.
const SHORT_TOKEN: usize = 16;

const WANTED_ROLES: &str = "read, register, peer or admin";
const WANTED_APPLICATIONS: &str = "names of applications, or no such key for all of them";
const WANTED_TIME: &str = "a time like 2027-01-31T12:00:00Z, or a date like 2027-01-31";
const WANTED_NAME: &str = "a name without a colon, which nobody else has";

impl SecurityConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let mut users = Vec::from_iter(spring_user(reader));
        let others = all_users(reader, users.first());
        users.extend(others);
        let config = Self {
            users,
            tokens: tokens(reader),
            certificates: certificates(reader),
            anonymous_read: reader.flag(keys::ANONYMOUS_READ, default.anonymous_read),
            open_metrics: reader.flag(keys::OPEN_METRICS, default.open_metrics),
        };
        if !config.is_on() {
            let reason = "nobody is known, so everybody may do everything";
            reader.warn_if_set(keys::ANONYMOUS_READ, reason);
            reader.warn_if_set(keys::OPEN_METRICS, reason);
        }
        config
    }
}

/// Spring's own user, who may do everything.
fn spring_user(reader: &mut Reader<'_>) -> Option<User> {
    let Some(password) = password(reader, keys::SPRING_PASSWORD.into()) else {
        let reason = "there is no spring.security.user.password";
        reader.warn_if_set(keys::SPRING_USER, reason);
        reader.warn_if_set(keys::SPRING_ROLES, reason);
        return None;
    };
    let name = reader.name(keys::SPRING_USER);
    Some(User {
        name: name.unwrap_or_else(|| SPRING_NAME.to_string()),
        password,
        grant: Grant::of(Role::Admin),
    })
}

/// Everybody else; Spring's user has a name that nobody else may have.
fn all_users(reader: &mut Reader<'_>, spring: Option<&User>) -> Vec<User> {
    let family = [
        keys::USERS_PASSWORD,
        keys::USERS_ROLES,
        keys::USERS_NAME,
        keys::USERS_APPLICATIONS,
    ];
    let mut known = BTreeSet::from_iter(spring.map(|user| user.name.clone()));
    let mut users = Vec::new();
    for entry in reader.names(&family) {
        let at = |key| Key::at(key, &entry);
        let name = reader.name(at(keys::USERS_NAME));
        let name = name.unwrap_or_else(|| entry.clone());
        if name.contains(':') || name.starts_with('[') || !known.insert(name.clone()) {
            refuse_text(reader, at(keys::USERS_NAME), &name, WANTED_NAME);
        }
        let grant = grant(reader, at(keys::USERS_ROLES), at(keys::USERS_APPLICATIONS));
        let key = at(keys::USERS_PASSWORD);
        if !reader.is_set(key.clone()) {
            reader.missing(key.clone(), WANTED_PASSWORD, &format!("user {name}"));
        }
        if let (Some(password), Some(grant)) = (password(reader, key), grant) {
            users.push(User {
                name,
                password,
                grant,
            });
        }
    }
    users
}

fn tokens(reader: &mut Reader<'_>) -> Vec<Token> {
    let family = [
        keys::TOKENS_TOKEN,
        keys::TOKENS_ROLES,
        keys::TOKENS_APPLICATIONS,
        keys::TOKENS_EXPIRES,
    ];
    let mut tokens = Vec::new();
    for name in reader.names(&family) {
        let at = |key| Key::at(key, &name);
        let grant = grant(
            reader,
            at(keys::TOKENS_ROLES),
            at(keys::TOKENS_APPLICATIONS),
        );
        let expires = reader.value(at(keys::TOKENS_EXPIRES), WANTED_TIME, None, |text| {
            time(text).map(Some)
        });
        let Some(token) = reader.name(at(keys::TOKENS_TOKEN)) else {
            let by = format!("token {name}");
            reader.missing(at(keys::TOKENS_TOKEN), "a token", &by);
            continue;
        };
        if token.len() < SHORT_TOKEN {
            reader.warn(format!(
                "{} is shorter than {SHORT_TOKEN} characters, which is easy to guess",
                at(keys::TOKENS_TOKEN)
            ));
        }
        if let Some(grant) = grant {
            let token = Secret::new(token);
            tokens.push(Token {
                name,
                token,
                expires,
                grant,
            });
        }
    }
    tokens
}

fn certificates(reader: &mut Reader<'_>) -> Vec<Certificate> {
    let family = [
        keys::CERTIFICATES_SUBJECT,
        keys::CERTIFICATES_ROLES,
        keys::CERTIFICATES_APPLICATIONS,
    ];
    let mut certificates = Vec::new();
    for name in reader.names(&family) {
        let at = |key| Key::at(key, &name);
        let (roles, applications) = (keys::CERTIFICATES_ROLES, keys::CERTIFICATES_APPLICATIONS);
        let grant = grant(reader, at(roles), at(applications));
        let Some(subject) = reader.name(at(keys::CERTIFICATES_SUBJECT)) else {
            let by = format!("certificate {name}");
            reader.missing(
                at(keys::CERTIFICATES_SUBJECT),
                "a name in the certificate",
                &by,
            );
            continue;
        };
        certificates.extend(grant.map(|grant| Certificate {
            name,
            subject,
            grant,
        }));
    }
    certificates
}

/// A password, with the blanks that belong to it.
fn password(reader: &mut Reader<'_>, key: Key) -> Option<Password> {
    let found = reader.found(key.clone())?;
    let Some(password) = Password::parse(&found.text) else {
        reader.refuse(key, &found, WANTED_PASSWORD);
        return None;
    };
    if password.looks_hashed() {
        reader.warn(format!(
            "{key} looks like a hash and is taken for the password itself; write {{bcrypt}} or {{argon2}} before it"
        ));
    }
    Some(password)
}

/// What is granted: the highest of the roles, for these applications.
fn grant(reader: &mut Reader<'_>, roles: Key, applications: Key) -> Option<Grant> {
    let mut highest = None;
    let words = reader.list(roles.clone());
    for word in &words {
        match Role::named(word) {
            Some(role) => highest = highest.max(Some(role)),
            None => refuse_text(reader, roles.clone(), word, WANTED_ROLES),
        }
    }
    // Also where a placeholder stands for nothing: whoever is left out by mistake would leave the door open.
    if words.is_empty() {
        reader.missing(roles.clone(), WANTED_ROLES, "whoever has credentials");
    }
    let role = highest?;
    let applications_of = reader.list(applications.clone());
    if applications_of.is_empty() && reader.is_set(applications.clone()) {
        // Nothing would mean all of them.
        refuse_text(reader, applications.clone(), "", WANTED_APPLICATIONS);
    }
    if role != Role::Register && !applications_of.is_empty() {
        let role = role.as_str();
        reader.warn(format!(
            "{applications} has no effect: it is for register, and {roles} is {role}"
        ));
    }
    Some(Grant {
        role,
        applications: applications_of,
    })
}

/// Refuses a part of what is set.
pub(super) fn refuse_text(reader: &mut Reader<'_>, key: Key, text: &str, wanted: &'static str) {
    let found = reader.found(key.clone());
    let found = Found {
        text: text.to_string(),
        ..found.unwrap_or_else(|| Found::nowhere("its list"))
    };
    reader.refuse(key, &found, wanted);
}

fn time(text: &str) -> Option<EpochMillis> {
    let midnight = || parse_rfc3339_weak(&format!("{text}T00:00:00Z"));
    let time = parse_rfc3339_weak(text).or_else(|_| midnight()).ok()?;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_millis() as EpochMillis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigError, Sources};

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn read(environment: Pairs<'_>, arguments: Pairs<'_>) -> Result<Config, Vec<ConfigError>> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let environment = environment.iter().map(owned);
        Config::read(&Sources::new(environment, arguments.iter().map(owned)))
    }

    fn plain(text: &str) -> Password {
        Password::Plain(Secret::new(text))
    }

    #[test]
    fn nobody_is_known_unless_somebody_is_set() {
        let config = read(&[], &[]).unwrap();
        assert_eq!(config.security, SecurityConfig::default());
        assert!(!config.security.is_on());
        let config = read(&[], &[("spring.security.user.name", "me")]).unwrap();
        assert!(!config.security.is_on());
        assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
    }

    /// config.md C18.
    #[test]
    fn the_user_of_spring_may_do_everything() {
        let password = ("spring.security.user.password", " s3cret ");
        for (more, name) in [
            (&[][..], "user"),
            (&[("spring.security.user.name", "me")], "me"),
            (&[("spring.security.user.roles", "A,B")], "user"),
        ] {
            let config = read(&[], &[&[password], more].concat()).unwrap();
            let expected = User {
                name: name.to_string(),
                password: plain(" s3cret "),
                grant: Grant::of(Role::Admin),
            };
            assert_eq!(config.security.users, [expected]);
            assert!(config.security.is_on() && config.warnings.is_empty());
        }
    }

    #[test]
    fn users_and_tokens_are_maps_or_lists_from_any_source() {
        let environment = [
            ("EUREKA_SERVER_SECURITY_USERS_NODE_PASSWORD", "from-env"),
            ("EUREKA_SERVER_SECURITY_USERS_NODE_ROLES", "PEER"),
            ("EUREKA_SERVER_SECURITY_ANONYMOUSREAD", "true"),
        ];
        let arguments = [
            ("eureka.server.security.users.Orders.password", "{noop}x"),
            (
                "eureka.server.security.users.Orders.roles",
                "read, register",
            ),
            (
                "eureka.server.security.users.Orders.applications",
                "A, shop-*",
            ),
            ("eureka.server.security.tokens.ci.token", "0123456789abcdef"),
            ("eureka.server.security.tokens.ci.roles", "admin"),
            ("eureka.server.security.tokens.ci.expires", "2027-01-31"),
            (
                "eureka.server.security.certificates.n.subject",
                "CN=node, O=Shop",
            ),
            ("eureka.server.security.certificates.n.roles", "peer"),
            ("eureka.server.security.open-metrics", "yes"),
        ];
        let config = read(&environment, &arguments).unwrap();
        assert!(config.warnings.is_empty(), "{:?}", config.warnings);
        let security = config.security;
        let bound = Grant {
            role: Role::Register,
            applications: vec!["A".to_string(), "shop-*".to_string()],
        };
        let user = |name: &str, password: &str, grant| User {
            name: name.to_string(),
            password: plain(password),
            grant,
        };
        let expected = [
            user("node", "from-env", Grant::of(Role::Peer)),
            user("Orders", "x", bound),
        ];
        assert_eq!(security.users, expected);
        let token = Token {
            name: "ci".to_string(),
            token: Secret::new("0123456789abcdef"),
            expires: Some(1_801_353_600_000),
            grant: Grant::of(Role::Admin),
        };
        assert_eq!(security.tokens, [token]);
        let certificate = Certificate {
            name: "n".to_string(),
            subject: "CN=node, O=Shop".to_string(),
            grant: Grant::of(Role::Peer),
        };
        assert_eq!(security.certificates, [certificate]);
        assert!(security.anonymous_read && security.open_metrics);

        let listed = [
            ("eureka.server.security.users[0].name", "a@b"),
            ("eureka.server.security.users[0].password", "p"),
            ("eureka.server.security.users[0].roles[0]", "read"),
        ];
        let security = read(&[], &listed).unwrap().security;
        assert_eq!(security.users, [user("a@b", "p", Grant::of(Role::Read))]);
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_secrets_are_not_shown() {
        let mistakes = read(
            &[],
            &[
                ("spring.security.user.password", "{pbkdf2}top-s3cret"),
                (
                    "eureka.server.security.users.a.password",
                    "{bcrypt}top-s3cret",
                ),
                ("eureka.server.security.users.a.roles", "read,root"),
                ("eureka.server.security.users.b.roles", "read"),
                ("eureka.server.security.users.c.password", "p"),
                ("eureka.server.security.users.d.name", "x:y"),
                ("eureka.server.security.users.d.password", "p"),
                ("eureka.server.security.users.d.roles", "read"),
                ("eureka.server.security.users.e.name", "b"),
                ("eureka.server.security.users.e.password", "p"),
                ("eureka.server.security.users.e.roles", "read"),
                ("eureka.server.security.tokens.t.roles", "read"),
                ("eureka.server.security.tokens.u.token", "0123456789abcdef"),
                ("eureka.server.security.tokens.u.roles", "read"),
                ("eureka.server.security.tokens.u.expires", "tomorrow"),
                ("eureka.server.security.certificates.c.roles", "read"),
            ],
        )
        .unwrap_err();
        let lines: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
        for key in [
            "spring.security.user.password: wanted a password",
            "eureka.server.security.users.a.password: wanted a password",
            "eureka.server.security.users.a.roles: wanted read, register, peer or admin, got \"root\"",
            "eureka.server.security.users.b.password: wanted a password",
            "eureka.server.security.users.c.roles: wanted read",
            "eureka.server.security.users.d.name: wanted a name without a colon",
            "eureka.server.security.users.e.name: wanted a name without a colon, which nobody else has, got \"b\"",
            "eureka.server.security.tokens.t.token: wanted a token",
            "eureka.server.security.tokens.u.expires: wanted a time",
            "eureka.server.security.certificates.c.subject: wanted a name in the certificate",
        ] {
            assert!(
                lines.iter().any(|line| line.starts_with(key)),
                "{key}: {lines:#?}"
            );
        }
        assert_eq!(lines.len(), 10, "{lines:#?}");
        assert!(!lines.concat().contains("s3cret"), "{lines:#?}");
    }

    /// A placeholder that stands for nothing must not leave somebody out, or let somebody do more.
    #[test]
    fn what_is_set_to_nothing_is_refused_where_it_would_open_a_door() {
        let user = [
            ("eureka.server.security.users.a.password", "p"),
            ("eureka.server.security.users.a.roles", "register"),
            ("eureka.server.security.users.a.applications", "A"),
        ];
        for (row, wanted) in [
            (0, "wanted a password"),
            (1, "wanted read, register, peer or admin"),
            (2, "wanted names of applications"),
        ] {
            let mut arguments = user;
            for nothing in ["", " , "] {
                if (row, nothing) == (0, " , ") {
                    continue; // A password may be that.
                }
                arguments[row].1 = nothing;
                let mistakes = read(&[], &arguments).unwrap_err();
                let lines: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
                let starts = format!("{}: {wanted}", user[row].0);
                assert!(
                    lines.len() == 1 && lines[0].starts_with(&starts),
                    "{lines:?}"
                );
            }
        }
        assert_eq!(read(&[], &user[..2]).unwrap().security.users.len(), 1);
    }

    #[test]
    fn nobody_else_has_the_name_of_spring_s_user() {
        let other = [
            ("eureka.server.security.users.user.password", "p"),
            ("eureka.server.security.users.user.roles", "read"),
        ];
        let spring = ("spring.security.user.password", "s");
        let named = ("spring.security.user.name", "me");
        for (more, mistakes) in [(vec![], 0), (vec![spring], 1), (vec![spring, named], 0)] {
            let read = read(&[], &[&other[..], &more].concat());
            assert_eq!(
                read.map_or_else(|all| all.len(), |_| 0),
                mistakes,
                "{more:?}"
            );
        }
    }

    #[test]
    fn what_is_probably_not_meant_is_warned_of() {
        for (arguments, warning) in [
            (
                &[
                    ("eureka.server.security.users.a.password", "$2a$10$abc"),
                    ("eureka.server.security.users.a.roles", "read"),
                ][..],
                "looks like a hash",
            ),
            (
                &[
                    ("eureka.server.security.users.a.password", "p"),
                    ("eureka.server.security.users.a.roles", "peer"),
                    ("eureka.server.security.users.a.applications", "A"),
                ],
                "has no effect: it is for register",
            ),
            (
                &[
                    ("eureka.server.security.tokens.a.token", "short"),
                    ("eureka.server.security.tokens.a.roles", "read"),
                ],
                "is shorter than 16 characters",
            ),
            (
                &[("eureka.server.security.open-metrics", "true")],
                "has no effect: nobody is known",
            ),
        ] {
            let warnings = read(&[], arguments).unwrap().warnings;
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            assert!(warnings[0].contains(warning), "{warnings:?}");
            assert!(!warnings[0].contains("short\""), "{warnings:?}");
        }
    }
}
