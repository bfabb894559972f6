//! Files with Netflix' names in them, which count less than Spring's in the same folder: the client's over the
//! server's, and those of an environment over those of all (config.md §7.3).

use std::path::Path;

use super::Loader;
use crate::config::property::Property;
use crate::config::relaxed::Name;
use crate::config::{PageConfig, keys, netflix};

/// The name under which a file names one that counts more.
const NEXT: &str = "@next";

impl Loader<'_> {
    /// Those in a folder.
    pub(super) fn netflix_files(&mut self, folder: &Path) {
        for stem in self.netflix_stems() {
            self.file(&folder.join(format!("{stem}.properties")), None);
            let environment = self.environment();
            let file = folder.join(format!("{stem}-{environment}.properties"));
            self.file(&file, None);
        }
    }

    fn netflix_stems(&self) -> [String; 2] {
        let named = |key, usual: &str| self.above.words(key).pop().unwrap_or(usual.to_string());
        [
            named(keys::NETFLIX_SERVER, "eureka-server"),
            named(keys::NETFLIX_CLIENT, "eureka-client"),
        ]
    }

    fn environment(&self) -> String {
        let named = [self.above, &self.found].map(|sources| sources.words(keys::ENVIRONMENT).pop());
        let mut named = named.into_iter().flatten();
        named.next().unwrap_or(PageConfig::default().environment)
    }

    /// Whether a file has Netflix' names in it.
    pub(super) fn is_netflix(&self, path: &Path) -> bool {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_properties = path
            .extension()
            .is_some_and(|extension| extension == "properties");
        let known = self.netflix_stems();
        is_properties && known.iter().any(|known| stem.starts_with(known.as_str()))
    }

    /// Takes the values of a document, and then the file that it names as the next.
    pub(super) fn netflix_document(&mut self, path: &Path, properties: Vec<Property>) {
        let (next, own): (Vec<_>, Vec<_>) = properties
            .into_iter()
            .partition(|property| property.name.text == NEXT);
        self.found.add(own.into_iter().flat_map(in_spring));
        let folder = path.parent().unwrap_or(Path::new(""));
        for Property { text, .. } in next {
            let file = folder.join(text.trim());
            if !self.open.contains(&file) && !self.file(&file, None) {
                self.refuse(
                    &file,
                    format!("there is no such file, and {} names it", path.display()),
                );
            }
        }
    }
}

/// The same in Spring's names. There is one port in Netflix' files, and a server in a container of servlets listens
/// on it.
fn in_spring(property: Property) -> Vec<Property> {
    let name = netflix::canonical(&property.name.text);
    let Some(name) = name else {
        return vec![property];
    };
    let mut names = vec![name];
    if names[0] == keys::NON_SECURE_PORT {
        names.push(keys::PORT.to_string());
    }
    let named = |name: String| Property {
        name: Name::dotted(&name),
        ..property.clone()
    };
    names.into_iter().map(named).collect()
}
