//! A copy on disk, for a start without servers (client.md §14).
//!
//! It is a list as Eureka writes it, whose version is the time it was written at. It is written anew beside the old one
//! and put in its place, so that no crash leaves half of it. Whatever is wrong with it only means that there is none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::listing::Listing;
use crate::model::{EpochMillis, LeaseTimes, Listed};
use crate::wire::json;

/// Where the copy is.
#[derive(Clone, Debug)]
pub(super) struct Disk(PathBuf);

impl Disk {
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_path_buf())
    }

    /// Writes the copy, on a thread that may wait.
    pub(super) async fn save(&self, listing: &Listing, now: EpochMillis) {
        let body = written(listing, now);
        let path = self.0.clone();
        let saved = tokio::task::spawn_blocking(move || replace(&path, &body)).await;
        let error = match saved {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error,
            Err(error) => io::Error::other(error),
        };
        tracing::warn!(path = %self.0.display(), %error, "the registry was not copied to disk");
    }

    /// The copy, and when it was written.
    pub(super) async fn load(&self) -> Option<(Listing, EpochMillis)> {
        let path = self.0.clone();
        let read = tokio::task::spawn_blocking(move || fs::read_to_string(path)).await;
        let body = match read {
            Ok(Ok(body)) => body,
            Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => return None,
            _ => {
                tracing::warn!(path = %self.0.display(), "the copy of the registry cannot be read");
                return None;
            }
        };
        let (list, _) = json::listing(&body, 0).ok()?;
        let written = list.version.parse().ok()?;
        Some((Listing::of(list, &Listing::default()), written))
    }
}

fn written(listing: &Listing, now: EpochMillis) -> Vec<u8> {
    let mut body = Vec::new();
    json::list_head(&mut body, &now.to_string(), &listing.hash_code());
    for (position, (name, instances)) in listing.apps().enumerate() {
        if position > 0 {
            body.push(b',');
        }
        json::begin_application(&mut body, name);
        for (position, info) in instances.values().enumerate() {
            if position > 0 {
                body.push(b',');
            }
            let times = LeaseTimes::default();
            json::write_instance(&mut body, Listed { info, times });
        }
        json::end_application(&mut body);
    }
    json::list_tail(&mut body);
    body
}

fn replace(path: &Path, body: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    fs::write(&beside, body)?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::samples;

    #[tokio::test]
    async fn what_was_saved_is_loaded_and_damage_is_no_copy() {
        let folder = std::env::temp_dir().join(format!("heureka-{}", rand::random::<u64>()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("registry.json");
        let disk = Disk::at(&path);
        assert!(disk.load().await.is_none());
        let mut listing = Listing::default();
        for (app, id) in [("A", "1"), ("A", "2"), ("B", "\"ü\"")] {
            listing.put(Arc::new(samples::instance(app, id)));
        }
        disk.save(&listing, 1234).await;
        let (loaded, written) = disk.load().await.unwrap();
        assert_eq!(written, 1234);
        assert!(loaded.iter().eq(listing.iter()));
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(disk.load().await.is_none());
        // A folder that is not there: it is logged, and nothing else happens.
        fs::remove_dir_all(&folder).unwrap();
        disk.save(&listing, 1234).await;
        assert!(disk.load().await.is_none());
    }
}
