//! The only place where settings are read from a disk. Paths are relative to one folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::document::LONGEST;

/// Where files of settings are.
pub trait Files {
    /// The text of a file.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// The names in a folder, in order.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
}

/// Files on the disk.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Relative paths are below `folder`; of an empty one, below the folder that the process is in.
    pub fn below(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { folder }
    }
}

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<String> {
        let mut bytes = Vec::new();
        let file = File::open(self.folder.join(path))?;
        file.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            let problem = format!("longer than {LONGEST} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
        }
        let text = String::from_utf8(bytes);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not written in UTF-8"))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let path = match self.folder.join(folder) {
            here if here.as_os_str().is_empty() => PathBuf::from("."),
            path => path,
        };
        let mut names = Vec::new();
        for entry in path.read_dir()? {
            names.extend(entry?.file_name().into_string().ok());
        }
        names.sort();
        Ok(names)
    }
}
