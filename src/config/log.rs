//! How much is logged, in Spring's names.

use super::keys;
use super::read::Reader;

/// Names of Java's packages whose level is this node's.
const PACKAGES: [&str; 3] = [
    "com.netflix.eureka",
    "com.netflix.discovery",
    "org.springframework.cloud.netflix.eureka",
];

/// The name of all of this program.
const OWN: &str = "heureka";

/// Knobs of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogConfig {
    /// Levels by part of the program, as `RUST_LOG` has them, the general one first; default none, which is `info`.
    pub levels: Vec<String>,
    /// Whether lines are JSON; default false.
    pub json: bool,
}

impl LogConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let mut levels = Vec::new();
        for (logger, found) in reader.entries(keys::LOG_LEVEL) {
            let Some(level) = level(&found.text) else {
                let wanted = "trace, debug, info, warn, error or off";
                reader.refuse(
                    super::key::Key::at(keys::LOG_LEVEL, &logger),
                    &found,
                    wanted,
                );
                continue;
            };
            match part(&logger) {
                Some("") => levels.insert(0, level.to_string()),
                // The guides silence Java's Eureka, whose start is told by others; here nobody else tells it.
                Some(_) if logger != OWN && !matches!(level, "debug" | "trace") => {}
                Some(part) => levels.push(format!("{part}={level}")),
                None => {}
            }
        }
        let json = reader.found(keys::LOG_FORMAT);
        let json = json.is_some_and(|format| !format.text.trim().is_empty());
        Self { levels, json }
    }
}

/// The part of this program that a logger's name means; nothing is all of it. Loggers of Java's are nobody's.
fn part(logger: &str) -> Option<&str> {
    let is_eureka = PACKAGES.iter().any(|package| logger.starts_with(package));
    match logger {
        root if root.eq_ignore_ascii_case("root") => Some(""),
        _ if logger == OWN || is_eureka => Some(OWN),
        _ => None,
    }
}

fn level(text: &str) -> Option<&'static str> {
    match text.trim().to_ascii_lowercase().as_str() {
        "trace" => Some("trace"),
        "debug" => Some("debug"),
        "info" => Some("info"),
        "warn" => Some("warn"),
        "error" | "fatal" => Some("error"),
        "off" | "false" => Some("off"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Sources};

    #[test]
    fn levels_of_java_s_loggers_are_this_node_s() {
        let pair = |name: &str, value: &str| (format!("logging.{name}"), value.to_string());
        let arguments = [
            pair("level.com.netflix.eureka.cluster", "DEBUG"),
            pair("level.com.netflix.discovery", "OFF"),
            pair("level.org.apache.catalina", "trace"),
            pair("level.root", "WARN"),
            pair("structured.format.console", "ecs"),
        ];
        let log = Config::read(&Sources::new([], arguments)).unwrap().log;
        assert_eq!(log.levels, ["warn", "heureka=debug"]);
        assert!(log.json);
        let wrong = Config::read(&Sources::new([], [pair("level.root", "loud")]));
        let wrong = wrong.unwrap_err()[0].to_string();
        assert!(
            wrong.starts_with("logging.level.root: wanted trace, debug"),
            "{wrong}"
        );
    }
}
