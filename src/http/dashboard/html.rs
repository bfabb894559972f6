//! What every page goes out with: nothing in it runs but our own script, nobody frames it, and nothing of it is told
//! to others.

use std::future::Future;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use tokio::time::Instant;

use super::assets;
use crate::http::labels::Label;
use crate::http::ops::counted;
use crate::http::state::Http;
use crate::mailbox::Shut;

/// Style, script and answers come from the node itself; nothing stands in the page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What stands around the content of every page.
pub(super) struct Frame {
    pub(super) title: String,
    /// The folder of all pages, relative to this one.
    pub(super) base: String,
    /// Which of the pages of the menu this is.
    pub(super) here: &'static str,
    pub(super) mode: &'static str,
    pub(super) environment: String,
    pub(super) node: String,
    pub(super) version: &'static str,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
}

impl Frame {
    pub(super) fn new(http: &Http, request: &HttpRequest, here: &'static str, title: &str) -> Self {
        let home = format!("{}{}", http.config.http.context_path, http.config.page.path);
        Self {
            title: format!("{title} · heureka"),
            base: base(&home, request.path()),
            here,
            mode: http.config.mode.as_str(),
            environment: http.config.page.environment.clone(),
            node: format!("{}:{}", http.identity.host_name, http.identity.port),
            version: env!("CARGO_PKG_VERSION"),
            style: assets::style_version(),
            script: assets::script_version(),
        }
    }
}

/// The folder of the pages as it is seen from the page at `path`. The first page has two addresses where it is not at
/// the root: with a slash at its end, and without, which is `home`.
fn base(home: &str, path: &str) -> String {
    match home.rsplit_once('/') {
        Some((_, last)) if path == home => format!("./{last}/"),
        _ => "./".to_string(),
    }
}

/// Answers with a page, or says that the node is busy or on its way out.
pub(super) async fn answered(
    http: &Http,
    request: &HttpRequest,
    label: Label,
    page: impl Future<Output = Result<HttpResponse, Shut>>,
) -> HttpResponse {
    let started = Instant::now();
    let response = match page.await {
        Ok(response) => response,
        Err(_) => HttpResponse::ServiceUnavailable().finish(),
    };
    counted(http, request, label, started, response)
}

/// A page as an answer.
pub(super) fn page(html: String) -> HttpResponse {
    with_status(StatusCode::OK, html)
}

/// A page that says what is not as it was asked for.
pub(super) fn with_status(status: StatusCode, html: String) -> HttpResponse {
    HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        // Not none at all: a browser would then say of our own forms that they come from nowhere.
        .insert_header((header::REFERRER_POLICY, "same-origin"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(html)
}

/// A template as text. Only a failing writer could fail, and a String does not.
pub(super) fn text(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_finds_the_folder_of_all() {
        for (home, path, expected) in [
            ("", "/", "./"),
            ("", "/lastn", "./"),
            ("/ctx", "/ctx", "./ctx/"),
            ("/ctx", "/ctx/", "./"),
            ("/ctx/dash", "/ctx/dash", "./dash/"),
            ("/ctx/dash", "/ctx/dash/instance", "./"),
        ] {
            assert_eq!(base(home, path), expected, "{path}");
        }
    }
}
