//! A node by its URL.

use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use hyper::header::HeaderValue;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use thiserror::Error;

/// Where a node is, and how one speaks to it.
#[derive(Clone, Debug)]
pub(super) struct Server {
    /// Host and port, to connect to and for the `Host` header.
    pub(super) authority: String,
    /// The path under which `apps` is, with a slash at its end.
    pub(super) path: String,
    /// Basic authentication, if the URL has a user.
    pub(super) authorization: Option<HeaderValue>,
}

/// Why a URL is none of a node.
#[derive(Debug, Error)]
pub(super) enum BadServer {
    #[error("wanted something like http://host:8761/eureka/")]
    NoUrl,
    #[error("only http:// can be measured")]
    NotHttp,
    #[error("user and password have signs that no header can take")]
    Credentials,
}

impl FromStr for Server {
    type Err = BadServer;

    fn from_str(text: &str) -> Result<Self, BadServer> {
        let url = Url::parse(text).map_err(|_| BadServer::NoUrl)?;
        if url.scheme() != "http" {
            return Err(BadServer::NotHttp);
        }
        let host = url.host_str().ok_or(BadServer::NoUrl)?;
        let port = url.port_or_known_default().ok_or(BadServer::NoUrl)?;
        let slash = if url.path().ends_with('/') { "" } else { "/" };
        Ok(Self {
            authority: format!("{host}:{port}"),
            path: format!("{}{slash}", url.path()),
            authorization: authorization(&url)?,
        })
    }
}

fn authorization(url: &Url) -> Result<Option<HeaderValue>, BadServer> {
    if url.username().is_empty() {
        return Ok(None);
    }
    let decoded = |text| percent_decode_str(text).collect::<Vec<u8>>();
    let mut pair = decoded(url.username());
    pair.push(b':');
    pair.extend(decoded(url.password().unwrap_or_default()));
    let value = format!("Basic {}", STANDARD.encode(pair));
    let mut value = HeaderValue::try_from(value).map_err(|_| BadServer::Credentials)?;
    value.set_sensitive(true);
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart_or_refused_with_a_reason() {
        for (text, authority, path, authorization) in [
            ("http://a:1/eureka/", "a:1", "/eureka/", None),
            ("http://a/eureka", "a:80", "/eureka/", None),
            ("http://[::1]:8761", "[::1]:8761", "/", None),
            ("http://u:p%40@a:1/x/", "a:1", "/x/", Some("Basic dTpwQA==")),
        ] {
            let server: Server = text.parse().unwrap();
            let got = server
                .authorization
                .as_ref()
                .map(|value| value.to_str().unwrap());
            assert_eq!(
                (&*server.authority, &*server.path, got),
                (authority, path, authorization)
            );
        }
        for (text, wanted) in [
            ("a:1", "only"),
            ("https://a/", "only"),
            ("nonsense", "wanted"),
        ] {
            let error = Server::from_str(text).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{text}: {error}");
        }
    }
}
