//! Doors that are locked, on real ports.
//!
//! | file | what |
//! |---|---|
//! | `credentials.rs` | passwords and tokens on connections and between nodes |
//! | `secrets.rs` | nothing that is secret is said anywhere |
//! | `tls.rs` | TLS, and certificates of nodes and clients |

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

#[path = "../support/process.rs"]
mod process;
#[path = "../support/running.rs"]
mod running;

mod credentials;
mod secrets;
mod tls;

use std::time::Duration;

/// How long a test waits for something that has to come.
const LONGEST: Duration = Duration::from_secs(60);

/// The body that registers an instance `i`.
fn registration(app: &str) -> String {
    format!(
        r#"{{"instance":{{"instanceId":"i","hostName":"h","app":"{app}","ipAddr":"10.0.0.1",
        "dataCenterInfo":{{"name":"MyOwn"}}}}}}"#
    )
}
