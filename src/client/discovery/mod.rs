//! Discovery: all instances that the servers know, kept up to date and looked up without waiting.
//!
//! | file | what |
//! |---|---|
//! | `refresher.rs` | the one task that asks for lists and deltas |
//! | `listing.rs` | what the servers say: full lists and deltas put together |
//! | `doubt.rs` | not to believe at once that most instances are gone |
//! | `catalog.rs` | what the program looks at, found by name |
//! | `names.rs` | names without regard to case |
//! | `view.rs` | the catalogue in force, its age, its changes |
//! | `disk.rs` | a copy for a start without servers |
//!
//! Which instance to take is not known here.

mod catalog;
mod disk;
mod doubt;
mod listing;
mod names;
mod refresher;
mod view;

pub use catalog::{Catalog, Filter, Instances};
pub use listing::Changes;
pub use view::{CatalogWatch, Freshness, InstancesWatch};

pub(crate) use refresher::{DiscoveryOptions, Refresher};
pub(crate) use view::View;
