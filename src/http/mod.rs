//! How one asks: HTTP around the registry and the cache.
//!
//! A handler translates, asks one actor, translates back; an `if` about leases is in the wrong file.
//! Eureka's own surface goes through one function, whatever its prefix: `route.rs` says what a path
//! means, `service.rs` finds out what the caller wants and calls the handler, `answer.rs` and `error.rs`
//! know how results look. Operations and the page use actix-web's routes.
//!
//! | file | what |
//! |---|---|
//! | `route.rs` | path → target, pure |
//! | `route_checks.rs` | what must hold of every path, for the fuzzer and the tests |
//! | `ask.rs` | what the head of a request asks for |
//! | `body.rs` | the body of a request as text |
//! | `query.rs` | the parameters of a request |
//! | `limit.rs` | who is turned away when there is too much to do |
//! | `fetch_limit.rs` | Eureka's own limiter of reads |
//! | `addresses.rs` `debts.rs` | what one address may take |
//! | `in_flight.rs` | bytes on their way, and a bound on them |
//! | `front.rs` | each request, before an application is looked for |
//! | `beat.rs` | a client's heartbeat |
//! | `guard/` | who may do what |
//! | `service.rs` | Eureka's surface: one request from head to answer |
//! | `lists.rs` | reads of lists |
//! | `instances.rs` | reads and changes of one instance |
//! | `replication.rs` | a peer's batch |
//! | `replicas.rs` | peers as people see them |
//! | `info.rs` | `status`, `serverinfo/statusoverrides`, `asg` |
//! | `health.rs` | alive, ready, and in Spring's words how the parts are |
//! | `ops.rs` | metrics, and who answers |
//! | `labels.rs` | what metrics call a request |
//! | `api/` | everything as JSON, for people, their scripts and the page |
//! | `dashboard/` | the pages for people |
//! | `by.rs` | who sent a request |
//! | `audit.rs` | what operators did, in the log |
//! | `answer.rs` `error.rs` | what goes back |
//! | `rope_body.rs` | a long list on its way out |
//! | `state.rs` `live.rs` | what handlers share, and what of it changes |
//! | `routes.rs` | where it all hangs |
//! | `connections.rs` | who is let in, and for how long |
//! | `channel.rs` | connections with and without TLS |
//! | `streams.rs` | open requests of one HTTP/2 connection |
//! | `server.rs` | the server around it all |

mod addresses;
mod answer;
mod api;
mod ask;
mod audit;
mod beat;
mod body;
mod by;
mod channel;
mod connections;
mod dashboard;
mod debts;
mod error;
mod fetch_limit;
mod front;
mod guard;
mod health;
mod in_flight;
mod info;
mod instances;
mod labels;
mod limit;
mod lists;
mod live;
mod ops;
mod query;
mod replicas;
mod replication;
mod rope_body;
pub mod route;
#[cfg(any(test, fuzzing))]
mod route_checks;
mod routes;
mod server;
mod service;
mod state;
mod streams;
mod system;

pub use dashboard::Pages;
pub use front::Front;
pub use in_flight::InFlight;
pub use live::Live;
#[cfg(any(test, fuzzing))]
pub use route_checks::check_route;
pub use routes::configure;
pub use server::{Ports, serve};
pub use state::{Http, Identity};
