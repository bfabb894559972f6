//! A folder with files of settings, and what becomes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use heureka::config::{Config, Disk, Given, Sources};

use crate::process::{self, End, Process};

/// A folder of its own, removed at the end.
pub struct Folder(PathBuf);

pub type Pairs<'a> = &'a [(&'a str, &'a str)];

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("heureka-settings-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// With one `application.yml`.
    pub fn with(yml: &str) -> Self {
        Self::new().file("application.yml", yml)
    }

    /// With one more file.
    pub fn file(self, name: &str, text: &str) -> Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// With the files of a set-up beside this file, some words replaced: names and ports that a test cannot have.
    pub fn of_setup(name: &str, words: Pairs<'_>) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/configuration")
            .join(name);
        let mut folder = Self::new();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let text = words
                .iter()
                .fold(text, |text, (word, other)| text.replace(word, other));
            folder = folder.file(path.file_name().unwrap().to_str().unwrap(), &text);
        }
        folder
    }

    /// What is in force, or the lines of what is wrong.
    pub fn config(
        &self,
        environment: Pairs<'_>,
        arguments: Pairs<'_>,
    ) -> Result<Config, Vec<String>> {
        let given = Given {
            environment: owned(environment),
            arguments: owned(arguments),
            ..Given::default()
        };
        let config = Config::read(&Sources::gather(&given, &Disk::below(&self.0)));
        config.map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect())
    }

    /// A node started in this folder. A busy machine makes its workers late, which is not what these tests are about: they
    /// turn nobody away.
    pub fn start(&self, arguments: &[&str], environment: Pairs<'_>) -> Process {
        let all = [environment, &[("EUREKA_SERVER_SHED_LAG_IN_MS", "0")]].concat();
        Process::start_in(&self.0, arguments, &all)
    }

    /// A command that ends by itself, run in this folder.
    pub fn run(&self, arguments: &[&str], environment: Pairs<'_>) -> End {
        process::ran_in(&self.0, arguments, environment)
    }

    /// What a start in this folder says that is refused.
    pub fn refused(&self, arguments: &[&str], environment: Pairs<'_>) -> Vec<String> {
        process::refused_in(&self.0, arguments, environment)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn owned(pairs: Pairs<'_>) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    pairs.iter().map(owned).collect()
}
