//! One try at one server: its credentials, where it sends one to, and what came of it.
//!
//! Redirects are followed with method and body as they are, at most [`HOPS`] of them; credentials go only to the
//! origin that they were given for (client.md §11.4). A refused token is renewed once.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use url::Url;

use super::credentials::Credentials;
use super::verdict::{Verdict, judge};
use crate::client::backend::{Backend, CallFailed, Request, Response};
use crate::client::operation::Operation;
use crate::model::NodeUrl;
use crate::wire::one_line;

/// How often one try is sent elsewhere.
const HOPS: usize = 5;

/// How requests are made.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) credentials: Credentials,
    pub(crate) follow_redirects: bool,
    /// Headers of every request.
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// What came of a try.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// An answer that is accepted.
    Answered(Response),
    /// The server is well and says no.
    Refused { status: u16, text: String },
    /// The server is not well; it may have asked for a pause.
    Failed {
        why: String,
        asked: Option<Duration>,
    },
}

impl Asker {
    /// Tries it, for so long in all.
    pub(crate) async fn attempt(
        &self,
        server: &NodeUrl,
        operation: &Operation,
        patience: Duration,
    ) -> Attempt {
        match timeout(patience, self.hops(server, operation, patience)).await {
            Ok(attempt) => attempt,
            Err(_) => failed(CallFailed::TimedOut(patience).to_string()),
        }
    }

    async fn hops(&self, server: &NodeUrl, operation: &Operation, patience: Duration) -> Attempt {
        let ends = Instant::now() + patience;
        let mut url = format!("{server}{}", operation.path());
        let mut fresh = false;
        for _ in 0..=HOPS {
            let left = ends.saturating_duration_since(Instant::now());
            let request = self.request(server, operation, &url, fresh, left).await;
            let answer = match request {
                Ok(request) => self.backend.send(request).await,
                Err(error) => return failed(format!("no token: {error}")),
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => return failed(error.to_string()),
            };
            match judge(operation, &answer) {
                Verdict::Accepted => return Attempt::Answered(answer),
                Verdict::Elsewhere(there) if self.follow_redirects => match joined(&url, &there) {
                    Some(next) => url = next,
                    None => return failed(format!("it sends one to {}", one_line(&there))),
                },
                Verdict::Unauthorized if !fresh && self.credentials.can_be_renewed() => {
                    fresh = true;
                }
                Verdict::Unauthorized | Verdict::Disagrees => return refused(&answer),
                Verdict::Elsewhere(_) => return failed(format!("status {}", answer.status)),
                Verdict::Sick(asked) => {
                    let why = format!("status {}", answer.status);
                    return Attempt::Failed { why, asked };
                }
            }
        }
        failed("it sends one round in circles".to_string())
    }

    async fn request(
        &self,
        server: &NodeUrl,
        operation: &Operation,
        url: &str,
        fresh: bool,
        timeout: Duration,
    ) -> std::io::Result<Request> {
        let body = operation.body();
        let mut headers = self.headers.clone();
        if !body.is_empty() {
            headers.push(("content-type", "application/json".to_string()));
        }
        if same_origin(url, server.as_str())
            && let Some(proof) = self.credentials.header(server, fresh).await?
        {
            headers.push(("authorization", proof));
        }
        Ok(Request {
            method: operation.method(),
            url: url.to_string(),
            headers,
            body,
            timeout,
        })
    }
}

fn failed(why: String) -> Attempt {
    Attempt::Failed { why, asked: None }
}

fn refused(answer: &Response) -> Attempt {
    /// Enough to see what it is about.
    const BEGINNING: usize = 300;
    let beginning = &answer.body[..answer.body.len().min(BEGINNING)];
    Attempt::Refused {
        status: answer.status,
        text: one_line(&String::from_utf8_lossy(beginning)),
    }
}

/// `there`, as it is meant at `here`; only where it is a place on the web.
fn joined(here: &str, there: &str) -> Option<String> {
    let next = Url::parse(here).ok()?.join(there).ok()?;
    matches!(next.scheme(), "http" | "https").then(|| next.into())
}

fn same_origin(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}
