//! What a request asked for, as metrics name it: a small number and a name, and the path that stands for it.

/// A number, which is a row of [`LABELS`], and a name.
pub type Label = (usize, &'static str);

/// Names by number, and the template that Spring's metrics would have for each. The first ones are Eureka's own
/// routes.
const LABELS: [(&str, &str); 26] = [
    ("apps", "/eureka/apps"),
    ("delta", "/eureka/apps/delta"),
    ("app", "/eureka/apps/{app}"),
    ("instance", "/eureka/apps/{app}/{id}"),
    ("instance_status", "/eureka/apps/{app}/{id}/status"),
    ("instance_metadata", "/eureka/apps/{app}/{id}/metadata"),
    ("by_id", "/eureka/instances/{id}"),
    ("vip", "/eureka/vips/{vip}"),
    ("svip", "/eureka/svips/{svip}"),
    ("asg", "/eureka/asg/{name}/status"),
    ("status", "/eureka/status"),
    ("status_overrides", "/eureka/serverinfo/statusoverrides"),
    ("batch", "/eureka/peerreplication/batch"),
    ("registry_page", "/eureka/peerreplication/registry"),
    ("none", "UNKNOWN"),
    ("metrics", "/actuator/prometheus"),
    ("health", "/actuator/health"),
    ("info", "/actuator/info"),
    ("page", "/"),
    ("lastn", "/lastn"),
    ("api", "/api/v1"),
    ("instances", "/instances"),
    ("instance_page", "/instance"),
    ("live", "/live"),
    ("asset", "/style.css"),
    ("act", "/act"),
];

const fn label(row: usize) -> Label {
    (row, LABELS[row].0)
}

pub(super) const APPS: Label = label(0);
pub(super) const DELTA: Label = label(1);
pub(super) const APP: Label = label(2);
pub(super) const INSTANCE: Label = label(3);
pub(super) const INSTANCE_STATUS: Label = label(4);
pub(super) const INSTANCE_METADATA: Label = label(5);
pub(super) const BY_ID: Label = label(6);
pub(super) const VIP: Label = label(7);
pub(super) const SVIP: Label = label(8);
pub(super) const ASG: Label = label(9);
pub(super) const STATUS: Label = label(10);
pub(super) const STATUS_OVERRIDES: Label = label(11);
pub(super) const BATCH: Label = label(12);
pub(super) const REGISTRY: Label = label(13);
/// Everything that is no route.
pub(super) const NO_ROUTE: Label = label(14);
pub(super) const METRICS: Label = label(15);
pub(super) const HEALTH: Label = label(16);
pub(super) const INFO: Label = label(17);
pub(super) const PAGE: Label = label(18);
pub(super) const LASTN: Label = label(19);
pub(super) const API: Label = label(20);
pub(super) const INSTANCES: Label = label(21);
pub(super) const INSTANCE_PAGE: Label = label(22);
pub(super) const LIVE: Label = label(23);
pub(super) const ASSET: Label = label(24);
pub(super) const ACT: Label = label(25);

/// The path that stands for all requests with this name.
pub(super) fn uri(name: &str) -> &'static str {
    let row = LABELS.iter().find(|row| row.0 == name);
    row.map_or("UNKNOWN", |row| row.1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::metrics::MAX_ROUTES;

    #[test]
    fn every_label_has_a_name_of_its_own_and_fits_in_the_table_of_handles() {
        let names: BTreeSet<_> = LABELS.iter().map(|row| row.0).collect();
        assert_eq!(names.len(), LABELS.len());
        assert!(LABELS.len() <= MAX_ROUTES);
        assert_eq!(uri("svip"), "/eureka/svips/{svip}");
        assert_eq!(uri("nonsense"), "UNKNOWN");
    }
}
