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
}

/// All values that were given, by canonical key.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    found: HashMap<&'static str, Found>,
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
            if let Some(key) = known_key(&name, uniform_without_dots) {
                let from = format!("the environment variable {name}");
                sources.found.insert(key, Found { text, from });
            }
        }
        for (name, text) in arguments {
            let from = format!("the argument --{name}");
            match known_key(&name, uniform) {
                Some(key) => _ = sources.found.insert(key, Found { text, from }),
                None => sources.unknown.push(name),
            }
        }
        sources
    }

    /// The value of `key`, if one was given.
    pub(super) fn get(&self, key: &str) -> Option<&Found> {
        self.found.get(key)
    }

    /// Arguments that name no key of this version, in the order given.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }
}

fn known_key(name: &str, uniform: impl Fn(&str) -> String) -> Option<&'static str> {
    let name = uniform(name);
    keys::ALL.into_iter().find(|key| uniform(key) == name)
}

/// `eureka.server.enableSelfPreservation` and `eureka.server.enable-self-preservation` alike.
fn uniform(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// `EUREKA_SERVER_MODE`, `EUREKA_SERVER_M_O_D_E` and `eureka.server.mode` alike.
fn uniform_without_dots(name: &str) -> String {
    uniform(name).replace('.', "")
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
}
