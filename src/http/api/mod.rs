//! `/api/v1`: what this node knows, as plain JSON, for people, their scripts and the page.
//!
//! Names are camelCase, times are RFC 3339 in UTC, what is not known is left out. A request that fails is answered
//! `{"error": …}`, whatever its `Accept` says. What a path needs to be asked is in `guard/needs.rs`.
//!
//! | file | what |
//! |---|---|
//! | `reply.rs` | how an answer looks |
//! | `params.rs` | the parameters of a request |
//! | `overview.rs` | `overview`: how the node is |
//! | `apps.rs` `instance.rs` | `apps`: what is held |
//! | `orders.rs` `order_body.rs` | what operators do to instances |
//! | `events.rs` | `events`: what happened |
//! | `peers.rs` | `peers`: the other nodes |
//! | `config.rs` | `config`: the settings in force |
//! | `openapi.rs` `openapi.json` | `openapi.json`: all of it, for programs |

mod apps;
mod config;
mod events;
mod instance;
mod openapi;
mod order_body;
mod orders;
mod overview;
mod params;
mod peers;
mod reply;

pub(super) use apps::{app, apps, one_instance};
pub(super) use config::config;
pub(super) use events::events;
pub(super) use openapi::openapi;
pub(super) use orders::{end_order, order, remove, remove_app};
pub(super) use orders::{end_override, operator, override_status, take_out, take_out_app};
pub(super) use overview::overview;
pub(super) use peers::peers;
