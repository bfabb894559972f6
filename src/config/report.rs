//! What is in force and where it came from, for people and for `check-config`. Secrets are masked here.

use serde::Serialize;

use super::keys;
use crate::model::without_credentials;

/// A setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The canonical key, with its data filled in.
    pub key: String,
    /// Its text, without secrets; nothing where nothing is set and there is no default.
    pub value: Option<String>,
    /// Where it was given; nothing where it is the default.
    pub from: Option<String>,
    /// Whether a change takes effect while the node runs.
    pub live: bool,
    /// What the value is told apart by although it is masked; never shown.
    #[serde(skip)]
    mark: u64,
}

/// All settings, and what there is to say about them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Profiles that are active, in order.
    pub profiles: Vec<String>,
    /// Files that were read, in order.
    pub files: Vec<String>,
    /// By key.
    pub settings: Vec<Setting>,
    /// What has no effect, or another than one might think.
    pub warnings: Vec<String>,
    /// What one might do otherwise.
    pub advice: Vec<String>,
}

impl Setting {
    pub(super) fn new(key: String, text: Option<&str>, from: Option<String>) -> Self {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut mark = DefaultHasher::new();
        text.hash(&mut mark);
        Self {
            value: text.map(|text| masked(&key, text)),
            live: keys::is_live(&key),
            mark: mark.finish(),
            key,
            from,
        }
    }
}

impl Report {
    /// Those that somebody set.
    pub fn given(&self) -> impl Iterator<Item = &Setting> {
        self.settings
            .iter()
            .filter(|setting| setting.from.is_some())
    }

    /// The same with what may change while a node runs as it is in `read`.
    pub fn with_live_of(&self, read: &Self) -> Self {
        let fixed = self.settings.iter().filter(|setting| !setting.live);
        let live = read.settings.iter().filter(|setting| setting.live);
        let mut settings: Vec<_> = fixed.chain(live).cloned().collect();
        settings.sort_by(|a, b| a.key.cmp(&b.key));
        Self {
            settings,
            ..self.clone()
        }
    }

    /// Keys whose values differ from those in `other`.
    pub fn changed<'r>(&'r self, other: &'r Self) -> Vec<&'r Setting> {
        let differs = |a: &Setting, all: &[Setting]| {
            let same = all.iter().find(|b| a.key == b.key);
            same.is_none_or(|b| a.mark != b.mark)
        };
        let new = self.settings.iter().filter(|a| differs(a, &other.settings));
        let is_gone = |a: &&Setting| self.settings.iter().all(|b| a.key != b.key);
        new.chain(other.settings.iter().filter(is_gone)).collect()
    }
}

/// Without what nobody may see.
fn masked(key: &str, text: &str) -> String {
    match keys::is_secret(key) {
        true => "***".to_string(),
        false if text.contains('@') => without_credentials(text),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Sources};
    use super::*;

    fn report(arguments: &[(&str, &str)]) -> Report {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Config::explain(&Sources::new([], arguments.iter().map(owned)))
            .unwrap()
            .1
    }

    fn find<'r>(report: &'r Report, key: &str) -> &'r Setting {
        report
            .settings
            .iter()
            .find(|setting| setting.key == key)
            .unwrap()
    }

    #[test]
    fn every_key_is_there_with_its_value_and_its_place() {
        let report = report(&[
            ("server.port", " 0x10 "),
            ("eureka.client.service-url.z1", "http://a/"),
            ("eureka.instance.metadataMap.k", "v"),
        ]);
        for (key, value, from) in [
            (
                "server.port",
                Some("0x10"),
                Some("the argument --server.port"),
            ),
            ("server.address", Some("0.0.0.0"), None),
            ("eureka.server.mode", Some("modern"), None),
            (
                "eureka.server.retention-time-in-ms-in-delta-queue",
                Some("180000"),
                None,
            ),
            (
                "eureka.server.renewal-percent-threshold",
                Some("0.85"),
                None,
            ),
            ("eureka.server.max-connections", None, None),
            ("eureka.instance.hostname", None, None),
            (
                "spring.lifecycle.timeout-per-shutdown-phase",
                Some("5s"),
                None,
            ),
            (
                "eureka.client.service-url.z1",
                Some("http://a/"),
                Some("the argument --eureka.client.service-url.z1"),
            ),
            (
                "eureka.instance.metadata-map.k",
                Some("v"),
                Some("the argument --eureka.instance.metadataMap.k"),
            ),
        ] {
            let got = find(&report, key);
            assert_eq!(
                (got.value.as_deref(), got.from.as_deref()),
                (value, from),
                "{key}"
            );
        }
        for key in keys::active().filter(|key| !key.contains('<')) {
            find(&report, key);
        }
    }

    /// C14, design §13.
    #[test]
    fn secrets_are_not_in_it_and_their_changes_are_seen_all_the_same() {
        let of = |secret: &str| {
            report(&[
                (
                    "eureka.client.service-url.z1",
                    &format!("http://u:{secret}@a/"),
                ),
                ("eureka.instance.metadata-map.user.password", secret),
            ])
        };
        let (one, two) = (of("cret1"), of("cret2"));
        assert!(!format!("{one:?}").contains("cret1"));
        assert!(!serde_json::to_string(&one).unwrap().contains("cret1"));
        assert_eq!(one.changed(&two).len(), 2);
        assert!(one.changed(&one).is_empty());
        assert_eq!(report(&[]).changed(&one).len(), 2);
    }
}
