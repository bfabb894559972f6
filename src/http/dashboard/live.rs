//! `/live`: server-sent events that say when something changed, so that a page fetches itself again. What changed is
//! not in them. Nobody is asked: the revision is an atomic, looked at a few times a second for each viewer.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix_web::http::{Method, header};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use bytes::Bytes;
use futures_util::stream::{Stream, unfold};
use tokio::time::{Instant, Interval, interval};

use super::pages::Viewer;
use crate::http::labels;
use crate::http::ops::counted;
use crate::http::state::Http;

/// How often a look is taken.
const LOOK: Duration = Duration::from_millis(250);
/// Looks without news after which a comment is sent, so that proxies do not take the connection for dead.
const QUIET: u32 = 60;
/// How long a page is told to wait before it asks again.
const RETRY: &str = "retry: 5000\n\n";

/// `GET /live`; 503 where there are too many viewers, and the page falls back to asking.
pub(in crate::http) async fn live(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let is_head = request.method() == Method::HEAD;
    let response = match http.pages.viewer() {
        Some(_) if is_head => stream().finish(),
        Some(viewer) => stream().streaming(events(http.clone(), viewer)),
        None => HttpResponse::ServiceUnavailable().finish(),
    };
    counted(&http, &request, labels::LIVE, Instant::now(), response)
}

fn stream() -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // A proxy that collects what it passes on would keep the news to itself.
        .insert_header(("x-accel-buffering", "no"));
    response
}

/// What one viewer was told.
struct Told {
    http: Data<Http>,
    _viewer: Viewer,
    look: Interval,
    revision: Option<u64>,
    quiet: u32,
}

fn events(http: Data<Http>, viewer: Viewer) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let told = Told {
        http,
        _viewer: viewer,
        look: interval(LOOK),
        revision: None,
        quiet: 0,
    };
    unfold(told, |mut told| async move {
        let event = told.next().await?;
        Some((Ok(Bytes::from(event)), told))
    })
}

impl Told {
    /// The next thing to say; nothing once the node is on its way out.
    async fn next(&mut self) -> Option<String> {
        loop {
            self.look.tick().await;
            if self.http.stopping.load(Ordering::Acquire) {
                return None;
            }
            let revision = self.http.published.revision();
            let before = self.revision.replace(revision);
            self.quiet += 1;
            let event = match before {
                None => format!("{RETRY}event: revision\ndata: {revision}\n\n"),
                Some(before) if before != revision => {
                    format!("event: revision\ndata: {revision}\n\n")
                }
                Some(_) if self.quiet >= QUIET => ": still here\n\n".to_string(),
                Some(_) => continue,
            };
            self.quiet = 0;
            return Some(event);
        }
    }
}
