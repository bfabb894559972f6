//! `/instances`: those that are asked for, sorted, a page at a time.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use form_urlencoded::Serializer;

use super::act::may_act;
use super::filter::{COLUMNS, Filter, PER_PAGE, shown};
use super::html::{self, Frame};
use super::row::{Row, Shown};
use super::survey::Survey;
use super::words::{number, short};
use crate::http::labels;
use crate::http::state::Http;
use crate::mailbox::Shut;

/// Zones and applications that are offered; others can be typed.
const OFFERED: usize = 200;

#[derive(Template)]
#[template(path = "instances.html")]
struct Instances {
    frame: Frame,
    filter: Filter,
    kinds: Vec<Choice>,
    zones: Vec<Choice>,
    apps: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Shown>,
    summary: String,
    /// Where the application that is asked for can be removed, if whoever asks may.
    remove: Option<String>,
    earlier: Option<String>,
    later: Option<String>,
}

/// What can be chosen.
struct Choice {
    value: String,
    text: String,
    is_chosen: bool,
}

/// A column and the address that sorts by it.
struct Column {
    text: &'static str,
    page: String,
    /// As assistive technology calls it.
    order: &'static str,
}

/// `GET /instances`.
pub(in crate::http) async fn instances(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    html::answered(&http, &request, labels::INSTANCES, answer(&http, &request)).await
}

async fn answer(http: &Data<Http>, request: &HttpRequest) -> Result<HttpResponse, Shut> {
    let filter = Filter::of(request.query_string());
    let frame = Frame::new(http, request, "instances", "Instances");
    let shared: Arc<Http> = http.clone().into_inner();
    let may_act = may_act(http, request);
    let html = http
        .pages
        .write(move || render(&shared, frame, filter, may_act));
    Ok(html::page(html.await?))
}

fn render(http: &Http, frame: Frame, filter: Filter, may_act: bool) -> String {
    let (mut survey, now) = (Survey::of(http), http.clock.now());
    let (zones, apps) = (zones(&survey, &filter), apps(&survey));
    let all = survey.rows.len();
    let words = filter.words();
    survey.rows.retain(|row| filter.takes(row, &words));
    survey.rows.sort_by(|a, b| filter.compare(a, b));
    let found = survey.rows.len();
    let pages = found.div_ceil(PER_PAGE).max(1);
    let filter = filter.on_page(filter.page.min(pages));
    let first = (filter.page - 1) * PER_PAGE;
    let rows: Vec<&Row> = survey.rows.iter().skip(first).take(PER_PAGE).collect();
    html::text(&Instances {
        frame,
        remove: remove(&filter, found).filter(|_| may_act),
        kinds: kinds(&filter),
        zones,
        apps,
        columns: columns(&filter),
        summary: summary(first, rows.len(), found, all),
        rows: rows.iter().map(|row| Shown::of(row, now)).collect(),
        earlier: (filter.page > 1).then(|| address(&filter.on_page(filter.page - 1))),
        later: (filter.page < pages).then(|| address(&filter.on_page(filter.page + 1))),
        filter,
    })
}

/// Where a whole application can be removed, where one is looked at.
fn remove(filter: &Filter, found: usize) -> Option<String> {
    let mut query = Serializer::new(String::new());
    query
        .append_pair("do", "remove-app")
        .append_pair("app", &filter.app);
    (!filter.app.is_empty() && found > 0).then(|| format!("act?{}", query.finish()))
}

fn address(filter: &Filter) -> String {
    format!("instances?{}", filter.query())
}

fn summary(first: usize, shown: usize, found: usize, all: usize) -> String {
    let of_all = match found == all {
        true => number(all),
        false => format!("{} found, of {} in all", number(found), number(all)),
    };
    match shown {
        0 if all == 0 => "No instance is registered.".to_string(),
        0 => format!("None of {} fits.", number(all)),
        _ => format!(
            "{} to {} of {of_all}",
            number(first + 1),
            number(first + shown)
        ),
    }
}

fn kinds(filter: &Filter) -> Vec<Choice> {
    let choice = |(value, text): (&str, &str)| Choice {
        value: value.to_string(),
        text: text.to_string(),
        is_chosen: filter.show == value,
    };
    [("", "any status")]
        .into_iter()
        .chain(shown())
        .map(choice)
        .collect()
}

/// The first zones by name, and whichever is chosen.
fn zones(survey: &Survey, filter: &Filter) -> Vec<Choice> {
    let known = survey.zones();
    let any = Choice {
        value: String::new(),
        text: "any zone".to_string(),
        is_chosen: filter.zone.is_empty(),
    };
    let is_offered = known.keys().take(OFFERED).any(|zone| *zone == filter.zone);
    let chosen = (!filter.zone.is_empty() && !is_offered).then_some(&*filter.zone);
    let choice = |zone: &str| Choice {
        value: zone.to_string(),
        text: short(zone),
        is_chosen: zone == filter.zone,
    };
    let offered = known.into_keys().take(OFFERED).chain(chosen).map(choice);
    [any].into_iter().chain(offered).collect()
}

fn apps(survey: &Survey) -> Vec<String> {
    survey
        .by_app()
        .into_keys()
        .take(OFFERED)
        .map(|app| app.to_string())
        .collect()
}

fn columns(filter: &Filter) -> Vec<Column> {
    let column = |(name, text): (&'static str, &'static str)| Column {
        text,
        page: address(&filter.sorted_by(name)),
        order: match (filter.sort == name, filter.is_descending) {
            (true, false) => "ascending",
            (true, true) => "descending",
            (false, _) => "none",
        },
    };
    COLUMNS.into_iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_how_many_of_how_many() {
        for (first, shown, found, all, text) in [
            (0, 0, 0, 0, "No instance is registered."),
            (0, 0, 0, 7, "None of 7 fits."),
            (0, 7, 7, 7, "1 to 7 of 7"),
            (100, 20, 120, 500, "101 to 120 of 120 found, of 500 in all"),
        ] {
            assert_eq!(summary(first, shown, found, all), text);
        }
    }
}
