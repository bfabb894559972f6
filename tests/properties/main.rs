//! What must hold whatever happens, tried at random.
//!
//! | file | what |
//! |---|---|
//! | `lists.rs` | after any story, every published list is what a plain reading of the rules makes of it |
//! | `merging.rs` | everything once and deltas after it, merged as Java merges them, are everything |
//! | `bodies.rs` | whatever a registration has in it, nobody's list is spoilt by it |
//! | `model.rs` | the registry kept by hand |
//! | `steps.rs` | the stories |
//! | `plain.rs` `parts.rs` | lists written down by hand, and bodies taken apart |
//!
//! `PROPTEST_CASES` says how many stories; without it there are as many as a few seconds allow. A story
//! that fails is printed in its shortest form, to be made a test of its own; no file of seeds is written.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/scene.rs"]
mod scene;
#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod lists;
mod merging;
mod model;
mod parts;
mod plain;
mod steps;

use std::future::Future;

use actix_web::rt::System;
use proptest::test_runner::Config;

/// So many cases, or as many as `PROPTEST_CASES` says.
fn cases(usual: u32) -> Config {
    let said = Config::default();
    Config {
        cases: std::env::var_os("PROPTEST_CASES").map_or(usual, |_| said.cases),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..said
    }
}

/// Plays a story in a time of its own, which stands still at a whole millisecond until somebody sleeps:
/// then it goes on to exactly the next moment at which something is due.
fn play<T>(story: impl Future<Output = T>) -> T {
    let runtime = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().start_paused(true).build().unwrap()
    };
    System::with_tokio_rt(runtime).block_on(story)
}
