//! Files whose names are keys and whose texts are values, as secrets are mounted into containers.

use std::io;
use std::path::Path;

use super::{Loader, shown};
use crate::config::property::Property;
use crate::config::relaxed::Name;

/// Folders within folders.
const DEEPEST: usize = 10;

impl Loader<'_> {
    /// All files below a folder.
    pub(super) fn tree(&mut self, folder: &Path, optional: bool) {
        let mut properties = Vec::new();
        match self.branch(folder, "", &mut properties, 0) {
            Ok(()) => self.found.add(properties),
            Err(error) if optional && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.refuse(folder, error.to_string()),
        }
    }

    fn branch(
        &self,
        folder: &Path,
        prefix: &str,
        properties: &mut Vec<Property>,
        depth: usize,
    ) -> io::Result<()> {
        for name in self.files.list(folder)? {
            // `..data` and the like are how Kubernetes changes all files at once.
            if name.starts_with('.') || depth > DEEPEST {
                continue;
            }
            let path = folder.join(&name);
            let key = format!("{prefix}{name}");
            if self.files.list(&path).is_ok() {
                self.branch(&path, &format!("{key}."), properties, depth + 1)?;
                continue;
            }
            let text = self.files.read(&path)?;
            let text = text.strip_suffix('\n').unwrap_or(&text).to_string();
            properties.push(Property::new(Name::dotted(&key), text, shown(&path)));
        }
        Ok(())
    }
}
