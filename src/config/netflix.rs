//! Netflix' names to Spring's (config.md §7.3): in files of Netflix' names, and where a name is none of Spring's.
//!
//! Netflix has one prefix for server, client and instance, and its names are exact.

mod names;

use super::keys;
use super::relaxed::{Name, Pattern};

/// Where a name without an entry in the table may belong.
const PREFIXES: [&str; 4] = [
    "eureka.",
    "eureka.server.",
    "eureka.instance.",
    "eureka.client.",
];

/// The canonical name of a name of Netflix', if it is one.
pub(super) fn canonical(name: &str) -> Option<String> {
    let rest = name.strip_prefix("eureka.")?;
    let given = Name::dotted(name);
    let in_table = names::NAMES.iter().find_map(|(netflix, key)| {
        // Netflix' names have capitals that count, and no dashes.
        let exact = netflix.contains('<') || *netflix == name;
        let data = Pattern::of(netflix).data_in(&given).filter(|_| exact)?;
        let key = match data.first() {
            Some(data) => super::key::Key::at(key, data).name().into_owned(),
            None => (*key).to_string(),
        };
        Some(key)
    });
    in_table.or_else(|| {
        let names = PREFIXES.iter().map(|prefix| format!("{prefix}{rest}"));
        names.into_iter().find(|name| keys::is_known(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_the_table_or_by_their_words() {
        for (netflix, key) in [
            (
                "eureka.serviceUrl.default",
                "eureka.client.service-url.defaultZone",
            ),
            ("eureka.serviceUrl.z-1", "eureka.client.service-url.z-1"),
            (
                "eureka.us-east-1.availabilityZones",
                "eureka.client.availability-zones.us-east-1",
            ),
            ("eureka.metadata.a.b", "eureka.instance.metadata-map[a.b]"),
            ("eureka.name", "eureka.instance.appname"),
            (
                "eureka.enableSelfPreservation",
                "eureka.server.enableSelfPreservation",
            ),
            (
                "eureka.retentionTimeInMSInDeltaQueue",
                "eureka.server.retentionTimeInMSInDeltaQueue",
            ),
            ("eureka.hostname", "eureka.instance.hostname"),
            ("eureka.environment", "eureka.environment"),
            (
                "eureka.remoteRegion.eu.appWhiteList",
                "eureka.server.remote-region-app-whitelist.eu",
            ),
            ("eureka.awsAccessId", "eureka.server.awsAccessId"),
        ] {
            assert_eq!(canonical(netflix).as_deref(), Some(key), "{netflix}");
        }
        for name in ["eureka.nosuch", "archaius.x", "eureka.Name", "eureka."] {
            assert_eq!(canonical(name), None, "{name}");
        }
    }

    #[test]
    fn every_canonical_name_of_the_table_is_one() {
        for (netflix, key) in names::NAMES {
            assert!(
                keys::is_known(&key.replace(['<', '>'], "")),
                "{netflix}: {key}"
            );
        }
    }
}
