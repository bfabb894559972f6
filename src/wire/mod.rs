//! Bytes: what a body means, and how it is written.
//!
//! *Generous reader, strict writer.* Whatever a client of foreign-clients.md sends is understood; one
//! canonical form goes out (wire.md §4–§7), which every known reader accepts. Reading is pure: bytes
//! in, a [`Draft`] or a clear [`ReadError`] out. Nothing here knows HTTP routes, leases or actors.
//!
//! | file | what |
//! |---|---|
//! | `draft.rs` | what a registration may lack, and what makes it acceptable |
//! | `json/` | JSON in and out |
//! | `xml/` | XML in and out |
//! | `compact.rs` | the reduced form of lists, in both formats |
//! | `encode.rs` | one door to the writers: [`Form`] decides |
//! | `replication.rs` | a peer's batch and its answer |
//! | `negotiate.rs` | which form a request asks for, and which kind of body it brings |
//! | `status_info.rs` | the status document |
//! | `gzip.rs` | content codings |

mod compact;
mod draft;
pub mod encode;
pub mod gzip;
pub mod json;
pub mod negotiate;
pub mod replication;
pub mod status_info;
pub mod xml;

pub use draft::{Draft, Refusal};
pub use encode::{Form, Format};

/// A body that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Not the format it says it is.
    #[error("{0}")]
    Malformed(String),
    /// Well-formed, but a member has a value that means nothing.
    #[error("{field}: wanted {wanted}, got {got}")]
    Unusable {
        /// The member, with its path.
        field: &'static str,
        /// What would have been understood.
        wanted: &'static str,
        /// What came, shortened.
        got: String,
    },
}

impl ReadError {
    /// An [`ReadError::Unusable`] that quotes at most 60 characters of what came.
    fn unusable(field: &'static str, wanted: &'static str, got: &str) -> Self {
        Self::Unusable {
            field,
            wanted,
            got: shortened(got),
        }
    }
}

/// `text`, cut to at most 60 characters and quoted, with control characters escaped: fit for a log
/// line or an error message.
pub fn shortened(text: &str) -> String {
    let mut kept: String = text.chars().take(60).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    format!("{kept:?}")
}
