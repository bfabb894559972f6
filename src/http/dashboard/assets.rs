//! Style, script and icon: files of their own, so that nothing in a page has to run or to be trusted.

use std::sync::LazyLock;

use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use ring::digest::{SHA256, digest};
use tokio::time::Instant;

use crate::http::labels;
use crate::http::ops::counted;
use crate::http::state::Http;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");
const ICON: &str = include_str!("icon.svg");

static STYLE_VERSION: LazyLock<String> = LazyLock::new(|| version(STYLE));
static SCRIPT_VERSION: LazyLock<String> = LazyLock::new(|| version(SCRIPT));

/// Names this style in the pages: another one has another address.
pub(super) fn style_version() -> &'static str {
    &STYLE_VERSION
}

/// The same for the script.
pub(super) fn script_version() -> &'static str {
    &SCRIPT_VERSION
}

fn version(content: &str) -> String {
    let digest = digest(&SHA256, content.as_bytes());
    digest
        .as_ref()
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// `GET /style.css`.
pub(in crate::http) async fn style(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    file(&http, &request, "text/css; charset=utf-8", STYLE)
}

/// `GET /page.js`.
pub(in crate::http) async fn script(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    file(&http, &request, "text/javascript; charset=utf-8", SCRIPT)
}

/// `GET /icon.svg`.
pub(in crate::http) async fn icon(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    file(&http, &request, "image/svg+xml", ICON)
}

fn file(
    http: &Http,
    request: &HttpRequest,
    of_type: &'static str,
    content: &'static str,
) -> HttpResponse {
    let response = HttpResponse::Ok()
        .content_type(of_type)
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // Its address changes with its content.
        .insert_header((header::CACHE_CONTROL, "private, max-age=86400"))
        .body(content);
    counted(http, request, labels::ASSET, Instant::now(), response)
}
