//! What a request needs: the table of routes and roles. Pure.
//!
//! Whatever is not named here needs something: reading needs `read`, anything else `admin`. So a path that is
//! forgotten, or that two routers read differently, is shut rather than open.

use percent_encoding::percent_decode_str;

use crate::http::health::PROBES;
use crate::http::labels::{self, Label, NO_ROUTE};
use crate::http::route::{Route, Target};
use crate::model::{Origin, Role};

/// What somebody must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Need<'r> {
    /// Nothing: everybody may.
    Nothing,
    /// A role.
    Role(Role),
    /// [`Role::Register`] for this application.
    Register(&'r str),
}

/// The paths that are not Eureka's.
#[derive(Debug)]
pub(super) struct Needs {
    health: Vec<String>,
    metrics: Vec<String>,
    open_metrics: bool,
}

/// The pages that Prometheus scrapes.
const METRICS: [&str; 2] = ["/metrics", "/actuator/prometheus"];

impl Needs {
    pub(super) fn new(context: &str, open_metrics: bool) -> Self {
        let under = |path: &str| format!("{context}{path}");
        Self {
            health: PROBES.iter().map(|path| under(path)).collect(),
            metrics: METRICS.iter().map(|path| under(path)).collect(),
            open_metrics,
        }
    }

    /// What a request needs, and the label of its route, which is what its path was found to address.
    pub(super) fn of<'r>(
        &self,
        method: &str,
        path: &str,
        route: Option<&'r Route<'_>>,
        origin: Origin,
    ) -> (Need<'r>, Label) {
        if let Some(Route { target, .. }) = route {
            return (eureka(method, target, origin), target.label());
        }
        if self.health.iter().any(|open| open == path) {
            return (Need::Nothing, labels::HEALTH);
        }
        let is_read = is_read(method);
        if self.metrics.iter().any(|metrics| metrics == path) {
            let need = match is_read && self.open_metrics {
                true => Need::Nothing,
                false => other(is_read),
            };
            return (need, labels::METRICS);
        }
        // Settings tell more than what is held.
        let decoded = percent_decode_str(path).decode_utf8_lossy();
        let is_settings = decoded.contains("/api/v1/config");
        (other(is_read && !is_settings), NO_ROUTE)
    }
}

fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

fn other(is_read: bool) -> Need<'static> {
    Need::Role(if is_read { Role::Read } else { Role::Admin })
}

/// On Eureka's own surface.
fn eureka<'r>(method: &str, target: &'r Target<'_>, origin: Origin) -> Need<'r> {
    if is_read(method) {
        // A page of what is held is for other nodes.
        let is_page = matches!(target, Target::Registry);
        return Need::Role(if is_page { Role::Peer } else { Role::Read });
    }
    if origin == Origin::Peer {
        return Need::Role(Role::Peer);
    }
    match target {
        Target::App(app)
        | Target::Instance(app, _)
        | Target::InstanceStatus(app, _)
        | Target::InstanceMetadata(app, _) => Need::Register(app),
        Target::Batch => Need::Role(Role::Peer),
        _ => Need::Role(Role::Admin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::route;
    use Role::{Admin, Peer, Read};

    #[test]
    fn every_request_needs_what_the_table_says() {
        let app = Need::Register;
        let role = Need::Role;
        for (method, path, origin, need) in [
            ("GET", "/eureka/apps", Origin::Client, role(Read)),
            ("HEAD", "/eureka/apps/A/i", Origin::Client, role(Read)),
            ("GET", "/eureka/apps", Origin::Peer, role(Read)),
            ("OPTIONS", "/eureka/apps/A", Origin::Client, role(Read)),
            ("POST", "/eureka/apps/A", Origin::Client, app("A")),
            ("PUT", "//eureka//v2/apps/a%41/i", Origin::Client, app("aA")),
            ("DELETE", "/apps/A/i", Origin::Client, app("A")),
            ("PUT", "/eureka/apps/A/i/status", Origin::Client, app("A")),
            (
                "DELETE",
                "/eureka/apps/A/i/status",
                Origin::Client,
                app("A"),
            ),
            ("PUT", "/eureka/apps/A/i/metadata", Origin::Client, app("A")),
            ("PATCH", "/eureka/apps/A/i", Origin::Client, app("A")),
            ("POST", "/eureka/apps/A", Origin::Peer, role(Peer)),
            ("PUT", "/eureka/apps/A/i", Origin::Peer, role(Peer)),
            ("DELETE", "/eureka/apps/A/i", Origin::Peer, role(Peer)),
            (
                "POST",
                "/eureka/peerreplication/batch/",
                Origin::Client,
                role(Peer),
            ),
            (
                "GET",
                "/eureka/peerreplication/registry",
                Origin::Client,
                role(Peer),
            ),
            ("PUT", "/eureka/asg/g/status", Origin::Client, role(Admin)),
            ("PUT", "/eureka/asg/g/status", Origin::Peer, role(Peer)),
            ("POST", "/eureka/apps", Origin::Client, role(Admin)),
            ("GET", "/eureka/status", Origin::Client, role(Read)),
            ("GET", "/eureka/nowhere", Origin::Client, role(Read)),
            ("POST", "/eureka/nowhere", Origin::Client, role(Admin)),
            ("GET", "/eureka/apps/%FF", Origin::Client, role(Read)),
            ("GET", "/", Origin::Client, role(Read)),
            ("GET", "/lastn", Origin::Client, role(Read)),
            ("POST", "/", Origin::Client, role(Admin)),
            ("GET", "/metrics", Origin::Client, role(Read)),
            ("GET", "/actuator/prometheus", Origin::Client, role(Read)),
            ("GET", "/actuator/info", Origin::Client, role(Read)),
            ("GET", "/health/live", Origin::Client, Need::Nothing),
            ("POST", "/health/live", Origin::Client, Need::Nothing),
            ("GET", "/actuator/health", Origin::Client, Need::Nothing),
            ("GET", "/health/live/", Origin::Client, role(Read)),
            ("GET", "/health", Origin::Client, role(Read)),
            ("GET", "/api/v1/anything", Origin::Client, role(Read)),
            ("DELETE", "/api/v1/anything", Origin::Client, role(Admin)),
        ] {
            let needs = Needs::new("", false);
            let route = route::find("", path).ok();
            assert_eq!(
                needs.of(method, path, route.as_ref(), origin).0,
                need,
                "{method} {path} {origin:?}"
            );
        }
    }

    #[test]
    fn open_paths_are_below_the_context_path_and_metrics_open_by_a_key() {
        let needs = Needs::new("/ctx", true);
        for (method, path, need) in [
            ("GET", "/ctx/health/ready", Need::Nothing),
            ("GET", "/health/ready", Need::Role(Read)),
            ("GET", "/ctx/metrics", Need::Nothing),
            ("GET", "/ctx/actuator/prometheus", Need::Nothing),
            ("POST", "/ctx/metrics", Need::Role(Admin)),
            ("GET", "/metrics", Need::Role(Read)),
            ("GET", "/ctx/eureka/apps", Need::Role(Read)),
        ] {
            let route = route::find("/ctx", path).ok();
            let found = needs.of(method, path, route.as_ref(), Origin::Client).0;
            assert_eq!(found, need, "{path}");
        }
    }
}
