//! The client library: a program registers itself, stays registered, and finds others, whatever happens to the servers.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use heureka::client::{EurekaClient, Instance};
//!
//! let client = EurekaClient::builder()
//!     .server("http://localhost:8761/eureka/")
//!     .register(Instance::new("orders").port(8080))
//!     .start()
//!     .await?;
//! for instance in &client.instances("billing") {
//!     println!("{}:{}", instance.host_name, instance.port.number);
//! }
//! // … until the program ends:
//! client.shutdown().await;
//! # Ok(()) }
//! ```
//!
//! There are no global variables, and as many clients in one program as one likes. The tasks of a client run on the
//! tokio runtime that it was started on.
//!
//! | file | what |
//! |---|---|
//! | `builder.rs`, `times.rs`, `start.rs` | every setting, which times are taken, and the start |
//! | `settings.rs`, `pairs.rs`, `spring_files.rs` | settings under Spring's names, how these are compared, and from Spring's files |
//! | `handle.rs`, `ending.rs` | the client in the hands of a program, and its end |
//! | `instance.rs` | the record that a program registers of itself |
//! | `registration/` | keeping it with the servers |
//! | `discovery/` | following the registry |
//! | `lookups.rs` | what a program asks of it |
//! | `balance/` | which instance gets the next request |
//! | `servers/` | which server is asked, and what its answers mean |
//! | `operation.rs` | what is asked, as it goes over the wire |
//! | `backend.rs`, `http.rs` | the way to servers, and the usual one |
//! | `event.rs`, `error.rs` | what happens, and what goes wrong |
//! | `figures.rs`, `no_figures.rs` | metrics, with and without their feature |
//! | `chance.rs`, `pause.rs` | jitter, and pauses after failures |
//! | `apart.rs` | code of the program, where it may panic |
//! | `timekeeper.rs` | wall time that follows the system's |

/// The examples of the guide compile.
#[cfg(doctest)]
#[doc = include_str!("../../docs/client.md")]
mod guide {}

mod apart;
mod backend;
mod balance;
mod builder;
mod chance;
mod discovery;
mod ending;
mod error;
mod event;
#[cfg_attr(not(feature = "metrics"), path = "no_figures.rs")]
mod figures;
mod handle;
mod http;
mod instance;
mod lookups;
mod operation;
mod pairs;
mod pause;
mod registration;
mod servers;
mod settings;
#[cfg(feature = "spring-files")]
mod spring_files;
mod start;
mod timekeeper;
mod times;

pub use backend::{Backend, CallFailed, Pending, Request, Response, ServiceAt};
#[cfg(feature = "reqwest-middleware")]
pub use balance::Balance;
#[cfg(feature = "tower")]
pub use balance::{BalanceLayer, Balanced, Discovered};
pub use balance::{NoInstance, Picked, Policy, Unanswered};
pub use builder::{Builder, ServerPlace};
pub use discovery::{Catalog, CatalogWatch, Changes, Filter, Freshness, Instances, InstancesWatch};
pub use error::{RequestFailed, StartError};
pub use event::Event;
pub use handle::EurekaClient;
pub use http::HttpBackend;
pub use instance::Instance;
pub use registration::HealthCheck;
pub use servers::Tokens;
#[cfg(feature = "spring-files")]
pub use spring_files::spring_settings;

pub use crate::model::{InstanceInfo, InstanceKey, InstanceStatus};
