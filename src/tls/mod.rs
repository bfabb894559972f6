//! Certificates and keys: read from files, shown to others, read anew when the files change.
//!
//! PEM and PKCS#12, by library. Which files, the settings say; whose certificates may do what, `http/guard` knows.
//!
//! | file | what |
//! |---|---|
//! | `material.rs` | from files to certificates and keys, and what may be wrong with them |
//! | `pkcs12.rs` | the same from PKCS#12 |
//! | `stamps.rs` | whether files have changed |
//! | `serving.rs` | what a node shows to those who connect |
//! | `pinned.rs` | what asks one node only, known by its certificate |
//! | `names.rs` | what a certificate calls its holder |

mod material;
mod names;
mod pinned;
mod pkcs12;
mod serving;
mod stamps;

pub use material::{Material, TlsError, authorities, material};
pub use names::names;
pub use pinned::pinned;
pub use serving::Serving;
pub use stamps::Stamps;
