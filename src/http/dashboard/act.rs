//! `/act`: what an operator does to an instance or an application. Asked with GET it shows what will be done and asks
//! for a reason; with POST it does it and says so. Works without scripts.
//!
//! Only for the role `admin`. Besides the guard in front of all routes, this looks itself at who asks and for which
//! site: where the pages are put is a setting, and must not decide about that.

use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::asked::{Asked, What};
use super::html::{self, Frame};
use super::row::page_of_key;
use super::words::counted;
use crate::http::error::ApiError;
use crate::http::guard::{BASIC, is_cross_site};
use crate::http::state::Http;
use crate::http::{api, body, labels};
use crate::mailbox::Shut;
use crate::model::{By, InstanceKey, InstanceStatus, Text};
use crate::registry::TakeApp;

#[derive(Template)]
#[template(path = "act.html")]
struct Page {
    frame: Frame,
    heading: &'static str,
    asked: Asked,
    /// Where one came from, within the folder of all pages.
    back: String,
    state: State,
    statuses: [&'static str; 5],
    ends: [(&'static str, &'static str); 6],
}

enum State {
    /// Nothing was done yet; instances that it concerns.
    Confirm(String),
    Done(String),
    Problem(String),
}

const GONE: &str = "It is not registered here (any more).";

/// The ends that an override can be given, in minutes.
const ENDS: [(&str, &str); 6] = [
    ("", "until it is taken back"),
    ("15", "in 15 minutes"),
    ("60", "in 1 hour"),
    ("240", "in 4 hours"),
    ("1440", "in 1 day"),
    ("10080", "in 1 week"),
];

/// `GET /act`.
pub(in crate::http) async fn confirm(request: HttpRequest, http: Data<Http>) -> HttpResponse {
    html::answered(&http, &request, labels::ACT, ask(&http, &request)).await
}

/// `POST /act`.
pub(in crate::http) async fn act(
    request: HttpRequest,
    payload: Payload,
    http: Data<Http>,
) -> HttpResponse {
    html::answered(
        &http,
        &request,
        labels::ACT,
        carry_out(&http, &request, payload),
    )
    .await
}

/// Whether whoever asks may act; then their pages offer it.
pub(super) fn may_act(http: &Http, request: &HttpRequest) -> bool {
    let guard = http.live.guard.load();
    let guard = guard.as_ref();
    guard.is_none_or(|guard| guard.is_admin(request, http.clock.now()))
}

/// Whether a browser that is asked for credentials may get further: none were asked for so far.
pub(super) fn may_sign_in(http: &Http, request: &HttpRequest) -> bool {
    !may_act(http, request) && !request.headers().contains_key(AUTHORIZATION)
}

async fn ask(http: &Data<Http>, request: &HttpRequest) -> Result<HttpResponse, Shut> {
    if !may_act(http, request) {
        return Ok(refused(http, request));
    }
    let asked = Asked::of(request.query_string());
    let concerned = match asked.what {
        Some(What::RemoveApp) => {
            let app = key(&asked).app;
            http.registry.ask(TakeApp { app }).await?.len()
        }
        _ => usize::from(http.published.index.get(&key(&asked)).is_some()),
    };
    Ok(match (asked.what, concerned) {
        (None, _) => problem(
            http,
            request,
            asked,
            StatusCode::BAD_REQUEST,
            "do: wanted override, end-override, remove or remove-app",
        ),
        (_, 0) => problem(http, request, asked, StatusCode::NOT_FOUND, GONE),
        _ => page(
            http,
            request,
            asked,
            StatusCode::OK,
            State::Confirm(counted(concerned, "instance is", "instances are")),
        ),
    })
}

async fn carry_out(
    http: &Data<Http>,
    request: &HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Shut> {
    if !may_act(http, request) || is_cross_site(request.headers()) {
        return Ok(refused(http, request));
    }
    let form = match body::form(request.headers(), payload, http.body_limits()).await {
        Ok(form) => form,
        Err(error) => {
            let text = error.to_string();
            let status = StatusCode::from_u16(error.into_answer(None).status);
            let status = status.unwrap_or(StatusCode::BAD_REQUEST);
            return Ok(problem(http, request, Asked::default(), status, &text));
        }
    };
    let asked = Asked::of(&form);
    let what = match asked.what_is_wrong() {
        Ok(what) => what,
        Err(wrong) => {
            return Ok(problem(
                http,
                request,
                asked,
                StatusCode::BAD_REQUEST,
                wrong,
            ));
        }
    };
    let by = api::operator(http, request, Some(Text::from(&*asked.reason)));
    Ok(match run(http, what, &asked, by).await {
        Ok(done) => page(http, request, asked, StatusCode::OK, State::Done(done)),
        Err(ApiError::Unavailable(shut)) => return Err(shut),
        Err(_) => problem(http, request, asked, StatusCode::NOT_FOUND, GONE),
    })
}

/// Does it, and says what was done.
async fn run(http: &Http, what: What, asked: &Asked, by: By) -> Result<String, ApiError> {
    let key = key(asked);
    Ok(match what {
        What::Override => {
            let now = http.clock.now().wall;
            let until = asked.minutes.map(|minutes| now + minutes * 60_000);
            let status = asked.status.unwrap_or(InstanceStatus::OutOfService);
            api::override_status(http, key, status, until, by).await?;
            format!("{status} is ordered from now on.")
        }
        What::EndOverride => {
            api::end_override(http, key, by).await?;
            "The override is taken back.".to_string()
        }
        What::Remove => {
            api::take_out(http, key, by).await?;
            "It is removed.".to_string()
        }
        What::RemoveApp => {
            let gone = api::take_out_app(http, &asked.app, by).await?;
            format!("{} removed.", counted(gone, "instance is", "instances are"))
        }
    })
}

fn key(asked: &Asked) -> InstanceKey {
    InstanceKey::new(&asked.app, &asked.id)
}

// === pages ===

fn page(
    http: &Http,
    request: &HttpRequest,
    asked: Asked,
    status: StatusCode,
    state: State,
) -> HttpResponse {
    let heading = asked.what.map_or("Nothing to do", What::heading);
    let back = match asked.what {
        Some(What::RemoveApp) | None => "instances".to_string(),
        Some(_) => page_of_key(&asked.app, &asked.id),
    };
    let html = html::text(&Page {
        frame: Frame::new(http, request, "instances", heading),
        heading,
        asked,
        back,
        state,
        statuses: ["OUT_OF_SERVICE", "DOWN", "UP", "STARTING", "UNKNOWN"],
        ends: ENDS,
    });
    html::with_status(status, html)
}

fn problem(
    http: &Http,
    request: &HttpRequest,
    asked: Asked,
    status: StatusCode,
    text: &str,
) -> HttpResponse {
    let state = State::Problem(text.to_string());
    page(http, request, asked, status, state)
}

fn refused(http: &Http, request: &HttpRequest) -> HttpResponse {
    let text = "Only who holds the role admin may do this, from a page of this node.";
    if !may_sign_in(http, request) {
        return problem(http, request, Asked::default(), StatusCode::FORBIDDEN, text);
    }
    let status = StatusCode::UNAUTHORIZED;
    let mut response = problem(http, request, Asked::default(), status, text);
    let challenge = HeaderValue::from_static(BASIC);
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}
