//! `/lastn`: the last thousand leases that were registered and that ended, newest first.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::html::{self, Frame};
use crate::http::labels;
use crate::http::state::Http;
use crate::http::system::utc;
use crate::mailbox::Shut;
use crate::model::{EpochMillis, InstanceKey};
use crate::registry::TakeRecent;

#[derive(Template)]
#[template(path = "lastn.html")]
struct LastN {
    frame: Frame,
    lists: [List; 2],
}

struct List {
    name: &'static str,
    rows: Vec<(String, String)>,
}

/// `GET /lastn`.
pub(in crate::http) async fn lastn(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    html::answered(&http, &request, labels::LASTN, answer(&http, &request)).await
}

async fn answer(http: &Data<Http>, request: &HttpRequest) -> Result<HttpResponse, Shut> {
    let recent = http.registry.ask(TakeRecent).await?;
    let frame = Frame::new(http, request, "lastn", "Last 1000 since startup");
    let html = http.pages.write(move || {
        html::text(&LastN {
            frame,
            lists: [
                list("Registered", &recent.registered),
                list("Cancelled", &recent.cancelled),
            ],
        })
    });
    Ok(html::page(html.await?))
}

fn list(name: &'static str, entries: &[(EpochMillis, InstanceKey)]) -> List {
    let row =
        |(at, key): &(EpochMillis, InstanceKey)| (utc(*at), format!("{}({})", key.app, key.id));
    List {
        name,
        rows: entries.iter().map(row).collect(),
    }
}
