//! Certificates that are replaced while the node runs.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web;

use crate::tls::Serving;

/// Pause between two looks at the files.
const EVERY: Duration = Duration::from_secs(10);

/// Reads certificates anew when their files change, for ever.
pub(super) async fn follow(tls: Option<Arc<Serving>>) {
    let Some(tls) = tls else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(EVERY).await;
        let looked = tls.clone();
        match web::block(move || looked.follow()).await {
            Ok(Ok(true)) => tracing::info!("certificates read anew; new connections see them"),
            Ok(Ok(false)) | Err(_) => {}
            Ok(Err(error)) => {
                tracing::error!(%error, "changed certificates cannot be used; the old ones stay in force");
            }
        }
    }
}
