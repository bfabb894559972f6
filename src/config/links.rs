//! Where to look at a node, as its own record says (client.md §17.2).

use super::http::with_slash;
use super::instance::Own;
use super::keys;
use super::read::Reader;

/// Where to look at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// For people; default `/`.
    pub home_page: Link,
    /// For people who want to know more; default `/actuator/info`.
    pub status_page: Link,
    /// For machines; default `/actuator/health`.
    pub health_check: Link,
    /// The same over TLS; default none.
    pub secure_health_check: Option<String>,
}

/// An address on this node: a whole one, or else a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// `${eureka.hostname}` in it is the host name.
    pub url: Option<String>,
    /// With a slash at its beginning.
    pub path: String,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            home_page: Link::at("/"),
            status_page: Link::at("/actuator/info"),
            health_check: Link::at("/actuator/health"),
            secure_health_check: None,
        }
    }
}

impl Links {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let mut link = |url: &'static str, path: &'static str, default: Link| Link {
            url: reader.name(url),
            path: reader.value(path, "a path", default.path, |text| Some(with_slash(text))),
        };
        let (home, status, health) = (default.home_page, default.status_page, default.health_check);
        Self {
            home_page: link(keys::HOME_PAGE_URL, keys::HOME_PAGE_PATH, home),
            status_page: link(keys::STATUS_PAGE_URL, keys::STATUS_PAGE_PATH, status),
            health_check: link(keys::HEALTH_CHECK_URL, keys::HEALTH_CHECK_PATH, health),
            secure_health_check: reader.name(keys::SECURE_HEALTH_CHECK_URL),
        }
    }
}

impl Link {
    fn at(path: &str) -> Self {
        let path = path.to_string();
        Self { url: None, path }
    }

    /// A path that has the context already is not given it twice.
    pub(super) fn on(&self, own: Own<'_>, origin: &str) -> String {
        let (path, context) = (&self.path, own.context_path);
        let below = path.strip_prefix(context);
        let has_it = below.is_some_and(|below| below.is_empty() || below.starts_with('/'));
        match &self.url {
            Some(url) => url.replace("${eureka.hostname}", own.host_name),
            None if has_it => format!("{origin}{path}"),
            None => format!("{origin}{context}{path}"),
        }
    }
}
