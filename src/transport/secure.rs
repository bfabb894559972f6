//! The way to nodes over TLS: what this node shows and trusts, made when it is first needed and anew when the files
//! have changed. Files that cannot be used any more leave what was made before in force.

use std::cell::RefCell;
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, Identity};
use tokio::time::Instant;

use super::CallFailed;
use super::innermost;
use crate::model::ClientTls;
use crate::tls::{Stamps, TlsError, authorities, material};

/// Pause between two looks at the files.
const EVERY: Duration = Duration::from_secs(10);

/// A client over TLS.
#[derive(Debug)]
pub(super) struct Secure {
    tls: ClientTls,
    made: RefCell<Option<Made>>,
}

#[derive(Debug)]
struct Made {
    client: Client,
    stamps: Stamps,
    looked_at: Instant,
}

impl Secure {
    pub(super) fn new(tls: ClientTls) -> Self {
        Self {
            tls,
            made: RefCell::default(),
        }
    }

    /// The client; `builder` begins one.
    pub(super) fn client(&self, builder: impl Fn() -> ClientBuilder) -> Result<Client, CallFailed> {
        let now = Instant::now();
        let mut made = self.made.borrow_mut();
        if let Some(made) = &mut *made {
            if now.duration_since(made.looked_at) < EVERY {
                return Ok(made.client.clone());
            }
            made.looked_at = now;
            let stamps = made.stamps.now();
            if made.stamps == stamps {
                return Ok(made.client.clone());
            }
            made.stamps = stamps;
        }
        // Looked at before the files are read: what changes in between is found the next time.
        let stamps = Stamps::of_client(&self.tls);
        match (self.make(builder()), &mut *made) {
            (Ok(client), _) => {
                *made = Some(Made {
                    client: client.clone(),
                    stamps,
                    looked_at: now,
                });
                Ok(client)
            }
            (Err(error), Some(made)) => {
                let error = error.to_string();
                tracing::error!(
                    error,
                    "changed certificates cannot be used; the old ones stay in force"
                );
                Ok(made.client.clone())
            }
            (Err(error), None) => Err(CallFailed::Unreachable(error.to_string())),
        }
    }

    #[cfg(test)]
    pub(super) fn is_made(&self) -> bool {
        self.made.borrow().is_some()
    }

    fn make(&self, builder: ClientBuilder) -> Result<Client, TlsError> {
        let builder = with_certificates(builder, &self.tls)?;
        builder.build().map_err(|error| broken(&error))
    }
}

/// A client that trusts and shows what the settings say.
pub fn with_certificates(
    mut builder: ClientBuilder,
    tls: &ClientTls,
) -> Result<ClientBuilder, TlsError> {
    if let Some(trust) = &tls.trust {
        let all = authorities(trust)?;
        let roots = all.iter().map(|root| Certificate::from_der(root));
        let roots: Result<Vec<_>, _> = roots.collect();
        builder = builder.tls_certs_only(roots.map_err(|error| broken(&error))?);
    }
    if let Some(key) = &tls.key {
        let pem = material(key)?.to_pem();
        let identity = Identity::from_pem(pem.reveal().as_bytes());
        builder = builder.identity(identity.map_err(|error| broken(&error))?);
    }
    Ok(builder)
}

fn broken(error: &reqwest::Error) -> TlsError {
    TlsError {
        file: "eureka.client.tls".to_string(),
        problem: innermost(error),
    }
}
