//! The page that people open: what is held, and how the node is doing. Works without scripts.
//!
//! Texts that clients supplied are escaped by the templates; links to their pages are made only of http
//! and https addresses.

mod html;
mod lastn;
mod page;

pub(super) use lastn::lastn;
pub(super) use page::page;
