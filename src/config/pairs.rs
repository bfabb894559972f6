//! What was given, as plain pairs: for the client library, which reads its own settings from them.

use super::Sources;
use super::mistake::ConfigError;
use super::relaxed::uniform;

impl Sources {
    /// All values whose names begin with one of these, with their placeholders filled in; what counts most is last. The
    /// elements of a list are one value with commas. What is wrong with any source is told first.
    pub fn pairs(&self, below: &[&str]) -> Result<Vec<(String, String)>, ConfigError> {
        if let Some(mistake) = self.mistakes.first() {
            return Err(mistake.clone());
        }
        let below: Vec<_> = below.iter().map(|prefix| uniform(prefix)).collect();
        let is_wanted = |name: &str| {
            let name = uniform(name);
            below.iter().any(|prefix| name.starts_with(prefix))
        };
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut before = None;
        for property in &self.properties {
            let written = &property.name.text;
            if !is_wanted(written) {
                continue;
            }
            let found = self.filled(property);
            let found = found.map_err(|unfilled| ConfigError::Placeholder {
                key: written.clone(),
                problem: unfilled.problem,
                from: unfilled.from,
            })?;
            let (name, is_element) = base_of(written);
            let list = (name.to_string(), property.rank);
            match pairs.last_mut() {
                Some((_, text)) if is_element && before.as_ref() == Some(&list) => {
                    text.push(',');
                    text.push_str(&found.text);
                }
                _ => pairs.push((name.to_string(), found.text)),
            }
            before = is_element.then_some(list);
        }
        Ok(pairs)
    }
}

/// `a.b` of `a.b[1]`, and whether it was an element.
fn base_of(name: &str) -> (&str, bool) {
    let element = name
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['));
    match element {
        Some((base, index)) if index.parse::<usize>().is_ok() => (base, true),
        _ => (name, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(arguments: &[(&str, &str)]) -> Result<Vec<(String, String)>, ConfigError> {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let sources = Sources::new([], arguments.iter().map(owned));
        sources.pairs(&["eureka.client", "server.port"])
    }

    #[test]
    fn lists_become_one_value_placeholders_are_filled_in_and_others_are_left_out() {
        let found = pairs(&[
            ("eureka.client.region", "${where}"),
            ("eureka.client.availability-zones.eu[0]", "z1"),
            ("eureka.client.availability-zones.eu[1]", "z2"),
            ("eureka.client.availability-zones.us[0]", "z3"),
            ("Eureka.Client.service-url[z1]", "http://a/"),
            ("serverPort", "9000"),
            ("eureka.instance.hostname", "h"),
            ("where", "eu"),
        ]);
        let expected = [
            ("eureka.client.region", "eu"),
            ("eureka.client.availability-zones.eu", "z1,z2"),
            ("eureka.client.availability-zones.us", "z3"),
            ("Eureka.Client.service-url[z1]", "http://a/"),
            ("serverPort", "9000"),
        ];
        let expected = expected.map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(found.unwrap(), expected);
        let circle = pairs(&[("eureka.client.region", "${eureka.client.region}")]);
        assert!(matches!(circle, Err(ConfigError::Placeholder { .. })));
    }
}
