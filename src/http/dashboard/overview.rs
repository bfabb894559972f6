//! `/`: whether all is well, and if not, what is wrong; then what Spring's page shows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use form_urlencoded::parse;

use super::applications::{App, PER_PAGE, applications};
use super::chart::Chart;
use super::events::{self, Event};
use super::facts::{self, Facts};
use super::html::{self, Frame};
use super::peers::Peer;
use super::row::Shown;
use super::survey::Survey;
use super::verdict::{Node, Verdict};
use super::words::{counted, grouped, number};
use crate::clock::Moment;
use crate::http::labels;
use crate::http::replicas::replicas;
use crate::http::state::Http;
use crate::journal::Found;
use crate::mailbox::Shut;
use crate::model::InstanceStatus;
use crate::peers::{PeerState, Replicas};
use crate::preservation::{Describe, Sample, Standing, TakeHistory};

/// Instances that the page shows of those that somebody should look at.
const ODD: usize = 10;
/// Events that the page shows.
const LATELY: usize = 10;

#[derive(Template)]
#[template(path = "overview.html")]
struct Overview {
    frame: Frame,
    verdict: Verdict,
    tiles: Vec<Tile>,
    chart: Chart,
    renewals: String,
    threshold: String,
    protection: String,
    lately: Vec<Event>,
    odd: Vec<Shown>,
    odd_count: usize,
    peers: Vec<Peer>,
    instances: usize,
    apps: Vec<App>,
    app_count: usize,
    page: usize,
    pages: usize,
    system: Facts,
    general: Facts,
    own: Facts,
}

/// A number that one looks at first.
struct Tile {
    name: &'static str,
    value: String,
    tone: &'static str,
    /// Where there is more of it, within the folder of all pages.
    page: &'static str,
}

/// What the actors say.
struct Told {
    standing: Standing,
    history: Vec<Sample>,
    lately: Found,
    peers: Vec<PeerState>,
    replicas: Replicas,
}

/// `GET /`.
pub(in crate::http) async fn overview(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    html::answered(&http, &request, labels::PAGE, answer(&http, &request)).await
}

async fn answer(http: &Data<Http>, request: &HttpRequest) -> Result<HttpResponse, Shut> {
    let (peers, replicas) = replicas(http).await?;
    let told = Told {
        standing: http.preservation.ask(Describe).await?,
        history: http.preservation.ask(TakeHistory).await?,
        lately: events::last(http, None, LATELY).await?,
        peers,
        replicas,
    };
    let frame = Frame::new(http, request, "overview", "Overview");
    let page = page_of(request.query_string());
    let shared: Arc<Http> = http.clone().into_inner();
    let html = http
        .pages
        .write(move || render(&shared, frame, &told, page));
    Ok(html::page(html.await?))
}

fn page_of(query: &str) -> usize {
    let page = parse(query.as_bytes()).find(|(name, _)| name == "page");
    page.and_then(|(_, page)| page.parse().ok()).unwrap_or(1)
}

fn render(http: &Http, frame: Frame, told: &Told, page: usize) -> String {
    let (survey, now) = (Survey::of(http), http.clock.now());
    let (instances, figures) = (survey.rows.len(), told.standing.figures);
    let peer = |peer| Peer::of(peer, &told.replicas, instances, now);
    let peers: Vec<Peer> = told.peers.iter().map(peer).collect();
    let node = Node {
        is_open: http.gate.is_open(),
        is_stopping: http.stopping.load(Ordering::Acquire),
    };
    let odd = survey.odd();
    let (apps, app_count, page, pages) = page_of_apps(&survey, page);
    html::text(&Overview {
        frame,
        verdict: Verdict::of(node, &told.standing, &survey, &peers),
        tiles: tiles(&survey, app_count, &peers),
        chart: Chart::of(&told.history),
        renewals: grouped(figures.renewals),
        threshold: grouped(figures.threshold),
        protection: told.standing.in_words(),
        lately: told
            .lately
            .entries
            .iter()
            .map(|entry| Event::of(entry, now))
            .collect(),
        odd: shown(&odd, now),
        odd_count: odd.len(),
        peers,
        instances,
        apps,
        app_count,
        page,
        pages,
        system: facts::system_status(http, &told.standing),
        general: facts::general(&told.replicas),
        own: facts::own(http),
    })
}

fn shown(odd: &[&super::row::Row], now: Moment) -> Vec<Shown> {
    odd.iter()
        .take(ODD)
        .map(|row| Shown::of(row, now))
        .collect()
}

/// The applications of a page, how many there are in all, and which page of how many this is.
fn page_of_apps(survey: &Survey, page: usize) -> (Vec<App>, usize, usize, usize) {
    let (apps, count) = applications(survey, page.max(1));
    let pages = count.div_ceil(PER_PAGE).max(1);
    if page <= pages {
        return (apps, count, page.max(1), pages);
    }
    let (apps, count) = applications(survey, pages);
    (apps, count, pages, pages)
}

fn tiles(survey: &Survey, apps: usize, peers: &[Peer]) -> Vec<Tile> {
    let tile = |name, value: usize, tone, page| Tile {
        name,
        value: number(value),
        // A number that is zero is no reason for a colour.
        tone: if value == 0 { "" } else { tone },
        page,
    };
    let all = survey.rows.len();
    let up = survey.count_of(InstanceStatus::Up);
    let down = survey.count_of(InstanceStatus::Down) + survey.count_of(InstanceStatus::Unknown);
    vec![
        tile("Instances", all, "", "instances"),
        tile("Applications", apps, "", "instances"),
        tile("UP", up, "good", "instances?show=UP"),
        tile("DOWN or UNKNOWN", down, "bad", "instances?show=odd"),
        tile(
            "Overridden",
            survey.overridden,
            "notice",
            "instances?show=overridden",
        ),
        tile("Silent", survey.silent, "notice", "instances?show=silent"),
        tile(
            "Kept by protection",
            survey.kept,
            "bad",
            "instances?show=kept",
        ),
        in_touch(peers),
        difference(peers, all),
    ]
}

fn in_touch(peers: &[Peer]) -> Tile {
    let up = peers.iter().filter(|peer| peer.up).count();
    Tile {
        name: "Peers in touch",
        value: format!("{up} of {}", peers.len()),
        tone: if up < peers.len() { "bad" } else { "" },
        page: "#replicas",
    }
}

fn difference(peers: &[Peer], here: usize) -> Tile {
    let there = peers.iter().filter_map(|peer| peer.there);
    let most = there.map(|there| there.abs_diff(here)).max();
    Tile {
        name: "Largest difference",
        value: most.map_or("–".to_string(), |n| counted(n, "instance", "instances")),
        tone: "",
        page: "#replicas",
    }
}
