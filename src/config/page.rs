//! What the status page shows, and where.

use super::http::{context_path, with_slash};
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

/// Whether pages there hide none of Eureka's paths, and nothing else that a node answers.
fn is_free(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut rest = &segments[..];
    if matches!(rest, ["api" | "metrics" | "health" | "actuator", ..]) {
        return false;
    }
    for prefix in [&["eureka"][..], &["v1", "v2"]] {
        if let [first, others @ ..] = rest
            && prefix.contains(first)
        {
            rest = others;
        }
    }
    let of_eureka = [
        "apps",
        "vips",
        "svips",
        "instances",
        "peerreplication",
        "asg",
        "status",
        "serverinfo",
    ];
    rest.first().is_none_or(|first| !of_eureka.contains(first))
}

impl PageConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        Self {
            enabled: reader.flag(keys::DASHBOARD_ENABLED, default.enabled),
            path: reader.value(
                keys::DASHBOARD_PATH,
                "a path below which nothing else is, such as /dashboard",
                default.path,
                |text| context_path(&with_slash(text)).filter(|path| is_free(path)),
            ),
            environment: reader.text(keys::ENVIRONMENT, &default.environment),
            datacenter: reader.text(keys::DATACENTER, &default.datacenter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hide_nothing_else() {
        for (path, free) in [
            ("", true),
            ("/dashboard", true),
            ("/eureka", true),
            ("/eureka/ui", true),
            ("/health-of-all", true),
            ("/apps", false),
            ("/eureka/apps", false),
            ("/eureka/v2/apps/ui", false),
            ("/v2/vips", false),
            ("/api/v1", false),
            ("/actuator/health", false),
            ("/metrics", false),
        ] {
            assert_eq!(is_free(path), free, "{path}");
        }
    }
}
