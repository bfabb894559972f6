//! A body in parts, sent part by part with its length known beforehand.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use bytes::Bytes;

use crate::wire::Rope;

/// A [`Rope`] on its way out.
pub(super) struct RopeBody {
    rope: Rope,
    next: usize,
}

impl RopeBody {
    pub(super) fn new(rope: Rope) -> Self {
        Self { rope, next: 0 }
    }
}

impl MessageBody for RopeBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rope.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let part = self.rope.parts().get(self.next).cloned();
        self.next += 1;
        Poll::Ready(part.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;
    use crate::wire::rope::RopeBuilder;

    #[actix_web::test]
    async fn every_part_is_sent_and_the_length_is_known() {
        let mut rope = RopeBuilder::default();
        for part in ["ab", "cde", "f"] {
            rope.push(Bytes::from(part));
        }
        let body = RopeBody::new(rope.finish());
        assert_eq!(body.size(), BodySize::Sized(6));
        assert_eq!(to_bytes(body).await.unwrap(), "abcdef");
        let empty = RopeBody::new(Rope::default());
        assert_eq!(empty.size(), BodySize::Sized(0));
    }
}
