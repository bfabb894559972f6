//! A body in parts, sent part by part with its length known beforehand.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use bytes::Bytes;

use super::in_flight::Place;
use crate::wire::Rope;

/// As much of an answer as is copied for one connection at a time. actix copies what it is handed before it
/// writes it, so a list that is handed over whole would be held once for each client that reads it slowly.
const SLICE: usize = 64 << 10;

/// As much as one connection may send in its turn. A socket takes megabytes at once; a heartbeat that waits
/// behind a hundred readers of long lists must not wait for all of that.
const TURN: usize = 4 * SLICE;

/// Lists share all blocks that did not change between them, so one that somebody is slow to take keeps only a
/// part of it alive that nobody else needs: an eighth is a guess on the safe side.
const ITS_OWN: usize = 8;

/// Bytes that an answer holds for its reader alone, in about.
pub(super) fn held(rope: &Rope) -> usize {
    rope.len().min(SLICE) + rope.len().saturating_sub(SLICE) / ITS_OWN
}

/// A [`Rope`] on its way out.
pub(super) struct RopeBody {
    rope: Rope,
    next: usize,
    /// What is left of the part before `next`.
    part: Bytes,
    /// Bytes handed out in this turn.
    turn: usize,
    /// Kept as long as something is to be sent.
    _place: Option<Place>,
}

impl RopeBody {
    pub(super) fn new(rope: Rope, place: Option<Place>) -> Self {
        Self {
            rope,
            next: 0,
            part: Bytes::new(),
            turn: 0,
            _place: place,
        }
    }
}

impl MessageBody for RopeBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rope.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.turn >= TURN {
            self.turn = 0;
            // Woken after the system was asked who else is ready: a task that wakes itself would go before
            // them again and again.
            let _ = pin!(tokio::task::yield_now()).poll(cx);
            return Poll::Pending;
        }
        if self.part.is_empty() {
            let Some(part) = self.rope.parts().get(self.next).cloned() else {
                return Poll::Ready(None);
            };
            self.part = part;
            self.next += 1;
        }
        let slice = self.part.len().min(SLICE);
        self.turn += slice;
        Poll::Ready(Some(Ok(self.part.split_to(slice))))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    use super::*;
    use crate::wire::rope::RopeBuilder;

    #[test]
    fn a_long_answer_comes_in_slices_that_make_the_whole() {
        let bytes: Bytes = (0..200_000_u32).map(|n| n as u8).collect();
        let mut rope = RopeBuilder::default();
        rope.push(Bytes::from_static(b"abc"));
        rope.push(bytes.clone());
        rope.push(Bytes::from_static(b"d"));
        let mut body = RopeBody::new(rope.finish(), None);
        assert_eq!(body.size(), BodySize::Sized(200_004));
        assert_eq!(held(&body.rope), 65_536 + 134_468 / 8);
        let (mut lengths, mut whole) = (Vec::new(), Vec::new());
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(Ok(slice))) = Pin::new(&mut body).poll_next(&mut cx) {
            lengths.push(slice.len());
            whole.extend_from_slice(&slice);
        }
        assert_eq!(lengths, [3, 65_536, 65_536, 65_536, 3_392, 1]);
        assert_eq!(whole, [b"abc", &bytes[..], b"d"].concat());
    }

    #[test]
    fn a_long_answer_lets_others_have_their_turn_and_asks_for_the_next() {
        struct Woken(AtomicUsize);
        impl Wake for Woken {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let woken = Arc::new(Woken(AtomicUsize::new(0)));
        let waker = Waker::from(woken.clone());
        let mut cx = Context::from_waker(&waker);
        let mut body = RopeBody::new(Rope::from(vec![7; 3 * TURN - 1]), None);
        let (mut turns, mut sent) = (vec![0], 0);
        loop {
            match Pin::new(&mut body).poll_next(&mut cx) {
                Poll::Ready(Some(Ok(slice))) => {
                    sent += slice.len();
                    *turns.last_mut().unwrap() += slice.len();
                }
                Poll::Ready(None) => break,
                Poll::Pending => turns.push(0),
            }
        }
        assert_eq!(turns, [TURN, TURN, TURN - 1]);
        assert_eq!(sent, 3 * TURN - 1);
        assert_eq!(woken.0.load(Ordering::Relaxed), 2, "one for each pause");
    }

    #[test]
    fn an_empty_answer_has_a_length_and_no_parts() {
        let mut body = RopeBody::new(Rope::default(), None);
        assert_eq!(body.size(), BodySize::Sized(0));
        assert_eq!(held(&Rope::default()), 0);
        let mut cx = Context::from_waker(Waker::noop());
        assert!(matches!(
            Pin::new(&mut body).poll_next(&mut cx),
            Poll::Ready(None)
        ));
    }
}
