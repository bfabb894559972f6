//! What the status page shows, and where.

use super::http::context_path;
use super::keys;
use super::read::Reader;

/// Knobs of the status page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageConfig {
    /// Whether the page and `lastn` are served; default true.
    pub enabled: bool,
    /// Path of the page, without a slash at its end; default the root.
    pub path: String,
    /// Shown only; default `test`, as in Spring.
    pub environment: String,
    /// Shown only; default `default`, as in Spring.
    pub datacenter: String,
}

impl Default for PageConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            path: String::new(),
            environment: "test".to_string(),
            datacenter: "default".to_string(),
        }
    }
}

impl PageConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        Self {
            enabled: reader.flag(keys::DASHBOARD_ENABLED, default.enabled),
            path: reader.value(
                keys::DASHBOARD_PATH,
                "a path that begins with a slash",
                default.path,
                context_path,
            ),
            environment: reader.text(keys::ENVIRONMENT, &default.environment),
            datacenter: reader.text(keys::DATACENTER, &default.datacenter),
        }
    }
}
