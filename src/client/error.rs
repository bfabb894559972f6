//! What can go wrong, as far as the program that uses the library can do something about it.

use std::time::Duration;

/// The client cannot be started with these settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Neither a server nor a way to find one was given.
    #[error("no server is known: give at least one service URL")]
    NoServers,
    /// A text is no service URL. It is shown without credentials.
    #[error("server {url}: wanted a URL like http://host:8761/eureka/")]
    BadServer {
        /// What was given.
        url: String,
    },
    /// A record that no server would take.
    #[error("the instance cannot be registered: {0}")]
    BadInstance(&'static str),
    /// A setting makes no sense.
    #[error("{setting}: {why}")]
    BadSetting {
        /// The builder's method.
        setting: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A file of settings, or another source of them, cannot be read or understood.
    #[error("{0}")]
    BadSource(String),
    /// It was to wait until something is done, and that did not come about in time.
    #[error("{what} did not come about within {within:?}")]
    NotInTime {
        /// The registration or the first list.
        what: &'static str,
        /// The time that was given to it.
        within: Duration,
    },
}

/// No server did what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestFailed {
    /// The list of servers is empty.
    #[error("no server is known")]
    NoServers,
    /// A server understood and refused; others would do the same.
    #[error("{server} refused: status {status} {text}")]
    Refused {
        /// The server, without credentials.
        server: String,
        /// The status code of its answer.
        status: u16,
        /// The beginning of its answer.
        text: String,
    },
    /// No server gave a usable answer in time; this is what the last one tried did.
    #[error("no server answered: {server}: {why}")]
    Unanswered {
        /// The server that was tried last, without credentials.
        server: String,
        /// What happened there.
        why: String,
    },
}
