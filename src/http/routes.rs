//! Where everything hangs: operations and the page on actix-web's routes, the rest on ours.

use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{FromRequest, Handler, Resource, Responder};

use super::state::Http;
use super::{api, dashboard, health, ops, service};

/// Adds all routes of a node, below its context path.
pub fn configure(app: &mut ServiceConfig, http: &Data<Http>) {
    let context = &http.config.http.context_path;
    let under = |path: &str| format!("{context}{path}");
    app.app_data(http.clone())
        .service(read_only(under("/metrics"), ops::metrics))
        .service(read_only(under("/health/live"), health::live))
        .service(read_only(under("/health/ready"), health::ready))
        .service(read_only(under("/actuator/health"), health::health))
        .service(read_only(under("/actuator/health/liveness"), health::live))
        .service(read_only(
            under("/actuator/health/readiness"),
            health::ready,
        ))
        .service(read_only(under("/actuator/info"), ops::info))
        .service(read_only(under("/actuator/prometheus"), ops::prometheus))
        .service(read_only(under("/api/v1/events"), api::events));
    if http.config.page.enabled {
        pages(app, &under(&http.config.page.path));
    }
    app.default_service(web::to(service::serve));
}

/// The pages for people, all in one folder.
fn pages(app: &mut ServiceConfig, folder: &str) {
    let page = |name: &str| format!("{folder}/{name}");
    if !folder.is_empty() {
        app.service(read_only(folder.to_string(), dashboard::overview));
    }
    app.service(read_only(page(""), dashboard::overview))
        .service(read_only(page("instances"), dashboard::instances))
        .service(read_only(page("instance"), dashboard::instance))
        .service(read_only(page("lastn"), dashboard::lastn))
        .service(read_only(page("style.css"), dashboard::style))
        .service(read_only(page("page.js"), dashboard::script))
        .service(read_only(page("icon.svg"), dashboard::icon))
        .service(read_only(page("live"), dashboard::live));
}

/// A path that is only read.
fn read_only<F, Args>(path: String, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::resource(path)
        .route(web::get().to(handler.clone()))
        .route(web::head().to(handler))
        .default_service(web::to(ops::only_get))
}
