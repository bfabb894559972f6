//! The word of a lease, as the registry uses it.

#![allow(dead_code)]

#[path = "../../src/registry/word.rs"]
pub mod word;
