//! What a peer's answer means (server.md §13.3): first for the batch, then for each of its items.
//!
//! Decisions only; what they lead to is in `answer.rs`.

use std::time::Duration;

use crate::model::{Action, EpochMillis, PeerAnswer};
use crate::transport::{Answer, CallFailed};
use crate::wire::outgoing::read_answers;

/// A batch that was sent, as far as its answer is judged by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentBatch {
    /// Items in it.
    pub items: usize,
    /// Whether there was something in or about it that only nodes of this kind read.
    pub dressed: bool,
}

/// What is to be done about a whole batch.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchOutcome {
    /// Each item has its answer.
    Answered(Vec<PeerAnswer>),
    /// It was carried out, but nobody knows what became of which item; heartbeats will repair what is amiss.
    Miscounted,
    /// The peer is not of this kind any more: send the same again, plainly.
    SendPlainly,
    /// Something in it cannot be read there: find out what by sending each item alone.
    SendAlone,
    /// Too long: send less at a time.
    SendLess,
    /// Keep everything and try later.
    Wait(Trouble),
}

/// Why a peer is left alone for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The word used as a label.
    pub kind: TroubleKind,
    /// How long the peer asked to be left alone.
    pub retry_after: Option<Duration>,
}

/// Kinds of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TroubleKind {
    /// Nobody was reached.
    Unreachable,
    /// Nothing came in time.
    TimedOut,
    /// The answer broke off.
    Broken,
    /// 429, 503.
    Busy,
    /// Any other 5xx.
    Failing,
    /// 401, 403.
    Forbidden,
    /// Any other status: there is no Eureka at this address.
    Astray,
    /// 2xx, but no answer to a batch.
    Unreadable,
}

impl TroubleKind {
    /// The label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed_out",
            Self::Broken => "broken",
            Self::Busy => "busy",
            Self::Failing => "failing",
            Self::Forbidden => "forbidden",
            Self::Astray => "astray",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether an item of the batch may be the reason.
    pub fn may_be_an_item(self) -> bool {
        matches!(self, Self::TimedOut | Self::Broken | Self::Failing)
    }
}

impl BatchOutcome {
    /// The label.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Answered(_) => "ok",
            Self::Miscounted => "miscounted",
            Self::SendPlainly => "other_kind",
            Self::SendAlone => "refused",
            Self::SendLess => "too_long",
            Self::Wait(trouble) => trouble.kind.as_str(),
        }
    }
}

/// Judges what came back for a batch.
pub fn judge_batch(
    result: &Result<Answer, CallFailed>,
    sent: SentBatch,
    now: EpochMillis,
) -> BatchOutcome {
    let answer = match result {
        Ok(answer) => answer,
        Err(CallFailed::Unreachable(_)) => return wait(TroubleKind::Unreachable),
        Err(CallFailed::TimedOut(_)) => return wait(TroubleKind::TimedOut),
        Err(CallFailed::Broken(_)) => return wait(TroubleKind::Broken),
    };
    let empty = sent.items == 0;
    let other_kind = sent.dressed && answer.sign.is_none();
    match answer.status {
        200..=299 => judge_answers(&answer.body, sent, now),
        401 | 403 => wait(TroubleKind::Forbidden),
        429 | 503 => BatchOutcome::Wait(Trouble {
            kind: TroubleKind::Busy,
            retry_after: answer.retry_after,
        }),
        413 if !empty => BatchOutcome::SendLess,
        400 | 415 | 500 if other_kind => BatchOutcome::SendPlainly,
        400 if !empty => BatchOutcome::SendAlone,
        500..=599 => wait(TroubleKind::Failing),
        _ => wait(TroubleKind::Astray),
    }
}

fn wait(kind: TroubleKind) -> BatchOutcome {
    BatchOutcome::Wait(Trouble {
        kind,
        retry_after: None,
    })
}

fn judge_answers(body: &[u8], sent: SentBatch, now: EpochMillis) -> BatchOutcome {
    let answers = std::str::from_utf8(body)
        .ok()
        .and_then(|body| read_answers(body, now).ok());
    match answers {
        None => wait(TroubleKind::Unreadable),
        Some(answers) if answers.len() != sent.items => BatchOutcome::Miscounted,
        Some(answers) => BatchOutcome::Answered(answers),
    }
}

/// What is to be done about one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemOutcome {
    /// Nothing.
    Done,
    /// The peer does not know the instance, and that is no harm or cannot be helped.
    Unknown,
    /// The peer lacks the record: register it there.
    RegisterThere,
    /// The peer lacks the record: register it there, and then the same again.
    RegisterAndRepeat,
    /// The peer's copy is newer: take it.
    TakeTheirs,
    /// The peer's copy is newer, but it did not send it.
    Newer,
    /// Try again.
    Retry,
    /// The peer will never take it.
    SetAside,
}

impl ItemOutcome {
    /// The label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "ok",
            Self::Unknown => "unknown",
            Self::RegisterThere | Self::RegisterAndRepeat => "registered_there",
            Self::TakeTheirs => "taken",
            Self::Newer => "newer",
            Self::Retry => "retried",
            Self::SetAside => "set_aside",
        }
    }
}

/// Judges the answer to one item. `repeated` is an order that came after the peer was given the record.
pub fn judge_item(action: Action, repeated: bool, answer: &PeerAnswer) -> ItemOutcome {
    match (answer.status, action) {
        (200..=299, _) => ItemOutcome::Done,
        (404, Action::Heartbeat) => ItemOutcome::RegisterThere,
        (404, Action::StatusUpdate | Action::DeleteStatusOverride) if !repeated => {
            ItemOutcome::RegisterAndRepeat
        }
        (404, _) => ItemOutcome::Unknown,
        (409, _) if answer.copy.is_some() => ItemOutcome::TakeTheirs,
        (409, _) => ItemOutcome::Newer,
        (500..=599, _) => ItemOutcome::Retry,
        _ => ItemOutcome::SetAside,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::{Extra, PeerCopy, samples};
    use crate::transport::NodeSign;

    fn answer(status: u16, body: &'static str) -> Answer {
        Answer {
            status,
            body: Bytes::from_static(body.as_bytes()),
            sign: None,
            retry_after: None,
        }
    }

    fn judged(answer: Answer, items: usize, dressed: bool) -> &'static str {
        judge_batch(&Ok(answer), SentBatch { items, dressed }, 0).as_str()
    }

    #[test]
    fn every_status_of_a_batch_has_its_row() {
        let one = r#"{"responseList":[{"statusCode":200}]}"#;
        for (status, body, outcome, when_empty) in [
            (200, one, "ok", "miscounted"),
            (202, one, "ok", "miscounted"),
            (200, r#"{"responseList":[]}"#, "miscounted", "ok"),
            (200, "<html>", "unreadable", "unreadable"),
            (200, "", "unreadable", "unreadable"),
            (301, "", "astray", "astray"),
            (400, "", "refused", "astray"),
            (401, "", "forbidden", "forbidden"),
            (403, "", "forbidden", "forbidden"),
            (404, "", "astray", "astray"),
            (405, "", "astray", "astray"),
            (413, "", "too_long", "astray"),
            (418, "", "astray", "astray"),
            (429, "", "busy", "busy"),
            (500, "", "failing", "failing"),
            (502, "", "failing", "failing"),
            (503, "", "busy", "busy"),
        ] {
            let of = |items| judged(answer(status, body), items, false);
            assert_eq!((of(1), of(0)), (outcome, when_empty), "{status} {body}");
        }
    }

    #[test]
    fn every_way_to_get_no_answer_has_its_row() {
        for (failed, label) in [
            (CallFailed::Unreachable(String::new()), "unreachable"),
            (CallFailed::TimedOut(Duration::ZERO), "timed_out"),
            (CallFailed::Broken(String::new()), "broken"),
        ] {
            let sent = SentBatch {
                items: 1,
                dressed: true,
            };
            assert_eq!(judge_batch(&Err(failed), sent, 0).as_str(), label);
        }
    }

    #[test]
    fn a_peer_that_refuses_what_only_our_kind_reads_and_has_no_sign_gets_it_plainly() {
        for status in [400, 415, 500] {
            assert_eq!(judged(answer(status, ""), 1, true), "other_kind");
            let signed = Answer {
                sign: Some(NodeSign {
                    id: "a".to_string(),
                    version: "1".to_string(),
                    open: true,
                    instances: None,
                }),
                ..answer(status, "")
            };
            assert_ne!(judged(signed, 1, true), "other_kind");
        }
        assert_eq!(judged(answer(413, ""), 1, true), "too_long");
        assert_eq!(judged(answer(503, ""), 1, true), "busy");
    }

    #[test]
    fn a_busy_peer_says_how_long_it_wants_to_be_left_alone() {
        let busy = Answer {
            retry_after: Some(Duration::from_secs(3)),
            ..answer(503, "")
        };
        let sent = SentBatch {
            items: 1,
            dressed: false,
        };
        let BatchOutcome::Wait(trouble) = judge_batch(&Ok(busy), sent, 0) else {
            panic!("a busy peer is waited for");
        };
        assert_eq!(trouble.retry_after, Some(Duration::from_secs(3)));
    }

    #[test]
    fn every_status_of_an_item_has_its_row() {
        use Action::*;
        use ItemOutcome::*;
        for (status, heartbeat, register, cancel, order, repeated) in [
            (200, Done, Done, Done, Done, Done),
            (204, Done, Done, Done, Done, Done),
            (
                404,
                RegisterThere,
                Unknown,
                Unknown,
                RegisterAndRepeat,
                Unknown,
            ),
            (409, Newer, Newer, Newer, Newer, Newer),
            (500, Retry, Retry, Retry, Retry, Retry),
            (503, Retry, Retry, Retry, Retry, Retry),
            (400, SetAside, SetAside, SetAside, SetAside, SetAside),
            (301, SetAside, SetAside, SetAside, SetAside, SetAside),
        ] {
            let answer = PeerAnswer {
                status,
                copy: None,
                cancelled: None,
            };
            let of = |action, repeated| judge_item(action, repeated, &answer);
            assert_eq!(of(Heartbeat, false), heartbeat, "{status}");
            assert_eq!(of(Register, false), register, "{status}");
            assert_eq!(of(Cancel, false), cancel, "{status}");
            for action in [StatusUpdate, DeleteStatusOverride] {
                assert_eq!(of(action, false), order, "{status}");
                assert_eq!(of(action, true), repeated, "{status}");
            }
        }
    }

    #[test]
    fn a_newer_copy_is_taken_whatever_it_answers() {
        let copy = PeerCopy {
            info: Box::new(samples::instance("A", "i")),
            extra: Extra::NONE,
        };
        let answer = PeerAnswer {
            status: 409,
            copy: Some(copy),
            cancelled: None,
        };
        for action in Action::ALL {
            assert_eq!(
                judge_item(action, false, &answer),
                ItemOutcome::TakeTheirs,
                "{action:?}"
            );
        }
    }
}
