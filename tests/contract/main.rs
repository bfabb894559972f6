//! The wire, as clients see it: status codes, headers and bodies.
//!
//! Rows and rules are named by number. Where another rule wins over a row of wire.md §13, the test says
//! *overruled* (or *kinder*) and by what.
//!
//! | file | stands for |
//! |---|---|
//! | `wire_reads.rs` | wire.md §13, rows 1–11, 52–58, 70, 71, 73 |
//! | `wire_register.rs` | rows 12–17, 26, 27 |
//! | `wire_members.rs` | rows 18–25, 28, 29 |
//! | `wire_beats.rs` | rows 30–39, 51, 72 |
//! | `wire_status.rs` | rows 40–50, 59, 60 |
//! | `wire_batch.rs` | rows 63–69 |
//! | `wire_http.rs` | rows 61, 62, 74 |
//! | `replay.rs`, `replay_paths.rs`, `java_merge.rs` | foreign-clients.md §6, T1–T25 |
//! | `registrations.rs` | every recorded registration |
//! | `routes.rs` | wire.md §1: paths, prefixes, methods, names |
//! | `negotiation.rs` | wire.md §2.1–2.3: what is asked for and what comes |
//! | `request_bodies.rs` | wire.md §2.4: packed, in other charsets, too long |
//! | `limits.rs` | docs/configuration.md, limits: each with its answer and its counter |
//! | `operators.rs` | health and metrics, as operators' tools ask for them |
//! | `pages.rs` | the pages for people |
//! | `api.rs` | docs/operations.md, what happened: `/api/v1` |
//! | `access.rs` | docs/configuration.md, access: every route for everybody |
//! | `own_kind.rs` | what only nodes of this kind tell each other |
//! | `round_trip.rs` | what goes out comes in again |
//! | `bodies.rs` | golden answers, byte for byte |
//! | `canon.rs`, `canon_xml.rs` | the checks O1–O13 and X1–X6 of foreign-clients.md |
//! | `kit.rs` | words that the tests share |

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod access;
mod api;
mod bodies;
mod canon;
mod canon_xml;
mod java_merge;
mod kit;
mod limits;
mod negotiation;
mod operators;
mod own_kind;
mod pages;
mod registrations;
mod replay;
mod replay_paths;
mod request_bodies;
mod round_trip;
mod routes;
mod wire_batch;
mod wire_beats;
mod wire_http;
mod wire_members;
mod wire_reads;
mod wire_register;
mod wire_status;
