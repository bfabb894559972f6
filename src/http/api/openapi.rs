//! `GET /api/v1/openapi.json`: what there is, for programs.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use tokio::time::Instant;

use super::reply::reply;
use crate::http::state::Http;

/// The description; its paths begin below the context path.
const DESCRIPTION: &str = include_str!("openapi.json");

/// `GET /api/v1/openapi.json`.
pub(in crate::http) async fn openapi(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let document = description(&http.config.http.context_path);
    reply(&http, &request, started, Ok(document))
}

/// The description of a node whose paths begin with `context`.
fn description(context: &str) -> Value {
    // It is part of the program, and a test reads it.
    let mut document: Value = serde_json::from_str(DESCRIPTION).unwrap_or_default();
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    if !context.is_empty() {
        document["servers"][0]["url"] = context.into();
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of `configure_api`.
    const ROUTES: &str = include_str!("../routes.rs");

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let (_, routes) = ROUTES.split_once("fn configure_api").unwrap();
        let (routes, _) = routes.split_once("\n}\n").unwrap();
        let texts = routes.split('"').skip(1).step_by(2);
        let mut routes: Vec<_> = texts.filter(|text| text.starts_with('/')).collect();
        routes.sort_unstable();
        let document = description("");
        let described = document["paths"].as_object().unwrap().keys();
        let described: Vec<_> = described
            .map(|path| path.strip_prefix("/api/v1").unwrap())
            .collect();
        assert_eq!(routes, described);
    }

    #[test]
    fn whatever_it_refers_to_is_there() {
        let document = description("");
        for part in DESCRIPTION.split("\"$ref\": \"#").skip(1) {
            let (pointer, _) = part.split_once('"').unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
