//! All knobs together, and the two modes that pick their defaults.

use super::read::Reader;
use super::{
    CacheConfig, ConfigError, EvictionConfig, FetchLimitConfig, HttpConfig, InstanceConfig,
    JournalConfig, LimitsConfig, LogConfig, OverloadConfig, PageConfig, PeersConfig,
    PreservationConfig, RegistryConfig, Report, SecurityConfig, Sources, TlsConfig, keys,
};

/// Which defaults hold (design: two modes of behaviour). Each row of difference is a key of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Right where the reference is known to be wrong.
    #[default]
    Modern,
    /// The reference's arithmetic, number by number, for mixed clusters.
    Classic,
}

impl Mode {
    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Classic => "classic",
        }
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each is documented where it is defined")]
pub struct Config {
    pub mode: Mode,
    pub http: HttpConfig,
    pub limits: LimitsConfig,
    pub overload: OverloadConfig,
    pub fetch_limit: FetchLimitConfig,
    pub security: SecurityConfig,
    pub tls: TlsConfig,
    pub registry: RegistryConfig,
    pub preservation: PreservationConfig,
    pub eviction: EvictionConfig,
    pub cache: CacheConfig,
    pub journal: JournalConfig,
    pub page: PageConfig,
    pub peers: PeersConfig,
    pub instance: InstanceConfig,
    pub log: LogConfig,
    /// What the user should know about the settings although nothing is wrong.
    pub warnings: Vec<String>,
}

impl Config {
    /// The defaults of a mode.
    pub fn of(mode: Mode) -> Self {
        Self {
            mode,
            http: HttpConfig::default(),
            limits: LimitsConfig::default(),
            overload: OverloadConfig::default(),
            fetch_limit: FetchLimitConfig::default(),
            security: SecurityConfig::default(),
            tls: TlsConfig::default(),
            registry: RegistryConfig::of(mode),
            preservation: PreservationConfig::of(mode),
            eviction: EvictionConfig::of(mode),
            cache: CacheConfig::of(mode),
            journal: JournalConfig::default(),
            page: PageConfig::default(),
            peers: PeersConfig::of(mode),
            instance: InstanceConfig::default(),
            log: LogConfig::default(),
            warnings: Vec::new(),
        }
    }

    /// Reads every key, or reports every mistake.
    pub fn read(sources: &Sources) -> Result<Self, Vec<ConfigError>> {
        Self::explain(sources).map(|(config, _)| config)
    }

    /// The same, and what is in force with the places it came from.
    pub fn explain(sources: &Sources) -> Result<(Self, Report), Vec<ConfigError>> {
        let mut reader = Reader::new(sources);
        let config = Self::of_reader(&mut reader);
        if !reader.mistakes.is_empty() {
            return Err(reader.mistakes);
        }
        reader.note_the_rest();
        let report = Report {
            profiles: sources.profiles.clone(),
            files: sources.files.clone(),
            settings: reader.settings,
            warnings: config.warnings.clone(),
            advice: config.advice(),
        };
        Ok((config, report))
    }

    fn of_reader(reader: &mut Reader<'_>) -> Self {
        let mode = reader.value(keys::MODE, "modern or classic", Mode::default(), |text| {
            [Mode::Modern, Mode::Classic]
                .into_iter()
                .find(|mode| mode.as_str().eq_ignore_ascii_case(text))
        });
        let limits = LimitsConfig::read(reader);
        let metadata = limits.content.metadata;
        let mut config = Self {
            mode,
            http: HttpConfig::read(reader),
            overload: OverloadConfig::read(reader),
            fetch_limit: FetchLimitConfig::read(reader),
            security: SecurityConfig::read(reader),
            tls: TlsConfig::read(reader),
            limits,
            registry: RegistryConfig::read(reader, mode, metadata),
            preservation: PreservationConfig::read(reader, mode),
            eviction: EvictionConfig::read(reader, mode),
            cache: CacheConfig::read(reader, mode),
            journal: JournalConfig::read(reader),
            page: PageConfig::read(reader),
            peers: PeersConfig::read(reader, mode),
            instance: InstanceConfig::read(reader),
            log: LogConfig::read(reader),
            warnings: Vec::new(),
        };
        for idle in keys::IDLE {
            for key in idle.keys {
                reader.warn_if_set(key, idle.reason);
            }
        }
        reader.warn_of_unknown_names();
        config.warnings = reader.warnings.clone();
        config
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::{LeaseAccounting, Protection, Sweep};

    fn read(arguments: &[(&str, &str)]) -> Result<Config, Vec<ConfigError>> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Config::read(&Sources::new([], arguments.iter().map(owned)))
    }

    #[test]
    fn the_mode_picks_the_defaults_and_every_key_overrules_it() {
        assert_eq!(read(&[]).unwrap(), Config::of(Mode::Modern));
        assert_eq!(
            read(&[("eureka.server.mode", "Classic")]).unwrap(),
            Config::of(Mode::Classic)
        );

        let config = read(&[
            ("eureka.server.mode", "classic"),
            ("eureka.server.lease-accounting", "exact"),
            ("eureka.server.use-read-only-response-cache", "off"),
            ("eureka.server.eviction-interval-timer-in-ms", "1500"),
        ])
        .unwrap();
        assert_eq!(config.registry.accounting, LeaseAccounting::Exact);
        assert!(config.registry.pin_status);
        assert_eq!(config.cache.timed_copy, None);
        assert_eq!(
            config.eviction.sweep,
            Sweep::Every(Duration::from_millis(1500))
        );
    }

    #[test]
    fn an_interval_alone_does_not_bring_the_timed_copy_back() {
        let interval = ("eureka.server.response-cache-update-interval-ms", "5000");
        assert_eq!(read(&[interval]).unwrap().cache.timed_copy, None);
        let config = read(&[
            interval,
            ("eureka.server.use-read-only-response-cache", "true"),
        ]);
        assert_eq!(
            config.unwrap().cache.timed_copy,
            Some(Duration::from_secs(5))
        );
    }

    /// Design: two modes; config.md C19.
    #[test]
    fn the_keys_of_the_java_server_keep_their_meaning_in_either_mode() {
        use Protection::{Adaptive, Off, Threshold};
        let percent = ("eureka.server.renewal-percent-threshold", "0.9");
        let disabled = ("eureka.server.enable-self-preservation", "false");
        let classic = ("eureka.server.mode", "classic");
        let chosen = |word| ("eureka.server.self-preservation", word);
        for (arguments, protection, enabled) in [
            (vec![], Adaptive, true),
            (vec![classic], Threshold, true),
            (vec![percent], Threshold, true),
            (vec![disabled], Off, false),
            (vec![classic, disabled], Threshold, false),
            (vec![percent, disabled], Threshold, false),
            (vec![chosen("off")], Off, false),
            (vec![classic, chosen("adaptive")], Adaptive, true),
            (vec![percent, chosen("Adaptive")], Adaptive, true),
            (vec![chosen("adaptive"), disabled], Off, false),
        ] {
            let config = read(&arguments).unwrap().preservation;
            let got = (config.protection, config.enabled);
            assert_eq!(got, (protection, enabled), "{arguments:?}");
        }
        let nothing = (
            "eureka.server.expected-client-renewal-interval-seconds",
            "0",
        );
        let config = read(&[nothing]).unwrap();
        assert_eq!(
            config.preservation.expected_interval,
            Duration::from_secs(30)
        );
        assert_eq!(config.warnings.len(), 1);
    }

    /// C13, and what Spring calls otherwise.
    #[test]
    fn older_and_other_names_are_weaker_than_the_key_itself() {
        let (new, old) = (
            "eureka.instance.registry.default-open-for-traffic-count",
            "eureka.server.defaultOpenForTrafficCount",
        );
        for (arguments, count) in [
            (vec![(old, "0"), (new, "2")], 2),
            (vec![(new, "2"), (old, "0")], 2),
            (vec![(old, "3")], 3),
        ] {
            assert_eq!(read(&arguments).unwrap().preservation.open_count, count);
        }
        let (own, spring) = (
            "eureka.server.max-head-bytes",
            "server.max-http-request-header-size",
        );
        let head = |arguments: &[(&str, &str)]| read(arguments).unwrap().limits.head.max;
        assert_eq!(head(&[(spring, "16KB")]), 16 << 10);
        assert_eq!(head(&[(own, "9000"), (spring, "16KB")]), 9000);
    }

    #[test]
    fn the_time_to_leave_is_spring_s() {
        let time = ("spring.lifecycle.timeout-per-shutdown-phase", "20s");
        let grace = |arguments: &[(&str, &str)]| read(arguments).unwrap().http.grace.as_secs();
        assert_eq!(grace(&[]), 5);
        assert_eq!(grace(&[time, ("server.shutdown", "graceful")]), 20);
        assert_eq!(grace(&[time, ("server.shutdown", "immediate")]), 0);
        assert!(read(&[("server.shutdown", "now")]).is_err());
    }

    #[test]
    fn every_limit_can_be_set_and_keeps_its_key() {
        let config = read(&[
            ("eureka.server.max-metadata-keys", "7"),
            ("eureka.server.max-instances-per-application", "8"),
            ("eureka.server.max-connections", "9"),
            ("eureka.server.head-time-in-ms", "10"),
            ("eureka.server.max-nesting", "8"),
        ])
        .unwrap();
        let (limits, registry) = (config.limits, config.registry.limits);
        for (limit, max, key) in [
            (
                limits.content.metadata.keys,
                7,
                "eureka.server.max-metadata-keys",
            ),
            (registry.metadata.keys, 7, "eureka.server.max-metadata-keys"),
            (
                registry.app_instances,
                8,
                "eureka.server.max-instances-per-application",
            ),
            (limits.content.nesting, 8, "eureka.server.max-nesting"),
        ] {
            assert_eq!((limit.max, limit.key), (max, key));
        }
        assert_eq!(limits.connections, Some(9));
        assert_eq!(limits.head_time, Duration::from_millis(10));
    }

    #[test]
    fn a_key_that_does_nothing_says_so() {
        for arguments in [
            vec![("eureka.server.response-cache-update-interval-ms", "5000")],
            vec![
                ("eureka.server.mode", "classic"),
                ("eureka.server.hold-max-in-ms", "5000"),
            ],
        ] {
            assert_eq!(read(&arguments).unwrap().warnings.len(), 1, "{arguments:?}");
        }
    }

    #[test]
    fn all_mistakes_are_named_at_once_with_key_value_source_and_what_is_wanted() {
        let mistakes = read(&[
            ("server.port", "70000"),
            ("eureka.server.mode", "fast"),
            ("eureka.server.disable-delta", "maybe"),
            ("eureka.server.eviction-interval-timer-in-ms", "5s"),
            ("server.servlet.context-path", "no-slash"),
            ("eureka.server.max-body-bytes", "0"),
            ("eureka.server.max-instances", "many"),
            ("eureka.server.max-nesting", "129"),
            ("eureka.server.max-metadata-keys", "0"),
        ])
        .unwrap_err();
        let lines: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 9, "{lines:#?}");
        assert!(lines.contains(
            &"server.port: wanted a number from 0 to 65535, got \"70000\" from the argument --server.port"
                .to_string()
        ));
    }
}
