//! What the program gave, on a task of its own: a panic in it ends only that, and it ends with whoever waits for it.

use tokio::task::JoinSet;

/// What came of it; nothing where it panicked.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    // A set, since that ends its tasks when it is dropped.
    let mut tasks = JoinSet::new();
    tasks.spawn(work);
    tasks.join_next().await?.ok()
}
