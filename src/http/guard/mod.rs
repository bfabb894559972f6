//! Who may: each request is looked at once, before anything is done for it, whatever it asks for.
//!
//! Where nobody is known by the settings there is no guard, and a request pays one branch. Else a request needs
//! something (`needs.rs`), comes with something (`credentials.rs`), and these are compared. Credentials that were
//! right or wrong before are recognised by a keyed hash, so that a heartbeat pays for one hash and one look-up
//! whatever its password is stored as. What is not recognised is a guess, and guesses have their price.
//!
//! | file | what |
//! |---|---|
//! | `look.rs` | the guard: one request from its head to its verdict |
//! | `needs.rs` | what a request needs, pure |
//! | `credentials.rs` | what a request comes with |
//! | `known.rs` | everybody whom the settings know |
//! | `passwords.rs` | comparing with hashes, away from the workers |
//! | `cross_site.rs` | what a page of another site makes a browser send |
//! | `marks.rs` | what was right or wrong before, by keyed hash |
//! | `guesses.rs` | how many wrong ones an address may send |

mod credentials;
mod cross_site;
mod guesses;
mod known;
mod look;
mod marks;
mod needs;
mod passwords;

pub(super) use cross_site::is_cross_site;
pub(super) use look::BASIC;
pub(super) use look::{Guard, Refused, Shown, Unsure, Verdict};
