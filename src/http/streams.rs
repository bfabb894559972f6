//! Requests of one HTTP/2 connection that are open at once: bounded, since a client that opens them and takes no
//! answer pays nothing for them. HTTP/1 has one after the other.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_http::{Request, Response};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::Version;
use bytes::Bytes;

use crate::model::{Limit, TooMuch};

/// How many requests of a connection are open.
#[derive(Clone, Default)]
pub(super) struct Streams(Rc<Cell<usize>>);

/// One of them, open until its answer was taken.
pub(super) struct Stream(Streams);

impl Stream {
    /// Opens a stream if the request came by HTTP/2.
    pub(super) fn open(request: &Request, limit: Limit) -> Result<Option<Self>, TooMuch> {
        if request.version() != Version::HTTP_2 {
            return Ok(None);
        }
        let Some(streams) = request.conn_data::<Streams>() else {
            return Ok(None);
        };
        let open = streams.0.get() + 1;
        limit.allows_count("the connection", open, "open requests")?;
        streams.0.set(open);
        Ok(Some(Self(streams.clone())))
    }

    /// The answer, with which the stream ends.
    pub(super) fn ends_with(self, answer: Response<BoxBody>) -> Response<BoxBody> {
        answer.map_body(|_, body| {
            BoxBody::new(Last {
                body,
                _stream: self,
            })
        })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.0.set(self.0.0.get() - 1);
    }
}

/// The body of an answer and the stream it belongs to.
struct Last {
    body: BoxBody,
    _stream: Stream,
}

impl MessageBody for Last {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}
