//! Where values come from: the command line wins over the environment, and that over the defaults.
//!
//! Names are compared in Spring's uniform form (config.md §7): case, dashes and underscores do not
//! matter, and in the environment neither do the dots, which become underscores there.

use std::collections::HashMap;

use super::keys;

/// A value and the place it came from, for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) text: String,
    pub(super) from: String,
    /// Whether the name came as it was meant; in the environment case and dashes are lost.
    pub(super) exact: bool,
}

/// All values that were given, by canonical key.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    found: HashMap<&'static str, Found>,
    /// Entries of maps by the map's key, each with its own name; the last given is the last.
    maps: HashMap<&'static str, Vec<(String, Found)>>,
    unknown: Vec<String>,
}

impl Sources {
    /// Reads `environment` first and `arguments` over it; both are pairs of a name and a value.
    pub fn new(
        environment: impl IntoIterator<Item = (String, String)>,
        arguments: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut sources = Self::default();
        for (name, text) in environment {
            let from = format!("the environment variable {name}");
            // With a dot in it, as a container's description may have it, it is spelt as anywhere else.
            let spelling = match name.contains('.') {
                true => Spelling::Dotted,
                false => Spelling::Environment,
            };
            let exact = spelling == Spelling::Dotted;
            sources.take(&name, spelling, Found { text, from, exact });
        }
        for (name, text) in arguments {
            let from = format!("the argument --{name}");
            let exact = true;
            if !sources.take(&name, Spelling::Dotted, Found { text, from, exact }) {
                sources.unknown.push(name);
            }
        }
        sources
    }

    /// Whether the name is one of a key.
    fn take(&mut self, name: &str, spelling: Spelling, found: Found) -> bool {
        if let Some(key) = known_key(name, spelling) {
            self.found.insert(key, found);
            return true;
        }
        let Some((map, entry)) = known_entry(name, spelling) else {
            return false;
        };
        let entries = self.maps.entry(map).or_default();
        entries.retain(|(name, _)| *name != entry);
        entries.push((entry, found));
        true
    }

    /// The value of `key`, if one was given.
    pub(super) fn get(&self, key: &str) -> Option<&Found> {
        self.found.get(key)
    }

    /// The entries of a map, under the names that they were given; what counts most is last.
    pub(super) fn entries(&self, map: &str) -> &[(String, Found)] {
        self.maps.get(map).map_or(&[], Vec::as_slice)
    }

    /// Arguments that name no key of this version, in the order given.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }
}

/// How a place spells names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// `eureka.server.mode`.
    Dotted,
    /// `EUREKA_SERVER_MODE`: dots are underscores, and the case of a map's entry is lost.
    Environment,
}

impl Spelling {
    /// `eureka.server.enableSelfPreservation` and `eureka.server.enable-self-preservation` alike; in the
    /// environment also `EUREKA_SERVER_MODE`, `EUREKA_SERVER_M_O_D_E` and `eureka.server.mode`.
    fn uniform(self, name: &str) -> String {
        let keeps = |c: &char| match c {
            '-' | '_' => false,
            '.' => self == Self::Dotted,
            _ => true,
        };
        name.chars()
            .filter(keeps)
            .flat_map(char::to_lowercase)
            .collect()
    }
}

fn known_key(name: &str, spelling: Spelling) -> Option<&'static str> {
    let name = spelling.uniform(name);
    keys::all().find(|key| spelling.uniform(key) == name)
}

/// Netflix has no `client` in the names of its own property files.
const NETFLIX_SERVICE_URL: &str = "eureka.service-url.<zone>";

/// The map and the entry in it that a name means.
fn known_entry(name: &str, spelling: Spelling) -> Option<(&'static str, String)> {
    let maps = keys::all()
        .filter(|key| key.ends_with('>'))
        .map(|key| (key, key));
    let maps = maps.chain([(NETFLIX_SERVICE_URL, keys::SERVICE_URL)]);
    let mut found = maps.filter_map(|(spelt, map)| {
        let prefix = spelt.split(".<").next()?;
        Some((map, entry_below(name, prefix, spelling)?))
    });
    found.next()
}

/// What stands behind a prefix: the name of an entry, which is data and not relaxed (config.md §7.1).
fn entry_below(name: &str, prefix: &str, spelling: Spelling) -> Option<String> {
    let prefix = spelling.uniform(prefix);
    // The end of the shortest beginning of the name that means the prefix.
    let end = name
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .find(|end| spelling.uniform(&name[..*end]) == prefix)?;
    let rest = &name[end..];
    let entry = match spelling {
        Spelling::Dotted => match rest.strip_prefix('.') {
            Some(entry) => entry,
            None => rest.strip_prefix('[')?.strip_suffix(']')?,
        },
        Spelling::Environment => rest.strip_prefix('_')?,
    };
    let entry = match spelling {
        Spelling::Dotted => entry.to_string(),
        Spelling::Environment => entry.to_lowercase(),
    };
    (!entry.is_empty()).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_string(), value.to_string())
    }

    #[test]
    fn every_spelling_that_spring_takes_finds_its_key() {
        for name in [
            "EUREKA_SERVER_EVICTIONINTERVALTIMERINMS",
            "EUREKA_SERVER_EVICTION_INTERVAL_TIMER_IN_MS",
            "eureka.server.evictionIntervalTimerInMs",
        ] {
            let sources = Sources::new([pair(name, "7")], []);
            assert_eq!(
                sources.get(keys::EVICTION_INTERVAL).unwrap().text,
                "7",
                "{name}"
            );
        }
        for name in [
            "eureka.server.eviction-interval-timer-in-ms",
            "eureka.server.evictionIntervalTimerInMs",
            "EUREKA.SERVER.EVICTION_INTERVAL_TIMER_IN_MS",
        ] {
            let sources = Sources::new([], [pair(name, "7")]);
            assert_eq!(
                sources.get(keys::EVICTION_INTERVAL).unwrap().text,
                "7",
                "{name}"
            );
        }
        let generated = "eureka.server.retention-time-in-m-s-in-delta-queue";
        let sources = Sources::new([], [pair(generated, "7")]);
        assert!(sources.get(keys::DELTA_RETENTION).is_some());
    }

    #[test]
    fn the_command_line_wins_and_unknown_arguments_are_kept_for_a_warning() {
        let sources = Sources::new(
            [pair("SERVER_PORT", "1"), pair("PATH", "/bin")],
            [pair("server.port", "2"), pair("server.prot", "3")],
        );
        let found = sources.get(keys::PORT).unwrap();
        assert_eq!(
            (found.text.as_str(), found.from.as_str()),
            ("2", "the argument --server.port")
        );
        assert_eq!(sources.unknown(), ["server.prot"]);
    }

    /// config.md §7.1, §7.2, C2.
    #[test]
    fn the_entries_of_a_map_are_data_and_their_prefix_is_relaxed() {
        for (name, map, entry) in [
            (
                "eureka.client.serviceUrl.defaultZone",
                keys::SERVICE_URL,
                "defaultZone",
            ),
            (
                "eureka.client.service-url.default-zone",
                keys::SERVICE_URL,
                "default-zone",
            ),
            (
                "eureka.client.service_url[eu.west]",
                keys::SERVICE_URL,
                "eu.west",
            ),
            ("eureka.serviceUrl.default", keys::SERVICE_URL, "default"),
            ("eureka.client.availabilityZones.eu", keys::ZONES, "eu"),
            (
                "eureka.instance.metadataMap.management.port",
                keys::METADATA,
                "management.port",
            ),
            (
                "eureka.instance.metadata-map[my/key]",
                keys::METADATA,
                "my/key",
            ),
        ] {
            for sources in [
                Sources::new([], [pair(name, "7")]),
                Sources::new([pair(name, "7")], []),
            ] {
                let got = sources.entries(map);
                assert_eq!((got.len(), got[0].0.as_str()), (1, entry), "{name}");
            }
        }
        for (name, map, entry) in [
            (
                "EUREKA_CLIENT_SERVICEURL_DEFAULTZONE",
                keys::SERVICE_URL,
                "defaultzone",
            ),
            (
                "EUREKA_CLIENT_SERVICE_URL_DEFAULT_ZONE",
                keys::SERVICE_URL,
                "default_zone",
            ),
            ("EUREKA_INSTANCE_METADATAMAP_ZONE", keys::METADATA, "zone"),
        ] {
            let sources = Sources::new([pair(name, "7")], []);
            assert_eq!(sources.entries(map)[0].0, entry, "{name}");
        }
        for name in [
            "eureka.client.service-url",
            "eureka.client.service-url.",
            "eureka.client.service-urls.a",
        ] {
            assert_eq!(Sources::new([], [pair(name, "7")]).unknown(), [name]);
        }
    }

    #[test]
    fn what_was_given_last_for_an_entry_counts_and_is_last() {
        let name = |zone: &str| format!("eureka.client.service-url.{zone}");
        let given = [("a", "1"), ("b", "2"), ("a", "3")];
        let arguments = given.map(|(zone, value)| pair(&name(zone), value));
        let sources = Sources::new([pair("EUREKA_CLIENT_SERVICEURL_C", "0")], arguments);
        let entries = sources.entries(keys::SERVICE_URL).iter();
        let entries: Vec<_> = entries
            .map(|(zone, found)| (zone.as_str(), found.text.as_str()))
            .collect();
        assert_eq!(entries, [("c", "0"), ("b", "2"), ("a", "3")]);
    }
}
