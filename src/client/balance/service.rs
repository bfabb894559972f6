//! `http://orders/…` with tower: a service in front of another one that sends requests for the name of an application to
//! an instance of it.
//!
//! A host that no instance is known for, or one with a port or a dot, is left as it is, and `https://orders/…` goes only to
//! instances that are reached by HTTPS. Nothing is tried twice here: tower has
//! a layer for that. An error, and the answers 502, 503 and 504, count as failures of the instance.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::uri::{Authority, Parts, Scheme};
use http::{Request, Response, Uri};
use tower_layer::Layer;
use tower_service::Service;

use super::address::{is_answer, is_name, pick_for, reached_at};
use super::picked::Picked;
use crate::client::handle::EurekaClient;

/// Puts a [`Balanced`] in front of a service; [`EurekaClient::tower_layer`] makes one.
#[derive(Clone, Debug)]
pub struct BalanceLayer(EurekaClient);

/// A service that sends requests to instances.
#[derive(Clone, Debug)]
pub struct Balanced<S> {
    client: EurekaClient,
    inner: S,
}

impl EurekaClient {
    /// A layer after which `http://orders/…` goes to an instance of `orders`.
    pub fn tower_layer(&self) -> BalanceLayer {
        BalanceLayer(self.clone())
    }
}

impl<S> Layer<S> for BalanceLayer {
    type Service = Balanced<S>;

    fn layer(&self, inner: S) -> Balanced<S> {
        Balanced {
            client: self.0.clone(),
            inner,
        }
    }
}

impl<S, B, R> Service<Request<B>> for Balanced<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let secure = request.uri().scheme() == Some(&Scheme::HTTPS);
        let picked = name_in(request.uri())
            .and_then(|name| pick_for(&self.client, name, secure, &mut Vec::new()));
        let there = picked
            .as_ref()
            .and_then(|picked| at(picked, request.uri().clone()));
        if let Some(there) = there {
            *request.uri_mut() = there;
        }
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            let is_good = answer
                .as_ref()
                .is_ok_and(|answer| is_answer(answer.status()));
            match (picked, is_good) {
                (Some(picked), true) => picked.succeeded(),
                (Some(picked), false) => picked.failed(),
                (None, _) => {}
            }
            answer
        })
    }
}

/// What may be the name of an application.
fn name_in(uri: &Uri) -> Option<&str> {
    match uri.port() {
        Some(_) => None,
        None => uri.host().filter(|host| is_name(host)),
    }
}

/// The same place at an instance; nothing where its record has no usable host.
fn at(picked: &Picked, uri: Uri) -> Option<Uri> {
    let (scheme, host, port) = reached_at(picked);
    let authority: Authority = format!("{host}:{port}").parse().ok()?;
    let mut parts: Parts = uri.into_parts();
    parts.scheme = Some(match scheme {
        "https" => Scheme::HTTPS,
        _ => Scheme::HTTP,
    });
    parts.authority = Some(authority);
    Uri::from_parts(parts).ok()
}
