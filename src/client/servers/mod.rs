//! The servers: in which order they are asked, which are avoided, and what their answers mean.
//!
//! | file | what |
//! |---|---|
//! | `sources.rs`, `resolver.rs` | where they are known from, and looking that up |
//! | `order.rs` | own zone first, and who begins where |
//! | `pool.rs` | all servers, and which one is next |
//! | `standing.rs` | how it stands with one of them |
//! | `session.rs` | a request on its way through them, staying with the one that answered |
//! | `attempt.rs` | one try at one server: redirects, credentials |
//! | `verdict.rs` | what an answer means |
//! | `credentials.rs` | what proves who asks |
//!
//! Why something is asked is not known here.

mod attempt;
mod credentials;
mod order;
mod pool;
mod resolver;
mod session;
mod sources;
mod standing;
mod verdict;

pub use credentials::Tokens;

pub(crate) use attempt::Asker;
pub(crate) use credentials::Credentials;
pub(crate) use order::Zone;
pub(crate) use pool::Pool;
pub(crate) use resolver::Resolver;
pub(crate) use session::Session;
pub(crate) use sources::{Place, Sources, SrvName, TxtTree};
