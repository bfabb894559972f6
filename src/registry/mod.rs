//! The registry: the one owner of leases.
//!
//! Everything that changes a lease happens in this folder, one file per verb. Each verb file holds the
//! message, the rule on [`LeaseTable`], the handler that joins them, and the tests. Rules take the
//! present moment as an argument; only the handlers ask the clock.
//!
//! | verb | file | answers |
//! |---|---|---|
//! | register | `register.rs` | `TooMuch` where there is no room for another instance |
//! | renew | `renew.rs` | [`Renewal`]: in step, unknown, newer or older |
//! | renew without a message | `in_step.rs` | the same, where nothing visible changes |
//! | cancel | `cancel.rs` | [`UnknownInstance`] |
//! | set and clear the status | `status.rs` | [`UnknownInstance`] |
//! | override the status as an operator, and end that | `owned.rs` | [`UnknownInstance`] |
//! | update metadata | `metadata.rs` | [`MetadataRefused`] |
//! | evict | `evict.rs` | what is overdue; how many went |
//! | apply a batch | `batch.rs` | one answer per item |
//! | load what a peer held | `load.rs` | how many were new |
//! | adopt a peer's copy | `adopt.rs` | nothing |
//!
//! | question | file |
//! |---|---|
//! | everything, one by its id, the overrides | `snapshot.rs` |
//! | the last thousand registered and cancelled | `recent.rs` |
//!
//! `reconfigure.rs` takes settings that change meanwhile.
//!
//! Beside them: `version.rs` knows which of two copies is the later one, `tombstones.rs` what was cancelled a moment
//! ago, `table.rs` holds all instances, `shared_texts.rs` equal texts once, `slots.rs` and `word.rs` the
//! words of leases, `held.rs` a record with its lease, `ends.rs` orders that end by themselves, `undelivered.rs` changes that some peer has not got yet.
//!
//! Every visible change is one [`RegistryEvent`] with its own revision. Order within a change: event out,
//! then [`Index`], then the revision, then the reply. This folder does not know who listens.

mod actor;
mod adopt;
mod batch;
mod cancel;
#[cfg(any(test, fuzzing))]
mod checks;
#[cfg(test)]
mod converge;
mod ends;
mod event;
mod evict;
mod held;
mod in_step;
mod index;
mod lease;
mod load;
mod metadata;
mod newcomers;
mod owned;
mod recent;
mod reconfigure;
mod register;
mod renew;
mod renewed;
mod said;
mod shared_texts;
mod slots;
mod snapshot;
mod status;
mod table;
mod tombstones;
mod undelivered;
mod version;
mod word;

pub use actor::{Published, Registry, current_work};
pub use adopt::Adopt;
pub use batch::ApplyBatch;
pub use cancel::Cancel;
#[cfg(any(test, fuzzing))]
pub use checks::check_batch;
pub use event::{LeaseEvent, LeaseWhat, RegistryEvent, UnknownInstance, What};
pub use evict::{EvictExpired, HoldLeases, Judged, Overdue, TakeOverdue};
pub use held::Held;
pub use in_step::Beat;
pub use index::Index;
pub use lease::{Hold, Lease};
pub use load::{Load, TakePage, copy_from_list};
pub use metadata::{MetadataRefused, UpdateMetadata};
pub use owned::{EndOverride, Override};
pub use recent::{Recent, TakeRecent};
pub use reconfigure::Reconfigure;
pub use register::Register;
pub use renew::{Renew, Renewal};
pub use renewed::{MAX_SLOTS, Renewed};
pub use snapshot::{FindById, TakeApp, TakeOverrides, TakeSnapshot};
pub use status::{ClearStatus, SetStatus};
pub use table::LeaseTable;
pub use undelivered::{Undelivered, UndeliveredNote};
pub use version::Version;
