//! How much of the pages may go on at once: whoever looks on must not be felt by those who beat.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::web;
use tokio::sync::Semaphore;

use crate::mailbox::Shut;

/// Pages that are written at once; others wait for their turn.
const WRITERS: usize = 2;
/// Viewers who are told of changes as they happen; others have to reload.
const STREAMS: usize = 64;

/// What the pages of a node share.
#[derive(Debug)]
pub struct Pages {
    writers: Arc<Semaphore>,
    streams: Arc<AtomicUsize>,
}

/// One of the viewers who are told of changes, for as long as this lives.
#[derive(Debug)]
pub(super) struct Viewer(Arc<AtomicUsize>);

impl Default for Pages {
    fn default() -> Self {
        Self {
            writers: Arc::new(Semaphore::new(WRITERS)),
            streams: Arc::default(),
        }
    }
}

impl Pages {
    /// Does what takes a look at every instance, away from the workers.
    pub(in crate::http) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Shut> {
        let turn = self.writers.clone().acquire_owned().await;
        let turn = turn.map_err(|_| Shut::Gone)?;
        let done = web::block(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.map_err(|_| Shut::Gone)
    }

    /// A place among the viewers, if there is one.
    pub(super) fn viewer(&self) -> Option<Viewer> {
        let before = self.streams.fetch_add(1, Ordering::Relaxed);
        let viewer = Viewer(self.streams.clone());
        (before < STREAMS).then_some(viewer)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewers_are_bounded_and_those_who_leave_make_room() {
        let pages = Pages::default();
        let mut viewers: Vec<Viewer> = (0..STREAMS).filter_map(|_| pages.viewer()).collect();
        assert_eq!(viewers.len(), STREAMS);
        assert!(pages.viewer().is_none());
        viewers.pop();
        assert!(pages.viewer().is_some());
    }
}
