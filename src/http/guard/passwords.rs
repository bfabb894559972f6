//! Comparing with hashes: slow by intention, so it is done away from the workers, a few at a time, and only so many
//! may wait for it.

use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::web;
use argon2::{Argon2, PasswordVerifier};
use tokio::sync::Semaphore;

use crate::config::Password;
use crate::model::Secret;

/// Comparisons at the same time.
const AT_ONCE: usize = 2;
/// Requests that wait for one.
const MOST_WAITING: usize = 256;

/// The queue for comparisons.
pub(super) struct Comparisons {
    turns: Semaphore,
    waiting: AtomicUsize,
}

/// Too many wait.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooManyWait;

impl Comparisons {
    pub(super) fn new() -> Self {
        Self {
            turns: Semaphore::new(AT_ONCE),
            waiting: AtomicUsize::default(),
        }
    }

    /// Whether `given` is the password, unless `is_needless` once it is its turn: the same question may have been
    /// answered meanwhile.
    pub(super) async fn compare(
        &self,
        password: Password,
        given: Secret,
        is_needless: impl FnOnce() -> bool,
    ) -> Result<Option<bool>, TooManyWait> {
        let _place = Place::take(&self.waiting)?;
        let _turn = self.turns.acquire().await.map_err(|_| TooManyWait)?;
        if is_needless() {
            return Ok(None);
        }
        let compared = web::block(move || is_password(&password, &given)).await;
        // Only a thread pool that is gone would fail.
        compared.map(Some).map_err(|_| TooManyWait)
    }
}

/// One of those who wait, or whose turn it is.
struct Place<'c>(&'c AtomicUsize);

impl<'c> Place<'c> {
    fn take(waiting: &'c AtomicUsize) -> Result<Self, TooManyWait> {
        let place = Self(waiting);
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        (before < MOST_WAITING).then_some(place).ok_or(TooManyWait)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_password(password: &Password, given: &Secret) -> bool {
    let given = given.reveal();
    match password {
        Password::Bcrypt(hash) => bcrypt::verify(given, hash.reveal()).unwrap_or(false),
        Password::Argon2(hash) => Argon2::default()
            .verify_password(given.as_bytes(), hash.reveal())
            .is_ok(),
        // These are found by their mark.
        Password::Plain(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text)
    }

    /// Hashes that Spring Security 6.5 made of one password, with little work for the test's sake.
    const HASHES: [&str; 4] = [
        "$2a$04$32/hdtK3LGh7RTLbTTVKQOj2xxV.v2sV6qX9MalH/STGDI5/lkOJy",
        "$2y$04$l9H9if2RuFFO/8D3ogomtea3FT.ScNJE2qFPXvpq6bYB.hwAFeHi.",
        "$2b$04$8ROo0G8aNND038xKe6CUL.DVcwrvRgWnTAxT8.iy.sDDbt3M4C4ZS",
        "$argon2id$v=19$m=64,t=2,p=1$HUP/Tj3MawBPegGx8i3+sg$qvk1RJIVd4lmSRBMX1qkdLZJ6t3BspjVHcd+kktGMGs",
    ];

    #[actix_web::test]
    async fn hashes_that_spring_made_are_compared_as_spring_does() {
        let comparisons = Comparisons::new();
        for hash in HASHES {
            let password = match hash.starts_with("$argon2") {
                true => Password::Argon2(secret(hash)),
                false => Password::Bcrypt(secret(hash)),
            };
            for (given, right) in [("s3cret-ü", true), ("s3cret-u", false), ("", false)] {
                let given = secret(given);
                let compared = comparisons.compare(password.clone(), given, || false).await;
                assert_eq!(compared, Ok(Some(right)), "{hash}");
            }
        }
        assert_eq!(comparisons.waiting.load(Ordering::Relaxed), 0);
    }

    #[actix_web::test]
    async fn what_was_answered_meanwhile_is_not_compared_again() {
        let password = Password::Bcrypt(secret(HASHES[0]));
        let compared = Comparisons::new()
            .compare(password, secret("x"), || true)
            .await;
        assert_eq!(compared, Ok(None));
    }

    #[actix_web::test]
    async fn only_so_many_may_wait() {
        let comparisons = Comparisons::new();
        let _all = comparisons.turns.acquire_many(AT_ONCE as u32).await;
        comparisons.waiting.store(MOST_WAITING, Ordering::Relaxed);
        let password = Password::Bcrypt(secret("x"));
        let refused = comparisons.compare(password, secret("x"), || false).await;
        assert_eq!(refused, Err(TooManyWait));
        assert_eq!(comparisons.waiting.load(Ordering::Relaxed), MOST_WAITING);
    }
}
