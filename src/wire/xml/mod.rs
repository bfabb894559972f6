//! XML: XStream's form out (wire.md §7.1, §7.2), that and every foreign form in (§7.3).

mod names;
mod read;
mod tree;
mod write;

pub use read::{applications, registration};
pub(super) use write::Writer;
pub use write::{begin_application, end_application, list_head, list_tail, write_instance};
