//! One client from its registration to its end.

use std::rc::Rc;
use std::time::Duration;

use hyper::Method;
use hyper::body::Bytes;
use rand::RngExt;
use tokio::time::{Instant, sleep, sleep_until};

use super::figures::{Kind, Verdict};
use super::fleet::Fleet;
use super::record::Record;

/// How long a client waits where it is told to come again.
const PAUSE: Duration = Duration::from_secs(1);

/// A client with one instance.
pub(super) struct Client {
    fleet: Rc<Fleet>,
    record: Record,
    /// Which of the connections it uses.
    link: usize,
    has_list: bool,
}

impl Client {
    pub(super) fn new(fleet: Rc<Fleet>, number: u64) -> Self {
        let settings = &fleet.settings;
        let record = Record::new(number, settings.applications, settings.beat);
        let link = (number % fleet.links.len() as u64) as usize;
        Self {
            fleet,
            record,
            link,
            has_list: false,
        }
    }

    /// Registers, as often as it takes.
    pub(super) async fn register(&self) {
        while self.enter().await != Verdict::Done {
            sleep(PAUSE).await;
        }
    }

    async fn enter(&self) -> Verdict {
        let path = format!("apps/{}", self.record.app);
        let body = self.record.body.clone();
        self.ask(Kind::Register, Method::POST, &path, body, Instant::now())
            .await
    }

    /// Beats and reads, each by a timer of its own with its own place in the interval, until `end`.
    pub(super) async fn live(&mut self, end: Instant) {
        let (beat, read) = (self.fleet.settings.beat, self.fleet.settings.read);
        let mut next_beat = Instant::now() + some_of(beat);
        let mut next_read = match read > 0.0 {
            true => Instant::now() + some_of(read),
            false => end,
        };
        loop {
            let next = next_beat.min(next_read).min(end);
            sleep_until(next).await;
            if next >= end {
                return;
            }
            if next == next_beat {
                self.beat(next).await;
                next_beat += Duration::from_secs_f64(beat);
            } else {
                self.read(next).await;
                next_read += Duration::from_secs_f64(read);
            }
        }
    }

    async fn beat(&self, due: Instant) {
        let Record { app, id, stamp, .. } = &self.record;
        let path = format!("apps/{app}/{id}?status=UP&lastDirtyTimestamp={stamp}");
        if self
            .ask(Kind::Beat, Method::PUT, &path, Bytes::new(), due)
            .await
            == Verdict::Unknown
        {
            self.enter().await;
        }
    }

    async fn read(&mut self, due: Instant) {
        let (kind, path) = match self.has_list {
            true => (Kind::Delta, "apps/delta"),
            false => (Kind::Full, "apps"),
        };
        let verdict = self.ask(kind, Method::GET, path, Bytes::new(), due).await;
        self.has_list |= verdict == Verdict::Done;
    }

    /// Deregisters; a client on its way out does not try twice.
    pub(super) async fn leave(&self) {
        let path = format!("apps/{}/{}", self.record.app, self.record.id);
        self.ask(
            Kind::Leave,
            Method::DELETE,
            &path,
            Bytes::new(),
            Instant::now(),
        )
        .await;
    }

    /// A request's time counts from when it was due: who waits for a connection that is busy waits for the server.
    async fn ask(
        &self,
        kind: Kind,
        method: Method,
        path: &str,
        body: Bytes,
        due: Instant,
    ) -> Verdict {
        let answer = self.fleet.links[self.link]
            .lock()
            .await
            .ask(method, path, body)
            .await;
        self.fleet
            .figures
            .borrow_mut()
            .enter(kind, due.elapsed(), answer)
    }
}

/// Somewhere within so many seconds.
fn some_of(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds * rand::rng().random::<f64>())
}
