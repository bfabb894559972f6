//! `/lastn`: the last thousand leases that were registered and that ended, newest first.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use tokio::time::Instant;

use super::html;
use crate::http::labels;
use crate::http::ops::counted;
use crate::http::state::Http;
use crate::http::system::utc;
use crate::mailbox::Shut;
use crate::model::{EpochMillis, InstanceKey};
use crate::registry::TakeRecent;

#[derive(Template)]
#[template(path = "lastn.html")]
struct LastN {
    style: &'static str,
    title: &'static str,
    home: String,
    mode: &'static str,
    lists: [List; 2],
}

struct List {
    name: &'static str,
    rows: Vec<(String, String)>,
}

/// `GET /lastn`.
pub(in crate::http) async fn lastn(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    let started = Instant::now();
    let response = match render(&http).await {
        Ok(html) => html::page(html),
        Err(_) => HttpResponse::ServiceUnavailable().finish(),
    };
    counted(&http, &request, labels::LASTN, started, response)
}

async fn render(http: &Http) -> Result<String, Shut> {
    let recent = http.registry.ask(TakeRecent).await?;
    let page = LastN {
        style: html::STYLE,
        title: "heureka: last 1000 leases",
        home: format!("{}{}", http.config.http.context_path, http.config.page.path),
        mode: http.config.mode.as_str(),
        lists: [
            list("Registered", &recent.registered),
            list("Cancelled", &recent.cancelled),
        ],
    };
    Ok(page.render().unwrap_or_default())
}

fn list(name: &'static str, entries: &[(EpochMillis, InstanceKey)]) -> List {
    let row =
        |(at, key): &(EpochMillis, InstanceKey)| (utc(*at), format!("{}({})", key.app, key.id));
    List {
        name,
        rows: entries.iter().map(row).collect(),
    }
}
