//! `/api/v1`: what this node knows, as plain JSON, for people, their scripts and the page.
//!
//! Names are camelCase, times are RFC 3339 in UTC, what is not known is left out. A request that fails is answered
//! `{"error": …}`, whatever its `Accept` says. What a path needs to be asked is in `guard/needs.rs`.
//!
//! | file | what |
//! |---|---|
//! | `reply.rs` | how an answer looks |
//! | `params.rs` | the parameters of a request |
//! | `events.rs` | `events`: what happened |

mod events;
mod params;
mod reply;

pub(super) use events::events;
