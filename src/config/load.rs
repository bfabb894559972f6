//! Files to sources: which files there are, which of their documents count, and what they bring in.
//!
//! What counts least is read first (config.md §6.1): folder by folder the files without a profile, then, profile by
//! profile, those that have it in their name; in a folder YAML before `.properties`. A document is followed by what
//! it imports. Without profiles, documents and files of profiles are left out: so one learns which are active.

use std::io;
use std::path::{Path, PathBuf};

use super::files::{Document, FileError, Files, Line, from_properties, from_yaml};
use super::location::{Location, Place};
use super::mistake::ConfigError;
use super::profiles::Profiles;
use super::property::Property;
use super::relaxed::{Name, Pattern};
use super::{Sources, keys};

mod netflix_files;
mod tree;

/// What counts least first.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "properties"];
const USUAL: &str = "optional:file:./;optional:file:./config/;optional:file:./config/*/";

/// What a document of one profile may not say: it would make others active.
const NOT_OF_A_PROFILE: [&str; 3] = [keys::ACTIVE, keys::DEFAULT_PROFILES, keys::INCLUDE];

/// Reads all files that count, with these profiles or, at first, without any.
pub(super) fn load(
    files: &dyn Files,
    above: &Sources,
    profiles: Option<&Profiles>,
    platform: Option<&str>,
) -> Sources {
    let mut loader = Loader {
        files,
        above,
        profiles,
        platform,
        found: Sources::default(),
        open: Vec::new(),
    };
    let mut groups = above.words(keys::CONFIG_LOCATION);
    if groups.is_empty() {
        groups.push(USUAL.to_string());
    }
    groups.extend(above.words(keys::CONFIG_MORE));
    for group in groups {
        let locations: Vec<_> = group
            .split(';')
            .map(|text| Location::of(text, Path::new("")))
            .collect();
        loader.locations(&locations);
    }
    if above.has(&keys::CONFIG_IMPORT.into()) {
        // It counts most of all files, whatever documents import.
        let known = loader.known(above);
        loader.import(Path::new(""), &known);
    }
    loader.found
}

struct Loader<'l> {
    files: &'l dyn Files,
    /// The environment and the command line.
    above: &'l Sources,
    profiles: Option<&'l Profiles>,
    platform: Option<&'l str>,
    found: Sources,
    /// Files that are being read, each imported by the one before it.
    open: Vec<PathBuf>,
}

impl Loader<'_> {
    /// Places that count alike: those without a profile first.
    fn locations(&mut self, locations: &[Location]) {
        for location in locations {
            self.location(location, None);
        }
        let profiles = self.profiles.map_or(&[][..], |profiles| profiles.names());
        for profile in profiles {
            for location in locations {
                self.location(location, Some(profile));
            }
        }
    }

    fn location(&mut self, location: &Location, profile: Option<&str>) {
        match &location.place {
            Place::Path(path) => self.path(path, location.optional, profile),
            Place::FoldersIn(folder) => {
                for name in self.files.list(folder).unwrap_or_default() {
                    let folder = folder.join(name);
                    if self.files.list(&folder).is_ok() {
                        self.folder(&folder, profile);
                    }
                }
            }
            Place::Tree(folder) if profile.is_none() => self.tree(folder, location.optional),
            Place::Elsewhere(text) if profile.is_none() => {
                let warning = format!("{text}: settings are read from files only");
                self.found.warn(warning);
            }
            Place::Tree(_) | Place::Elsewhere(_) => {}
        }
    }

    /// A file, or a folder of files with the usual names.
    fn path(&mut self, path: &Path, optional: bool, profile: Option<&str>) {
        if self.files.list(path).is_ok() {
            return self.folder(path, profile);
        }
        let path = match profile {
            Some(profile) => with_profile(path, profile),
            None => path.to_path_buf(),
        };
        if !self.file(&path, profile) && !optional && profile.is_none() {
            self.refuse(&path, "there is no such file or folder".to_string());
        }
    }

    fn folder(&mut self, folder: &Path, profile: Option<&str>) {
        if profile.is_none() {
            self.netflix_files(folder);
        }
        let mut names = self.above.words(keys::CONFIG_NAME);
        if names.is_empty() {
            names.push("application".to_string());
        }
        for name in names {
            let stem = match profile {
                Some(profile) => format!("{name}-{profile}"),
                None => name,
            };
            for extension in EXTENSIONS {
                let file = folder.join(format!("{stem}.{extension}"));
                self.file(&file, profile);
            }
        }
    }

    /// Whether the file is there.
    fn file(&mut self, path: &Path, profile: Option<&str>) -> bool {
        let text = match self.files.read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return false,
            Err(error) => {
                self.refuse(path, error.to_string());
                return true;
            }
        };
        self.found.files.push(shown(path));
        match documents(path, &text) {
            Ok(documents) => {
                self.open.push(path.to_path_buf());
                for document in documents {
                    self.document(path, document, profile);
                }
                self.open.pop();
            }
            Err(error) => self.refuse(path, error.to_string()),
        }
        true
    }

    fn document(&mut self, path: &Path, document: Document, profile: Option<&str>) {
        let place = |line: &Line| format!("{}, line {}", shown(path), line.number);
        let property =
            |line: &Line| Property::new(Name::dotted(&line.name), line.text.clone(), place(line));
        if self.is_netflix(path) {
            let properties = document.lines.iter().map(property).collect();
            return self.netflix_document(path, properties);
        }
        let mut properties: Vec<_> = document.lines.iter().map(property).collect();
        let mut alone = Sources::default();
        alone.add(properties.iter().cloned());
        let Some(conditional) = self.counts(path, &alone) else {
            return;
        };
        if conditional || profile.is_some() {
            self.without_profiles(&mut properties);
        }
        self.found.add(properties);
        if alone.has(&keys::CONFIG_IMPORT.into()) {
            alone.append(&self.above.without(keys::CONFIG_IMPORT));
            let known = self.known(&alone);
            self.import(path.parent().unwrap_or(Path::new("")), &known);
        }
    }

    /// Whether a document counts under a condition, or without one; not at all is none.
    fn counts(&mut self, path: &Path, document: &Sources) -> Option<bool> {
        let platforms = document.words(keys::ON_PLATFORM);
        let elsewhere = |platform: &String| {
            let here = self.platform.unwrap_or("none");
            super::relaxed::uniform(platform) != super::relaxed::uniform(here)
        };
        if !platforms.is_empty() && platforms.iter().all(elsewhere) {
            return None;
        }
        let mut conditions = document.words(keys::ON_PROFILE);
        let old = document.words(keys::OLD_ON_PROFILE);
        if !old.is_empty() {
            let warning = format!(
                "{}: {} is read as {}; write that",
                shown(path),
                keys::OLD_ON_PROFILE,
                keys::ON_PROFILE
            );
            self.found.warn(warning);
            conditions.extend(old);
        }
        if conditions.is_empty() {
            return Some(false);
        }
        match self.profiles?.fulfil(&conditions) {
            Ok(true) => Some(true),
            Ok(false) => None,
            Err(error) => {
                let problem = format!("{} {:?}: {error}", keys::ON_PROFILE, conditions.join(", "));
                self.refuse(path, problem);
                None
            }
        }
    }

    /// Takes out what would make other profiles active.
    fn without_profiles(&mut self, properties: &mut Vec<Property>) {
        for key in NOT_OF_A_PROFILE {
            let (whole, element) = (Pattern::of(key), Pattern::of(key).below());
            properties.retain(|property| {
                let is_it = [&whole, &element]
                    .iter()
                    .any(|pattern| pattern.data_in(&property.name).is_some());
                if is_it {
                    let from = &property.from;
                    let warning = format!("{key} has no effect in a document of a profile, {from}");
                    self.found.warn(warning);
                }
                !is_it
            });
        }
    }

    /// What was found so far, and above it this: what placeholders are filled in from.
    fn known(&self, above: &Sources) -> Sources {
        let mut known = self.found.clone();
        known.append(above);
        known.facts = self.above.facts.clone();
        known
    }

    /// What is brought in counts more than what names it.
    fn import(&mut self, here: &Path, known: &Sources) {
        let texts = known.words(keys::CONFIG_IMPORT).into_iter();
        let locations: Vec<_> = texts
            .map(|text| Location::of(text.trim_end_matches("[.yaml]").trim_end_matches("[.yml]"), here))
            .filter(|location| !matches!(&location.place, Place::Path(path) if self.open.contains(path)))
            .collect();
        self.locations(&locations);
    }

    fn refuse(&mut self, path: &Path, problem: String) {
        let from = shown(path);
        self.found
            .mistakes
            .push(ConfigError::Source { from, problem });
    }
}

fn documents(path: &Path, text: &str) -> Result<Vec<Document>, FileError> {
    match path.extension() {
        Some(extension) if extension == "properties" => from_properties(text),
        _ => from_yaml(text),
    }
}

/// `application.yml` and `prod` to `application-prod.yml`.
fn with_profile(path: &Path, profile: &str) -> PathBuf {
    let text =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let stem = text(path.file_stem());
    match path.extension() {
        Some(extension) => {
            let extension = text(Some(extension));
            path.with_file_name(format!("{stem}-{profile}.{extension}"))
        }
        None => path.with_file_name(format!("{stem}-{profile}")),
    }
}

/// A path as one would write it.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    text.strip_prefix("./").map_or(text.clone(), String::from)
}
