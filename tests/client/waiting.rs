//! Waiting for what has to come, where time is real.

use std::time::Duration;

use heureka::client::EurekaClient;

/// How long a test waits for something that has to come.
pub const LONGEST: Duration = Duration::from_secs(60);

/// Waits until the registry as the client sees it is so.
pub async fn until(client: &EurekaClient, is_so: impl Fn(&EurekaClient) -> bool) {
    let mut watch = client.watch().unwrap();
    let there = async {
        while !is_so(client) {
            watch.next().await.unwrap();
        }
    };
    let in_time = tokio::time::timeout(LONGEST, there).await;
    in_time.unwrap_or_else(|_| panic!("it did not come about: {:?}", client.catalog()));
}
