//! JSON: the dialect of the reference's own codec out (wire.md §4), all dialects in (§5, §12.1).

mod read;
mod shape;
mod value;
mod write;

#[cfg(any(test, fuzzing))]
pub(super) use read::adopt_metadata_id;
pub use read::{applications, listing, registration};
pub(super) use read::{instance_members, stamp};
pub(super) use shape::check as check_shape;
pub(super) use value::{Members, Scalar, elements, number};
pub(super) use write::{Object, data_center, port, text};
pub use write::{begin_application, end_application, list_head, list_tail, write_instance};
