//! What one node does, scenario by scenario: server.md §21, the invariants of §19, the verdicts of §20.
//!
//! | file | scenarios | besides |
//! |---|---|---|
//! | `registering.rs` | 1–6, 22–24, 28, 78 | |
//! | `leases.rs` | 7–13, 37, 38 | |
//! | `statuses.rs` | 14–21, 25–27, 81 | |
//! | `lists.rs` | 41–50, 53, 74, 75 | |
//! | `blocks.rs` | | large lists |
//! | `overload.rs` | | who is turned away when there is too much to do |
//! | `events.rs` | 27 and 39: what peers are to hear | I6, I8, I9 |
//! | `journal.rs` | | what `/api/v1/events` tells of all that |
//! | `invariants.rs` | | I1–I5, I7, I11, I12 |
//! | `verdicts.rs` | | B-01 … B-50: which test tells which |
//!
//! Where the two modes differ, a scenario is told in `classic` as server.md has it, and in `modern`
//! beside it. Scenarios 12, 25, 38, 48, 49, 78 and 81 have the *fixed* answer, and so has 47.
//!
//! Not here: 29–36 and 40, the renewals of the last minute and what self-preservation makes of them; 51
//! and 52, a node that waits for its first copy, which a node alone never does; 54–73, 76, 77, 79, 80 and
//! 82, peers, regions and limits. Where leases are to end in time, self-preservation is switched off.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/scene.rs"]
mod scene;
#[path = "../support/mod.rs"]
mod support;

mod blocks;
mod events;
mod invariants;
mod journal;
mod leases;
mod lists;
mod overload;
mod registering;
mod statuses;
mod verdicts;
