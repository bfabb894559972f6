//! Names that look like settings and are none: most likely spelt wrong, so the nearest one is named.
//!
//! In files and JSON everything below `eureka.` and `server.`; of arguments all but Spring's own. The environment
//! has names of everybody, so nothing there is taken for a mistake.

use super::keys;
use super::property::Property;
use super::relaxed::Spelling;

/// What only Spring knows; its files are full of it.
const SPRINGS: [&str; 5] = ["spring", "management", "logging", "info", "debug"];

/// A name must be this near to one that is known to be taken for it.
const NEAR: f64 = 0.75;

/// One for each unknown name.
pub(super) fn warnings(properties: &[Property]) -> Vec<String> {
    let keys: Vec<_> = keys::all().collect();
    let unknown = properties
        .iter()
        .filter(|property| is_checked(property) && !keys::is_known(&property.name.text));
    unknown.map(|property| warning(property, &keys)).collect()
}

fn is_checked(property: &Property) -> bool {
    let is_argument = property.from.contains("the argument");
    let first = property.name.first();
    property.name.spelling == Spelling::Dotted
        && match first {
            "eureka" | "server" => true,
            _ => is_argument && !SPRINGS.contains(&first),
        }
}

fn warning(property: &Property, keys: &[&str]) -> String {
    let Property { name, from, .. } = property;
    let name = &name.text;
    let meant = match nearest(name, keys) {
        Some(key) => format!("; is {key} meant?"),
        None => String::new(),
    };
    format!("{name:?} is no setting of this version and has no effect, from {from}{meant}")
}

/// The known name that is most alike.
fn nearest<'k>(name: &str, keys: &[&'k str]) -> Option<&'k str> {
    let plain = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let name = plain(name);
    let likeness = |key: &str| strsim::normalized_damerau_levenshtein(&name, &plain(key));
    let likely = keys.iter().map(|key| (likeness(key), *key));
    let best = likely.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(likeness, _)| *likeness > NEAR)
        .map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::super::Sources;
    use super::*;

    fn warn(environment: &[&str], arguments: &[&str]) -> Vec<String> {
        let pair = |name: &&str| (name.to_string(), "1".to_string());
        let (environment, arguments) = (environment.iter().map(pair), arguments.iter().map(pair));
        warnings(&Sources::new(environment, arguments).properties)
    }

    /// C20.
    #[test]
    fn the_nearest_known_name_is_named() {
        for (name, meant) in [
            (
                "eureka.server.enable-self-preservations",
                Some("eureka.server.enable-self-preservation"),
            ),
            ("server.prot", Some("server.port")),
            ("srever.port", Some("server.port")),
            (
                "eureka.client.serviceUrls.defaultZone",
                Some(keys::SERVICE_URL),
            ),
            ("eureka.server.something-else-altogether", None),
            ("x.y", None),
        ] {
            let warnings = warn(&[], &[name]);
            let end = meant.map_or(name.to_string(), |key| format!("is {key} meant?"));
            assert_eq!(warnings.len(), 1, "{name}");
            assert!(warnings[0].ends_with(&end), "{warnings:?}");
        }
    }

    #[test]
    fn known_names_and_those_of_others_are_let_through() {
        let known = [
            "server.port",
            "eureka.client.serviceUrl.defaultZone[0]",
            "spring.main.banner-mode",
            "logging.level.root",
        ];
        assert_eq!(
            warn(&["EUREKA_PORT_8761_TCP", "HOME", "x.y"], &known[..2]),
            [""; 0]
        );
        assert_eq!(warn(&[], &known[2..]), [""; 0]);
    }
}
