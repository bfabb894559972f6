//! What somebody may do: a role, and for one that registers the applications it is for.
//!
//! Roles stand in a row and each has all that those before it have: a client that registers reads lists, a node that
//! passes changes on registers itself, an administrator does all of it.

/// What one may do, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Read lists, the page and figures.
    Read,
    /// Register, renew, change and cancel instances.
    Register,
    /// Pass on what happened at another node.
    Peer,
    /// Everything there is.
    Admin,
}

impl Role {
    /// All of them, the least first.
    pub const ALL: [Role; 4] = [Role::Read, Role::Register, Role::Peer, Role::Admin];

    /// The word in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Register => "register",
            Self::Peer => "peer",
            Self::Admin => "admin",
        }
    }

    /// The role of this name; case does not matter.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|role| role.as_str().eq_ignore_ascii_case(name))
    }
}

/// What one holder of credentials may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The highest of its roles.
    pub role: Role,
    /// Names of applications, in any case; one that ends with `*` stands for all that begin so. Where there are any,
    /// [`Role::Register`] is for these alone.
    pub applications: Vec<String>,
}

impl Grant {
    /// A role for all applications.
    pub fn of(role: Role) -> Self {
        Self {
            role,
            applications: Vec::new(),
        }
    }

    /// Whether instances of `app` may be registered and changed.
    pub fn covers(&self, app: &str) -> bool {
        self.applications.is_empty() || self.applications.iter().any(|name| is_named(app, name))
    }
}

fn is_named(app: &str, name: &str) -> bool {
    if !app.is_ascii() || !name.is_ascii() {
        // As the registry folds the names of applications.
        let (app, name) = (app.to_uppercase(), name.to_uppercase());
        return match name.strip_suffix('*') {
            Some(begin) => app.starts_with(begin),
            None => app == name,
        };
    }
    match name.strip_suffix('*') {
        Some(begin) => {
            let same = app.as_bytes().get(..begin.len());
            same.is_some_and(|same| same.eq_ignore_ascii_case(begin.as_bytes()))
        }
        None => app.eq_ignore_ascii_case(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_what_those_before_it_have() {
        assert!(Role::ALL.is_sorted());
        for role in Role::ALL {
            assert_eq!(Role::named(role.as_str()), Some(role));
        }
        assert_eq!(Role::named("ADMIN"), Some(Role::Admin));
        assert_eq!(Role::named("root"), None);
    }

    #[test]
    fn applications_are_named_in_any_case_and_by_their_beginning() {
        for (names, app, covered) in [
            (&[][..], "ANY", true),
            (&["orders"], "ORDERS", true),
            (&["ORDERS"], "orders", true),
            (&["ORDERS"], "ORDERS-2", false),
            (&["ORDERS", "STOCK"], "STOCK", true),
            (&["shop-*"], "SHOP-CART", true),
            (&["shop-*"], "SHOP-", true),
            (&["shop-*"], "SHOP", false),
            (&["shop-*"], "S", false),
            (&["*"], "ANY", true),
            (&["größe"], "GRÖSSE", true),
            (&["grö*"], "GRÖSSE", true),
            (&["gr*"], "GRÖSSE", true),
            (&["ORDERS"], "ÖRDERS", false),
        ] {
            let grant = Grant {
                role: Role::Register,
                applications: names.iter().map(|name| (*name).to_string()).collect(),
            };
            assert_eq!(grant.covers(app), covered, "{names:?} {app}");
        }
    }
}
