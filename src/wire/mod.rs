//! Bytes: what a body means, and how it is written.
//!
//! *Generous reader, strict writer.* Whatever a client of foreign-clients.md sends is understood; one
//! canonical form goes out (wire.md §4–§7), which every known reader accepts. Reading is pure: bytes
//! in, a [`Draft`] or a clear [`ReadError`] out. Nothing here knows HTTP routes, leases or actors.
//!
//! | file | what |
//! |---|---|
//! | `error.rs` | what cannot be understood, and how it is said |
//! | `draft.rs` | what a registration may lack, and what makes it acceptable |
//! | `limits.rs` | whether a record has too much in it |
//! | `json/` | JSON in and out |
//! | `xml/` | XML in and out |
//! | `compact.rs` | the reduced form of lists, in both formats |
//! | `encode.rs` | one door to the writers: [`Form`] decides |
//! | `replication.rs` | a peer's batch and the answer to it |
//! | `outgoing.rs` | a batch to a peer and its answer |
//! | `extra.rs` | what only nodes of this kind add to these |
//! | `negotiate.rs` | which form a request asks for, and which kind of body it brings |
//! | `status_info.rs` | the status document |
//! | `gzip.rs` | content codings of requests |
//! | `packed.rs` | parts of a body that are packed one by one and make one gzip member |
//! | `rope.rs` | a body in parts that are shared |
//! | `checks.rs` | what must hold of every body, for the fuzzer and the tests |

#[cfg(any(test, fuzzing))]
pub(crate) mod checks;
mod compact;
mod draft;
pub mod encode;
mod error;
mod extra;
pub mod gzip;
pub mod json;
pub mod limits;
pub mod negotiate;
pub mod outgoing;
pub mod packed;
pub mod replication;
pub mod rope;
pub mod status_info;
pub mod xml;

#[cfg(any(test, fuzzing))]
pub use checks::{check_json, check_xml};
pub use draft::{Draft, Refusal};
pub use encode::{Form, Format};
pub use error::{ReadError, one_line, shortened};
pub use rope::Rope;
