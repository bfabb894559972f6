//! Whether files have changed since they were read: by their time and length, through links.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::model::{ClientTls, KeySource, Pem, ServerTls, TrustSource};

/// Files and what they were like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamps(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Stamps {
    /// Of all files that a node listens with.
    pub fn of_server(tls: &ServerTls) -> Self {
        Self::of(
            key(&tls.key)
                .into_iter()
                .chain(tls.trust.as_ref().and_then(trust)),
        )
    }

    /// Of all files that a node asks others with.
    pub fn of_client(tls: &ClientTls) -> Self {
        let keys = tls.key.iter().flat_map(key);
        Self::of(keys.chain(tls.trust.as_ref().and_then(trust)))
    }

    fn of<'p>(files: impl Iterator<Item = &'p Path>) -> Self {
        let stamped = files.map(|file| (file.to_path_buf(), stamp(file)));
        Self(stamped.collect())
    }

    /// The same files, as they are now.
    pub fn now(&self) -> Self {
        Self::of(self.0.iter().map(|(file, _)| file.as_path()))
    }
}

fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let file = fs::metadata(file).ok()?;
    Some((file.modified().ok()?, file.len()))
}

fn key(source: &KeySource) -> Vec<&Path> {
    match source {
        KeySource::Pem { chain, key } => [chain, key].into_iter().filter_map(pem).collect(),
        KeySource::Store { store, .. } => vec![&store.file],
    }
}

fn trust(source: &TrustSource) -> Option<&Path> {
    match source {
        TrustSource::Pem(text) => pem(text),
        TrustSource::Store(store) => Some(&store.file),
    }
}

fn pem(source: &Pem) -> Option<&Path> {
    match source {
        Pem::File(file) => Some(file),
        Pem::Text(_) => None,
    }
}
