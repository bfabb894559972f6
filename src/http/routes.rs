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
        .service(read_only(under("/actuator/prometheus"), ops::prometheus));
    configure_api(app, &under("/api/v1"));
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
        .service(read_only(page("live"), dashboard::live))
        .service(
            web::resource(page("act"))
                .route(web::get().to(dashboard::confirm))
                .route(web::head().to(dashboard::confirm))
                .route(web::post().to(dashboard::act))
                .default_service(web::to(|| ops::only("GET,HEAD,POST"))),
        );
}

/// Adds the routes of `api/`, below `base`.
fn configure_api(app: &mut ServiceConfig, base: &str) {
    let under = |path: &str| format!("{base}{path}");
    let read_or_delete = || web::to(|| ops::only("GET,HEAD,DELETE"));
    app.service(read_only(under("/openapi.json"), api::openapi))
        .service(read_only(under("/overview"), api::overview))
        .service(read_only(under("/apps"), api::apps))
        .service(read_only(under("/events"), api::events))
        .service(read_only(under("/peers"), api::peers))
        .service(read_only(under("/config"), api::config))
        .service(
            read_only(under("/apps/{app}"), api::app)
                .route(web::delete().to(api::remove_app))
                .default_service(read_or_delete()),
        )
        .service(
            read_only(under("/apps/{app}/instances/{id}"), api::one_instance)
                .route(web::delete().to(api::remove))
                .default_service(read_or_delete()),
        )
        .service(
            web::resource(under("/apps/{app}/instances/{id}/override"))
                .route(web::post().to(api::order))
                .route(web::delete().to(api::end_order))
                .default_service(web::to(|| ops::only("POST,DELETE"))),
        );
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
