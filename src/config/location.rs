//! Where files of settings are, in Spring's words: `optional:file:./config/`, `config/*/`, `configtree:/run/x/`.

use std::path::{Path, PathBuf};

/// One place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    /// Nobody minds if it is not there.
    pub(super) optional: bool,
    pub(super) place: Place,
}

/// What kind of place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A file, or a folder with files of the usual names.
    Path(PathBuf),
    /// All folders in this one, each with files of the usual names.
    FoldersIn(PathBuf),
    /// A folder of files whose names are keys.
    Tree(PathBuf),
    /// `classpath:`, `configserver:` and the like: nothing that could be read here.
    Elsewhere(String),
}

impl Location {
    /// Of a text. A path that is neither absolute nor has `file:` before it is relative to `here`.
    pub(super) fn of(text: &str, here: &Path) -> Self {
        let text = text.trim();
        let (optional, text) = match text.strip_prefix("optional:") {
            Some(text) => (true, text),
            None => (false, text),
        };
        Self {
            optional,
            place: place(text, here),
        }
    }
}

fn place(text: &str, here: &Path) -> Place {
    if let Some(path) = text.strip_prefix("configtree:") {
        return Place::Tree(below(here, path));
    }
    let path = match text.strip_prefix("file:") {
        Some(path) => PathBuf::from(path.strip_prefix("//").unwrap_or(path)),
        None if is_elsewhere(text) => return Place::Elsewhere(text.to_string()),
        None => below(here, text),
    };
    match path.to_str().and_then(|path| path.strip_suffix("*/")) {
        Some(folder) => Place::FoldersIn(folder.into()),
        None => Place::Path(path),
    }
}

fn below(here: &Path, path: &str) -> PathBuf {
    here.join(path.strip_prefix("file:").unwrap_or(path))
}

/// Whether there is something like `classpath:` before it.
fn is_elsewhere(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '*');
    scheme.len() > 1 && scheme.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart() {
        let path = |path: &str| Place::Path(path.into());
        for (text, optional, place) in [
            ("optional:file:./", true, path("./")),
            ("file:/etc/x.yml", false, path("/etc/x.yml")),
            ("file:///etc/x.yml", false, path("/etc/x.yml")),
            ("file:x.yml", false, path("x.yml")),
            (" x.yml ", false, path("conf/x.yml")),
            ("/etc/x/", false, path("/etc/x/")),
            (
                "optional:file:./config/*/",
                true,
                Place::FoldersIn("./config/".into()),
            ),
            ("configtree:/run/x/", false, Place::Tree("/run/x/".into())),
            (
                "optional:configtree:x/",
                true,
                Place::Tree("conf/x/".into()),
            ),
            (
                "optional:classpath:/",
                true,
                Place::Elsewhere("classpath:/".to_string()),
            ),
            (
                "configserver:http://c:8888",
                false,
                Place::Elsewhere("configserver:http://c:8888".to_string()),
            ),
        ] {
            let wanted = Location { optional, place };
            assert_eq!(Location::of(text, Path::new("conf")), wanted, "{text}");
        }
    }
}
