//! What proves to a server who asks: basic authentication from its URL or for all, or a token that may be renewed.

use std::fmt;
use std::io;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::client::apart::apart;
use crate::client::backend::Pending;
use crate::model::NodeUrl;

/// Gives bearer tokens. `fresh` says that the last one was refused. Implemented for functions.
pub trait Tokens: Send + Sync + 'static {
    /// The token to use from now on.
    fn token(&self, fresh: bool) -> Pending<io::Result<String>>;
}

impl<F, R> Tokens for F
where
    F: Fn(bool) -> R + Send + Sync + 'static,
    R: Future<Output = io::Result<String>> + Send + 'static,
{
    fn token(&self, fresh: bool) -> Pending<io::Result<String>> {
        Box::pin(self(fresh))
    }
}

/// How the client proves who it is.
#[derive(Clone, Default)]
pub(crate) enum Credentials {
    /// What stands in the URL of each server, if anything does.
    #[default]
    FromUrl,
    /// User and password for servers whose URLs have none.
    Basic(String, String),
    /// A token for all servers.
    Bearer(Arc<dyn Tokens>),
}

/// Nothing of it is shown.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FromUrl => "FromUrl",
            Self::Basic(..) => "Basic",
            Self::Bearer(_) => "Bearer",
        })
    }
}

impl Credentials {
    /// The value of `Authorization` for a server.
    pub(crate) async fn header(&self, server: &NodeUrl, fresh: bool) -> io::Result<Option<String>> {
        let basic = |user: &str, password: &str| {
            let packed = BASE64_STANDARD.encode(format!("{user}:{password}"));
            format!("Basic {packed}")
        };
        let of_url = server.credentials();
        Ok(match (self, of_url) {
            (Self::Bearer(tokens), _) => Some(format!("Bearer {}", token(tokens, fresh).await?)),
            (_, Some((user, password))) => Some(basic(user, password)),
            (Self::Basic(user, password), None) => Some(basic(user, password)),
            (Self::FromUrl, None) => None,
        })
    }

    /// Whether asking again may bring another answer than 401.
    pub(crate) fn can_be_renewed(&self) -> bool {
        matches!(self, Self::Bearer(_))
    }
}

/// The program's token. Those read from files often end with a line break.
async fn token(tokens: &Arc<dyn Tokens>, fresh: bool) -> io::Result<String> {
    let tokens = tokens.clone();
    let given = apart(async move { tokens.token(fresh).await }).await;
    let given = given.ok_or_else(|| io::Error::other("whoever gives tokens panicked"))??;
    let token = given.trim();
    match token.is_empty() || token.contains(char::is_control) {
        true => Err(io::Error::other("wanted a token of one line")),
        false => Ok(token.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client.md §21 group 12, §11.5: the reference drops such passwords.
    #[tokio::test]
    async fn a_password_may_have_anything_in_it_and_the_url_s_counts_first() {
        let all = Credentials::Basic("all".to_string(), "pw".to_string());
        let token = |fresh: bool| async move { Ok(format!("t-{fresh}")) };
        let bearer = Credentials::Bearer(Arc::new(token));
        for (credentials, url, fresh, expected) in [
            (&Credentials::FromUrl, "http://a/", false, None),
            (
                &Credentials::FromUrl,
                "http://u:p:q@a/",
                false,
                Some("Basic dTpwOnE="),
            ),
            (
                &Credentials::FromUrl,
                "http://u:100%25@a/",
                false,
                Some("Basic dToxMDAl"),
            ),
            (
                &Credentials::FromUrl,
                "http://u@a/",
                false,
                Some("Basic dTo="),
            ),
            (&all, "http://a/", false, Some("Basic YWxsOnB3")),
            (&all, "http://u:p:q@a/", false, Some("Basic dTpwOnE=")),
            (&bearer, "http://u:p@a/", false, Some("Bearer t-false")),
            (&bearer, "http://a/", true, Some("Bearer t-true")),
        ] {
            let header = credentials.header(&url.parse().unwrap(), fresh).await;
            assert_eq!(header.unwrap().as_deref(), expected, "{url}");
        }
        assert_eq!(format!("{all:?}"), "Basic");
    }

    #[tokio::test]
    async fn a_token_is_one_line_and_whoever_gives_it_may_panic() {
        let bearer = |given: io::Result<&'static str>| {
            let given = given.map(String::from).map_err(|error| error.kind());
            let token = move |_: bool| {
                let given = given.clone();
                async move { given.map_err(io::Error::from) }
            };
            Credentials::Bearer(Arc::new(token))
        };
        let panics = |_: bool| -> std::future::Ready<io::Result<String>> { panic!("broken") };
        let refused = io::Error::from(io::ErrorKind::NotFound);
        for (credentials, expected) in [
            (bearer(Ok(" t\r\n")), Some("Bearer t")),
            (bearer(Ok("t\nu")), None),
            (bearer(Ok("\n")), None),
            (bearer(Err(refused)), None),
            (Credentials::Bearer(Arc::new(panics)), None),
        ] {
            let server = "http://a/".parse().unwrap();
            let header = credentials.header(&server, false).await;
            let header = header.map(Option::unwrap);
            assert_eq!(header.ok().as_deref(), expected);
        }
    }
}
