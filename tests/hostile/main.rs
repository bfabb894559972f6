//! What nobody sends in good faith: the node stays as it was, and says so.
//!
//! | file | what comes |
//! |---|---|
//! | `bodies.rs` | bodies: malformed, absurd, deep, wide, broken off, packed |
//! | `connections.rs` | connections that send nothing, too little, too slowly, or read nothing; too many of them |
//! | `files.rs` | more connections than there may be open files |
//! | `generated.rs`, `spoil.rs` | good requests, spoilt at random by the thousand |
//! | `log.rs` | names and values that would like to be lines of the log |
//! | `paths.rs` | paths, parameters, methods and heads that hope to be misunderstood |
//! | `smuggling.rs` | requests with another one hidden in them, and first lines that are none |
//! | `world.rs` | what must stay true all the while |

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../contract/canon.rs"]
mod canon;
#[path = "../contract/canon_xml.rs"]
mod canon_xml;
#[path = "../support/process.rs"]
mod process;
#[path = "../support/running.rs"]
mod running;
#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod connections;
mod files;
mod generated;
mod log;
mod paths;
mod smuggling;
mod spoil;
mod world;
