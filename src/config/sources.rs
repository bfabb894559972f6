//! All values that were given, in the order in which they count, and the questions that one may ask of them.
//!
//! Names are compared relaxed (`relaxed.rs`); placeholders are filled in when a value is asked for, from all
//! sources. A list is a text with commas or `key[0]`, `key[1]`, …, all of it from one source; a map has entries of
//! all sources.

use std::cell::OnceCell;

use super::key::Key;
use super::mistake::ConfigError;
use super::peer_lists::items;
use super::placeholders::fill;
use super::property::{Found, Property};
use super::relaxed::{Name, Pattern, Spelling, uniform};
use super::{keys, netflix, unknown};

/// All values that were given. [`Sources::gather`] reads files too, [`Sources::new`] none.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// What counts least is first.
    pub(super) properties: Vec<Property>,
    /// What placeholders may ask for although nobody set it.
    pub(super) facts: Vec<(String, String)>,
    /// What was wrong with the sources themselves.
    pub(super) mistakes: Vec<ConfigError>,
    /// What the user should know although nothing is wrong.
    pub(super) warnings: Vec<String>,
    /// Profiles that are active, in order.
    pub(super) profiles: Vec<String>,
    /// Files that were read, in order.
    pub(super) files: Vec<String>,
}

impl Sources {
    /// Reads `environment` first and `arguments` over it; both are pairs of a name and a value.
    pub fn new(
        environment: impl IntoIterator<Item = (String, String)>,
        arguments: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut sources = Self::default();
        sources.add(from_environment(environment));
        sources.add(from_arguments(arguments, "--"));
        sources
    }

    /// Says it once.
    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// What is added last counts most.
    pub(super) fn add(&mut self, properties: impl IntoIterator<Item = Property>) {
        let rank = self.properties.last().map_or(0, |last| last.rank + 1);
        for property in properties {
            self.properties.push(Property { rank, ..property });
        }
    }

    /// What `above` has counts more than all that is here.
    pub(super) fn append(&mut self, above: &Self) {
        let first = self.properties.last().map_or(0, |last| last.rank + 1);
        for property in &above.properties {
            let rank = first + property.rank;
            // What was filled in before was filled in from less.
            let filled = OnceCell::new();
            self.properties.push(Property {
                rank,
                filled,
                ..property.clone()
            });
        }
    }

    /// All but one key.
    pub(super) fn without(&self, key: &str) -> Self {
        let (whole, element) = (Pattern::of(key), Pattern::of(key).below_index());
        let is_it = |property: &Property| {
            let data = whole.data_in(&property.name);
            data.or_else(|| element.data_in(&property.name)).is_some()
        };
        let mut others = self.clone();
        others.properties.retain(|property| !is_it(property));
        others
    }

    /// Whether all that was given is the same, word by word.
    pub fn is_same(&self, other: &Self) -> bool {
        let same = |(a, b): (&Property, &Property)| a.name == b.name && a.text == b.text;
        self.properties.len() == other.properties.len()
            && self.mistakes == other.mistakes
            && self.properties.iter().zip(&other.properties).all(same)
    }

    /// One warning for each name that looks like a setting and is none.
    pub fn unknown(&self) -> Vec<String> {
        unknown::warnings(&self.properties)
    }

    /// The names by which a key was given, each once; one without data in it by its own.
    pub(super) fn spellings(&self, key: &'static str) -> Vec<String> {
        let (whole, element) = (Pattern::of(key), Pattern::of(key).below_index());
        let is_it = |property: &&Property| {
            let data = whole.data_in(&property.name);
            data.or_else(|| element.data_in(&property.name)).is_some()
        };
        let mut names = Vec::new();
        for property in self.properties.iter().filter(is_it) {
            let name = match key.contains('<') {
                true => property.name.text.clone(),
                false => key.to_string(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether a value was given for `key`, or elements of a list.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.last(&key.pattern()).is_some() || self.last(&key.pattern().below()).is_some()
    }

    /// The value of `key`, if one was given.
    pub(super) fn get(&self, key: &Key) -> Option<Result<Found, Unfilled>> {
        self.last(&key.pattern())
            .map(|property| self.filled(property))
    }

    /// The elements of a list, each as it was given; where there are none, nothing was given. What was given as
    /// one text is one element.
    pub(super) fn list(&self, key: &Key) -> Vec<Result<Found, Unfilled>> {
        let whole = self.last(&key.pattern());
        let pattern = key.pattern().below();
        let elements = self.last(&pattern).map(|property| property.rank);
        match (whole, elements) {
            (Some(whole), elements) if elements.is_none_or(|rank| rank < whole.rank) => {
                vec![self.filled(whole)]
            }
            (_, Some(rank)) => self.indexed(&pattern, rank),
            _ => Vec::new(),
        }
    }

    fn indexed(&self, pattern: &Pattern, rank: usize) -> Vec<Result<Found, Unfilled>> {
        let of_rank = self.properties.iter().filter(|p| p.rank == rank);
        let mut elements: Vec<(usize, &Property)> = of_rank
            .filter_map(|property| {
                let data = pattern.data_in(&property.name)?.pop()?;
                let index = data.strip_prefix('[')?.strip_suffix(']')?;
                Some((index.parse().ok()?, property))
            })
            .collect();
        elements.sort_by_key(|(index, _)| *index);
        elements
            .into_iter()
            .map(|(_, property)| self.filled(property))
            .collect()
    }

    /// What stands for the `<…>` of these keys, each once: names of a map's entries, or `[0]`, `[1]`, … of a list.
    /// Those of a list are of one source. Those of the environment are in lower case, where nothing else has them.
    pub(super) fn names(&self, keys: &[&'static str]) -> Vec<String> {
        let patterns = keys.iter().map(|key| Pattern::of(key));
        let patterns: Vec<_> = patterns.flat_map(|p| [p.clone().below(), p]).collect();
        let mut names: Vec<(String, usize, bool)> = Vec::new();
        for property in &self.properties {
            let mut data = patterns.iter().filter_map(|p| p.data_in(&property.name));
            let Some(name) = data.find_map(|data| data.into_iter().next()) else {
                continue;
            };
            let exact = property.name.spelling == Spelling::Dotted;
            match names.iter_mut().find(|(known, ..)| *known == name) {
                Some(known) => *known = (name, property.rank, known.2 || exact),
                None => names.push((name, property.rank, exact)),
            }
        }
        let is_index = |name: &str| name.starts_with('[');
        let indices = names.iter().filter(|(name, ..)| is_index(name));
        let highest = indices.map(|(_, rank, _)| *rank).max();
        let known = names.clone();
        names.retain(|(name, rank, exact)| match is_index(name) {
            true => Some(*rank) == highest,
            false => {
                let other = |(other, _, spelt): &(String, usize, bool)| {
                    *spelt && uniform(other) == uniform(name)
                };
                *exact || !known.iter().any(other)
            }
        });
        names.into_iter().map(|(name, ..)| name).collect()
    }

    /// The entries of a map, under the names that they were given; what counts most is last.
    pub(super) fn entries(&self, map: &str) -> Vec<(String, Result<Found, Unfilled>)> {
        let pattern = Pattern::of(map);
        let mut entries: Vec<(String, &Property)> = Vec::new();
        for property in &self.properties {
            let data = pattern.data_in(&property.name);
            let Some(name) = data.and_then(|mut data| data.pop()) else {
                continue;
            };
            entries.retain(|(known, _)| *known != name);
            entries.push((name, property));
        }
        let filled = |(name, property)| (name, self.filled(property));
        entries.into_iter().map(filled).collect()
    }

    fn last(&self, pattern: &Pattern) -> Option<&Property> {
        let mut from_above = self.properties.iter().rev();
        from_above.find(|property| pattern.data_in(&property.name).is_some())
    }

    pub(super) fn filled(&self, property: &Property) -> Result<Found, Unfilled> {
        let lookup = |name: &str| self.fact(name);
        let filled = property
            .filled
            .get_or_init(|| fill(&property.text, &lookup));
        match filled {
            Ok(filled) => Ok(property.found(filled)),
            Err(problem) => Err(Unfilled {
                from: property.from.clone(),
                problem: problem.to_string(),
            }),
        }
    }

    /// What a placeholder of this name stands for.
    fn fact(&self, name: &str) -> Option<String> {
        let pattern = Pattern::literally(name);
        let given = self.last(&pattern).map(|property| property.text.clone());
        let given = given.or_else(|| {
            let netflix = netflix::canonical(name)?;
            let property = self.last(&Pattern::literally(&netflix))?;
            Some(property.text.clone())
        });
        given.or_else(|| {
            let name = Name::dotted(name);
            let mut facts = self.facts.iter();
            let fact = facts.find(|(key, _)| Pattern::of(key).data_in(&name).is_some())?;
            Some(fact.1.clone())
        })
    }

    /// The parts of a list, as they count at present; for the loader.
    pub(super) fn words(&self, key: &'static str) -> Vec<String> {
        parts(self.list(&key.into()))
    }

    /// The parts of a list in a map.
    pub(super) fn words_at(&self, key: &'static str, name: &str) -> Vec<String> {
        parts(self.list(&Key::at(key, name)))
    }

    /// The parts of a list in every source that has it, what counts least first.
    pub(super) fn words_of_all(&self, key: &'static str) -> Vec<String> {
        let (whole, element) = (Pattern::of(key), Pattern::of(key).below());
        let has_it = |property: &&Property| {
            let data = whole.data_in(&property.name);
            data.or_else(|| element.data_in(&property.name)).is_some()
        };
        let of_all = self.properties.iter().filter(has_it);
        parts(of_all.map(|property| self.filled(property)).collect())
    }
}

/// What stands between commas.
fn parts(found: Vec<Result<Found, Unfilled>>) -> Vec<String> {
    let found = found.into_iter().flatten();
    found
        .flat_map(|found| items(&found.text).map(String::from).collect::<Vec<_>>())
        .collect()
}

/// A value whose placeholders cannot be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unfilled {
    pub(super) from: String,
    pub(super) problem: String,
}

/// Sorted, so that of two spellings of one name always the same one counts.
pub(super) fn from_environment(
    environment: impl IntoIterator<Item = (String, String)>,
) -> Vec<Property> {
    let mut pairs: Vec<_> = environment.into_iter().collect();
    pairs.sort();
    let property = |(name, text): (String, String)| {
        let from = format!("the environment variable {name}");
        Property::new(Name::environment(&name), text, from)
    };
    pairs.into_iter().map(property).collect()
}

pub(super) fn from_arguments(
    arguments: impl IntoIterator<Item = (String, String)>,
    prefix: &str,
) -> Vec<Property> {
    let property = |(name, text): (String, String)| {
        let from = format!("the argument {prefix}{name}");
        // Netflix' names are arguments of its server; where a name is one of Spring's, it is that.
        let netflix = match keys::is_known(&name) {
            true => None,
            false => netflix::canonical(&name),
        };
        Property::new(Name::dotted(&netflix.unwrap_or(name)), text, from)
    };
    arguments.into_iter().map(property).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn pairs(pairs: Pairs<'_>) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        pairs.iter().map(owned).collect()
    }

    fn sources(environment: Pairs<'_>, arguments: Pairs<'_>) -> Sources {
        Sources::new(pairs(environment), pairs(arguments))
    }

    fn text(sources: &Sources, key: impl Into<Key>) -> Option<String> {
        let found = sources.get(&key.into())?;
        Some(found.unwrap().text)
    }

    fn list(sources: &Sources, key: &'static str) -> Vec<String> {
        let found = sources.list(&key.into()).into_iter();
        found.map(|found| found.unwrap().text).collect()
    }

    #[test]
    fn the_command_line_wins_and_a_value_knows_where_it_is_from() {
        let sources = sources(&[("SERVER_PORT", "1")], &[("server.port", "2")]);
        let found = sources.get(&keys::PORT.into()).unwrap().unwrap();
        assert_eq!(found.text, "2");
        assert_eq!(found.from, "the argument --server.port");
        assert!(sources.has(&keys::PORT.into()) && !sources.has(&keys::MODE.into()));
    }

    #[test]
    fn a_list_is_of_the_source_that_counts_most() {
        let key = "a.list";
        for (environment, arguments, wanted) in [
            (&[][..], &[("a.list", "x, y")][..], &["x, y"][..]),
            (&[], &[("a.list[1]", "y"), ("a.list[0]", "x")], &["x", "y"]),
            (
                &[("A_LIST_0", "x"), ("A_LIST_1", "y")],
                &[("a.list[0]", "z")],
                &["z"],
            ),
            (&[("A_LIST_0", "x")], &[("a.list", "z")], &["z"]),
            (&[("A_LIST", "x")], &[("a.list[0]", "z")], &["z"]),
            (&[("A_LIST_10", "k"), ("A_LIST_9", "j")], &[], &["j", "k"]),
            (&[], &[], &[]),
        ] {
            let sources = sources(environment, arguments);
            assert_eq!(list(&sources, key), wanted, "{environment:?} {arguments:?}");
            assert_eq!(sources.has(&key.into()), !wanted.is_empty());
        }
    }

    #[test]
    fn what_was_given_last_for_an_entry_counts_and_is_last() {
        let name = |zone: &str| format!("eureka.client.service-url.{zone}");
        let given = [("a", "1"), ("b", "2"), ("a", "3")];
        let arguments = given.map(|(zone, value)| (name(zone), value.to_string()));
        let environment = pairs(&[("EUREKA_CLIENT_SERVICEURL_C", "0")]);
        let sources = Sources::new(environment, arguments);
        let entries = sources.entries(keys::SERVICE_URL).into_iter();
        let entries: Vec<_> = entries
            .map(|(zone, found)| (zone, found.unwrap().text))
            .collect();
        assert_eq!(entries, pairs(&[("c", "0"), ("b", "2"), ("a", "3")]));
    }

    #[test]
    fn names_are_found_by_any_key_of_a_family_and_lists_are_of_one_source() {
        const PASSWORD: &str = "s.users.<name>.password";
        const ROLES: &str = "s.users.<name>.roles";
        let family = [PASSWORD, ROLES];
        let sources = sources(
            &[
                ("S_USERS_ALICE_PASSWORD", "env"),
                ("S_USERS_CAROL_ROLES_0", "read"),
            ],
            &[
                ("s.users.Alice.roles[0]", "peer"),
                ("s.users.bob.password", "arg"),
                ("s.users.bob.roles", "read,admin"),
            ],
        );
        assert_eq!(sources.names(&family), ["carol", "Alice", "bob"]);
        assert_eq!(
            text(&sources, Key::at(PASSWORD, "Alice")),
            Some("env".to_string())
        );
        assert_eq!(sources.words_at(ROLES, "bob"), ["read", "admin"]);
        assert_eq!(sources.words_at(ROLES, "carol"), ["read"]);

        let sources = self::sources(
            &[("S_USERS_0_PASSWORD", "low"), ("S_USERS_1_PASSWORD", "low")],
            &[("s.users[0].password", "high")],
        );
        assert_eq!(sources.names(&family), ["[0]"]);
    }

    /// config.md §6.4.
    #[test]
    fn placeholders_are_filled_in_from_all_sources_and_stay_the_same() {
        let mut sources = sources(
            &[("PEER", "p"), ("A_URL", "http://${peer}:${server.port}/")],
            &[
                ("server.port", "7"),
                ("a.id", "${random.value}"),
                ("a.x", "${host-name:d}"),
            ],
        );
        sources.facts = pairs(&[("server.port", "8761"), ("host.name", "h")]);
        assert_eq!(text(&sources, "a.url"), Some("http://p:7/".to_string()));
        assert_eq!(text(&sources, "a.x"), Some("d".to_string()));
        assert_eq!(text(&sources, "a.id"), text(&sources, "a.id"));
        assert_eq!(sources.fact("HOST.NAME"), Some("h".to_string()));
        assert_eq!(sources.fact("<x>"), None);
    }
}
