//! `http://orders/…` with reqwest: a middleware that sends requests for the name of an application to an instance of it.
//!
//! A host that no instance is known for, or one with a port or a dot, is left as it is. `https://orders/…` goes only to instances that
//! are reached by HTTPS. A request that nobody took, or that was
//! answered 502, 503 or 504, goes to the next instance if its method may be carried out twice and its body can be
//! sent twice.

use async_trait::async_trait;
use http::Extensions;
use reqwest::{Method, Request, Response};
use reqwest_middleware::{Middleware, Next, Result};
use url::Url;

use super::address::{is_answer, is_name, pick_for, reached_at};
use super::picked::Picked;
use crate::client::handle::EurekaClient;

/// Instances that are tried for one request.
const TRIES: usize = 3;

/// The middleware; [`EurekaClient::reqwest_middleware`] makes one.
#[derive(Clone, Debug)]
pub struct Balance {
    client: EurekaClient,
    tries: usize,
}

impl EurekaClient {
    /// A middleware for [`reqwest_middleware::ClientBuilder::with`], after which `http://orders/…` goes to an instance of
    /// `orders`.
    pub fn reqwest_middleware(&self) -> Balance {
        Balance {
            client: self.clone(),
            tries: TRIES,
        }
    }
}

impl Balance {
    /// How many instances are tried for one request; 3 by default, 1 tries none again.
    pub fn tries(mut self, tries: usize) -> Self {
        self.tries = tries.max(1);
        self
    }
}

#[async_trait]
impl Middleware for Balance {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        match name_in(request.url()) {
            Some(name) => self.send(&name, request, extensions, next).await,
            None => next.run(request, extensions).await,
        }
    }
}

impl Balance {
    async fn send(
        &self,
        name: &str,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let secure = request.url().scheme() == "https";
        let mut tried = Vec::new();
        let Some(mut picked) = pick_for(&self.client, name, secure, &mut tried) else {
            return next.run(request, extensions).await;
        };
        let mut left = self.tries;
        loop {
            left -= 1;
            let spare = match left > 0 && is_repeatable(request.method()) {
                true => request.try_clone(),
                false => None,
            };
            send_to(&picked, request.url_mut());
            let answer = next.clone().run(request, extensions).await;
            let is_good = answer
                .as_ref()
                .is_ok_and(|answer| is_answer(answer.status()));
            match is_good {
                true => picked.succeeded(),
                false => picked.failed(),
            }
            let spare = spare.filter(|_| !is_good);
            let again = spare.and_then(|spare| {
                let other = pick_for(&self.client, name, secure, &mut tried)?;
                Some((spare, other))
            });
            match again {
                Some(again) => (request, picked) = again,
                None => return answer,
            }
        }
    }
}

/// What may be the name of an application.
fn name_in(url: &Url) -> Option<String> {
    match url.port() {
        Some(_) => None,
        None => url
            .host_str()
            .filter(|host| is_name(host))
            .map(String::from),
    }
}

/// RFC 9110 §9.2.2.
fn is_repeatable(method: &Method) -> bool {
    [
        Method::GET,
        Method::HEAD,
        Method::OPTIONS,
        Method::PUT,
        Method::DELETE,
    ]
    .contains(method)
}

fn send_to(picked: &Picked, url: &mut Url) {
    let (scheme, host, port) = reached_at(picked);
    // A record may have a host that is none; the request then fails where it is sent.
    _ = url.set_scheme(scheme);
    _ = url.set_host(Some(&host));
    _ = url.set_port(Some(port));
}
