//! What every page goes out with: nothing runs in it, nobody frames it, and nothing of it is told to others.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::digest::{SHA256, digest};

/// What the pages look like; the template has it as it is.
pub(super) const STYLE: &str = include_str!("style.css");

/// The style is known by its hash; scripts, frames, forms and everything from elsewhere are not there.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = BASE64_STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
});

/// A page.
pub(super) fn page(html: String) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY.as_str()))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(html)
}
